"""Reading single records by their place, and the payload a revisit refers to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from isal import isal_zlib

from webkeep.errors import StorageError
from webkeep.formats.chunked import Note
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import charset
from webkeep.formats.expansion import PACKED
from webkeep.formats.flaws import Flaws
from webkeep.formats.gzip_member import stored_from
from webkeep.formats.http1 import ResponseHead, parse_response, read_response_head
from webkeep.formats.record import Record
from webkeep.formats.segments import IsalError
from webkeep.model import Body, BytesBody, Place
from webkeep.store.scanning import open_records

RECORD_BOMB = "record-bomb"
"""The code of the flaw of a record that unpacks to far more than any would in earnest."""
_WHOLE = 256 * 1024
_GLANCE = 4096
_GREATEST_RATIO = 1100
"""Deflate makes no more than 1,032 bytes of one."""
_PLAIN = b"WARC/"


class WarcFiles:
    """The WARC files of an archive, opened to read one record at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prefix = f"{folder}/"

    def open(self, name: str) -> BinaryIO:
        """A WARC file as a stream."""
        try:
            return (self._folder / name).open("rb")
        except OSError as error:
            raise self._failure(name, error) from error

    def bytes_at(self, place: Place) -> bytes:
        """The bytes at a place; without a stream, which takes longer to make than a small record to read."""
        try:
            file = os.open(self._prefix + place.file, os.O_RDONLY)
            try:
                return os.pread(file, place.length, place.offset)
            finally:
                os.close(file)
        except OSError as error:
            raise self._failure(place.file, error) from error

    def beginning(self, place: Place) -> bytes:
        """The first bytes of the record at a place; none where they cannot be had at a glance."""
        data = self.bytes_at(Place(place.file, place.offset, min(place.length, _GLANCE)))
        if data.startswith(_PLAIN):
            return data
        try:
            return isal_zlib.decompressobj(wbits=31).decompress(data, 4 * _GLANCE)
        except IsalError:
            return b""

    def _failure(self, name: str, error: OSError) -> StorageError:
        return StorageError(f"{self._folder / name} cannot be read ({error.strerror}); run webkeep verify")

    def record(self, place: Place, stream: BinaryIO) -> Record:
        """The record at a place; its block is read from the stream."""
        for record in open_records(stream, place.file, Flaws(), place.offset):
            if record.offset == place.offset:
                return record if _is_plausible(record, place) else self._measured(record, place, stream)
            break
        raise StorageError(
            f"{place.file} has no record at byte {place.offset}; run webkeep verify, then webkeep rebuild"
        )

    def _measured(self, record: Record, place: Place, stream: BinaryIO) -> Record:
        """A record again whose head cannot be right about its block, with the size that this really has."""
        record.finish()
        again = next(open_records(stream, place.file, Flaws(), place.offset))
        again.size = again.unread = record.held
        return again


def _is_plausible(record: Record, place: Place) -> bool:
    """Whether a block can be as long as its head says, by the place that the record takes."""
    return record.size <= place.length * _GREATEST_RATIO or not place.length


@dataclass(frozen=True, slots=True)
class RecordBody:
    """The payload of a stored record as a body; ranges near the end of large stored members are reached at once."""

    files: WarcFiles
    place: Place
    before: int
    """How many bytes of the member come before the payload: the record's head and the HTTP head."""
    skip: int
    """How many bytes of the block come before the payload."""
    size: int

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The payload from `start` on, as it came over the wire."""
        with self.files.open(self.place.file) as stream:
            if start:
                pieces = stored_from(stream, self.place.offset, self.before + start)
                if pieces is not None:
                    yield from _limited(pieces, self.size - start)
                    return
            record = self.files.record(self.place, stream)
            yield from _limited(_from(record.chunks(), self.skip + start), min(self.size, self.allowed) - start)

    @property
    def allowed(self) -> int:
        """How many bytes may come out of so many in the file."""
        return PACKED.allowed(self.place.length)


@dataclass(frozen=True, slots=True)
class Holding:
    """What an archive holds of one observation: its head and its body, wherever these are stored."""

    url: str
    head: ResponseHead | None
    """The HTTP head; None for a resource, which has none."""
    raw_head: bytes
    body: Body
    """The payload as it came: transfer and content coding untouched."""
    media_type: str = ""

    def raw(self, note: Note | None = None) -> Iterator[bytes]:
        """The payload as it came, in pieces; `note` is told where the end of it is lost."""
        size = 0
        for piece in self.body.chunks():
            size += len(piece)
            yield piece
        if size >= self.body.size or note is None:
            return
        if isinstance(self.body, RecordBody) and size >= self.body.allowed:
            note(RECORD_BOMB, f"the record claims {self.body.size:,} bytes, far more than it can have in earnest")
        else:
            note("payload-short", f"the record is damaged: {size} of {self.body.size} bytes can be read")

    def content(self, limit: int | None = None, note: Note | None = None) -> Iterator[bytes]:
        """The content without its codings, in pieces; `note` is told the code and message of every flaw."""
        head = self.head or ResponseHead()
        return decoded(head.headers, self.raw(note), limit, note)

    def read(self) -> bytes:
        """The whole content; for what is known to be small."""
        return b"".join(self.content())

    def text(self) -> str:
        """The whole content as text, in the charset it names or shows; for what is known to be small."""
        from webkeep.document import text_of  # a parser is behind it, and few who read an archive need it

        head = self.head or ResponseHead()
        return text_of(self.read(), charset(head.headers))


def read_holding(files: WarcFiles, place: Place) -> tuple[Holding, Record]:
    """The holding of the record at a place, revisits not resolved, and the record itself with its fields."""
    with files.open(place.file) as stream:
        record = files.record(place, stream)
        raw, head = b"", None
        rest = record.chunks()
        if record.is_http:
            raw, rest = read_response_head(rest)
            head = parse_response(raw)
        size = record.size - len(raw)
        body: Body
        if size <= _WHOLE and (data := _whole_body(record, rest, len(raw))) is not None:
            body = BytesBody(data)
        else:  # long, or damaged: its size stays what it was, and what can be read is read when asked for
            body = RecordBody(files, place, len(record.raw_head) + len(raw), len(raw), size)
    return Holding(record.url, head, raw, body, record.get("content-type")), record


def _whole_body(record: Record, rest: Iterator[bytes], before: int) -> bytes | None:
    """What is there of a body; None where it is damaged in a way that leaves open how much that is."""
    data = b"".join(rest)
    if len(data) == record.size - before and not record.unread:
        return data
    record.finish()
    return data[: max(record.held - before, 0)] if record.length else None


def _from(chunks: Iterator[bytes], start: int) -> Iterator[bytes]:
    left = start
    for chunk in chunks:
        if left >= len(chunk):
            left -= len(chunk)
        else:
            yield chunk[left:] if left else chunk
            left = 0


def _limited(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    left = size
    for chunk in chunks:
        if left <= 0:
            return
        yield chunk[:left]
        left -= len(chunk)

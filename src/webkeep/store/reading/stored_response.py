"""Reading single records by their place: stored responses with head, payload and decoded content, from any byte on;
what is said of damaged records and of those that unpack to far too much.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from isal import isal_zlib

from webkeep.errors import StorageError
from webkeep.formats import Flaws
from webkeep.formats.codings import PACKED_FILE_LIMIT, FlawCallback, decode_body
from webkeep.formats.http import ResponseHead, declared_charset, parse_response, split_response, take_response_head
from webkeep.formats.warc import IsalError, WarcRecord, read_stored_from
from webkeep.model import Body, BytesBody, RecordPlace, RecordType, parse_plain_head
from webkeep.store.reading.record_scan import open_records

_RESPONSE = RecordType.RESPONSE

RECORD_BOMB = "record-bomb"
"""The code of the flaw of a record that unpacks to far more than any would in earnest."""
_MAX_HELD_BODY_BYTES = 256 * 1024
"""Shorter bodies are held once they are read, longer ones are read again from their record."""
_START_BYTES = 4096
"""Of a record in its file: its head and that of its message nearly always fit."""
_MAX_DEFLATE_RATIO = 1100
"""Deflate makes no more than 1,032 bytes of one."""
_WARC_MAGIC = b"WARC/"


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
            raise self._read_error(name, error) from error

    def read_bytes(self, place: RecordPlace) -> bytes:
        """The bytes at a place; without a stream, which takes longer to make than a small record to read."""
        try:
            file = os.open(self._prefix + place.file, os.O_RDONLY)
            try:
                return os.pread(file, place.length, place.offset)
            finally:
                os.close(file)
        except OSError as error:
            raise self._read_error(place.file, error) from error

    def read_start(self, place: RecordPlace) -> bytes:
        """The first bytes of the record at a place; none where they cannot be had at a glance."""
        data = self.read_bytes(RecordPlace(place.file, place.offset, min(place.length, _START_BYTES)))
        if data.startswith(_WARC_MAGIC):
            return data
        try:
            return isal_zlib.decompressobj(wbits=31).decompress(data, 4 * _START_BYTES)
        except IsalError:
            return b""

    def _read_error(self, name: str, error: OSError) -> StorageError:
        return StorageError(f"{self._folder / name} cannot be read ({error.strerror}); run webkeep verify")

    def read_record(self, place: RecordPlace, stream: BinaryIO) -> WarcRecord:
        """The record at a place; its block is read from the stream."""
        for record in open_records(stream, place.file, Flaws(), place.offset):
            if record.offset == place.offset:
                return record if _is_size_plausible(record, place) else self._remeasure(record, place, stream)
            break
        raise StorageError(
            f"{place.file} has no record at byte {place.offset}; run webkeep verify, then webkeep rebuild"
        )

    def _remeasure(self, record: WarcRecord, place: RecordPlace, stream: BinaryIO) -> WarcRecord:
        """A record again whose head cannot be right about its block, with the size that this really has."""
        record.finish()
        again = next(open_records(stream, place.file, Flaws(), place.offset))
        again.resize(record.held)
        return again


def _is_size_plausible(record: WarcRecord, place: RecordPlace) -> bool:
    """Whether a block can be as long as its head says, by the place that the record takes."""
    return record.size <= place.length * _MAX_DEFLATE_RATIO or not place.length


@dataclass(frozen=True, slots=True)
class RecordBody:
    """The payload of a stored record as a body; ranges near the end of large stored members are reached at once."""

    files: WarcFiles
    place: RecordPlace
    before: int
    """How many bytes of the member come before the payload: the record's head and the HTTP head."""
    skip: int
    """How many bytes of the block come before the payload."""
    size: int

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The payload from `start` on, as it came over the wire."""
        with self.files.open(self.place.file) as stream:
            if start:
                pieces = read_stored_from(stream, self.place.offset, self.before + start)
                if pieces is not None:
                    yield from _limit_bytes(pieces, self.size - start)
                    return
            record = self.files.read_record(self.place, stream)
            yield from _limit_bytes(
                _skip_bytes(record.chunks(), self.skip + start), min(self.size, self.max_size) - start
            )

    @property
    def max_size(self) -> int:
        """How many bytes may come out of so many in the file."""
        return PACKED_FILE_LIMIT.max_output(self.place.length)


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """What an archive holds of one observation: its head and its body, wherever these are stored."""

    url: str
    head: ResponseHead | None
    """The HTTP head; None for a resource, which has none."""
    raw_head: bytes
    body: Body
    """The payload as it came: transfer and content coding untouched."""
    media_type: str = ""

    def raw(self, on_flaw: FlawCallback | None = None) -> Iterator[bytes]:
        """The payload as it came, in pieces; `on_flaw` is told where the end of it is lost."""
        size = 0
        for piece in self.body.chunks():
            size += len(piece)
            yield piece
        if size >= self.body.size or on_flaw is None:
            return
        if isinstance(self.body, RecordBody) and size >= self.body.max_size:
            on_flaw(RECORD_BOMB, f"the record claims {self.body.size:,} bytes, far more than it can have in earnest")
        else:
            on_flaw("payload-short", f"the record is damaged: {size} of {self.body.size} bytes can be read")

    def content(self, limit: int | None = None, on_flaw: FlawCallback | None = None) -> Iterator[bytes]:
        """The content without its codings, in pieces; `on_flaw` is told the code and message of every flaw."""
        head = self.head or ResponseHead()
        return decode_body(head.headers, self.raw(on_flaw), limit, on_flaw)

    def read(self) -> bytes:
        """The whole content; for what is known to be small."""
        return b"".join(self.content())

    def text(self) -> str:
        """The whole content as text, in the charset it names or shows; for what is known to be small."""
        from webkeep.document import decode_text

        head = self.head or ResponseHead()
        return decode_text(self.read(), declared_charset(head.headers))


def read_stored_response(files: WarcFiles, place: RecordPlace) -> tuple[StoredResponse, WarcRecord]:
    """The stored response of the record at a place, revisits not resolved, and the record itself with its fields."""
    with files.open(place.file) as stream:
        record = files.read_record(place, stream)
        raw, head = b"", None
        rest = record.chunks()
        if record.is_http:
            raw, rest = take_response_head(rest)
            head = parse_response(raw)
        size = record.size - len(raw)
        body: Body
        if size <= _MAX_HELD_BODY_BYTES and (data := _read_whole_body(record, rest, len(raw))) is not None:
            body = BytesBody(data)
        else:  # long, or damaged: its size stays what it was, and what can be read is read when asked for
            body = RecordBody(files, place, len(record.raw_head) + len(raw), len(raw), size)
    return StoredResponse(record.url, head, raw, body, record.get("content-type")), record


def _read_whole_body(record: WarcRecord, rest: Iterator[bytes], before: int) -> bytes | None:
    """What is there of a body; None where it is damaged in a way that leaves open how much that is."""
    data = b"".join(rest)
    if len(data) == record.size - before and not record.unread:
        return data
    record.finish()
    return data[: max(record.held - before, 0)] if record.length else None


def _skip_bytes(chunks: Iterator[bytes], start: int) -> Iterator[bytes]:
    left = start
    for chunk in chunks:
        if left >= len(chunk):
            left -= len(chunk)
        else:
            yield chunk[left:] if left else chunk
            left = 0


def _limit_bytes(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    left = size
    for chunk in chunks:
        if left <= 0:
            return
        yield chunk[:left]
        left -= len(chunk)


# The quick way to a small record: one gzip member with one HTTP response in it, all in order.
#
# Whatever is not exactly so is left to the careful way, which begins anew. A page of 2 KB is read in 17 µs instead of
# 150 (`bench.quick_paths`); `test_a_small_record_is_what_a_careful_look_sees` holds both to the same.

MAX_SMALL_RECORD_BYTES = 512 * 1024
"""Bytes in the file up to which a record is read in one go."""

_GZIP_MAGIC = b"\x1f\x8b"
_RECORD_END = b"\r\n\r\n"
_VERSIONS = frozenset({"WARC/1.0", "WARC/1.1"})
_MAX_INFLATED_BYTES = 4 << 20
"""A small record that unpacks to more is left to the careful way."""


def read_small_record(files: WarcFiles, place: RecordPlace) -> tuple[StoredResponse, WarcRecord | None]:
    """The stored response of a small record, revisits not resolved; and the record, where it took a careful look."""
    data = files.read_bytes(place)
    quick = parse_small_record(data)
    if quick is not None:
        return quick, None
    try:
        return read_stored_response(_RecordInMemory(data), RecordPlace(place.file, 0, place.length))
    except StorageError:  # which is to be told with the place in the file
        return read_stored_response(files, place)


class _RecordInMemory(WarcFiles):
    """One record in memory, as a file to the reader of records."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def open(self, _name: str) -> BinaryIO:
        """The record as a file of its own."""
        return io.BytesIO(self._data)


def parse_small_record(data: bytes) -> StoredResponse | None:
    """What a response record holds, given all of its bytes in the file; None where a careful look is needed."""
    if not data.startswith(_GZIP_MAGIC):
        return None
    inflater = isal_zlib.decompressobj(wbits=31)
    try:
        whole = inflater.decompress(data, _MAX_INFLATED_BYTES)
    except IsalError:
        return None
    start = whole.find(_RECORD_END, 0, -4) + 4
    if not inflater.eof or inflater.unused_data or start < 4 or not whole.endswith(_RECORD_END):
        return None
    head = whole[:start]
    named = parse_plain_head(head.decode("ascii")) if head.isascii() else None
    if named is None or named[0] not in _VERSIONS:
        return None
    first = named[1].first
    block = whole[start:-4]
    if (
        first.get("warc-type") != _RESPONSE
        or first.get("content-length") != str(len(block))
        or not first.get("content-type", "").startswith("application/http")
        or first.get("warc-target-uri", "<").startswith("<")
    ):
        return None
    response_head, at = split_response(block)
    return StoredResponse(
        first["warc-target-uri"], response_head, block[:at], BytesBody(block[at:]), first["content-type"]
    )

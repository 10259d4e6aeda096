"""Copying records as they are: the compressed bytes themselves where that can be, else compressed anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.errors import StorageError
from webkeep.formats.flaws import Flaws
from webkeep.formats.record import Record
from webkeep.formats.segments import GZIP_MAGIC
from webkeep.formats.warc_writer import large_member, record_head, small_member
from webkeep.model import Place
from webkeep.store.drafting import LARGE, Known, LocalWork, Prepared
from webkeep.store.salvaging import first_bytes, salvaged_headers
from webkeep.store.scanning import Seen, open_records
from webkeep.store.sight import CONTENT_DIGEST

Opener = Callable[[], BinaryIO]
"""Opens a file of records, as often as it is asked; each stream has a position of its own."""


@dataclass(frozen=True, slots=True)
class RecordSource:
    """A file that records are copied from."""

    name: str
    open: Opener

    def pieces(self, seen: Seen) -> Iterable[bytes]:
        """A record as one gzip member of a WARC file."""
        place = seen.place
        if seen.held is not None:
            return self._salvaged(seen, seen.held)
        with self.open() as stream:
            stream.seek(place.offset)
            start = stream.read(3)
            if start == GZIP_MAGIC and place.length <= LARGE and not self.is_arc:
                return [start + _exactly(stream, place.length - 3, self.name)]
            stream.seek(0)
            record = self.record(stream, place)
            head = _warc_head(list(record.headers), record.size, seen) if self.is_arc else record.raw_head
            if record.size <= LARGE:
                return [small_member(head, record.read())]
            return large_member(head, b"", SourceBody(self, place, record.size))

    def _salvaged(self, seen: Seen, held: int) -> Iterable[bytes]:
        """What is left of a flawed record, as one that is in order."""
        with self.open() as stream:
            record = self.record(stream, seen.place)
            block = b"".join(first_bytes(record.chunks(), held)) if held <= LARGE else b""
            record.finish()
            record.held = held
            fields = salvaged_headers(record)
            head = (
                _warc_head(list(fields), held, seen) if self.is_arc else record_head(list(fields), held, record.version)
            )
        if held <= LARGE:
            return [small_member(head, block)]
        return large_member(head, b"", SourceBody(self, seen.place, held))

    @property
    def is_arc(self) -> bool:
        """Whether its records must be given a WARC record's head."""
        return self.name.endswith((".arc", ".arc.gz"))

    def record(self, stream: BinaryIO, place: Place) -> Record:
        """The record at a place."""
        for record in open_records(stream, self.name, Flaws(), place.offset):
            return record
        raise StorageError(f"{self.name} has no record at byte {place.offset} any more; was it changed meanwhile?")


@dataclass(frozen=True, slots=True)
class SourceBody:
    """A record's block, read from its source again each time."""

    source: RecordSource
    place: Place
    size: int

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The block from `start` on."""
        left = start
        with self.source.open() as stream:
            for chunk in first_bytes(self.source.record(stream, self.place).chunks(), self.size):
                if left < len(chunk):
                    yield chunk[left:]
                left = max(0, left - len(chunk))


@dataclass(frozen=True, slots=True)
class CopyWork(LocalWork):
    """Records that belong together, to be copied: one, and after it its request where there is one."""

    source: RecordSource
    group: tuple[Seen, ...]

    def examine(self) -> str:
        """What is copied stays what it is."""
        return ""

    def prepare(self, known: Known) -> list[Prepared]:  # noqa: ARG002
        """The records to append."""
        return [Prepared(self.source.pieces(seen), seen.sight, seen.news) for seen in self.group]


def grouped(seens: Iterable[Seen]) -> Iterator[tuple[Seen, ...]]:
    """Records with their requests behind them, whichever was written first; all others alone."""
    request: Seen | None = None
    response: Seen | None = None
    for seen in seens:
        if response is not None:
            together = seen.place == response.request
            yield (response, seen) if together else (response,)
            response = None
            if together:
                continue
        if request is not None:
            together = seen.request == request.place
            yield (seen, request) if together else (request,)
            request = None
            if together:
                continue
        if seen.record_type == "request":
            request = seen
        elif seen.request is not None:
            response = seen
        else:
            yield (seen,)
    for left in (response, request):
        if left is not None:
            yield (left,)


def _warc_head(fields: list[tuple[str, str]], size: int, seen: Seen) -> bytes:
    """The head of a WARC record for what was an ARC record."""
    if seen.sight is not None:
        fields.append(("WARC-Payload-Digest", seen.sight.payload_digest))
        if seen.sight.content_digest:
            fields.append((CONTENT_DIGEST, seen.sight.content_digest))
    return record_head(fields, size)


def _exactly(stream: BinaryIO, count: int, name: str) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise StorageError(f"{name} became shorter while it was read; try again when nobody writes to it")
    return data

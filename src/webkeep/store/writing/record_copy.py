"""Copying records as they are: the compressed bytes themselves where that can be, else compressed anew; ARC records are
given heads of WARC records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.errors import StorageError
from webkeep.formats import Flaws
from webkeep.formats.warc import GZIP_MAGIC, WarcRecord, build_member, build_record_head, stream_member
from webkeep.model import RecordPlace, RecordType
from webkeep.store.index.record_facts import CONTENT_DIGEST_FIELD
from webkeep.store.reading.record_scan import ScannedRecord, open_records
from webkeep.store.reading.salvage import salvage_headers, take_bytes
from webkeep.store.writing.record_draft import MAX_HELD_BLOCK_BYTES, DedupLookup, LocalWriteTask, PreparedRecord

FileOpener = Callable[[], BinaryIO]
"""Opens a file of records, as often as it is asked; each stream has a position of its own."""


@dataclass(frozen=True, slots=True)
class RecordSource:
    """A file that records are copied from."""

    name: str
    open: FileOpener

    def copy_record(self, seen: ScannedRecord) -> Iterable[bytes]:
        """A record as one gzip member of a WARC file."""
        place = seen.place
        if seen.held is not None:
            return self._copy_salvaged(seen, seen.held)
        with self.open() as stream:
            stream.seek(place.offset)
            start = stream.read(3)
            if start == GZIP_MAGIC and place.length <= MAX_HELD_BLOCK_BYTES and not self.is_arc:
                return [start + _read_exactly(stream, place.length - 3, self.name)]
            stream.seek(0)
            record = self.read_record(stream, place)
            head = _head_for_arc_record(list(record.headers), record.size, seen) if self.is_arc else record.raw_head
            if record.size <= MAX_HELD_BLOCK_BYTES:
                return [build_member(head, record.read())]
            return stream_member(head, b"", SourceBody(self, place, record.size))

    def _copy_salvaged(self, seen: ScannedRecord, held: int) -> Iterable[bytes]:
        """What is left of a flawed record, as one that is in order."""
        with self.open() as stream:
            record = self.read_record(stream, seen.place)
            block = b"".join(take_bytes(record.chunks(), held)) if held <= MAX_HELD_BLOCK_BYTES else b""
            record.finish()
            record.limit_held(held)
            fields = salvage_headers(record)
            head = (
                _head_for_arc_record(list(fields), held, seen)
                if self.is_arc
                else build_record_head(list(fields), held, record.version)
            )
        if held <= MAX_HELD_BLOCK_BYTES:
            return [build_member(head, block)]
        return stream_member(head, b"", SourceBody(self, seen.place, held))

    @property
    def is_arc(self) -> bool:
        """Whether its records must be given a WARC record's head."""
        return self.name.endswith((".arc", ".arc.gz"))

    def read_record(self, stream: BinaryIO, place: RecordPlace) -> WarcRecord:
        """The record at a place."""
        for record in open_records(stream, self.name, Flaws(), place.offset):
            return record
        raise StorageError(f"{self.name} has no record at byte {place.offset} any more; was it changed meanwhile?")


@dataclass(frozen=True, slots=True)
class SourceBody:
    """A record's block, read from its source again each time."""

    source: RecordSource
    place: RecordPlace
    size: int

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The block from `start` on."""
        left = start
        with self.source.open() as stream:
            for chunk in take_bytes(self.source.read_record(stream, self.place).chunks(), self.size):
                if left < len(chunk):
                    yield chunk[left:]
                left = max(0, left - len(chunk))


@dataclass(frozen=True, slots=True)
class CopyTask(LocalWriteTask):
    """Records that belong together, to be copied: one, and after it its request where there is one."""

    source: RecordSource
    group: tuple[ScannedRecord, ...]

    def digest_payload(self) -> str:
        """What is copied stays what it is."""
        return ""

    def prepare_records(self, known: DedupLookup) -> list[PreparedRecord]:  # noqa: ARG002
        """The records to append."""
        return [PreparedRecord(self.source.copy_record(seen), seen.facts, seen.update) for seen in self.group]


def group_with_requests(seens: Iterable[ScannedRecord]) -> Iterator[tuple[ScannedRecord, ...]]:
    """Records with their requests behind them, whichever was written first; all others alone."""
    request: ScannedRecord | None = None
    response: ScannedRecord | None = None
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
        if seen.record_type == RecordType.REQUEST:
            request = seen
        elif seen.request is not None:
            response = seen
        else:
            yield (seen,)
    for left in (response, request):
        if left is not None:
            yield (left,)


def _head_for_arc_record(fields: list[tuple[str, str]], size: int, seen: ScannedRecord) -> bytes:
    """The head of a WARC record for what was an ARC record."""
    if seen.facts is not None:
        fields.append(("WARC-Payload-Digest", seen.facts.payload_digest))
        if seen.facts.content_digest:
            fields.append((CONTENT_DIGEST_FIELD, seen.facts.content_digest))
    return build_record_head(fields, size)


def _read_exactly(stream: BinaryIO, count: int, name: str) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise StorageError(f"{name} became shorter while it was read; try again when nobody writes to it")
    return data

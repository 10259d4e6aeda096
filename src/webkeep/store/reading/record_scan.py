"""Reading WARC and ARC files again: what each record says to index and catalog, which records stand in the index, and
which request belongs to which response.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import xxhash

from webkeep.formats import Flaws, Strictness
from webkeep.formats.cdx import post_query
from webkeep.formats.codings import has_codings
from webkeep.formats.http import ResponseHead, parse_response, split_request, split_response, take_response_head
from webkeep.formats.warc import NOT_MODIFIED_PROFILE, ArcReader, RecordReader, WarcReader, WarcRecord
from webkeep.model import RESPONSE_TYPES, Digest, Headers, Moment, RecordPlace, RecordType, new_hasher
from webkeep.store.index.bookkeeping import CatalogUpdate, is_bookkeeping_type, parse_update, parse_warcinfo
from webkeep.store.index.record_facts import (
    CONTENT_DIGEST_FIELD,
    INDEXED_TYPES,
    PayloadFacts,
    RecordFacts,
    read_record_facts,
)
from webkeep.store.reading.message_digests import PAYLOAD_ALGORITHM, content_digest, hash_chunks, new_check_hasher
from webkeep.store.reading.record_payload import PageTap, RecordPayload
from webkeep.store.reading.salvage import is_usable_record, salvage_headers, take_bytes

_METADATA = RecordType.METADATA
_REQUEST = RecordType.REQUEST
_REVISIT = RecordType.REVISIT
_WARCINFO = RecordType.WARCINFO

_MAX_HELD_BLOCK_BYTES = 1 << 20
"""Longer blocks are read as they stream by, and of longer requests only the beginning."""
_MAX_BOOKKEEPING_BYTES = 64 << 20
"""Longer bookkeeping records are not ours: fates and tombstones are written in far smaller batches."""
_CONTENT_DIGEST_KEY = CONTENT_DIGEST_FIELD.lower()
_NO_HEADERS = Headers()


@dataclass(frozen=True, slots=True)
class ScannedRecord:
    """One record that was read: its place, and what it says."""

    place: RecordPlace
    record_type: str
    facts: RecordFacts | None = None
    update: CatalogUpdate | None = None
    request: RecordPlace | None = None
    held: int | None = None
    """How much of its block is there, where that is not what its head says."""


def open_records(stream: BinaryIO, name: str, flaws: Flaws, start: int = 0) -> Iterator[WarcRecord]:
    """The records of a WARC or ARC file, told apart by name."""
    return iter(open_reader(stream, name, flaws, start))


def open_reader(stream: BinaryIO, name: str, flaws: Flaws, start: int = 0) -> RecordReader:
    """What reads a WARC or ARC file."""
    kind = ArcReader if name.endswith((".arc", ".arc.gz")) else WarcReader
    return kind(stream, name, flaws, start)


def is_indexed_record(record: WarcRecord) -> bool:
    """Whether a record stands in the index."""
    return _indexed_moment(record, record.type) is not None


def _indexed_moment(record: WarcRecord, kind: str) -> Moment | None:
    """When a record was captured that stands in the index; None for any other."""
    if kind not in INDEXED_TYPES or not record.url:
        return None
    # The established indexers leave these out, so that our indexes and theirs agree.
    if kind not in RESPONSE_TYPES and record.get("content-type") == "application/warc-fields":
        return None
    return record.moment


class _ScanContext(NamedTuple):
    """Where a record stands, and what is wanted of it."""

    capture: str
    """The one that was described before it."""
    fingerprints: bool


def scan_records(
    stream: BinaryIO, name: str, flaws: Flaws, start: int = 0, capture: str = "", fingerprints: bool = True
) -> Iterator[ScannedRecord]:
    """Every intact record of a file from an offset on; `capture` is the one the file was in before that.

    Fingerprints of pages are for whoever indexes: to make them, pages are read.
    """
    pairing = _RequestPairing()
    for record in open_records(stream, name, flaws, start):
        kind = record.type
        facts = update = asked = None
        if kind == _REQUEST:
            asked = _read_request(record)
        elif kind == _WARCINFO and record.size <= _MAX_HELD_BLOCK_BYTES:
            described = parse_warcinfo(record.read())
            if described is not None:
                update, capture = CatalogUpdate(capture=described), described.id
        elif (moment := _indexed_moment(record, kind)) is not None:
            told = kind == _METADATA and is_bookkeeping_type(record.get("content-type"))
            block = (
                record.read() if record.size <= (_MAX_BOOKKEEPING_BYTES if told else _MAX_HELD_BLOCK_BYTES) else None
            )
            facts = _read_facts(record, moment, block, _ScanContext(capture, fingerprints))
            if told and block is not None:
                update = parse_update(record.get("content-type"), block)
        record.finish()
        if is_usable_record(record):
            held = None
            if not record.intact:
                context = _ScanContext(capture, fingerprints)
                facts, held = _salvage_facts(stream, record, context) if facts else None, record.held
            seen = ScannedRecord(RecordPlace(name, record.offset, record.length), kind, facts, update, held=held)
            yield from pairing.add(seen, asked, record)
    yield from pairing.flush()


def scan_file(path: Path) -> Iterator[ScannedRecord]:
    """Every intact record of a file on disk, without fingerprints of pages; flaws are passed over."""
    with path.open("rb") as stream:
        yield from scan_records(stream, path.name, Flaws(Strictness.IGNORE), fingerprints=False)


def _read_facts(record: WarcRecord, moment: Moment, block: bytes | None, context: _ScanContext) -> RecordFacts:
    """What a record says, whose block is in memory or still to be read."""
    return (
        _large_record_facts(record, moment, context)
        if block is None
        else _small_record_facts(record, moment, block, context)
    )


def _small_record_facts(record: WarcRecord, moment: Moment, block: bytes, context: _ScanContext) -> RecordFacts:
    """What a record says whose block is in memory."""
    head, start = split_response(block) if record.is_http else (None, 0)
    size = len(block) - start
    fields = record.headers.first
    payload, content, check = fields.get("warc-payload-digest", ""), fields.get(_CONTENT_DIGEST_KEY), b""
    page = b""
    if fields.get("warc-type", "").lower() == _REVISIT:
        content = _revisit_content_digest(content, head, record)
    else:
        check = xxhash.xxh3_128_digest(memoryview(block)[start:])
        payload = payload or str(Digest.from_chunks(PAYLOAD_ALGORITHM, [block[start:]]))
        if content is None:
            content = _digest_content(head, [block[start:]], payload) if _is_body_coded(head) else ""
        page = _payload_of(record, head, size, context).fingerprint([block[start:]])
    told = PayloadFacts(size, payload, content, check, page)
    return read_record_facts(fields, record.url, moment, head, told, context.capture)


def _payload_of(record: WarcRecord, head: ResponseHead | None, size: int, context: _ScanContext) -> RecordPayload:
    # What is said about records is no page, and a revisit holds none.
    size = size if context.fingerprints and record.type not in (_METADATA, _REVISIT) else 0
    return RecordPayload.of_record(record.url, head, record.get("content-type"), size)


def _large_record_facts(record: WarcRecord, moment: Moment, context: _ScanContext) -> RecordFacts:
    """What a record says whose block streams by."""
    return _stream_facts(record, moment, context, record.headers, record.chunks(), record.size)


def _salvage_facts(stream: BinaryIO, record: WarcRecord, context: _ScanContext) -> RecordFacts | None:
    """What is left of a flawed record says, read once more now that it is known how much that is."""
    reached = stream.tell()
    again = next(open_records(stream, record.source, Flaws(Strictness.IGNORE), record.offset), None)
    facts = None
    if again is not None and again.offset == record.offset and (moment := record.moment) is not None:
        chunks = take_bytes(again.chunks(), record.held)
        facts = _stream_facts(record, moment, context, salvage_headers(record), chunks, record.held)
    stream.seek(reached)
    return facts


def _stream_facts(
    record: WarcRecord, moment: Moment, context: _ScanContext, headers: Headers, chunks: Iterator[bytes], whole: int
) -> RecordFacts:
    head: ResponseHead | None = None
    raw = b""
    if record.is_http:
        raw, chunks = take_response_head(chunks)
        head = parse_response(raw)
    fields = headers.first
    size, payload, content = whole - len(raw), fields.get("warc-payload-digest", ""), fields.get(_CONTENT_DIGEST_KEY)
    check, hasher = new_check_hasher(), new_hasher(PAYLOAD_ALGORITHM)
    tap = PageTap(_payload_of(record, head, size, context))
    chunks = tap.pass_chunks(chunks)
    heard = hash_chunks(chunks, check) if payload else hash_chunks(chunks, check, hasher)
    told = _digest_content(head, heard, payload)
    payload = payload or str(Digest(PAYLOAD_ALGORITHM, hasher.digest()))
    content = told if content is None else content
    facts = PayloadFacts(size, payload, content, check.digest(), tap.fingerprint())
    return read_record_facts(fields, record.url, moment, head, facts, context.capture)


def _digest_content(head: ResponseHead | None, chunks: Iterable[bytes], payload: str) -> str | None:
    """The content's digest, by the algorithm of the payload's, so that the two can be compared."""
    named = Digest.parse(payload)
    return content_digest(
        head.headers if head else _NO_HEADERS, chunks, named.algorithm if named else PAYLOAD_ALGORITHM
    )


def _is_body_coded(head: ResponseHead | None) -> bool:
    return head is not None and has_codings(head.headers)


def _revisit_content_digest(content: str | None, head: ResponseHead | None, record: WarcRecord) -> str | None:
    # The head of a 304 came without the payload and says nothing of its codings.
    if content is not None or record.get("warc-profile") == NOT_MODIFIED_PROFILE or _is_body_coded(head):
        return content
    return ""


class _RequestFacts(NamedTuple):
    record: str
    concurrent: str
    url: str
    method: str
    post: str


def _read_request(record: WarcRecord) -> _RequestFacts:
    """What a request record says."""
    block = (
        record.read()
        if record.size <= _MAX_HELD_BLOCK_BYTES
        else b"".join(take_bytes(record.chunks(), _MAX_HELD_BLOCK_BYTES))
    )
    method, post = "GET", ""
    if not block.startswith(b"GET "):
        head, start = split_request(block)
        method = head.method
        if method != "GET" and record.size <= _MAX_HELD_BLOCK_BYTES:
            post = post_query(method, head.headers.get("content-type"), block[start:])
    return _RequestFacts(record.id, record.get("warc-concurrent-to").strip("<>"), record.url, method, post)


class _RequestPairing:
    """Brings a response together with its request, which other tools write before it or after it."""

    __slots__ = ("_place", "_request", "_waiting")

    def __init__(self) -> None:
        self._request: _RequestFacts | None = None
        self._place = RecordPlace("", 0, 0)
        self._waiting: ScannedRecord | None = None

    def add(self, seen: ScannedRecord, asked: _RequestFacts | None, record: WarcRecord) -> tuple[ScannedRecord, ...]:
        """Take a record; gives those whose request cannot come any more."""
        if asked is not None:
            return self._add_request(seen, asked)
        rest = self.flush()
        before, self._request = self._request, None
        if before is not None and _belong_together(before, seen.facts, record.get("warc-concurrent-to").strip("<>")):
            return (*rest, _with_request(seen, before, self._place))
        if seen.facts is not None and seen.record_type in RESPONSE_TYPES:
            self._waiting = seen
            return rest
        return (*rest, seen)

    def _add_request(self, seen: ScannedRecord, asked: _RequestFacts) -> tuple[ScannedRecord, ...]:
        held, self._waiting = self._waiting, None
        if held is not None and _belong_together(asked, held.facts, ""):
            self._request = None
            return _with_request(held, asked, seen.place), seen
        self._request, self._place = asked, seen.place
        return (seen,) if held is None else (held, seen)

    def flush(self) -> tuple[ScannedRecord, ...]:
        """The record that waited for its request, if there is one."""
        held, self._waiting = self._waiting, None
        return () if held is None else (held,)


def _belong_together(asked: _RequestFacts, facts: RecordFacts | None, concurrent: str) -> bool:
    if facts is None or facts.url != asked.url:
        return False
    return asked.concurrent == facts.record or (bool(concurrent) and concurrent == asked.record)


def _with_request(seen: ScannedRecord, asked: _RequestFacts, place: RecordPlace) -> ScannedRecord:
    facts = seen.facts
    if facts is not None and asked.method != "GET":
        facts = facts._replace(method=asked.method, post=asked.post)
    return ScannedRecord(seen.place, seen.record_type, facts, seen.update, place, seen.held)

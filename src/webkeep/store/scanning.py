"""Reading WARC files again: what each record says to index and catalog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import xxhash

from webkeep.formats.arc import ArcReader
from webkeep.formats.codings import has_codings
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.http1 import (
    ResponseHead,
    parse_response,
    read_response_head,
    split_request,
    split_response,
)
from webkeep.formats.post_key import post_query
from webkeep.formats.record import NOT_MODIFIED, Record
from webkeep.formats.record_reader import RecordReader
from webkeep.formats.warc_reader import WarcReader
from webkeep.model import Digest, Headers, Moment, Place, new_hasher
from webkeep.store.bookkeeping import News, capture_in, is_news, news_in
from webkeep.store.digesting import PAYLOAD, content_digest, new_check, overheard
from webkeep.store.salvaging import first_bytes, is_usable, salvaged_headers
from webkeep.store.sight import CONTENT_DIGEST, INDEXED, Sight, sight_of

_SMALL = 1 << 20
_LARGEST_NOTE = 64 << 20
_CONTENT_DIGEST = CONTENT_DIGEST.lower()
_ANSWERS = frozenset({"response", "revisit"})
_NO_HEADERS = Headers()


@dataclass(frozen=True, slots=True)
class Seen:
    """One record that was read: its place, and what it says."""

    place: Place
    record_type: str
    sight: Sight | None = None
    news: News | None = None
    request: Place | None = None
    held: int | None = None
    """How much of its block is there, where that is not what its head says."""


def open_records(stream: BinaryIO, name: str, flaws: Flaws, start: int = 0) -> Iterator[Record]:
    """The records of a WARC or ARC file, told apart by name."""
    return iter(reader_of(stream, name, flaws, start))


def reader_of(stream: BinaryIO, name: str, flaws: Flaws, start: int = 0) -> RecordReader:
    """What reads a WARC or ARC file."""
    kind = ArcReader if name.endswith((".arc", ".arc.gz")) else WarcReader
    return kind(stream, name, flaws, start)


def is_indexed(record: Record) -> bool:
    """Whether a record stands in the index."""
    return _indexed_moment(record, record.type) is not None


def _indexed_moment(record: Record, kind: str) -> Moment | None:
    """When a record was captured that stands in the index; None for any other."""
    if kind not in INDEXED or not record.url:
        return None
    # The established indexers leave these out, so that our indexes and theirs agree.
    if kind not in _ANSWERS and record.get("content-type") == "application/warc-fields":
        return None
    return record.moment


def scan(stream: BinaryIO, name: str, flaws: Flaws, start: int = 0, capture: str = "") -> Iterator[Seen]:
    """Every intact record of a file from an offset on; `capture` is the one the file was in before that."""
    pairing = _Pairing()
    for record in open_records(stream, name, flaws, start):
        kind = record.type
        sight = news = asked = None
        if kind == "request":
            asked = _asked(record)
        elif kind == "warcinfo" and record.size <= _SMALL:
            described = capture_in(record.read())
            if described is not None:
                news, capture = News(capture=described), described.id
        elif (moment := _indexed_moment(record, kind)) is not None:
            told = kind == "metadata" and is_news(record.get("content-type"))
            block = record.read() if record.size <= (_LARGEST_NOTE if told else _SMALL) else None
            sight = _sight(record, moment, block, capture)
            if told and block is not None:
                news = news_in(record.get("content-type"), block)
        record.finish()
        if is_usable(record):
            held = None
            if not record.intact:
                sight, held = _salvaged_sight(stream, record, capture) if sight else None, record.held
            seen = Seen(Place(name, record.offset, record.length), kind, sight, news, held=held)
            yield from pairing.take(seen, asked, record)
    yield from pairing.rest()


def scan_file(path: Path, start: int = 0, capture: str = "") -> Iterator[Seen]:
    """Every intact record of a file on disk; flaws are passed over."""
    with path.open("rb") as stream:
        yield from scan(stream, path.name, Flaws(Strictness.IGNORE), start, capture)


def _sight(record: Record, moment: Moment, block: bytes | None, within: str) -> Sight:
    """What a record says, whose block is in memory or still to be read."""
    return _large_sight(record, moment, within) if block is None else _small_sight(record, moment, block, within)


def _small_sight(record: Record, moment: Moment, block: bytes, within: str) -> Sight:
    """What a record says whose block is in memory."""
    head, start = split_response(block) if record.is_http else (None, 0)
    size = len(block) - start
    fields = record.headers.first
    payload, content, check = fields.get("warc-payload-digest", ""), fields.get(_CONTENT_DIGEST), b""
    if fields.get("warc-type", "").lower() == "revisit":
        content = _revisit_content(content, head, record)
    else:
        check = xxhash.xxh3_128_digest(memoryview(block)[start:])
        payload = payload or str(Digest.of(PAYLOAD, [block[start:]]))
        if content is None:
            content = _content(head, [block[start:]], payload) if _is_coded(head) else ""
    return sight_of(fields, record.url, moment, head, size, payload, content, check, within)


def _large_sight(record: Record, moment: Moment, within: str) -> Sight:
    """What a record says whose block streams by."""
    return _streamed_sight(record, moment, within, record.headers, record.chunks(), record.size)


def _salvaged_sight(stream: BinaryIO, record: Record, within: str) -> Sight | None:
    """What is left of a flawed record says, read once more now that it is known how much that is."""
    reached = stream.tell()
    again = next(open_records(stream, record.source, Flaws(Strictness.IGNORE), record.offset), None)
    sight = None
    if again is not None and again.offset == record.offset and (moment := record.moment) is not None:
        chunks = first_bytes(again.chunks(), record.held)
        sight = _streamed_sight(record, moment, within, salvaged_headers(record), chunks, record.held)
    stream.seek(reached)
    return sight


def _streamed_sight(
    record: Record, moment: Moment, within: str, headers: Headers, chunks: Iterator[bytes], whole: int
) -> Sight:
    head: ResponseHead | None = None
    raw = b""
    if record.is_http:
        raw, chunks = read_response_head(chunks)
        head = parse_response(raw)
    fields = headers.first
    size, payload, content = whole - len(raw), fields.get("warc-payload-digest", ""), fields.get(_CONTENT_DIGEST)
    check, hasher = new_check(), new_hasher(PAYLOAD)
    heard = overheard(chunks, check) if payload else overheard(chunks, check, hasher)
    told = _content(head, heard, payload)
    payload = payload or str(Digest(PAYLOAD, hasher.digest()))
    content = told if content is None else content
    return sight_of(fields, record.url, moment, head, size, payload, content, check.digest(), within)


def _content(head: ResponseHead | None, chunks: Iterable[bytes], payload: str) -> str | None:
    """The content's digest, by the algorithm of the payload's, so that the two can be compared."""
    named = Digest.parse(payload)
    return content_digest(head.headers if head else _NO_HEADERS, chunks, named.algorithm if named else PAYLOAD)


def _is_coded(head: ResponseHead | None) -> bool:
    return head is not None and has_codings(head.headers)


def _revisit_content(content: str | None, head: ResponseHead | None, record: Record) -> str | None:
    # The head of a 304 came without the payload and says nothing of its codings.
    if content is not None or record.get("warc-profile") == NOT_MODIFIED or _is_coded(head):
        return content
    return ""


class _Asked(NamedTuple):
    record: str
    concurrent: str
    url: str
    method: str
    post: str


def _asked(record: Record) -> _Asked:
    """What a request record says."""
    block = record.read() if record.size <= _SMALL else b"".join(first_bytes(record.chunks(), _SMALL))
    method, post = "GET", ""
    if not block.startswith(b"GET "):
        head, start = split_request(block)
        method = head.method
        if method != "GET" and record.size <= _SMALL:
            post = post_query(method, head.headers.get("content-type"), block[start:])
    return _Asked(record.id, record.get("warc-concurrent-to").strip("<>"), record.url, method, post)


class _Pairing:
    """Brings a response together with its request, which other tools write before it or after it."""

    __slots__ = ("_asked", "_held", "_place")

    def __init__(self) -> None:
        self._asked: _Asked | None = None
        self._place = Place("", 0, 0)
        self._held: Seen | None = None

    def take(self, seen: Seen, asked: _Asked | None, record: Record) -> tuple[Seen, ...]:
        """Take a record; gives those whose request cannot come any more."""
        if asked is not None:
            return self._take_request(seen, asked)
        rest = self.rest()
        before, self._asked = self._asked, None
        if before is not None and _together(before, seen.sight, record.get("warc-concurrent-to").strip("<>")):
            return (*rest, _asked_with(seen, before, self._place))
        if seen.sight is not None and seen.record_type in _ANSWERS:
            self._held = seen
            return rest
        return (*rest, seen)

    def _take_request(self, seen: Seen, asked: _Asked) -> tuple[Seen, ...]:
        held, self._held = self._held, None
        if held is not None and _together(asked, held.sight, ""):
            self._asked = None
            return _asked_with(held, asked, seen.place), seen
        self._asked, self._place = asked, seen.place
        return (seen,) if held is None else (held, seen)

    def rest(self) -> tuple[Seen, ...]:
        """The record that waited for its request, if there is one."""
        held, self._held = self._held, None
        return () if held is None else (held,)


def _together(asked: _Asked, sight: Sight | None, concurrent: str) -> bool:
    if sight is None or sight.url != asked.url:
        return False
    return asked.concurrent == sight.record or (bool(concurrent) and concurrent == asked.record)


def _asked_with(seen: Seen, asked: _Asked, place: Place) -> Seen:
    sight = seen.sight
    if sight is not None and asked.method != "GET":
        sight = sight._replace(method=asked.method, post=asked.post)
    return Seen(seen.place, seen.record_type, sight, seen.news, place, seen.held)

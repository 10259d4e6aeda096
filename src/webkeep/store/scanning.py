"""Reading WARC files again: what each record says to index and catalog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

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
from webkeep.formats.warc_reader import WarcReader
from webkeep.model import Digest, Place, new_hasher
from webkeep.store.bookkeeping import News, capture_in, is_news, news_in
from webkeep.store.digesting import PAYLOAD, content_digest, new_check, overheard
from webkeep.store.sight import CONTENT_DIGEST, INDEXED, Sight, sight_of

_SMALL = 1 << 20
_LARGEST_NOTE = 64 << 20
_CONTENT_DIGEST = CONTENT_DIGEST.lower()


@dataclass(frozen=True, slots=True)
class Seen:
    """One record that was read: its place, and what it says."""

    place: Place
    record_type: str
    sight: Sight | None = None
    news: News | None = None
    request: Place | None = None


def open_records(stream: BinaryIO, name: str, flaws: Flaws, start: int = 0) -> Iterator[Record]:
    """The records of a WARC or ARC file, told apart by name."""
    if name.endswith((".arc", ".arc.gz")):
        return iter(ArcReader(stream, name, flaws, start))
    return iter(WarcReader(stream, name, flaws, start))


def is_indexed(record: Record) -> bool:
    """Whether a record stands in the index."""
    kind = record.type
    if kind not in INDEXED or not record.url or record.moment is None:
        return False
    # The established indexers leave these out, so that our indexes and theirs agree.
    return kind in ("response", "revisit") or record.get("content-type") != "application/warc-fields"


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
        elif is_indexed(record):
            told = kind == "metadata" and is_news(record.get("content-type"))
            block = record.read() if record.size <= (_LARGEST_NOTE if told else _SMALL) else None
            sight = _small_sight(record, block, capture) if block is not None else _large_sight(record, capture)
            if told and block is not None:
                news = news_in(record.get("content-type"), block)
        record.finish()
        if record.intact and record.length:
            seen = Seen(Place(name, record.offset, record.length), kind, sight, news)
            yield from pairing.take(seen, asked, record)
    yield from pairing.rest()


def scan_file(path: Path, start: int = 0, capture: str = "") -> Iterator[Seen]:
    """Every intact record of a file on disk; flaws are passed over."""
    with path.open("rb") as stream:
        yield from scan(stream, path.name, Flaws(Strictness.IGNORE), start, capture)


def _small_sight(record: Record, block: bytes, within: str) -> Sight | None:
    """What a record says whose block is in memory."""
    moment = record.moment
    if moment is None:
        return None
    head, start = split_response(block) if record.is_http else (None, 0)
    payload_bytes = block[start:] if start else block
    fields = record.headers.first
    payload, content, check = fields.get("warc-payload-digest", ""), fields.get(_CONTENT_DIGEST), b""
    if fields.get("warc-type", "").lower() == "revisit":
        content = _revisit_content(content, head, record)
    else:
        check = xxhash.xxh3_128_digest(payload_bytes)
        payload = payload or str(Digest.of(PAYLOAD, [payload_bytes]))
        if content is None:
            content = _content(head, [payload_bytes], len(payload_bytes), payload)
    return sight_of(fields, record.url, moment, head, len(payload_bytes), payload, content, check, within)


def _large_sight(record: Record, within: str) -> Sight | None:
    """What a record says whose block streams by."""
    moment = record.moment
    if moment is None:
        return None
    head: ResponseHead | None = None
    raw, chunks = b"", record.chunks()
    if record.is_http:
        raw, chunks = read_response_head(chunks)
        head = parse_response(raw)
    fields = record.headers.first
    size, payload, content = record.size - len(raw), fields.get("warc-payload-digest", ""), fields.get(_CONTENT_DIGEST)
    check, hasher = new_check(), new_hasher(PAYLOAD)
    heard = overheard(chunks, check) if payload else overheard(chunks, check, hasher)
    told = _content(head, heard, size, payload)
    payload = payload or str(Digest(PAYLOAD, hasher.digest()))
    content = told if content is None else content
    return sight_of(fields, record.url, moment, head, size, payload, content, check.digest(), within)


def _content(head: ResponseHead | None, chunks: Iterable[bytes], size: int, payload: str) -> str | None:
    """The content's digest, by the algorithm of the payload's, so that the two can be compared."""
    if head is None or not has_codings(head.headers):
        for _ in chunks:
            continue
        return ""
    named = Digest.parse(payload)
    return content_digest(head.headers, chunks, size, named.algorithm if named else PAYLOAD)


def _revisit_content(content: str | None, head: ResponseHead | None, record: Record) -> str | None:
    # The head of a 304 came without the payload and says nothing of its codings.
    if content is not None or record.get("warc-profile") == NOT_MODIFIED or (head and has_codings(head.headers)):
        return content
    return ""


@dataclass(frozen=True, slots=True)
class _Asked:
    record: str
    concurrent: str
    url: str
    method: str
    post: str


def _asked(record: Record) -> _Asked:
    """What a request record says."""
    block = record.read() if record.size <= _SMALL else b"".join(_first(record.chunks(), _SMALL))
    method, post = "GET", ""
    if not block.startswith(b"GET "):
        head, start = split_request(block)
        method = head.method
        if method != "GET" and record.size <= _SMALL:
            post = post_query(method, head.headers.get("content-type"), block[start:])
    return _Asked(record.id, record.get("warc-concurrent-to").strip("<>"), record.url, method, post)


def _first(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    left = size
    for chunk in chunks:
        yield chunk[:left]
        left -= len(chunk)
        if left <= 0:
            return


class _Pairing:
    """Brings a response together with its request, which other tools write before it or after it."""

    __slots__ = ("_asked", "_held", "_place")

    def __init__(self) -> None:
        self._asked: _Asked | None = None
        self._place = Place("", 0, 0)
        self._held: Seen | None = None

    def take(self, seen: Seen, asked: _Asked | None, record: Record) -> Iterator[Seen]:
        """Take a record; gives those whose request cannot come any more."""
        held = self._held
        if asked is not None:
            if held is not None:
                self._held = None
                together = _together(asked, held.sight, "")
                yield _asked_with(held, asked, seen.place) if together else held
                asked = None if together else asked
            self._asked, self._place = asked, seen.place
            yield seen
            return
        yield from self.rest()
        before, self._asked = self._asked, None
        if before is not None and _together(before, seen.sight, record.get("warc-concurrent-to").strip("<>")):
            yield _asked_with(seen, before, self._place)
        elif seen.sight is not None and seen.record_type in ("response", "revisit"):
            self._held = seen
        else:
            yield seen

    def rest(self) -> Iterator[Seen]:
        """The record that waited for its request, if there is one."""
        if self._held is not None:
            yield self._held
            self._held = None


def _together(asked: _Asked, sight: Sight | None, concurrent: str) -> bool:
    if sight is None or sight.url != asked.url:
        return False
    return asked.concurrent == sight.record or (bool(concurrent) and concurrent == asked.record)


def _asked_with(seen: Seen, asked: _Asked, place: Place) -> Seen:
    sight = seen.sight
    if sight is not None and asked.method != "GET":
        sight = replace(sight, method=asked.method, post=asked.post)
    return replace(seen, sight=sight, request=place)

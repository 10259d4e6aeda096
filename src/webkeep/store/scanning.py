"""Reading WARC files again: what each record says to index and catalog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from webkeep.formats.arc import ArcReader
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.http1 import ResponseHead, parse_request, parse_response, read_head, read_response_head
from webkeep.formats.post_key import post_query
from webkeep.formats.record import Record
from webkeep.formats.warc_reader import WarcReader
from webkeep.model import Digest, Place, new_hasher
from webkeep.store.bookkeeping import News, capture_in, is_news, news_in
from webkeep.store.digesting import PAYLOAD, content_digest, overheard
from webkeep.store.sight import CONTENT_DIGEST, INDEXED, Sight, sight_of

_SMALL = 1 << 20


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
    if record.type not in INDEXED or not record.url or record.moment is None:
        return False
    # The established indexers leave these out, so that our indexes and theirs agree.
    return record.type in ("response", "revisit") or record.get("content-type") != "application/warc-fields"


def scan(stream: BinaryIO, name: str, flaws: Flaws, start: int = 0, capture: str = "") -> Iterator[Seen]:
    """Every intact record of a file from an offset on; `capture` is the one the file was in before that."""
    pairing = _Pairing()
    for record in open_records(stream, name, flaws, start):
        seen, capture = _seen(record, capture, pairing)
        record.finish()
        if not record.intact or not record.length:
            continue
        place = Place(name, record.offset, record.length)
        yield from pairing.take(replace(seen, place=place), record)
    yield from pairing.rest()


def scan_file(path: Path, start: int = 0, capture: str = "") -> Iterator[Seen]:
    """Every intact record of a file on disk; flaws are passed over."""
    with path.open("rb") as stream:
        yield from scan(stream, path.name, Flaws(Strictness.IGNORE), start, capture)


_NOWHERE = Place("", 0, 0)


def _seen(record: Record, capture: str, pairing: _Pairing) -> tuple[Seen, str]:
    kind = record.type
    if kind == "warcinfo" and record.size <= _SMALL:
        described = capture_in(record.read())
        if described is not None:
            return Seen(_NOWHERE, kind, news=News(capture=described)), described.id
    elif kind == "request":
        pairing.heed(record)
    elif kind == "metadata" and is_news(record.get("content-type")):
        block = record.read()
        news = news_in(record.get("content-type"), block)
        return Seen(_NOWHERE, kind, _sight_of(record, [block], capture), news), capture
    elif is_indexed(record):
        return Seen(_NOWHERE, kind, _sight_of(record, record.chunks(), capture)), capture
    return Seen(_NOWHERE, kind), capture


def _sight_of(record: Record, body: Iterable[bytes], within: str) -> Sight | None:
    url, moment = record.url, record.moment
    if not url or moment is None:
        return None
    head: ResponseHead | None = None
    raw, size = b"", record.size
    if record.is_http:
        raw, body = read_response_head(body)
        head = parse_response(raw)
        size -= len(raw)
    payload = record.get("warc-payload-digest")
    content = Digest.parse(record.get(CONTENT_DIGEST.lower()))
    if record.type != "revisit" and (not payload or content is None):
        headers = (head or ResponseHead()).headers
        if payload:
            content = content_digest(headers, body, size)
        else:
            hasher = new_hasher(PAYLOAD)
            content = content_digest(headers, overheard(body, hasher), size)
            payload = str(Digest(PAYLOAD, hasher.digest()))
    return sight_of(record.headers.first, url, moment, head, size, payload, content, within)


@dataclass(frozen=True, slots=True)
class _Asked:
    record: str
    concurrent: str
    url: str
    method: str
    post: str
    place: Place


class _Pairing:
    """Brings a response together with its request, which other tools write before it or after it."""

    def __init__(self) -> None:
        self._asked: _Asked | None = None
        self._held: Seen | None = None

    def heed(self, record: Record) -> None:
        """Look at a request record."""
        raw, body = read_head(record.chunks())
        head = parse_request(raw)
        post = ""
        if head.method != "GET" and record.size - len(raw) <= _SMALL:
            post = post_query(head.method, head.headers.get("content-type"), b"".join(body))
        concurrent = record.get("warc-concurrent-to").strip("<>")
        self._asked = _Asked(record.id, concurrent, record.url, head.method, post, _NOWHERE)

    def take(self, seen: Seen, record: Record) -> Iterator[Seen]:
        """Take a record; gives those whose request cannot come any more."""
        if seen.record_type == "request" and self._asked is not None:
            self._asked = replace(self._asked, place=seen.place)
            if self._held is not None and _together(self._asked, self._held.sight, ""):
                yield _asked_with(self._held, self._asked)
                self._held = self._asked = None
            yield seen
            return
        yield from self.rest()
        if self._asked is not None and _together(self._asked, seen.sight, record.get("warc-concurrent-to").strip("<>")):
            yield _asked_with(seen, self._asked)
        elif seen.sight is not None and seen.record_type in ("response", "revisit"):
            self._held = seen
        else:
            yield seen
        self._asked = None

    def rest(self) -> Iterator[Seen]:
        """The record that waited for its request, if there is one."""
        if self._held is not None:
            yield self._held
            self._held = None


def _together(asked: _Asked, sight: Sight | None, concurrent: str) -> bool:
    if sight is None or sight.url != asked.url:
        return False
    return asked.concurrent == sight.record or (bool(concurrent) and concurrent == asked.record)


def _asked_with(seen: Seen, asked: _Asked) -> Seen:
    sight = seen.sight
    if sight is not None and asked.method != "GET":
        sight = replace(sight, method=asked.method, post=asked.post)
    return replace(seen, sight=sight, request=asked.place)

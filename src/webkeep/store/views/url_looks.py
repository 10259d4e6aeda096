"""Looks at URLs in the order of URLs and moments, across all captures: how an archive of millions of observations is
compared capture by capture without holding it in memory.

The index is sorted by URL and moment, and the catalog knows the rest of each record; both are read side by side, row by
row. A "not modified" has status, type and digest of the look before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, cast

from webkeep.formats.status import NOT_MODIFIED
from webkeep.model import Fate, Moment, RecordPlace, RecordType, UrlOutcome
from webkeep.store.archive.archive import Archive
from webkeep.store.index.cache_database import as_integer

_REVISIT = RecordType.REVISIT
_MAX_LOOKS_A_URL = 20_000
"""Looks at one URL that are held at a time; where there are more, as of a server that records itself, the oldest are
left out."""
_SELECT_LOOKS = """
SELECT e.key, o.url, o.moment, o.capture, o.type, o.method, o.status, o.media,
    CASE WHEN o.content IS NULL OR o.content = '' THEN o.payload ELSE o.content END,
    o.size, o.length, o.via, o.visit, f.name, o.offset, o.payload
FROM urls.entry e CROSS JOIN urls.file f ON f.number = e.file CROSS JOIN main.file g ON g.name = f.name
CROSS JOIN observation o ON o.file = g.number AND o.offset = e.offset
WHERE e.type <> 'metadata' ORDER BY e.key, e.moment, e.file, e.offset
"""
_SELECT_SPANS = """
SELECT c.id, count(*), min(o.moment), max(o.moment), sum(o.type = 'revisit')
FROM observation o LEFT JOIN capture c ON c.number = o.capture WHERE o.type <> 'metadata' GROUP BY o.capture
"""
_SELECT_FATE_COUNTS = "SELECT outcome, count(*) FROM fate WHERE capture = ? GROUP BY outcome ORDER BY count(*) DESC"
_SELECT_UNSTORED = (
    "SELECT url, outcome, reason, via FROM fate "
    "WHERE capture = ? AND outcome NOT IN ('stored', 'duplicate') ORDER BY url"
)
_SELECT_CAPTURE_IDS = "SELECT number, id FROM capture"


class UrlLook(NamedTuple):
    """One look at a URL, in plain values."""

    key: str
    url: str
    micros: int
    capture: int | None
    """The number of its capture; None for a record of no capture."""
    record_type: str
    method: str
    status: int | None
    media_type: str
    digest: str
    """Of the decoded content where that is known, else of the payload as it came."""
    size: int
    length: int
    """The bytes that its record takes on disk."""
    via: str
    visit: str
    file: str
    offset: int
    payload: str
    """The digest of the payload as it came."""

    @property
    def place(self) -> RecordPlace:
        """Where its record lies."""
        return RecordPlace(self.file, self.offset, self.length)


class ObservedSpan(NamedTuple):
    """How many observations a capture made, and from when to when."""

    capture: str
    """"" for records of no capture."""
    observations: int
    first: Moment
    last: Moment
    revisit_records: int


def read_capture_spans(archive: Archive) -> list[ObservedSpan]:
    """What was seen by which capture, those without one among them."""
    return [
        ObservedSpan(
            str(capture or ""),
            as_integer(count),
            Moment(as_integer(first)),
            Moment(as_integer(last)),
            as_integer(again),
        )
        for capture, count, first, last, again in archive.catalog.database.query(_SELECT_SPANS)
    ]


def read_capture_numbers(archive: Archive) -> dict[int, str]:
    """The identifier of each capture by the number that looks have of it."""
    return {as_integer(number): str(name) for number, name in archive.catalog.database.query(_SELECT_CAPTURE_IDS)}


def count_fates(archive: Archive, capture: str) -> dict[str, int]:
    """How many URLs of a capture ended in which way, the most frequent first."""
    rows = archive.catalog.database.query(_SELECT_FATE_COUNTS, (capture,))
    return {str(outcome): as_integer(count) for outcome, count in rows}


def read_unstored_fates(archive: Archive, capture: str) -> Iterator[Fate]:
    """What became of the URLs of a capture that it did not store, by URL."""
    for url, outcome, reason, via in archive.catalog.database.query(_SELECT_UNSTORED, (capture,)):
        yield Fate(str(url), UrlOutcome(str(outcome)), str(reason), str(via))


def read_url_looks(archive: Archive) -> Iterator[list[UrlLook]]:
    """The looks at each URL by time, one URL after the other.

    URLs that share a key stand together, each with its own looks.
    """
    with archive.catalog.database.attach_cache(archive.layout.index, "urls"):
        rows = archive.catalog.database.query(_SELECT_LOOKS)
        looks = cast("Iterator[UrlLook]", map(UrlLook._make, rows))
        for _, group in groupby(looks, key=itemgetter(0)):
            yield from _split_by_url(archive, group)


def _split_by_url(archive: Archive, group: Iterator[UrlLook]) -> Iterator[list[UrlLook]]:
    """The looks of one key by their URLs, with what a "not modified" stands for."""
    by_url: dict[str, list[UrlLook]] = {}
    for look in group:
        seen = by_url.setdefault(look.url, [])
        if len(seen) >= _MAX_LOOKS_A_URL:
            del seen[: _MAX_LOOKS_A_URL // 2]
        seen.append(_resolve_look(archive, look, seen[-1] if seen else None))
    yield from by_url.values()


def _resolve_look(archive: Archive, look: UrlLook, before: UrlLook | None) -> UrlLook:
    has_head = look.record_type != _REVISIT or look.status is not None or look.media_type
    if look.status != NOT_MODIFIED and has_head:
        return look
    if before is not None:
        return look._replace(status=before.status, media_type=before.media_type, digest=before.digest)
    seen = archive.observation_at(look.place)
    if seen is None or seen.is_dangling:
        return look
    digest = str(seen.content_digest or seen.payload_digest or look.digest)
    return look._replace(status=seen.status, media_type=seen.media_type, digest=digest)

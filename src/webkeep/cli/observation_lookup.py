"""Looking up what a person names: which spellings of a URL are tried, where an observation stands among the others of
its URL, and which URLs nearby are proposed where none is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from webkeep.api import check_url, url_spellings
from webkeep.errors import UsageError
from webkeep.formats.status import NOT_MODIFIED
from webkeep.model import Moment, Observation, RecordType
from webkeep.store.archive import Archive
from webkeep.store.index import IndexEntry, IndexRange
from webkeep.url import UrlMatch, key_range, parse_url_pattern, surt

_MAX_NEARBY_URLS = 3
"""URLs that are proposed on each side of the one that is not held."""
_MAX_ENTRIES_READ = 1000
"""Index entries read for them: one URL may have very many versions."""


@dataclass(frozen=True, slots=True)
class VersionPosition:
    """Where one observation stands among all of its URL."""

    total: int
    """How often the URL was seen."""
    position: int
    """Counted from 1."""
    payloads: int
    """How many different payloads there were; what was seen again unchanged counts once."""
    payload_position: int
    """Which of them this is, in the order in which they were first seen, counted from 1."""
    previous: Moment | None
    following: Moment | None


def find_observation(archive: Archive, text: str, at: Moment | None) -> Observation | None:
    """The observation a person means: of the URL as they wrote it, else as a browser would spell it."""
    url, match = parse_url_pattern(text.strip())
    if match is not UrlMatch.EXACT:
        raise UsageError(f"{text} stands for many URLs and one can be shown; webkeep list {archive.path} lists them")
    check_url(url)
    key_range(url, UrlMatch.EXACT)  # what cannot be looked up is a wrong call
    found = [(spelling, archive.lookup(spelling, at)) for spelling in url_spellings(url)]
    exact = (each for spelling, each in found if each is not None and each.url == spelling)
    return next(exact, None) or next((each for _, each in found if each is not None), None)


def version_position(archive: Archive, observation: Observation) -> VersionPosition:
    """Count the observations of the same URL."""
    total = position = 0
    payloads: dict[str, int] = {}
    """By their digests, each with its number."""
    shown = 0
    previous: Moment | None = None
    following: Moment | None = None
    for entry in archive.entries(observation.url):
        if entry.url != observation.url or not _is_listed(entry):
            continue
        total += 1
        digest = archive.revisits.resolve_entry(entry).digest if entry.status == NOT_MODIFIED else entry.digest
        number = payloads.setdefault(digest, len(payloads) + 1)
        if entry.place == observation.place:
            position, shown = total, number
        elif not position:
            previous = entry.moment
        elif following is None:
            following = entry.moment
    return VersionPosition(total, position, len(payloads), shown, previous, following)


def nearby_urls(archive: Archive, text: str) -> list[str]:
    """URLs held of the same host, those whose keys sort next to the one asked for."""
    url, _ = parse_url_pattern(text.strip())
    key = surt(url)
    low, high = key_range(url, UrlMatch.HOST) if ")" in key else (key, key)
    before = archive.index.entries(IndexRange(low, key), newest_first=True)
    after = archive.index.entries(IndexRange(key, high))
    return [*reversed(list(_first_urls(before))), *_first_urls(after)]


def _first_urls(entries: Iterator[IndexEntry]) -> Iterator[str]:
    shown = filter(_is_listed, islice(entries, _MAX_ENTRIES_READ))
    for _, group in islice(groupby(shown, lambda entry: entry.key), _MAX_NEARBY_URLS):
        yield next(group).url


def _is_listed(entry: IndexEntry) -> bool:
    return entry.record_type != RecordType.METADATA and not entry.post

"""Looking up what a person names: the URL they mean, its other observations, and what is held nearby."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from webkeep.cli.selection import check_url
from webkeep.errors import UsageError
from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive
from webkeep.store.entry import Entry
from webkeep.store.index import Span
from webkeep.url import Match, key_range, normal, read_pattern, surt

_NEARBY = 3
_LOOKED_AT = 1000


@dataclass(frozen=True, slots=True)
class Versions:
    """Where one observation stands among all of its URL."""

    total: int
    position: int
    """Counted from 1."""
    payloads: int
    """How many different payloads there were."""
    previous: Moment | None
    following: Moment | None


def find(archive: Archive, text: str, at: Moment | None) -> Observation | None:
    """The observation a person means: of the URL as they wrote it, else as a browser would spell it."""
    url, match = read_pattern(text.strip())
    if match is not Match.EXACT:
        raise UsageError(f"{text} stands for many URLs and one can be shown; webkeep list {archive.path} lists them")
    check_url(url)
    key_range(url, Match.EXACT)  # what cannot be looked up is a wrong call
    found = [(spelling, archive.lookup(spelling, at)) for spelling in spellings(url)]
    exact = (each for spelling, each in found if each is not None and each.url == spelling)
    return next(exact, None) or next((each for _, each in found if each is not None), None)


def spellings(url: str) -> list[str]:
    """A URL as a person wrote it and as browsers spell it, `http://` left out or not."""
    return list(dict.fromkeys([url, *filter(None, (normal(url), normal(f"http://{url}")))]))


def versions(archive: Archive, observation: Observation) -> Versions:
    """Count the observations of the same URL."""
    total = position = 0
    payloads: set[str] = set()
    previous: Moment | None = None
    following: Moment | None = None
    for entry in archive.entries(observation.url):
        if entry.url != observation.url or not _is_shown(entry):
            continue
        total += 1
        payloads.add(entry.digest)
        if entry.place == observation.place:
            position = total
        elif not position:
            previous = entry.moment
        elif following is None:
            following = entry.moment
    return Versions(total, position, len(payloads), previous, following)


def nearby(archive: Archive, text: str) -> list[str]:
    """URLs held of the same host, those whose keys sort next to the one asked for."""
    url, _ = read_pattern(text.strip())
    key = surt(url)
    low, high = key_range(url, Match.HOST) if ")" in key else (key, key)
    before = archive.index.entries(Span(low, key), newest_first=True)
    after = archive.index.entries(Span(key, high))
    return [*reversed(list(_first_urls(before))), *_first_urls(after)]


def _first_urls(entries: Iterator[Entry]) -> Iterator[str]:
    shown = filter(_is_shown, islice(entries, _LOOKED_AT))
    for _, group in islice(groupby(shown, lambda entry: entry.key), _NEARBY):
        yield next(group).url


def _is_shown(entry: Entry) -> bool:
    return entry.record_type != "metadata" and not entry.post

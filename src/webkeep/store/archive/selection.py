"""Selections: which part of an archive is meant, by capture, by URL, prefix, host or domain, by time, or by a pattern
of URLs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from webkeep.formats import is_dump_urn
from webkeep.model import Moment, Observation
from webkeep.store.archive.archive import Archive, url_ranges
from webkeep.url import UrlMatch, surt
from webkeep.url.scope import RuleSubject, UrlRule, include_rule


@dataclass(frozen=True, slots=True)
class Selection:
    """A capture, a URL or what lies below it, a time range; whatever is given narrows it."""

    url: str = ""
    match: UrlMatch = UrlMatch.EXACT
    capture: str = ""
    since: Moment | None = None
    until: Moment | None = None
    pattern: str = ""
    """What a URL looks like, with `*` for any characters, as in the rules of a capture: `*.png`."""
    dumps: bool = True
    """Whether databases are meant as well, which are private; whatever leaves the archive is made without them."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing narrows it."""
        return not (self.url or self.capture or self.since or self.until or self.pattern)

    def includes(self, observation: Observation) -> bool:
        """Whether an observation is meant."""
        return self.includes_url_at(observation.url, observation.capture, observation.moment)

    def includes_url_at(self, url: str, capture: str, moment: Moment) -> bool:
        """Whether something of a URL is meant that a capture found at a moment."""
        return (
            (not self.capture or capture == self.capture)
            and (self.since is None or moment >= self.since)
            and (self.until is None or moment <= self.until)
            and self.includes_url(url)
        )

    def includes_url(self, url: str) -> bool:
        """Whether a URL is meant, by itself."""
        if not self.dumps and is_dump_urn(url):
            return False
        if self.pattern and not _pattern_rule(self.pattern).holds(RuleSubject(url.partition("#")[0])):
            return False
        if not self.url:
            return True
        key = surt(url)
        return any(low <= key and (high is None or key < high) for low, high in _url_ranges(self.url, self.match))

    def observations(self, archive: Archive) -> Iterator[Observation]:
        """The observations of an archive that are meant."""
        everything = archive.history(self.url, self.match) if self.url else archive.observations(self.capture or None)
        return (observation for observation in everything if self.includes(observation))


@lru_cache(maxsize=16)
def _pattern_rule(shape: str) -> UrlRule:
    return include_rule(shape)


@lru_cache(maxsize=16)
def _url_ranges(url: str, match: UrlMatch) -> tuple[tuple[str, str | None], ...]:
    return tuple(url_ranges(url, match))

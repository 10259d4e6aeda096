"""Selections: which part of an archive is meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive, url_ranges
from webkeep.url import Match, Rule, include
from webkeep.url.key import surt
from webkeep.url.rules import Subject


@dataclass(frozen=True, slots=True)
class Selection:
    """A capture, a URL or what lies below it, a time range; whatever is given narrows it."""

    url: str = ""
    match: Match = Match.EXACT
    capture: str = ""
    since: Moment | None = None
    until: Moment | None = None
    shape: str = ""
    """What a URL looks like, with `*` for any characters, as in the rules of a capture: `*.png`."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing narrows it."""
        return not (self.url or self.capture or self.since or self.until or self.shape)

    def holds(self, observation: Observation) -> bool:
        """Whether an observation is meant."""
        return self.takes_in(observation.url, observation.capture, observation.moment)

    def takes_in(self, url: str, capture: str, moment: Moment) -> bool:
        """Whether something of a URL is meant that a capture found at a moment."""
        return (
            (not self.capture or capture == self.capture)
            and (self.since is None or moment >= self.since)
            and (self.until is None or moment <= self.until)
            and self.takes_url(url)
        )

    def takes_url(self, url: str) -> bool:
        """Whether a URL is meant, by itself."""
        if self.shape and not _rule(self.shape).holds(Subject(url.partition("#")[0])):
            return False
        if not self.url:
            return True
        key = surt(url)
        return any(low <= key and (high is None or key < high) for low, high in _ranges(self.url, self.match))

    def observations(self, archive: Archive) -> Iterator[Observation]:
        """The observations of an archive that are meant."""
        everything = archive.history(self.url, self.match) if self.url else archive.observations(self.capture or None)
        return (observation for observation in everything if self.holds(observation))


@lru_cache(maxsize=16)
def _rule(shape: str) -> Rule:
    return include(shape)


@lru_cache(maxsize=16)
def _ranges(url: str, match: Match) -> tuple[tuple[str, str | None], ...]:
    return tuple(url_ranges(url, match))

"""Selections: which part of an archive is meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive, url_ranges
from webkeep.url import Match
from webkeep.url.key import surt


@dataclass(frozen=True, slots=True)
class Selection:
    """A capture, a URL or what lies below it, a time range; whatever is given narrows it."""

    url: str = ""
    match: Match = Match.EXACT
    capture: str = ""
    since: Moment | None = None
    until: Moment | None = None

    @property
    def is_everything(self) -> bool:
        """Whether nothing narrows it."""
        return not (self.url or self.capture or self.since or self.until)

    def holds(self, observation: Observation) -> bool:
        """Whether an observation is meant."""
        return self.takes_in(observation.url, observation.capture, observation.moment)

    def takes_in(self, url: str, capture: str, moment: Moment) -> bool:
        """Whether something of a URL is meant that a capture found at a moment."""
        return (
            (not self.capture or capture == self.capture)
            and (self.since is None or moment >= self.since)
            and (self.until is None or moment <= self.until)
            and (not self.url or self._holds_url(url))
        )

    def _holds_url(self, url: str) -> bool:
        key = surt(url)
        return any(low <= key and (high is None or key < high) for low, high in _ranges(self.url, self.match))

    def observations(self, archive: Archive) -> Iterator[Observation]:
        """The observations of an archive that are meant."""
        everything = archive.history(self.url, self.match) if self.url else archive.observations(self.capture or None)
        return (observation for observation in everything if self.holds(observation))


@lru_cache(maxsize=16)
def _ranges(url: str, match: Match) -> tuple[tuple[str, str | None], ...]:
    return tuple(url_ranges(url, match))

"""A site as of a moment: the capture that answers, and for each of its URLs the observation that does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from webkeep.coherence.intent import intent_urn, read_intent
from webkeep.coherence.observing import sighting_of
from webkeep.coherence.time_travel import Span, capture_as_of, seen_as_of
from webkeep.coherence.timeline import Mapping
from webkeep.errors import FormatError
from webkeep.model import Moment, Observation, Visit
from webkeep.quality.kept import LARGEST
from webkeep.quality.records import blocks_at
from webkeep.store.archive import Archive
from webkeep.url import Match
from webkeep.url.key import surt


@dataclass(frozen=True, slots=True)
class Answer:
    """What answers for one URL."""

    observation: Observation
    is_proven: bool
    """Whether the resource was seen to be the same before the moment and after it."""


@dataclass(slots=True)
class _Times:
    """When a capture made its visits and revisits."""

    began: Moment
    ended: Moment
    last_visit: Moment | None = None
    first_revisit: Moment | None = None

    def take(self, observation: Observation) -> None:
        moment = observation.moment
        self.began, self.ended = min(self.began, moment), max(self.ended, moment)
        if observation.visit is Visit.VISIT:
            self.last_visit = max(self.last_visit or moment, moment)
        else:
            self.first_revisit = min(self.first_revisit or moment, moment)

    @property
    def middle(self) -> Moment | None:
        """The moment between all visits and all revisits, where there is one."""
        if self.last_visit is None or self.first_revisit is None or self.last_visit > self.first_revisit:
            return None
        return Moment((self.last_visit.micros + self.first_revisit.micros) // 2)


def capture_for(archive: Archive, url: str, match: Match, moment: Moment, mapping: Mapping) -> Span | None:
    """The capture that answers for a site (a URL, prefix, host or domain; all where it is empty) as of a moment."""
    times: dict[str, _Times] = {}
    for each in _observations(archive, url, match):
        times.setdefault(each.capture, _Times(each.moment, each.moment)).take(each)
    spans = (
        Span(capture, each.began, each.ended, _reference(archive, capture) or each.middle)
        for capture, each in times.items()
    )
    return capture_as_of(spans, moment, mapping)


def answers_in(archive: Archive, capture: str, url: str, match: Match, moment: Moment) -> Iterator[Answer]:
    """For each URL of a site that a capture holds, by URL, the observation nearest to a moment."""
    mine = (each for each in _observations(archive, url, match) if each.capture == capture)
    for _, group in groupby(mine, lambda each: surt(each.url)):
        by_url: dict[str, list[Observation]] = {}
        for each in group:
            by_url.setdefault(each.url, []).append(each)
        for observations in by_url.values():
            seen = seen_as_of([sighting_of(each) for each in observations], moment)
            if seen is not None:
                yield Answer(archive.revisits.resolve(observations[seen.place]), seen.is_proven)


def _observations(archive: Archive, url: str, match: Match) -> Iterable[Observation]:
    for each in archive.history(url, match, resolve=False):
        if each.method == "GET" and each.record_type != "metadata":
            yield each


def _reference(archive: Archive, capture: str) -> Moment | None:
    """The moment a capture aimed at."""
    places = [entry.place for entry in archive.entries(intent_urn(capture))]
    try:
        intent = read_intent(blocks_at(archive, places[-1:], LARGEST))
    except FormatError:
        return None
    return intent.reference if intent else None

"""A site as of a moment (time travel): the capture that answers, by the moment it aimed at or the middle between visits
and revisits, and for each of its URLs the observation that does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from webkeep.coherence.certificates import intent_urn, read_intent
from webkeep.coherence.sightings import sighting_from_observation
from webkeep.coherence.time_travel import CaptureSpan, MomentMapping, choose_capture, choose_sighting_at
from webkeep.errors import FormatError
from webkeep.model import Moment, Observation, RecordType, VisitKind
from webkeep.quality.certificates.capture_records import read_note_blocks
from webkeep.quality.certificates.certificate_records import MAX_PART_BYTES
from webkeep.store.archive import Archive
from webkeep.url import UrlMatch, surt


@dataclass(frozen=True, slots=True)
class TimeTravelResult:
    """What answers for one URL."""

    observation: Observation
    is_proven: bool
    """Whether the resource was seen to be the same before the moment and after it."""


@dataclass(slots=True)
class _CaptureTimes:
    """When a capture made its visits and revisits."""

    began: Moment
    ended: Moment
    last_visit: Moment | None = None
    first_revisit: Moment | None = None

    def add(self, observation: Observation) -> None:
        moment = observation.moment
        self.began, self.ended = min(self.began, moment), max(self.ended, moment)
        if observation.visit is VisitKind.VISIT:
            self.last_visit = max(self.last_visit or moment, moment)
        else:
            self.first_revisit = min(self.first_revisit or moment, moment)

    @property
    def middle(self) -> Moment | None:
        """The moment between all visits and all revisits, where there is one."""
        if self.last_visit is None or self.first_revisit is None or self.last_visit > self.first_revisit:
            return None
        return Moment((self.last_visit.micros + self.first_revisit.micros) // 2)


def find_capture(
    archive: Archive, url: str, match: UrlMatch, moment: Moment, mapping: MomentMapping
) -> CaptureSpan | None:
    """The capture that answers for a site (a URL, prefix, host or domain; all where it is empty) as of a moment."""
    times: dict[str, _CaptureTimes] = {}
    for each in _read_observations(archive, url, match):
        times.setdefault(each.capture, _CaptureTimes(each.moment, each.moment)).add(each)
    spans = (
        CaptureSpan(capture, each.began, each.ended, _read_reference(archive, capture) or each.middle)
        for capture, each in times.items()
    )
    return choose_capture(spans, moment, mapping)


def find_observations(
    archive: Archive, capture: str, url: str, match: UrlMatch, moment: Moment
) -> Iterator[TimeTravelResult]:
    """For each URL of a site that a capture holds, by URL, the observation nearest to a moment."""
    mine = (each for each in _read_observations(archive, url, match) if each.capture == capture)
    for _, group in groupby(mine, lambda each: surt(each.url)):
        by_url: dict[str, list[Observation]] = {}
        for each in group:
            by_url.setdefault(each.url, []).append(each)
        for observations in by_url.values():
            seen = choose_sighting_at([sighting_from_observation(each) for each in observations], moment)
            if seen is not None:
                yield TimeTravelResult(archive.revisits.resolve(observations[seen.place]), seen.is_proven)


def _read_observations(archive: Archive, url: str, match: UrlMatch) -> Iterable[Observation]:
    for each in archive.history(url, match, resolve=False):
        if each.method == "GET" and each.record_type != RecordType.METADATA:
            yield each


def _read_reference(archive: Archive, capture: str) -> Moment | None:
    """The moment a capture aimed at."""
    places = [entry.place for entry in archive.entries(intent_urn(capture))]
    try:
        intent = read_intent(read_note_blocks(archive, places[-1:], MAX_PART_BYTES))
    except FormatError:
        return None
    return intent.reference if intent else None

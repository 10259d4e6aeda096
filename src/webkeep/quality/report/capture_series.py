"""Which captures a report is about: the one it judges, and those before it that began at the same seeds."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import STORED_OUTCOMES, Capture, Moment
from webkeep.store.archive import Archive
from webkeep.store.views import ObservedSpan, count_fates, read_capture_numbers, read_capture_spans
from webkeep.url import surt

_MAX_OTHER_SEEDS = 20
"""Seeds of other series that a report names; `webkeep list` has all."""


@dataclass(frozen=True, slots=True)
class SeriesCapture:
    """A capture of a series, or all records that belong to no capture."""

    id: str
    """"" for records of no capture."""
    number: int | None
    """What looks have of it in the catalog."""
    kind: str
    seeds: tuple[str, ...]
    first: Moment
    last: Moment
    observations: int
    is_finished: bool
    plan: str = ""
    """What it was to do, as it was written down with it; "" where nothing was."""


@dataclass(frozen=True, slots=True)
class CaptureSeries:
    """Captures of the same seeds, oldest first; the last is the one that is judged."""

    captures: tuple[SeriesCapture, ...]
    other_seeds: tuple[str, ...] = ()
    """Seeds of captures that are no part of it."""

    @property
    def subject(self) -> SeriesCapture | None:
        """The capture that is judged; None where there is none at all."""
        return self.captures[-1] if self.captures else None


def select_series(archive: Archive, capture: str = "", seed: str = "") -> CaptureSeries:
    """The series that leads to a capture, to the last one of a seed, or to the last one there is."""
    found = _read_captures(archive)
    if not found and not (capture or seed):
        return CaptureSeries(())
    subject = _choose_subject(archive, found, capture, seed)
    keys = _seed_keys(subject)
    place = found.index(subject)
    # What nobody answered is judged where it is the last, and is nothing to hold a later capture against.
    before = (each for each in found[:place] if each.observations and _belongs(keys, each, seed))
    chosen = [*before, subject]
    others = dict.fromkeys(name for each in found if each not in chosen for name in each.seeds)
    return CaptureSeries(tuple(chosen), tuple(name for name in others if surt(name) not in keys)[:_MAX_OTHER_SEEDS])


def _read_captures(archive: Archive) -> list[SeriesCapture]:
    numbers = {name: number for number, name in read_capture_numbers(archive).items()}
    known = {each.id: each for each in archive.captures()}
    spans = read_capture_spans(archive)
    made = [_series_capture(span, known.get(span.capture), numbers.get(span.capture)) for span in spans]
    unseen = known.keys() - {each.capture for each in spans}
    made += [_fruitless_capture(known[each], numbers.get(each)) for each in unseen if _is_fruitless(archive, each)]
    return sorted(made, key=lambda each: (each.first, each.last, each.id))


def _series_capture(span: ObservedSpan, capture: Capture | None, number: int | None) -> SeriesCapture:
    if capture is None:
        return SeriesCapture("", None, "records", (), span.first, span.last, span.observations, is_finished=True)
    return SeriesCapture(
        capture.id,
        number,
        capture.kind,
        capture.seeds,
        span.first,
        span.last,
        span.observations,
        capture.finished is not None,
        capture.facts.get("plan", ""),
    )


def _is_fruitless(archive: Archive, capture: str) -> bool:
    """Whether a capture was made and stored nothing, here or with other workers."""
    outcomes = count_fates(archive, capture).keys()
    return bool(outcomes) and outcomes.isdisjoint(STORED_OUTCOMES)


def _fruitless_capture(capture: Capture, number: int | None) -> SeriesCapture:
    """A capture that nobody answered: there is nothing of it but what failed."""
    ended, plan = capture.finished or capture.started, capture.facts.get("plan", "")
    is_finished = capture.finished is not None
    return SeriesCapture(capture.id, number, capture.kind, capture.seeds, capture.started, ended, 0, is_finished, plan)


def _choose_subject(archive: Archive, found: list[SeriesCapture], capture: str, seed: str) -> SeriesCapture:
    if capture:
        wanted = archive.capture(capture).id
        chosen = [each for each in found if each.id == wanted]
        if not chosen:
            raise UsageError(f"capture {wanted} of {archive.path} holds nothing to report on")
        return chosen[0]
    if seed:
        chosen = [each for each in found if surt(seed) in _seed_keys(each)]
        if not chosen:
            raise UsageError(f"no capture in {archive.path} began at {seed}; webkeep list {archive.path} shows seeds")
        return chosen[-1]
    return found[-1]


def _seed_keys(capture: SeriesCapture) -> set[str]:
    return {surt(each) for each in capture.seeds}


def _belongs(keys: set[str], capture: SeriesCapture, seed: str) -> bool:
    if seed:
        return surt(seed) in _seed_keys(capture)
    return bool(keys & _seed_keys(capture)) if keys else not capture.seeds

"""What it can mean that pages fit together in time (ideal, observable, measurable, inducible), how far a capture does,
and the largest set of pages that agree.

Ideal: some moment lies in the lifetimes of all versions. Observable: some moment lies between every page's last change
and its download. Measurable: that moment is the start of the capture. Inducible: every page was the same at visit and
revisit, which share a moment.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from webkeep.coherence.schedules import TimeInterval


@dataclass(frozen=True, slots=True)
class LargestAgreement:
    """The most pages that fit together, and the moments for which they do."""

    moments: TimeInterval | None
    """None where there are no pages."""
    pages: tuple[int, ...]


def intersect_lifetimes(lifetimes: Sequence[TimeInterval]) -> TimeInterval | None:
    """The moments that lie in all intervals (ideal and observable coherence); None where there are none."""
    if not lifetimes:
        return None
    start = max(lifetime.start for lifetime in lifetimes)
    end = min(lifetime.end for lifetime in lifetimes)
    return TimeInterval(start, end) if start <= end else None


def largest_agreement(lifetimes: Sequence[TimeInterval]) -> LargestAgreement:
    """The moments that lie in most intervals, the earliest such stretch, and whose intervals those are."""
    ends = sorted([(lifetime.start, 0) for lifetime in lifetimes] + [(lifetime.end, 1) for lifetime in lifetimes])
    count = most = 0
    best: TimeInterval | None = None
    for place, (time, is_end) in enumerate(ends):
        count += -1 if is_end else 1
        if count > most:
            most, best = count, TimeInterval(time, ends[place + 1][0])
    if best is None:
        return LargestAgreement(None, ())
    return LargestAgreement(best, tuple(page for page, lifetime in enumerate(lifetimes) if best.start in lifetime))


def error_free_share(errors: Sequence[bool]) -> float:
    """The share of pages without an error; one where there are no pages."""
    return 1 - sum(errors) / len(errors) if errors else 1.0


@dataclass(frozen=True, slots=True)
class MeasuredCoherence:
    """Coherence at the start of a capture, as far as servers say when pages changed last."""

    coherence: float
    unknown: int
    """Pages whose last change is not known; they count as errors."""


def measurable_coherence(last_changes: Sequence[float | None], start: float) -> MeasuredCoherence:
    """The share of pages that had not changed since the capture began."""
    errors = [change is None or change > start for change in last_changes]
    return MeasuredCoherence(error_free_share(errors), sum(change is None for change in last_changes))


def inducible_coherence(versions: Sequence[tuple[Hashable, Hashable]]) -> float:
    """The share of pages whose digests (or entity tags) at visit and revisit are the same."""
    return error_free_share([visited != revisited for visited, revisited in versions])

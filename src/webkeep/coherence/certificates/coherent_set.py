"""The largest set of resources that fits together in time: one sweep over the ends of their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webkeep.coherence.sightings.seen_versions import KnownReach, SeenVersion, version_intervals
from webkeep.model import Moment


@dataclass(frozen=True, slots=True)
class CoherentSet:
    """How many resources were all as they are held, and for which moments that is so."""

    start: Moment
    end: Moment
    resources: int


def densest_overlap(stretches: Iterable[tuple[int, int]], wanted: int | None = None) -> tuple[int, int, int] | None:
    """Start and end of the time that lies in most stretches, and in how many; None where there are none.

    Of several as good the one with the moment wanted is taken, else the longest, of those the first.
    """
    ends = sorted(end for start, last in stretches for end in ((start, 0), (last, 1)))
    count = 0
    best: tuple[int, int, int] | None = None
    most = (0, False, 0)
    for place, (time, is_end) in enumerate(ends):
        if is_end:
            count -= 1
            continue
        count += 1
        until = ends[place + 1][0]
        worth = (count, wanted is not None and time <= wanted <= until, until - time)
        if worth > most:
            most, best = worth, (time, until, count)
    return best


def largest_coherent_set(
    resources: Iterable[tuple[int, Sequence[SeenVersion]]],
    wanted: Moment | None = None,
    reach: KnownReach = KnownReach.SEEN,
) -> tuple[CoherentSet | None, set[int]]:
    """The largest set among resources, each with a number, that fits together, and the numbers of those in it.

    Of several as large the one that fits together at the moment wanted is taken.
    """
    owned = [(number, stretch) for number, versions in resources for stretch in version_intervals(versions, reach)]
    best = densest_overlap((stretch for _, stretch in owned), wanted.micros if wanted else None)
    if best is None:
        return None, set()
    start, end, _ = best
    members = {number for number, (first, last) in owned if first <= start <= last}
    return CoherentSet(Moment(start), Moment(end), len(members)), members

"""How complete a reconstruction is, although nobody knows what was lost: estimated by what repositories hold in common
(capture and recapture, by Chapman or Chao).

Repositories found the site's resources more or less independently of each other, like biologists who catch fish twice:
how many of those that one holds the other holds too, tells how many there are that none of them holds. That is asked of
the site as it was last, kind by kind: what is older is held by few, and archives differ in what they keep. What
recovered pages lead to was there for sure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Completeness:
    """What is known of the size of the lost site."""

    recovered: int
    known: int
    """Resources that are recovered or led to."""
    estimate: float | None
    """By capture and recapture; None where one repository alone holds anything."""
    by: str = ""
    """Which estimate it is."""

    @property
    def size(self) -> float:
        """The likely number of resources that there were, at the least."""
        return max(self.known, self.estimate or 0.0)

    @property
    def share(self) -> float:
        """The likely share of them that is recovered, at the most."""
        return self.recovered / self.size if self.size else 1.0


def chapman_estimate(first: int, second: int, both: int) -> float:
    """How many there are in all, where two samples have some in common."""
    return (first + 1) * (second + 1) / (both + 1) - 1


def chao_estimate(seen: int, once: int, twice: int, samples: int) -> float:
    """How many there are at the least, where so many were seen by one of several samples, and by two."""
    return seen + (samples - 1) / samples * once * (once - 1) / (2 * (twice + 1))


@dataclass(slots=True)
class RepositoryOverlap:
    """Counts who holds what, and who of them both."""

    held_counts: Counter[str] = field(default_factory=Counter)
    both: Counter[tuple[str, str]] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    _times: Counter[int] = field(default_factory=Counter)

    def add(self, repositories: Iterable[str]) -> None:
        """One resource, and everyone who holds it."""
        names = sorted(set(repositories))
        self.held_counts.update(names)
        self.both.update(combinations(names, 2))
        self._times[len(names)] += bool(names)
        if len(names) == 1:
            self.alone[names[0]] += 1

    @property
    def seen(self) -> int:
        """How many resources someone holds."""
        return sum(self._times.values())

    def estimate(self) -> tuple[float | None, str]:
        """How many resources there were, and by which formula."""
        if len(self.held_counts) < 2:
            return None, ""
        if len(self.held_counts) > 2:
            return chao_estimate(self.seen, self._times[1], self._times[2], len(self.held_counts)), "Chao"
        (one, first), (other, second) = sorted(self.held_counts.items())
        return chapman_estimate(first, second, self.both[one, other]), "Chapman"


def sum_estimates(overlaps: Iterable[RepositoryOverlap]) -> tuple[float | None, str]:
    """The sum of several estimates; what one holder alone has of a kind counts as it is."""
    total, named = 0.0, ""
    for overlap in overlaps:
        estimate, by = overlap.estimate()
        total += overlap.seen if estimate is None else estimate
        named = by or named
    return (total, named) if named else (None, "")

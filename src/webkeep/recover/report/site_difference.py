"""How a reconstruction differs from the site that was lost: what is identical, changed, missing and added, the shares
of each, and the radii of its diagram.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

from webkeep.errors import UsageError


class ResourceLikeness(enum.StrEnum):
    """What became of one resource."""

    IDENTICAL = "identical"
    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class DifferenceVector:
    """The difference as shares: changed and missing of the lost site, added of the reconstruction."""

    changed: float
    missing: float
    added: float

    @property
    def recovered(self) -> float:
        """The share of the lost site that came back, changed or not."""
        return 1.0 - self.missing


@dataclass(frozen=True, slots=True)
class DifferenceCounts:
    """How many resources are alike and how many are not."""

    identical: int = 0
    changed: int = 0
    missing: int = 0
    added: int = 0

    @classmethod
    def count_fates(cls, fates: Iterable[ResourceLikeness]) -> DifferenceCounts:
        """Count what became of each resource."""
        counts = Counter(fates)
        return cls(*(counts[likeness] for likeness in ResourceLikeness))

    @classmethod
    def between(cls, lost: Mapping[str, Hashable], recovered: Mapping[str, Hashable]) -> DifferenceCounts:
        """Compare two sites by what stands for the bytes of each URL, such as its digest."""
        return cls.count_fates(likeness for _, likeness in compare_contents(lost, recovered))

    @property
    def lost(self) -> int:
        """The size of the lost site."""
        return self.identical + self.changed + self.missing

    @property
    def recovered(self) -> int:
        """The size of the reconstruction, which is that of the lost site less the missing, with the added."""
        return self.identical + self.changed + self.added

    @property
    def vector(self) -> DifferenceVector:
        """The shares; nothing is added to a reconstruction that is empty."""
        if not self.lost:
            raise UsageError("a site of no resources cannot be lost; compare with one that has some")
        added = self.added / self.recovered if self.recovered else 0.0
        return DifferenceVector(self.changed / self.lost, self.missing / self.lost, added)


def compare_contents(
    lost: Mapping[str, Hashable], recovered: Mapping[str, Hashable]
) -> Iterator[tuple[str, ResourceLikeness]]:
    """What became of every URL of either site: first those of the lost one, then what was added."""
    for url, content in lost.items():
        if url not in recovered:
            yield url, ResourceLikeness.MISSING
        else:
            yield url, ResourceLikeness.IDENTICAL if recovered[url] == content else ResourceLikeness.CHANGED
    yield from ((url, ResourceLikeness.ADDED) for url in recovered if url not in lost)


@dataclass(frozen=True, slots=True)
class DiagramRings:
    """The reconstruction as a disc of area one with a crust: where each ring ends, from the centre outwards."""

    missing: float
    """The hole."""
    changed: float
    identical: float
    added: float
    """The crust, at most `MAX_CRUST_RADIUS` however much was added."""


MAX_CRUST_RADIUS = 2.0
"""How far the crust of a diagram may reach, in radii of the disc."""


def diagram_rings(vector: DifferenceVector) -> DiagramRings:
    """The radii of the reconstruction diagram; areas are to one another as the numbers of resources."""
    crust = vector.added * vector.recovered / (1 - vector.added) if vector.added < 1 else MAX_CRUST_RADIUS**2
    radii = (sqrt(area) for area in (vector.missing, vector.missing + vector.changed, 1.0, 1.0 + crust))
    hole, dark, light, whole = radii
    return DiagramRings(hole, dark, light, min(whole, MAX_CRUST_RADIUS))

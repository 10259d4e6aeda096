"""How a reconstruction differs from the site that was lost: what is identical, changed, missing and added."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

from webkeep.errors import UsageError


class Likeness(enum.StrEnum):
    """What became of one resource."""

    IDENTICAL = "identical"
    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Vector:
    """The difference as shares: changed and missing of the lost site, added of the reconstruction."""

    changed: float
    missing: float
    added: float

    @property
    def recovered(self) -> float:
        """The share of the lost site that came back, changed or not."""
        return 1.0 - self.missing


@dataclass(frozen=True, slots=True)
class Difference:
    """How many resources are alike and how many are not."""

    identical: int = 0
    changed: int = 0
    missing: int = 0
    added: int = 0

    @classmethod
    def of(cls, fates: Iterable[Likeness]) -> Difference:
        """Count what became of each resource."""
        counts = Counter(fates)
        return cls(*(counts[likeness] for likeness in Likeness))

    @classmethod
    def between(cls, lost: Mapping[str, Hashable], recovered: Mapping[str, Hashable]) -> Difference:
        """Compare two sites by what stands for the bytes of each URL, such as its digest."""
        return cls.of(likeness for _, likeness in compared(lost, recovered))

    @property
    def lost(self) -> int:
        """The size of the lost site."""
        return self.identical + self.changed + self.missing

    @property
    def recovered(self) -> int:
        """The size of the reconstruction, which is that of the lost site less the missing, with the added."""
        return self.identical + self.changed + self.added

    @property
    def vector(self) -> Vector:
        """The shares; nothing is added to a reconstruction that is empty."""
        if not self.lost:
            raise UsageError("a site of no resources cannot be lost; compare with one that has some")
        added = self.added / self.recovered if self.recovered else 0.0
        return Vector(self.changed / self.lost, self.missing / self.lost, added)


def compared(lost: Mapping[str, Hashable], recovered: Mapping[str, Hashable]) -> Iterator[tuple[str, Likeness]]:
    """What became of every URL of either site: first those of the lost one, then what was added."""
    for url, content in lost.items():
        if url not in recovered:
            yield url, Likeness.MISSING
        else:
            yield url, Likeness.IDENTICAL if recovered[url] == content else Likeness.CHANGED
    yield from ((url, Likeness.ADDED) for url in recovered if url not in lost)


@dataclass(frozen=True, slots=True)
class Rings:
    """The reconstruction as a disc of area one with a crust: where each ring ends, from the centre outwards."""

    missing: float
    """The hole."""
    changed: float
    identical: float
    added: float
    """The crust, at most `WIDEST` however much was added."""


WIDEST = 2.0
"""How far the crust of a diagram may reach, in radii of the disc."""


def rings(vector: Vector) -> Rings:
    """The radii of the reconstruction diagram; areas are to one another as the numbers of resources."""
    crust = vector.added * vector.recovered / (1 - vector.added) if vector.added < 1 else WIDEST**2
    radii = (sqrt(area) for area in (vector.missing, vector.missing + vector.changed, 1.0, 1.0 + crust))
    hole, dark, light, whole = radii
    return Rings(hole, dark, light, min(whole, WIDEST))

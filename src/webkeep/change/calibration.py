"""Chances set right: what was told of pages that a learner had not seen, against what was true of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_GROUPS = 10
_DOUBT = 0.5
"""As many pages of the usual kind are added to each group, so that few pages are not taken for certainty."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Points of chances told and true, both rising; between them, and to nought and beyond, lines are straight."""

    points: tuple[tuple[float, float], ...] = ()

    def true(self, told: float) -> float:
        """The chance that a chance told stands for."""
        if not self.points:
            return told
        place = bisect_right(self.points, (told, 2.0))
        if place in (0, len(self.points)):
            known, true = self.points[min(place, len(self.points) - 1)]
            return min(told * true / known, 1.0) if known > 0 else true
        (left, low), (right, high) = self.points[place - 1], self.points[place]
        return low + (high - low) * (told - left) / (right - left)


def calibrated(told: Sequence[float], true: Sequence[float]) -> Calibration:
    """The calibration by pages of which both are known: groups of them in order, joined until they rise."""
    if not told:
        return Calibration()
    usual = sum(true) / len(true)
    rising: list[_Group] = []
    for group in _groups(told, true, usual):
        rising.append(group)
        while len(rising) > 1 and rising[-1].mean <= rising[-2].mean:
            last = rising.pop()
            rising[-1] = rising[-1].with_all(last)
    return Calibration(tuple((group.told / group.pages, group.mean) for group in rising))


@dataclass(frozen=True, slots=True)
class _Group:
    pages: float
    told: float
    true: float

    @property
    def mean(self) -> float:
        return self.true / self.pages

    def with_all(self, other: _Group) -> _Group:
        return _Group(self.pages + other.pages, self.told + other.told, self.true + other.true)


def _groups(told: Sequence[float], true: Sequence[float], usual: float) -> list[_Group]:
    """Groups of about the same size by rising chance told; what was told alike stays together."""
    order = sorted(range(len(told)), key=told.__getitem__)
    size = max(len(order) // _GROUPS, 1)
    groups, start = [], 0
    while start < len(order):
        end = min(start + size, len(order))
        while end < len(order) and told[order[end]] == told[order[end - 1]]:
            end += 1
        pages = order[start:end]
        said = sum(told[page] for page in pages)
        was = sum(true[page] for page in pages)
        count = len(pages)
        groups.append(_Group(count, said, (was + _DOUBT * usual) * count / (count + _DOUBT)))
        start = end
    return groups

"""Naive Bayes: every feature a witness of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import exp, log, pi

from webkeep.change.features import Features, Value
from webkeep.change.learner import Predictor

_NARROWEST = 0.04
"""The least variance of a class, as a share of that of all pages: few pages that are alike prove little."""


class NaiveBayes:
    """Counts of names and normal distributions of numbers, by class."""

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> Predictor:
        """A predictor by what pages of each class look like."""
        return _Witnesses(pages, classes, count)


class _Witnesses:
    def __init__(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> None:
        self._count, self._total = count, len(pages)
        self._sizes = Counter(classes)
        self._names: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        self._spread: dict[str, set[str]] = defaultdict(set)
        sums: dict[tuple[str, int], list[float]] = defaultdict(list)
        for page, number in zip(pages, classes, strict=True):
            for feature, value in page.items():
                if isinstance(value, str):
                    self._names[feature, number][value] += 1
                    self._spread[feature].add(value)
                else:
                    sums[feature, number].append(value)
        every: dict[str, list[float]] = defaultdict(list)
        for (feature, _), values in sums.items():
            every[feature] += values
        least = {feature: _NARROWEST * _normal(values, 1e-9)[1] for feature, values in every.items()}
        self._normals = {key: _normal(values, least[key[0]]) for key, values in sums.items()}

    def shares(self, page: Features) -> list[float]:
        weights = [self._weight(page, number) for number in range(self._count)]
        most = max(weights)
        parts = [exp(weight - most) for weight in weights]
        return [part / sum(parts) for part in parts]

    def _weight(self, page: Features, number: int) -> float:
        prior = log((self._sizes[number] + 1) / (self._total + self._count))
        return prior + sum(self._witness(feature, value, number) for feature, value in page.items())

    def _witness(self, feature: str, value: Value, number: int) -> float:
        if isinstance(value, str):
            if value not in self._spread.get(feature, ()):
                return 0.0
            seen = self._names[feature, number][value] if (feature, number) in self._names else 0
            return log((seen + 1) / (self._sizes[number] + len(self._spread[feature])))
        if (feature, number) not in self._normals:
            return 0.0
        mean, variance = self._normals[feature, number]
        return -log(2 * pi * variance) / 2 - (value - mean) ** 2 / (2 * variance)


def _normal(values: Sequence[float], least: float) -> tuple[float, float]:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    return mean, max(variance, least)

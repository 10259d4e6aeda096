"""Naive Bayes: every feature a witness of its own; names are counted, numbers taken as normal, and values never seen
say nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, pi

from webkeep.change.prediction import Features

_MIN_VARIANCE_SHARE = 0.04
"""The least variance of a class, as a share of that of all pages: few pages that are alike prove little."""


class NaiveBayesLearner:
    """Counts of names and normal distributions of numbers, by class."""

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> NaiveBayesPredictor:
        """A predictor by what pages of each class look like."""
        sizes = [0] * count
        names: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0] * count))
        numbers: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in range(count)])
        for page, number in zip(pages, classes, strict=True):
            sizes[number] += 1
            for feature, value in page.items():
                if isinstance(value, str):
                    names[feature][value][number] += 1
                else:
                    numbers[feature][number].append(value)
        return NaiveBayesPredictor(
            tuple(sizes),
            {feature: {name: tuple(seen) for name, seen in values.items()} for feature, values in names.items()},
            {feature: _fit_normals(values) for feature, values in numbers.items()},
        )


Normal = tuple[float, float]
"""Mean and variance."""


@dataclass(frozen=True, slots=True)
class NaiveBayesPredictor:
    """What pages of each class look like."""

    sizes: tuple[int, ...]
    names: Mapping[str, Mapping[str, tuple[int, ...]]]
    """How often each name of a feature was seen, by class."""
    normals: Mapping[str, tuple[Normal, ...]]
    """How the numbers of a feature spread, by class."""

    def class_probabilities(self, page: Features) -> list[float]:
        """The probability of each class if its features had nothing to do with each other."""
        total = sum(self.sizes) + len(self.sizes)
        weights = [log((size + 1) / total) for size in self.sizes]
        for feature, value in page.items():
            witness = (
                self._name_likelihoods(feature, value)
                if isinstance(value, str)
                else self._number_likelihoods(feature, value)
            )
            weights = [weight + part for weight, part in zip(weights, witness, strict=True)]
        most = max(weights)
        parts = [exp(weight - most) for weight in weights]
        whole = sum(parts)
        return [part / whole for part in parts]

    def _name_likelihoods(self, feature: str, value: str) -> list[float]:
        """What a name says for each class; nothing where it was never seen."""
        known = self.names.get(feature, {})
        if value not in known:
            return [0.0] * len(self.sizes)
        return [log((seen + 1) / (size + len(known))) for seen, size in zip(known[value], self.sizes, strict=True)]

    def _number_likelihoods(self, feature: str, value: float) -> list[float]:
        if feature not in self.normals:
            return [0.0] * len(self.sizes)
        return [_log_likelihood(value, *normal) for normal in self.normals[feature]]


def _log_likelihood(value: float, mean: float, variance: float) -> float:
    return -log(2 * pi * variance) / 2 - (value - mean) ** 2 / (2 * variance)


def _fit_normals(by_class: Sequence[Sequence[float]]) -> tuple[Normal, ...]:
    """The spread of each class; one without pages has that of all, or it would be held innocent of every number."""
    every = _fit_normal([value for values in by_class for value in values], 1e-9)
    return tuple(_fit_normal(values, _MIN_VARIANCE_SHARE * every[1]) if values else every for values in by_class)


def _fit_normal(values: Sequence[float], least: float) -> Normal:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    return mean, max(variance, least)

"""Kin: the change class of a page by what is known of its nearest relatives in the tree of URLs (directory, site, all
pages, of its media type), moved as in naive Bayes by what the page itself shows.

Pages below one directory, of one kind, tend to change alike. So a page is first taken to be what the narrowest group of
its kin is like, where few of them are weighed against the wider group they belong to: the section, the site, all pages.
What numbers say of the page then moves that, as in naive Bayes; unlike there, parts of a URL, which hang together, are
not counted as so many witnesses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from webkeep.change.prediction.features import Features

_PATH_FEATURES = ("domain", "segment 1", "segment 2", "segment 3")
_NUMBER_WEIGHTS = {
    "days unchanged": 1.0,
    "images": 0.25,
    "tables": 0.25,
    "links out": 0.25,
    "links in": 0.25,
    "size": 0.25,
}
"""What each number counts for: those of a page's looks hang together, so that each is hearsay of the others."""
_HISTOGRAM_STEPS = 32
"""Steps of a number's range, each with about as many pages."""
_PRIOR_PAGES = 3.0
"""How many pages of the wider group are added to each group."""
_MIN_GROUP_PAGES = 2
"""A group of one page says nothing that the page itself does not."""
_KEY_SEPARATOR = "\n"


class UrlTreeLearner:
    """Learns what groups of pages are like."""

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> UrlTreePredictor:
        """A predictor by the groups these pages belong to."""
        groups: dict[str, list[int]] = defaultdict(lambda: [0] * count)
        for page, number in zip(pages, classes, strict=True):
            for group in {*_groups_of(page, _media_kind(page)), *_groups_of(page, "")}:
                groups[group][number] += 1
        kept = {group: tuple(seen) for group, seen in groups.items() if sum(seen) >= _MIN_GROUP_PAGES or not group}
        numbers = {
            name: _build_histogram(name, pages, classes, count)
            for name in _NUMBER_WEIGHTS
            if any(name in page for page in pages)
        }
        return UrlTreePredictor(count, kept, numbers)


@dataclass(frozen=True, slots=True)
class FeatureHistogram:
    """A number's range in steps, and how often each was seen, by class."""

    edges: tuple[float, ...]
    seen: tuple[tuple[int, ...], ...]
    """For every step, its pages by class."""
    sizes: tuple[int, ...]
    """All pages by class."""

    def log_likelihoods(self, value: float) -> list[float]:
        """What a number says for each class, as a logarithm."""
        here = self.seen[bisect_right(self.edges, value)]
        usual = (sum(here) + 1) / (sum(self.sizes) + len(self.seen))
        return [
            log((count + usual * _PRIOR_PAGES) / (size + _PRIOR_PAGES))
            for count, size in zip(here, self.sizes, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class UrlTreePredictor:
    """Groups of pages by class, and what their numbers are like."""

    classes: int
    groups: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, FeatureHistogram]

    def class_probabilities(self, page: Features) -> list[float]:
        """The classes of the page's kin, moved by its numbers."""
        shares = [1 / self.classes] * self.classes
        kind = _media_kind(page)
        for group in _groups_of(page, kind if kind in self.groups else ""):
            seen = self.groups.get(group)
            if seen is not None:
                total = sum(seen) + _PRIOR_PAGES
                shares = [(count + _PRIOR_PAGES * share) / total for count, share in zip(seen, shares, strict=True)]
        weights = [log(share) for share in shares]
        for name, steps in self.numbers.items():
            value = page.get(name, "")
            if not isinstance(value, str):
                worth = _NUMBER_WEIGHTS.get(name, 0.0)
                weights = [
                    weight + worth * part for weight, part in zip(weights, steps.log_likelihoods(value), strict=True)
                ]
        most = max(weights)
        parts = [exp(weight - most) for weight in weights]
        whole = sum(parts)
        return [part / whole for part in parts]


def _media_kind(page: Features) -> str:
    return str(page.get("type", ""))


def _groups_of(page: Features, kind: str) -> Iterator[str]:
    """The groups a page belongs to, the widest first: all, its kind if known, those below the parts of its address."""
    yield ""
    if kind:
        yield kind
    name = kind
    for part in _PATH_FEATURES:
        value = page.get(part, "")
        if not value:
            return
        name = f"{name}{_KEY_SEPARATOR}{value}"
        yield name


def _build_histogram(name: str, pages: Sequence[Features], classes: Sequence[int], count: int) -> FeatureHistogram:
    """The steps of a number that hold about as many pages each."""
    values = [
        (value, number)
        for page, number in zip(pages, classes, strict=True)
        if not isinstance(value := page.get(name, ""), str)
    ]
    ordered = sorted(value for value, _ in values)
    edges = tuple(sorted({ordered[len(ordered) * step // _HISTOGRAM_STEPS] for step in range(1, _HISTOGRAM_STEPS)}))
    seen = [[0] * count for _ in range(len(edges) + 1)]
    for value, number in values:
        seen[bisect_right(edges, value)][number] += 1
    return FeatureHistogram(edges, tuple(map(tuple, seen)), tuple(map(sum, zip(*seen, strict=True))))

"""A decision tree by entropy (C4.5): gain ratio chooses the question, pessimistic pruning takes back what was chance;
how deep it grows, and how few pages a leaf may have.

Names part a page's kin by value, numbers by a border, as C4.5 does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2, sqrt

from webkeep.change.prediction import Features, FeatureValue, smooth_shares

# A decision tree that has grown: questions on the way down, counts of classes at every node.

BELOW, ABOVE = "below", "above"
"""The two sides of a border; what is on it is below."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node: the pages it saw by class and, unless it is a leaf, what it asks and where the answers lead."""

    counts: Mapping[int, int]
    name: str = ""
    border: float | None = None
    children: Mapping[str, int] = field(default_factory=dict)

    def branch_of(self, page: Features) -> str:
        """What a page answers to the question."""
        value = page.get(self.name, "")
        if self.border is None:
            return branch_name(value)
        return ABOVE if not isinstance(value, str) and value > self.border else BELOW


@dataclass(frozen=True, slots=True)
class TreePredictor:
    """A tree as a list of nodes, the root first; children are named by their places, which lie further on."""

    nodes: tuple[TreeNode, ...]
    classes: int

    def class_probabilities(self, page: Features) -> list[float]:
        """The classes of the pages where the questions end, or cannot be answered."""
        node = self.nodes[0]
        while node.children and (place := node.children.get(node.branch_of(page))) is not None:
            node = self.nodes[place]
        return smooth_shares(Counter(node.counts), self.classes, 1 / self.classes)


def branch_name(value: FeatureValue) -> str:
    """A value as a name; a number among names is one of them."""
    return value if isinstance(value, str) else repr(float(value))


_MAX_DEPTH = 25
"""Questions on the way to a leaf; deeper trees learn single pages by heart."""
_MIN_LEAF_PAGES = 2
"""A question must leave so many pages on two sides at least."""
_MAX_BRANCH_SHARE = 0.3
"""A question with almost as many answers as pages gains by chance; beyond this share its gain is not counted in the
mean."""
_MIN_GAIN = 1e-9
"""A gain below this, by page, is rounding."""
_PRUNING_DEVIATIONS = 0.69
"""Standard deviations added to a node's errors before they are believed: one-sided confidence of a quarter."""

FeatureChoice = Callable[[list[str]], list[str]]


@dataclass(frozen=True, slots=True)
class DecisionTreeLearner:
    """Grows one tree; `choose` may narrow the features that a question can be about."""

    choose: FeatureChoice = field(default=lambda names: names)
    pruned: bool = True

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> TreePredictor:
        """A tree for these pages."""
        names = sorted({name for page in pages for name in page})
        root = self._grow(_Rows(pages, classes), list(range(len(pages))), names, 0)
        if self.pruned:
            _prune(root)
        return TreePredictor(tuple(_flatten(root)), count)

    def _grow(self, rows: _Rows, chosen: list[int], names: list[str], depth: int) -> _Node:
        node = _Node(Counter(rows.classes[row] for row in chosen))
        if len(node.counts) < 2 or len(chosen) < 2 * _MIN_LEAF_PAGES or depth >= _MAX_DEPTH:
            return node
        split = rows.best_split(chosen, self.choose(names))
        if split is None:
            return node
        node.name, node.border, parts = split
        node.children = {key: self._grow(rows, part, names, depth + 1) for key, part in parts.items()}
        return node


@dataclass(slots=True)
class _Node:
    counts: Counter[int]
    name: str = ""
    border: float | None = None
    children: dict[str, _Node] = field(default_factory=dict)

    @property
    def errors(self) -> float:
        """Errors to expect if this were a leaf, with a doubt that few pages deserve."""
        total = sum(self.counts.values())
        share = 1 - max(self.counts.values()) / total
        doubt = _PRUNING_DEVIATIONS**2
        upper = (
            share
            + doubt / (2 * total)
            + _PRUNING_DEVIATIONS * sqrt(share * (1 - share) / total + doubt / (4 * total**2))
        )
        return total * upper / (1 + doubt / total)


def _prune(node: _Node) -> float:
    """Cut off what does not lessen the errors to expect; the errors that remain."""
    if not node.children:
        return node.errors
    below = sum(_prune(child) for child in node.children.values())
    if node.errors <= below + 0.1:
        node.children = {}
        return node.errors
    return below


def _flatten(root: _Node) -> list[TreeNode]:
    """The tree as a list, the root first and every node before those below it."""
    nodes, places, seen = [root], [], 0
    while seen < len(nodes):
        below = nodes[seen].children
        places.append({key: len(nodes) + number for number, key in enumerate(below)})
        nodes += below.values()
        seen += 1
    return [
        TreeNode(dict(node.counts), node.name, node.border, children) if children else TreeNode(dict(node.counts))
        for node, children in zip(nodes, places, strict=True)
    ]


Split = tuple[str, float | None, dict[str, list[int]]]


class _Rows:
    """The pages to learn from, and the questions that part them.

    Entropies are taken as sums of `n log n`, looked up in a table: multiplied by their size, they need no division, and
    a page that goes over from one side of a border to the other changes only four of the terms.
    """

    def __init__(self, pages: Sequence[Features], classes: Sequence[int]) -> None:
        self._pages = pages
        self.classes = classes
        self._times = [0.0, *(number * log2(number) for number in range(1, len(pages) + 1))]

    def best_split(self, chosen: list[int], names: list[str]) -> Split | None:
        """The question with the best gain for its size, among those with at least the usual gain."""
        before, size = self._entropy(chosen), len(chosen)
        scored: list[tuple[float, float, Split]] = []
        for name in names:
            split = self._split(chosen, name)
            if split is None:
                continue
            parts = split[2].values()
            gain = before - sum(map(self._entropy, parts))
            if gain > _MIN_GAIN * size:
                scored.append((gain, gain / (self._times[size] - sum(self._times[len(part)] for part in parts)), split))
        if not scored:
            return None
        # Names with nearly as many values as pages gain much and say little, so they do not set the measure.
        gains = [gain for gain, _, split in scored if len(split[2]) < _MAX_BRANCH_SHARE * size]
        usual = sum(gains) / len(gains) - _MIN_GAIN * size if gains else 0.0
        return max((each for each in scored if each[0] >= usual), key=lambda each: each[1])[2]

    def _entropy(self, rows: list[int]) -> float:
        """The entropy of these rows' classes, times their number."""
        counts = Counter([self.classes[row] for row in rows])
        return self._times[len(rows)] - sum([self._times[count] for count in counts.values()])

    def _split(self, chosen: list[int], name: str) -> Split | None:
        values = [self._pages[row].get(name, "") for row in chosen]
        numbers = [(value, row) for value, row in zip(values, chosen, strict=True) if not isinstance(value, str)]
        if len(numbers) == len(chosen):
            return self._split_by_number(numbers, name)
        parts: dict[str, list[int]] = defaultdict(list)
        for row, value in zip(chosen, values, strict=True):
            parts[branch_name(value)].append(row)
        large = sum(len(part) >= _MIN_LEAF_PAGES for part in parts.values())
        return (name, None, parts) if len(parts) > 1 and large > 1 else None

    def _split_by_number(self, numbers: list[tuple[float, int]], name: str) -> Split | None:
        """The border of a number with the least entropy on both its sides."""
        ordered = sorted(numbers)
        if ordered[0][0] == ordered[-1][0]:
            return None
        place = self._best_border(ordered)
        if place is None:
            return None
        border = (ordered[place][0] + ordered[place + 1][0]) / 2
        rows = [row for _, row in ordered]
        return name, border, {BELOW: rows[: place + 1], ABOVE: rows[place + 1 :]}

    def _best_border(self, ordered: list[tuple[float, int]]) -> int | None:
        """The last place below the best border, None where there is no border."""
        classes, times, total = self.classes, self._times, len(ordered)
        below: Counter[int] = Counter()
        above = Counter([classes[row] for _, row in ordered])
        kept = sum(times[count] for count in above.values())
        most, best = -1.0, None
        for place in range(total - 1):
            value, row = ordered[place]
            number = classes[row]
            under, over = below[number], above[number]
            kept += times[under + 1] - times[under] + times[over - 1] - times[over]
            below[number], above[number] = under + 1, over - 1
            if value == ordered[place + 1][0] or not _MIN_LEAF_PAGES <= place + 1 <= total - _MIN_LEAF_PAGES:
                continue
            order = kept - times[place + 1] - times[total - place - 1]
            if best is None or order > most:
                most, best = order, place
        return best

"""A decision tree by entropy: gain ratio chooses the question, pessimistic pruning takes back what was chance.

Names part a page's kin by value, numbers by a border, as C4.5 does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log2, sqrt

from webkeep.change.features import Features, Value
from webkeep.change.learner import Predictor, smoothed

_DEEPEST = 25
_FEWEST = 2
_DOUBT = 0.69
"""Standard deviations added to a node's errors before they are believed: one-sided confidence of a quarter."""

Choose = Callable[[list[str]], list[str]]


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """Grows one tree; `choose` may narrow the features that a question can be about."""

    choose: Choose = field(default=lambda names: names)
    pruned: bool = True

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> Predictor:
        """A tree for these pages."""
        names = sorted({name for page in pages for name in page})
        root = self._grown(_Rows(pages, classes), list(range(len(pages))), names, 0)
        if self.pruned:
            _prune(root)
        return _Tree(root, count)

    def _grown(self, rows: _Rows, chosen: list[int], names: list[str], depth: int) -> _Node:
        node = _Node(Counter(rows.classes[row] for row in chosen))
        if len(node.counts) < 2 or len(chosen) < 2 * _FEWEST or depth >= _DEEPEST:
            return node
        split = rows.best_split(chosen, self.choose(names))
        if split is None:
            return node
        node.name, node.border, parts = split
        node.children = {key: self._grown(rows, part, names, depth + 1) for key, part in parts.items()}
        return node


@dataclass(slots=True)
class _Node:
    counts: Counter[int]
    name: str = ""
    border: float | None = None
    children: dict[Value, _Node] = field(default_factory=dict)

    def child(self, page: Features) -> _Node | None:
        value = page.get(self.name, "")
        if self.border is None:
            return self.children.get(value)
        return self.children.get(float(not isinstance(value, str) and value > self.border))

    @property
    def errors(self) -> float:
        """Errors to expect if this were a leaf, with a doubt that few pages deserve."""
        total = sum(self.counts.values())
        share = 1 - max(self.counts.values()) / total
        doubt = _DOUBT**2
        upper = share + doubt / (2 * total) + _DOUBT * sqrt(share * (1 - share) / total + doubt / (4 * total**2))
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


class _Tree:
    def __init__(self, root: _Node, count: int) -> None:
        self._root, self._count = root, count

    def shares(self, page: Features) -> list[float]:
        node = self._root
        while node.children and (child := node.child(page)) is not None:
            node = child
        return smoothed(node.counts, self._count, 1 / self._count)


Split = tuple[str, float | None, dict[Value, list[int]]]


class _Rows:
    """The pages to learn from, and the questions that part them."""

    def __init__(self, pages: Sequence[Features], classes: Sequence[int]) -> None:
        self._pages = pages
        self.classes = classes

    def best_split(self, chosen: list[int], names: list[str]) -> Split | None:
        """The question with the best gain for its size, among those with at least the usual gain."""
        before = _entropy(Counter(self.classes[row] for row in chosen), len(chosen))
        scored: list[tuple[float, float, Split]] = []
        for name in names:
            split = self._split(chosen, name)
            if split is None:
                continue
            gain = before - self._after(split, len(chosen))
            if gain > 1e-9:
                sizes = Counter({key: len(part) for key, part in split[2].items()})
                scored.append((gain, gain / _entropy(sizes, len(chosen)), split))
        if not scored:
            return None
        usual = sum(gain for gain, _, _ in scored) / len(scored) - 1e-9
        return max((each for each in scored if each[0] >= usual), key=lambda each: each[1])[2]

    def _after(self, split: Split, total: int) -> float:
        parts = split[2].values()
        return sum(
            len(part) / total * _entropy(Counter(self.classes[row] for row in part), len(part)) for part in parts
        )

    def _split(self, chosen: list[int], name: str) -> Split | None:
        values = [self._pages[row].get(name, "") for row in chosen]
        if any(isinstance(value, str) for value in values):
            parts: dict[Value, list[int]] = defaultdict(list)
            for row, value in zip(chosen, values, strict=True):
                parts[value].append(row)
            large = sum(len(part) >= _FEWEST for part in parts.values())
            return (name, None, parts) if len(parts) > 1 and large > 1 else None
        return self._border(chosen, name)

    def _border(self, chosen: list[int], name: str) -> Split | None:
        """The border of a number with the least entropy on both its sides."""
        ordered = sorted((float(self._pages[row][name]), row) for row in chosen)
        below: Counter[int] = Counter()
        above = Counter(self.classes[row] for row in chosen)
        total, best, border = len(chosen), float("inf"), None
        for place in range(total - 1):
            value, row = ordered[place]
            below[self.classes[row]] += 1
            above[self.classes[row]] -= 1
            size = place + 1
            if value == ordered[place + 1][0] or min(size, total - size) < _FEWEST:
                continue
            entropy = size * _entropy(below, size) + (total - size) * _entropy(above, total - size)
            if entropy < best:
                best, border = entropy, (value + ordered[place + 1][0]) / 2
        if border is None:
            return None
        lower = [row for value, row in ordered if value <= border]
        upper = [row for value, row in ordered if value > border]
        return name, border, {0.0: lower, 1.0: upper}


def _entropy(counts: Counter[int] | Counter[Value], total: int) -> float:
    return -sum(count / total * log2(count / total) for count in counts.values() if count)

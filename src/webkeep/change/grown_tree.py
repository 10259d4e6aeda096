"""A decision tree that has grown: questions on the way down, counts of classes at every node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from webkeep.change.features import Features, Value
from webkeep.change.learner import smoothed

BELOW, ABOVE = "below", "above"
"""The two sides of a border; what is on it is below."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A node: the pages it saw by class and, unless it is a leaf, what it asks and where the answers lead."""

    counts: Mapping[int, int]
    name: str = ""
    border: float | None = None
    children: Mapping[str, int] = field(default_factory=dict)

    def answer(self, page: Features) -> str:
        """What a page answers to the question."""
        value = page.get(self.name, "")
        if self.border is None:
            return name_of(value)
        return ABOVE if not isinstance(value, str) and value > self.border else BELOW


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A tree as a list of nodes, the root first; children are named by their places, which lie further on."""

    nodes: tuple[Branch, ...]
    classes: int

    def shares(self, page: Features) -> list[float]:
        """The classes of the pages where the questions end, or cannot be answered."""
        node = self.nodes[0]
        while node.children and (place := node.children.get(node.answer(page))) is not None:
            node = self.nodes[place]
        return smoothed(Counter(node.counts), self.classes, 1 / self.classes)


def name_of(value: Value) -> str:
    """A value as a name; a number among names is one of them."""
    return value if isinstance(value, str) else repr(float(value))

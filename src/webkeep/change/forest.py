"""A forest: many trees, each grown on other pages and other features, and the mean of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.change.decision_tree import DecisionTree
from webkeep.change.features import Features
from webkeep.change.grown_tree import GrownTree

_MULTIPLIER, _INCREMENT, _MODULUS = 6364136223846793005, 1442695040888963407, 1 << 64


@dataclass(frozen=True, slots=True)
class Forest:
    """Grows unpruned trees on pages drawn with replacement; the same every time."""

    trees: int = 25
    seed: int = 1

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> Grove:
        """As many trees for these pages."""
        draw = Draw(self.seed)
        return Grove(tuple(_tree(draw, pages, classes, count) for _ in range(self.trees)))


def _tree(draw: Draw, pages: Sequence[Features], classes: Sequence[int], count: int) -> GrownTree:
    rows = [draw.below(len(pages)) for _ in pages]
    learner = DecisionTree(choose=draw.some, pruned=False)
    return learner.learn([pages[row] for row in rows], [classes[row] for row in rows], count)


class Draw:
    """Numbers drawn by a linear congruence: chance enough to grow trees by, and the same from the same seed."""

    def __init__(self, seed: int) -> None:
        self._state = seed % _MODULUS

    def below(self, limit: int) -> int:
        """A number from zero up to, not including, the limit."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) % _MODULUS
        return (self._state >> 33) * limit >> 31

    def some(self, names: list[str]) -> list[str]:
        """About half of the names, at least one."""
        left = list(names)
        return [left.pop(self.below(len(left))) for _ in range((len(names) + 1) // 2)]


@dataclass(frozen=True, slots=True)
class Grove:
    """Grown trees that answer together."""

    trees: tuple[GrownTree, ...]

    def shares(self, page: Features) -> list[float]:
        """The mean of what the trees say."""
        answers = [tree.shares(page) for tree in self.trees]
        return [sum(shares) / len(answers) for shares in zip(*answers, strict=True)]

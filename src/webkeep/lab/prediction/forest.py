"""A random forest: many trees, each grown on other pages and other features, and the mean of their answers; with draws
of its own that are the same in every version of Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.change.prediction import Features
from webkeep.lab.prediction.decision_tree import DecisionTreeLearner, TreePredictor

_MULTIPLIER, _INCREMENT, _MODULUS = 6364136223846793005, 1442695040888963407, 1 << 64
"""Knuth's linear congruence of 64 bits (MMIX): the same draws in every version of Python."""


@dataclass(frozen=True, slots=True)
class ForestLearner:
    """Grows unpruned trees on pages drawn with replacement; the same every time."""

    trees: int = 25
    seed: int = 1

    def learn(self, pages: Sequence[Features], classes: Sequence[int], count: int) -> ForestPredictor:
        """As many trees for these pages."""
        draw = CongruentialRandom(self.seed)
        return ForestPredictor(tuple(_grow_tree(draw, pages, classes, count) for _ in range(self.trees)))


def _grow_tree(
    draw: CongruentialRandom, pages: Sequence[Features], classes: Sequence[int], count: int
) -> TreePredictor:
    rows = [draw.draw_below(len(pages)) for _ in pages]
    learner = DecisionTreeLearner(choose=draw.sample_half, pruned=False)
    return learner.learn([pages[row] for row in rows], [classes[row] for row in rows], count)


class CongruentialRandom:
    """Numbers drawn by a linear congruence: chance enough to grow trees by, and the same from the same seed."""

    def __init__(self, seed: int) -> None:
        self._state = seed % _MODULUS

    def draw_below(self, limit: int) -> int:
        """A number from zero up to, not including, the limit."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) % _MODULUS
        return (self._state >> 33) * limit >> 31

    def sample_half(self, names: list[str]) -> list[str]:
        """About half of the names, at least one."""
        left = list(names)
        return [left.pop(self.draw_below(len(left))) for _ in range((len(names) + 1) // 2)]


@dataclass(frozen=True, slots=True)
class ForestPredictor:
    """Grown trees that answer together."""

    trees: tuple[TreePredictor, ...]

    def class_probabilities(self, page: Features) -> list[float]:
        """The mean of what the trees say."""
        answers = [tree.class_probabilities(page) for tree in self.trees]
        return [sum(shares) / len(answers) for shares in zip(*answers, strict=True)]

"""Seeded chance: the same labels give the same draws in any process and version of Python."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class SeededRandom:
    """A stream of draws named by its labels.

    Only `random.Random.random` is used underneath: it alone is promised to stay the same across Python versions.
    """

    def __init__(self, *labels: object) -> None:
        self._draw = random.Random("/".join(map(str, labels))).random

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """A number between the two."""
        return low + (high - low) * self._draw()

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._draw() * (high - low + 1))

    def pick(self, things: Sequence[T]) -> T:
        """One of the things."""
        return things[self.integer(0, len(things) - 1)]

    def shuffle(self, things: Sequence[T]) -> list[T]:
        """The things in another order."""
        order = sorted((self._draw(), place) for place in range(len(things)))
        return [things[place] for _, place in order]

    def sample(self, things: Sequence[T], count: int) -> list[T]:
        """So many of the things, or all where there are fewer, without repeats."""
        return self.shuffle(things)[:count]


def draw_exponential(name: bytes, number: int) -> float:
    """The numbered draw of a named exponential distribution of mean 1, without drawing those before it."""
    drawn = hashlib.blake2b(number.to_bytes(8, "big"), digest_size=8, key=name[:64]).digest()
    return -math.log1p(-(int.from_bytes(drawn, "big") >> 11) / (1 << 53))


def stream_name(*labels: object) -> bytes:
    """A short name for labels, to key numbered draws with."""
    return hashlib.blake2b("/".join(map(str, labels)).encode(), digest_size=32).digest()

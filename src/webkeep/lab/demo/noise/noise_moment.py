"""The moment at which noise is made, the draws of it, and what a kind of noise is: a piece that is put into a page, or
another writing of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.model import Moment


class NoiseMoment(NamedTuple):
    """When a page is served, and to which request."""

    seed: int
    path: str
    now: Moment
    asked: int
    """The number of the request, since the server began."""

    def chance(self, *labels: object) -> SeededRandom:
        """Draws that are others for every request."""
        return SeededRandom(self.seed, self.path, self.now.micros, self.asked, *labels)

    def fixed_chance(self, *labels: object) -> SeededRandom:
        """Draws that are the same for every request of the page."""
        return SeededRandom(self.seed, self.path, *labels)

    def slow_chance(self, hours: float, *labels: object) -> SeededRandom:
        """Draws that are the same for every request of any page, until so many hours are over."""
        return SeededRandom(self.seed, self.now.micros // round(hours * 3.6e9), *labels)


PieceOfNoise = Callable[[NoiseMoment], str]
"""Markup that is put beside the content of a page."""
NoisyWriting = Callable[[str, NoiseMoment], str]
"""The whole page, written otherwise."""


@dataclass(frozen=True, slots=True)
class DemoNoise:
    """One kind of noise: a piece beside the content, or another writing of the page."""

    piece: PieceOfNoise | None = None
    writing: NoisyWriting | None = None


def draw_token(chance: SeededRandom, length: int) -> str:
    """Hexadecimal digits."""
    return "".join(chance.pick("0123456789abcdef") for _ in range(length))

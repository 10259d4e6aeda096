"""Change histories of chance: the moments at which a page changes, a Poisson process drawn by its rate and a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import inf, log1p


def draw_changes(rate: float, seed: str, horizon: float = inf) -> Iterator[float]:
    """The moments at which a page changes, ascending; the same for the same seed."""
    if rate <= 0:
        return
    draw = random.Random(seed).random
    moment = -log1p(-draw()) / rate
    while moment <= horizon:
        yield moment
        moment -= log1p(-draw()) / rate

"""Experiment E1: collections that decay by plan, and how fast three caches take up their pages and let them go."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean

from webkeep.lab.coherence.plot import Line
from webkeep.lab.recovery.collection import Collection
from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.flat_cache import Copy, State, copied
from webkeep.lab.recovery.parameters import parameters
from webkeep.lab.recovery.published import published

_DAYS = 6.0
"""By how many days a mean may be off."""
COLUMNS = (
    Column("crawled", "crawled"),
    Column("cached", "cached"),
    Column("available", "available on day", _DAYS, is_share=False),
    Column("life", "days kept", _DAYS, is_share=False),
    Column("accessibility", "days reachable"),
    Column("endangered", "days endangered", _DAYS, is_share=False),
)
_SCRIPT = "A script of the published experiment failed to ask this cache; the share crawled bounds it from above."
_STEP = 10
_LAST = 130


def decay_block(seed: int = 1, repeats: int = 10) -> Block:
    """The means over so many times the published collections."""
    decay = parameters().decay
    lives = list(Collection(decay.bins, decay.days, decay.own_images_bin).lives()) * decay.collections * repeats
    copies = {}
    for name, habits in decay.caches.items():
        chance = random.Random(f"{seed}/{name}")
        copies[name] = [copied(life, habits, chance) for life in lives]
    told = published()["decay"]
    rows = tuple(
        row(name, COLUMNS, figures(made), told["calibrated"][name], told["published"][name], _reasons(name))
        for name, made in copies.items()
    )
    return Block(
        "E1",
        "Decaying collections in three caches",
        "cache",
        COLUMNS,
        rows,
        (_SCRIPT,),
        (*(_kept(name, made, number) for number, (name, made) in enumerate(copies.items())), _served(lives)),
        "day",
        "pages that can be had",
    )


def _reasons(name: str) -> dict[str, str]:
    return {"cached": _SCRIPT} if name == "msn" else {}


def figures(copies: Sequence[Copy]) -> dict[str, float | None]:
    """The means that were published: of pages, and of those that were ever cached."""
    kept = [copy for copy in copies if copy.available is not None]
    return {
        "crawled": fmean(copy.crawled is not None for copy in copies),
        "cached": len(kept) / len(copies),
        "available": fmean(copy.available or 0.0 for copy in kept) if kept else None,
        "life": fmean(copy.life for copy in kept) if kept else None,
        "accessibility": fmean(copy.accessibility for copy in kept) if kept else None,
        "endangered": fmean(copy.endangered for copy in kept) if kept else None,
    }


def _kept(name: str, copies: Sequence[Copy], number: int) -> Line:
    """The share of pages that a cache keeps, day by day."""
    there = (State.REPLICATED, State.ENDANGERED)
    days = range(0, _LAST + 1, _STEP)
    points = ((float(day), fmean(copy.state(day) in there for copy in copies)) for day in days)
    return Line(name, tuple(points), f"l{number}")


def _served(lives: Sequence[int]) -> Line:
    days = range(0, _LAST + 1, _STEP)
    return Line("its own server", tuple((float(day), fmean(life > day for life in lives)) for day in days), "l7 dashed")

"""Scenario: how well the overlap of repositories tells the size of a site that nobody has seen whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, stdev

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.world import Kind, World
from webkeep.recover.completeness import Overlap

COLUMNS = (
    Column("ratio", "estimate to truth", is_share=False, digits=2),
    Column("deviation", "deviation", is_share=False, digits=2),
)
_NOTE = (
    "Capture and recapture. What only the deep archive holds looks as if much more were to be found, so that estimates "
    "over earlier versions are too high; pages and pictures are held so differently that they are counted apart."
)


def estimating_block(sites: Sequence[World]) -> Block:
    """The estimate of the product to the truth, over all resources, present ones, and present ones by kind."""
    ways: dict[str, Callable[[World], float]] = {
        "all URLs": lambda site: _estimated(site, range(site.size)) / site.size,
        "the present site": lambda site: _estimated(site, range(site.current)) / site.current,
        "the present site, by kind": lambda site: sum(_by_kind(site)) / site.current,
    }
    rows = []
    for name, way in ways.items():
        ratios = [way(site) for site in sites]
        rows.append(row(name, COLUMNS, {"ratio": fmean(ratios), "deviation": stdev(ratios)}))
    return Block("estimate", "The size of a lost site, estimated", "over", COLUMNS, tuple(rows), (_NOTE,))


def _by_kind(site: World) -> Iterable[float]:
    for kinds in ((Kind.HTML,), (Kind.IMAGE,), (Kind.DOCUMENT, Kind.OTHER)):
        yield _estimated(site, (number for number in range(site.current) if site.kinds[number] in kinds))


def _estimated(site: World, numbers: Iterable[int]) -> float:
    overlap, seen = Overlap(), 0
    for number in numbers:
        names = [name for name, held in site.held.items() if number in held]
        if names:
            overlap.add(names)
            seen += 1
    estimate, _ = overlap.estimate()
    return max(estimate or 0.0, seen)

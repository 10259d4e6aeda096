"""The synthetic tables of the literature: which sites each has, and the experiments that fill its cells."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt

from webkeep.coherence import average_blur, expected_incoherence, incoherence_variance
from webkeep.errors import UsageError
from webkeep.lab.coherence.cell import BLUR, INCOHERENCE, Block, Cell, Column, Row
from webkeep.lab.coherence.contender import SINGLE_VISIT, VISIT_AND_REVISIT, Crawler, depends_on_links
from webkeep.lab.coherence.figures import (
    DIFFERENCES,
    FIVE,
    REASONS,
    expected_blur,
    expected_incoherence_of,
    published,
)
from webkeep.lab.coherence.sureness import SURENESS_TABLES, sureness_block
from webkeep.lab.coherence.tree import OUTDEGREE, ShuffledSite, TreeSite
from webkeep.lab.demo.plan import Leaves

SMALL = 10_000
"""The size that all tables share; a quick run has no larger sites."""
_SIZES_ONCE = (SMALL, 50_000, 100_000, 500_000, 1_000_000)
_SIZES_TWICE = _SIZES_ONCE[:3]
_SLOWNESS = (1.0, 2.0, 3.0, 4.0, 5.0, 10.0)
_SKEWS = (0.5, 1.0, 1.5, 2.0)
_MOST_FOR_HISTORIES = 100_000
"""Olston and Pandey's order needs every change of every page, and larger sites have too many."""
_EXACT_UP_TO = 50_000
"""Wide trees up to this size are planned anew after every find, as the figures were; others as a real crawl plans."""
NARROW = 10


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is to be done."""

    quick: bool = False
    through_frontier: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Study:
    """A table of sites that differ in one thing."""

    table: str
    key: str
    """Its name among the published figures."""
    title: str
    axis: str
    sites: tuple[TreeSite, ...]
    columns: tuple[Column, ...]
    measure: str


def _varied(leaves: Leaves, axis: str, sizes: tuple[int, ...]) -> tuple[TreeSite, ...]:
    site = TreeSite(leaves=leaves)
    match axis:
        case "pages":
            return tuple(replace(site, pages=pages) for pages in sizes)
        case "slow-down":
            return tuple(replace(site, slow=slow) for slow in _SLOWNESS)
        case _:
            return tuple(replace(site, skew=skew) for skew in _SKEWS)


def _studies() -> Iterator[_Study]:
    for table, axis in (("4.4", "pages"), ("4.5", "slow-down"), ("4.6", "skew")):
        for leaves in Leaves:
            title = f"Blur by {axis}, {leaves.value} leaves"
            sites = _varied(leaves, axis, _SIZES_ONCE)
            yield _Study(table, f"{table} {leaves.value}", title, axis, sites, SINGLE_VISIT, BLUR)
    numbers = iter(range(9, 15))
    for axis in ("pages", "slow-down", "skew"):
        for leaves in Leaves:
            table = f"5.{next(numbers)}"
            title = f"Incoherence by {axis}, {leaves.value} leaves"
            sites = _varied(leaves, axis, _SIZES_TWICE)
            yield _Study(table, table, title, axis, sites, VISIT_AND_REVISIT, INCOHERENCE)
    for leaves in Leaves:
        title = f"Not published: incoherence by skew on trees of outdegree {NARROW}, {leaves.value} leaves"
        sites = tuple(TreeSite(leaves=leaves, skew=skew, outdegree=NARROW) for skew in (1.0, 1.2, 1.5, 2.0))
        yield _Study("narrow", "", title, "skew", sites, VISIT_AND_REVISIT, INCOHERENCE)


TABLES = tuple(dict.fromkeys(["4.4", "4.5", "4.6", *SURENESS_TABLES, *(study.table for study in _studies())]))
"""The tables by their numbers in the literature, and one that it does not have."""


def blocks(table: str, extent: Extent, tell: Callable[[str], None] = lambda _: None) -> list[Block]:
    """The experiments of one table; `tell` hears what is being done."""
    if table not in TABLES:
        raise UsageError(f"there is no table {table!r} here; choose one of {', '.join(TABLES)}")
    if table in SURENESS_TABLES:
        tell(f"table {table}")
        return [sureness_block(table, SMALL)]
    return [_filled(study, extent, tell) for study in _studies() if study.table == table]


def _filled(study: _Study, extent: Extent, tell: Callable[[str], None]) -> Block:
    rows = []
    for site in study.sites:
        if extent.quick and site.pages > SMALL:
            continue
        label, place = _label(study.axis, site)
        tell(f"table {study.table}, {site.leaves.value} leaves, {study.axis} {label}")
        figures = _cells(site, tuple(column.name for column in study.columns), study.measure, extent)
        cells = (
            _held(study, site, label, column.name, cell) for column, cell in zip(study.columns, figures, strict=True)
        )
        rows.append(Row(label, place, tuple(cells)))
    notes = {cell.reason: None for row in rows for cell in row.cells if cell.reason}
    digits = 3 if study.measure == BLUR else 0
    return Block(study.table, study.title, study.axis, study.measure, study.columns, tuple(rows), digits, tuple(notes))


def _label(axis: str, site: TreeSite) -> tuple[str, float]:
    match axis:
        case "pages":
            return str(site.pages), float(site.pages)
        case "slow-down":
            return f"{site.slow:g}", site.slow
        case _:
            return f"{site.skew:.1f}", site.skew


def _held(study: _Study, site: TreeSite, label: str, name: str, cell: Cell) -> Cell:
    """The cell beside what it is held against."""
    expected = expected_blur(site, name) if study.measure == BLUR else expected_incoherence_of(site, name)
    reason = REASONS[DIFFERENCES[key]] if (key := (study.table, label, name)) in DIFFERENCES else ""
    return replace(cell, expected=expected, published=published(study.key, label, name), reason=reason)


@cache
def _cells(site: TreeSite, names: tuple[str, ...], measure: str, extent: Extent) -> tuple[Cell, ...]:
    """The figures of all strategies on one site; tables that share a site share them."""
    shuffles = FIVE if site.pages <= SMALL else 1
    is_exact = site.outdegree == OUTDEGREE and site.pages <= _EXACT_UP_TO
    sites = [ShuffledSite(site, extent.seed + number) for number in range(shuffles)]
    crawlers = [Crawler(each, extent.through_frontier, is_exact) for each in sites]
    rates = site.rates
    return tuple(_cell(rates, crawlers if depends_on_links(name) else crawlers[:1], name, measure) for name in names)


def _cell(rates: list[float], crawlers: list[Crawler], name: str, measure: str) -> Cell:
    if name == "olston-pandey" and len(rates) > _MOST_FOR_HISTORIES:
        return Cell(None)
    schedules = [crawler.schedule(name) for crawler in crawlers]
    if measure == BLUR:
        values, deviation = [average_blur(rates, schedule) for schedule in schedules], 0.0
    else:
        values = [expected_incoherence(rates, schedule) for schedule in schedules]
        deviation = sqrt(incoherence_variance(rates, schedules[0]))
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return Cell(statistics.fmean(values), spread, len(values), deviation)

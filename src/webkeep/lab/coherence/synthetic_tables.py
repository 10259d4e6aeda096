"""The synthetic tables of the literature: which sites each has, by size, slow-down and skew, and the experiments that
fill its cells; what a quick run leaves out, and which sites are too large for a strategy.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt

from webkeep.coherence.schedules import expected_average_blur, expected_incoherence, incoherence_variance
from webkeep.errors import UsageError
from webkeep.lab.coherence.coherence_table import BLUR, INCOHERENCE, CrawlFigure, TableSubject, build_table
from webkeep.lab.coherence.probability_tables import PROBABILITY_TABLES, probability_block
from webkeep.lab.coherence.reference_figures import (
    DIFFERENCE_REASONS,
    KNOWN_DIFFERENCES,
    LINK_ORDERS,
    published_figure,
    recomputed_blur,
    recomputed_incoherence,
)
from webkeep.lab.coherence.site_crawler import REVISIT_COLUMNS, SINGLE_VISIT_COLUMNS, SiteCrawler, depends_on_links
from webkeep.lab.coherence.tree_site import OUTDEGREE, ShuffledSite, TreeSite
from webkeep.lab.demo.site_plan import LeafRates
from webkeep.lab.results.result_table import ResultCell, ResultColumn, ResultRow, ResultTable

SMALL_SITE_PAGES = 10_000
"""The size that all tables share; a quick run has no larger sites."""
_SINGLE_VISIT_SIZES = (SMALL_SITE_PAGES, 50_000, 100_000, 500_000, 1_000_000)
_REVISIT_SIZES = _SINGLE_VISIT_SIZES[:3]
_SLOW_DOWNS = (1.0, 2.0, 3.0, 4.0, 5.0, 10.0)
"""As published: a crawl of so many times the usual length."""
_SKEWS = (0.5, 1.0, 1.5, 2.0)
"""As published: exponents of the distribution of rates."""
_MAX_HISTORY_PAGES = 100_000
"""Olston and Pandey's order needs every change of every page, and larger sites have too many."""
_MAX_EXACT_PAGES = 50_000
"""Wide trees up to this size are planned anew after every find, as the figures were; others as a real crawl plans."""
NARROW_OUTDEGREE = 10
"""Links a page of a deep tree, beside the published 400."""


@dataclass(frozen=True, slots=True)
class CoherenceExtent:
    """How much is to be done."""

    quick: bool = False
    through_frontier: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _TableStudy:
    """A table of sites that differ in one thing."""

    table: str
    key: str
    """Its name among the published figures."""
    title: str
    axis: str
    sites: tuple[TreeSite, ...]
    columns: tuple[ResultColumn, ...]
    measure: str


def _vary_site(leaves: LeafRates, axis: str, sizes: tuple[int, ...]) -> tuple[TreeSite, ...]:
    site = TreeSite(leaves=leaves)
    match axis:
        case "pages":
            return tuple(replace(site, pages=pages) for pages in sizes)
        case "slow-down":
            return tuple(replace(site, slow=slow) for slow in _SLOW_DOWNS)
        case _:
            return tuple(replace(site, skew=skew) for skew in _SKEWS)


def _studies() -> Iterator[_TableStudy]:
    for table, axis in (("4.4", "pages"), ("4.5", "slow-down"), ("4.6", "skew")):
        for leaves in LeafRates:
            title = f"Blur by {axis}, {leaves.value} leaves"
            sites = _vary_site(leaves, axis, _SINGLE_VISIT_SIZES)
            yield _TableStudy(table, f"{table} {leaves.value}", title, axis, sites, SINGLE_VISIT_COLUMNS, BLUR)
    numbers = iter(range(9, 15))
    for axis in ("pages", "slow-down", "skew"):
        for leaves in LeafRates:
            table = f"5.{next(numbers)}"
            title = f"Incoherence by {axis}, {leaves.value} leaves"
            sites = _vary_site(leaves, axis, _REVISIT_SIZES)
            yield _TableStudy(table, table, title, axis, sites, REVISIT_COLUMNS, INCOHERENCE)
    for leaves in LeafRates:
        title = f"Not published: incoherence by skew on trees of outdegree {NARROW_OUTDEGREE}, {leaves.value} leaves"
        sites = tuple(TreeSite(leaves=leaves, skew=skew, outdegree=NARROW_OUTDEGREE) for skew in (1.0, 1.2, 1.5, 2.0))
        yield _TableStudy("narrow", "", title, "skew", sites, REVISIT_COLUMNS, INCOHERENCE)


TABLE_NUMBERS = tuple(dict.fromkeys(["4.4", "4.5", "4.6", *PROBABILITY_TABLES, *(study.table for study in _studies())]))
"""The tables by their numbers in the literature, and one that it does not have."""


def build_blocks(
    table: str, extent: CoherenceExtent, tell: Callable[[str], None] = lambda _: None
) -> list[ResultTable]:
    """The experiments of one table; `tell` hears what is being done."""
    if table not in TABLE_NUMBERS:
        raise UsageError(f"there is no table {table!r} here; choose one of {', '.join(TABLE_NUMBERS)}")
    if table in PROBABILITY_TABLES:
        tell(f"table {table}")
        return [probability_block(table, SMALL_SITE_PAGES)]
    return [_fill_block(study, extent, tell) for study in _studies() if study.table == table]


def _fill_block(study: _TableStudy, extent: CoherenceExtent, tell: Callable[[str], None]) -> ResultTable:
    rows = []
    for site in study.sites:
        if extent.quick and site.pages > SMALL_SITE_PAGES:
            continue
        label, place = _site_label(study.axis, site)
        tell(f"table {study.table}, {site.leaves.value} leaves, {study.axis} {label}")
        figures = _compute_cells(site, tuple(column.name for column in study.columns), study.measure, extent)
        cells = (
            _add_references(study, site, label, column.name, figure)
            for column, figure in zip(study.columns, figures, strict=True)
        )
        rows.append(ResultRow(label, tuple(cells), place))
    notes = {cell.reason: None for row in rows for cell in row.cells if cell.reason}
    digits = 3 if study.measure == BLUR else 0
    subject = TableSubject(study.table, study.title, study.axis, study.measure, digits)
    return build_table(subject, study.columns, tuple(rows), notes)


def _site_label(axis: str, site: TreeSite) -> tuple[str, float]:
    match axis:
        case "pages":
            return str(site.pages), float(site.pages)
        case "slow-down":
            return f"{site.slow:g}", site.slow
        case _:
            return f"{site.skew:.1f}", site.skew


def _add_references(study: _TableStudy, site: TreeSite, label: str, name: str, figure: CrawlFigure) -> ResultCell:
    """The figure beside what it is held against."""
    expected = recomputed_blur(site, name) if study.measure == BLUR else recomputed_incoherence(site, name)
    reason = (
        DIFFERENCE_REASONS[KNOWN_DIFFERENCES[key]] if (key := (study.table, label, name)) in KNOWN_DIFFERENCES else ""
    )
    return figure.beside(expected, published_figure(study.key, label, name), reason)


@cache
def _compute_cells(
    site: TreeSite, names: tuple[str, ...], measure: str, extent: CoherenceExtent
) -> tuple[CrawlFigure, ...]:
    """The figures of all strategies on one site; tables that share a site share them."""
    shuffles = LINK_ORDERS if site.pages <= SMALL_SITE_PAGES else 1
    is_exact = site.outdegree == OUTDEGREE and site.pages <= _MAX_EXACT_PAGES
    sites = [ShuffledSite(site, extent.seed + number) for number in range(shuffles)]
    crawlers = [SiteCrawler(each, extent.through_frontier, is_exact) for each in sites]
    rates = site.rates
    return tuple(
        _compute_cell(rates, crawlers if depends_on_links(name) else crawlers[:1], name, measure) for name in names
    )


def _compute_cell(rates: list[float], crawlers: list[SiteCrawler], name: str, measure: str) -> CrawlFigure:
    if name == "olston-pandey" and len(rates) > _MAX_HISTORY_PAGES:
        return CrawlFigure(None)
    schedules = [crawler.schedule(name) for crawler in crawlers]
    if measure == BLUR:
        values, deviation = [expected_average_blur(rates, schedule) for schedule in schedules], 0.0
    else:
        values = [expected_incoherence(rates, schedule) for schedule in schedules]
        deviation = sqrt(incoherence_variance(rates, schedules[0]))
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return CrawlFigure(statistics.fmean(values), spread, len(values), deviation)

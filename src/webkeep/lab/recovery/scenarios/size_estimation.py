"""Scenario estimate: how well the overlap of repositories tells the size of a site that nobody has seen whole: of all
URLs, of the present ones, and of those by kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, stdev

from webkeep.lab.recovery.simulation.lost_site import LostSite, WorldKind
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.recover.report import RepositoryOverlap

COLUMNS = (
    ResultColumn("ratio", "estimate to truth", is_share=False, digits=2),
    ResultColumn("deviation", "deviation", is_share=False, digits=2),
)
_NOTE = (
    "Capture and recapture. What only the deep archive holds looks as if much more were to be found, so that estimates "
    "over earlier versions are too high; pages and pictures are held so differently that they are counted apart."
)


def size_estimation_block(sites: Sequence[LostSite]) -> ResultTable:
    """The estimate of the product to the truth, over all resources, present ones, and present ones by kind."""
    ways: dict[str, Callable[[LostSite], float]] = {
        "all URLs": lambda site: _estimate_ratio(site, range(site.size)) / site.size,
        "the present site": lambda site: _estimate_ratio(site, range(site.current)) / site.current,
        "the present site, by kind": lambda site: sum(_estimates_by_kind(site)) / site.current,
    }
    rows = []
    for name, way in ways.items():
        ratios = [way(site) for site in sites]
        rows.append(build_row(name, COLUMNS, {"ratio": fmean(ratios), "deviation": stdev(ratios)}))
    return ResultTable("estimate", "The size of a lost site, estimated", "over", COLUMNS, tuple(rows), (_NOTE,))


def _estimates_by_kind(site: LostSite) -> Iterable[float]:
    for kinds in ((WorldKind.HTML,), (WorldKind.IMAGE,), (WorldKind.DOCUMENT, WorldKind.OTHER)):
        yield _estimate_ratio(site, (number for number in range(site.current) if site.kinds[number] in kinds))


def _estimate_ratio(site: LostSite, numbers: Iterable[int]) -> float:
    overlap, seen = RepositoryOverlap(), 0
    for number in numbers:
        names = [name for name, held in site.held.items() if number in held]
        if names:
            overlap.add(names)
            seen += 1
    estimate, _ = overlap.estimate()
    return max(estimate or 0.0, seen)

"""Experiment E1: collections that decay by plan, and how fast three caches of search engines take up their pages and
let them go.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.simulation.cache_model import CachedCopy, CacheState, simulate_copy
from webkeep.lab.recovery.simulation.parameters import read_parameters
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.presentation.drawings import PlotLine, series_style

# Collections that decay by plan: bins of pages, from bin b of which a page disappears every b days.


@dataclass(frozen=True, slots=True)
class DecayingCollection:
    """A site made to be lost, resource by resource."""

    bins: int = 30
    days: int = 90
    own_images_bin: int = 2
    """The bin in which every page has three pictures of its own; others share three."""

    def count_pages(self, bin_number: int, day: int) -> int:
        """HTML pages of a bin on some day, with its index."""
        return self.count_documents(bin_number, day) + 1

    def count_documents(self, bin_number: int, day: int) -> int:
        """PDF documents of a bin on some day, as many as it has pages of content."""
        return self.days // bin_number - day // bin_number

    def count_images(self, bin_number: int, day: int) -> int:
        """Pictures of a bin on some day; the last page takes the shared ones with it."""
        left = self.count_documents(bin_number, day)
        return 3 * left if bin_number == self.own_images_bin else 3 * (left > 0)

    def count_all(self, day: int) -> int:
        """All resources on some day, with the root and its picture."""
        kinds = (self.count_pages, self.count_documents, self.count_images)
        return 2 + sum(kind(number, day) for number in range(1, self.bins + 1) for kind in kinds)

    def page_days(self, bin_number: int, page: int) -> int:
        """How many days a page stays; pages of a bin are numbered from the one that goes last."""
        return bin_number * (self.days // bin_number - page + 1)

    def all_page_days(self) -> Iterator[int]:
        """The lives of all pages of content."""
        for number in range(1, self.bins + 1):
            yield from (self.page_days(number, page) for page in range(1, self.days // number + 1))


_DAYS_BAND = 6.0
"""By how many days a mean may be off and still count as the published one: lives are of weeks and months."""
COLUMNS = (
    ResultColumn("crawled", "crawled"),
    ResultColumn("cached", "cached"),
    ResultColumn("available", "available on day", _DAYS_BAND, is_share=False),
    ResultColumn("life", "days kept", _DAYS_BAND, is_share=False),
    ResultColumn("accessibility", "days reachable"),
    ResultColumn("endangered", "days endangered", _DAYS_BAND, is_share=False),
)
_SCRIPT_NOTE = "A script of the published experiment failed to ask this cache; the share crawled bounds it from above."
_PLOT_STEP_DAYS = 10
"""Between two points of the curve."""
_PLOT_LAST_DAY = 130
"""The curves are flat before."""


def decay_block(seed: int = 1, repeats: int = 10) -> ResultTable:
    """The means over so many times the published collections."""
    decay = read_parameters().decay
    lives = (
        list(DecayingCollection(decay.bins, decay.days, decay.own_images_bin).all_page_days())
        * decay.collections
        * repeats
    )
    copies = {}
    for name, habits in decay.caches.items():
        chance = random.Random(f"{seed}/{name}")
        copies[name] = [simulate_copy(life, habits, chance) for life in lives]
    told = read_published()["decay"]
    rows = tuple(
        build_row(
            name, COLUMNS, cache_figures(made), told["calibrated"][name], told["published"][name], _known_reasons(name)
        )
        for name, made in copies.items()
    )
    return ResultTable(
        "E1",
        "Decaying collections in three caches",
        "cache",
        COLUMNS,
        rows,
        (_SCRIPT_NOTE,),
        (*(_kept_line(name, made, number) for number, (name, made) in enumerate(copies.items())), _served_line(lives)),
        "day",
        "pages that can be had",
    )


def _known_reasons(name: str) -> dict[str, str]:
    return {"cached": _SCRIPT_NOTE} if name == "msn" else {}


def cache_figures(copies: Sequence[CachedCopy]) -> dict[str, float | None]:
    """The means that were published: of pages, and of those that were ever cached."""
    kept = [copy for copy in copies if copy.available is not None]
    return {
        "crawled": fmean(copy.crawled is not None for copy in copies),
        "cached": len(kept) / len(copies),
        "available": fmean(copy.available or 0.0 for copy in kept) if kept else None,
        "life": fmean(copy.kept_days for copy in kept) if kept else None,
        "accessibility": fmean(copy.accessibility for copy in kept) if kept else None,
        "endangered": fmean(copy.endangered_days for copy in kept) if kept else None,
    }


def _kept_line(name: str, copies: Sequence[CachedCopy], number: int) -> PlotLine:
    """The share of pages that a cache keeps, day by day."""
    there = (CacheState.REPLICATED, CacheState.ENDANGERED)
    days = range(0, _PLOT_LAST_DAY + 1, _PLOT_STEP_DAYS)
    points = ((float(day), fmean(copy.state_on(day) in there for copy in copies)) for day in days)
    return PlotLine(name, tuple(points), series_style(number))


def _served_line(lives: Sequence[int]) -> PlotLine:
    days = range(0, _PLOT_LAST_DAY + 1, _PLOT_STEP_DAYS)
    return PlotLine(
        "its own server", tuple((float(day), fmean(life > day for life in lives)) for day in days), series_style(7, 1)
    )

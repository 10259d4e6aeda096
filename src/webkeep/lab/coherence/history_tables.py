"""Histories replayed (tables 4.3, 5.6 and 5.7): crawls that meet the changes that really happened, planned with rates
known, or predicted by URL from a share of the pages.

A crawl is stretched so that it lasts as long as the whole history, or a given part of it. Pages are found as their
URLs lie in each other; what counts is what each page was at its visit and, where there is one, at its revisit.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.change.prediction import learn_rates, url_features
from webkeep.coherence.schedules import actual_blur, incoherent_pages
from webkeep.errors import UsageError
from webkeep.lab.coherence.coherence_table import CrawlFigure, TableSubject, build_table
from webkeep.lab.coherence.reference_figures import published_figure
from webkeep.lab.coherence.site_crawler import REVISIT_COLUMNS, SINGLE_VISIT_COLUMNS, SiteCrawler
from webkeep.lab.coherence.site_history import SiteHistory
from webkeep.lab.prediction.decision_tree import DecisionTreeLearner
from webkeep.lab.results.result_table import ResultColumn, ResultRow, ResultTable

HISTORY_TABLES = ("4.3", "5.6", "5.7")
"""The tables of real sites."""
TRAINING_SHARE = 0.1
"""From this share of the pages, whose rates it is told, the predictor learns."""
_PREDICTED_STRATEGY = "sharc-online-predicted"
_SINGLE_VISIT_COLUMNS = (
    *SINGLE_VISIT_COLUMNS[:2],
    ResultColumn(_PREDICTED_STRATEGY, "Online predicted"),
    *SINGLE_VISIT_COLUMNS[2:],
)
_REVISIT_COLUMNS = tuple(column for column in REVISIT_COLUMNS if not column.name.startswith(("breadth", "depth")))


@dataclass(frozen=True, slots=True)
class HistorySite:
    """A site with a history, in which a delay between requests is the unit of time."""

    rates: list[float]
    """What a crawl believes."""
    changes: Sequence[Sequence[float]]
    """What happens."""
    children: dict[int, list[int]]

    @property
    def pages(self) -> int:
        """How many there are."""
        return len(self.rates)

    def rate(self, page: int) -> float:
        """What a crawl believes of one page."""
        return self.rates[page]

    def links(self, page: int) -> Sequence[int]:
        """The pages that a page leads to."""
        return self.children.get(page, ())

    def history(self, page: int) -> Sequence[float]:
        """When a page changes."""
        return self.changes[page]


def replay_histories(
    histories: Sequence[SiteHistory], slow_down: float = 1.0, seed: int = 0, notes: tuple[str, ...] = ()
) -> list[ResultTable]:
    """The three tables for these sites; with a slow-down of one a crawl lasts as long as the history."""
    if not 0 < slow_down < float("inf"):
        raise UsageError(f"a crawl cannot be {slow_down} times as slow; give a number above zero")
    rows: dict[str, list[ResultRow]] = {table: [] for table in HISTORY_TABLES}
    for place, history in enumerate(histories):
        known, told = history.rates(), predict_rates(history, seed)
        rows["4.3"].append(_blur_row(history, known, told, slow_down, place))
        rows["5.6"].append(_incoherence_row(history, known, slow_down, place, "5.6", REVISIT_COLUMNS))
        rows["5.7"].append(_incoherence_row(history, told, slow_down, place, "5.7", _REVISIT_COLUMNS))
    return [
        build_table(TableSubject(table, title, "site", measure, digits), columns, tuple(rows[table]), notes)
        for table, title, measure, columns, digits in (
            ("4.3", "Blur, rates known and predicted", "actual blur of a page", _SINGLE_VISIT_COLUMNS, 2),
            ("5.6", "Incoherence, rates known", "incoherent pages", REVISIT_COLUMNS, 0),
            ("5.7", "Incoherence, rates predicted", "incoherent pages", _REVISIT_COLUMNS, 0),
        )
    ]


def predict_rates(history: SiteHistory, seed: int = 0) -> list[float]:
    """The rates that a decision tree tells from URLs alone, after it was shown some of the pages."""
    pages = [url_features(url) for url in history.urls]
    rates = history.rates()
    shown = random.Random(seed).sample(
        range(len(pages)), max(2, round(TRAINING_SHARE * len(pages))) if pages[1:] else 1
    )
    learned = learn_rates(DecisionTreeLearner(), [pages[page] for page in shown], [rates[page] for page in shown])
    return [learned.predict_rate(page) for page in pages]


def _build_site(history: SiteHistory, rates: Sequence[float], delay: float) -> HistorySite:
    changes = [[moment / delay for moment in moments] for moments in history.changes]
    return HistorySite([rate * delay for rate in rates], changes, children_by_url(history.urls))


def _blur_row(history: SiteHistory, known: list[float], told: list[float], slow_down: float, place: int) -> ResultRow:
    pages = len(history.urls)
    delay = slow_down * history.span / max(pages - 1, 1)
    crawlers = {
        rates: SiteCrawler(_build_site(history, each, delay)) for rates, each in (("known", known), ("told", told))
    }
    happened = _build_site(history, known, delay).changes
    cells = []
    for column in _SINGLE_VISIT_COLUMNS:
        crawler = crawlers["told" if column.name == _PREDICTED_STRATEGY else "known"]
        schedule = crawler.schedule("sharc-online" if column.name == _PREDICTED_STRATEGY else column.name)
        cells.append(
            CrawlFigure(actual_blur(happened, schedule) / pages).beside(
                published=published_figure("4.3", history.name, column.name)
            )
        )
    return ResultRow(history.name, tuple(cells), float(place))


def _incoherence_row(
    history: SiteHistory,
    rates: list[float],
    slow_down: float,
    place: int,
    table: str,
    columns: tuple[ResultColumn, ...],
) -> ResultRow:
    pages = len(history.urls)
    site = _build_site(history, rates, slow_down * history.span / max(2 * pages - 2, 1))
    crawler = SiteCrawler(site)
    cells = [
        CrawlFigure(float(len(incoherent_pages(site.changes, crawler.schedule(column.name))))).beside(
            published=published_figure(table, history.name, column.name)
        )
        for column in columns
    ]
    return ResultRow(history.name, tuple(cells), float(place))


def children_by_url(urls: Sequence[str]) -> dict[int, list[int]]:
    """Which pages lie below which, by their addresses; what lies below none is below the first, the root."""
    numbers = {url.rstrip("/"): number for number, url in reversed(list(enumerate(urls)))}
    children: dict[int, list[int]] = {}
    for number, url in enumerate(urls):
        if number:
            children.setdefault(_find_parent(url, numbers, number), []).append(number)
    return children


def _find_parent(url: str, numbers: dict[str, int], own: int) -> int:
    above = url.rstrip("/")
    while "/" in above:
        above = above.rpartition("/")[0]
        # A page that comes later in the list may be above an earlier one, which then would be above itself.
        if numbers.get(above, own) < own:
            return numbers[above]
    return 0

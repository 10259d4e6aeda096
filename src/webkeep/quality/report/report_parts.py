"""Pieces that several sections of a report have: tables folded behind pictures, cells of numbers, URLs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webkeep.presentation import format_date, format_moment, format_share
from webkeep.presentation.pages import Markup, element, join_markup, render_table
from webkeep.quality.report.capture_series import CaptureSeries

_MAX_URL_CHARS = 300
"""Of an address on a page; the JSON has all of it."""


def render_numbers(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str | None = None) -> Markup:
    """A table whose first column is words and whose others are numbers."""
    columns = [
        element("th", name, scope="col", class_="number" if place else None) if name else element("td")
        for place, name in enumerate(head)
    ]
    lines = (
        [element("td", cell, class_="number" if place else None) for place, cell in enumerate(row)] for row in rows
    )
    return join_markup(render_table(columns, lines, class_="list numbers", caption=caption))


def render_folded(summary: str, *content: object) -> Markup:
    """What is folded away until somebody wants it; on paper it is all there."""
    return element("details", element("summary", summary), content, class_="table")


def name_days(series: CaptureSeries) -> list[str]:
    """When each capture of a series began: its day, and the time of day as well where two are of one day, to the
    second where two are of one minute.
    """
    days = [format_date(each.first) for each in series.captures]
    if len({*days}) == len(days):
        return days
    minutes = [format_moment(each.first)[:16] for each in series.captures]
    return minutes if len({*minutes}) == len(minutes) else [format_moment(each.first)[:19] for each in series.captures]


def name_capture(day: str, capture: str) -> Markup:
    """A capture in a table: when it began and the start of its identifier, on one line."""
    return element("span", f"{day} · {capture[:8]}", class_="measure")


def shorten_url(url: str) -> str:
    """An address as a table shows it."""
    return url if len(url) <= _MAX_URL_CHARS else f"{url[:_MAX_URL_CHARS]}…"


def count_cell(number: float) -> str:
    """A whole number with its thousands apart."""
    return f"{number:,.0f}"


def share_cell(part: float, whole: float) -> str:
    """A share, nothing where there is no whole."""
    return format_share(part / whole) if whole else ""

"""The section of a report on completeness: fates of URLs, and failures by what they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webkeep.presentation import format_count
from webkeep.presentation.drawings import render_bar_chart, render_figure
from webkeep.presentation.pages import element, render_table
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.completeness import CompletenessFigures, FailureRow
from webkeep.quality.report.report_parts import count_cell, render_folded, render_numbers, share_cell, shorten_url

_DIMENSIONS = (
    ("status", "By status"),
    ("cause", "By cause"),
    ("host", "By host"),
    ("type", "By type"),
    ("depth", "By depth: steps from where the capture began"),
    ("age", "By age: how long the series has known a URL"),
    ("domain", "By top-level domain"),
)
_MAX_ROWS = 30
"""Rows of a dimension that are shown."""
FATE_WORDS = {
    "stored": "stored",
    "duplicate": "stored as a reference to the same content",
    "refused": "refused by robots.txt",
    "out-of-scope": "out of scope",
    "failed": "failed",
    "cut": "cut by a limit",
    "trapped": "left out as a crawler trap",
    "queued": "still waiting",
    "taken-down": "taken down",
}


def render_completeness_section(report: ArchiveReport) -> Iterator[object]:
    """What became of every URL."""
    whole = report.completeness
    if whole.fates:
        rows = [(FATE_WORDS.get(name, name), float(count), count_cell(count)) for name, count in whole.fates.items()]
        yield render_figure(render_bar_chart("URLs by what became of them", rows), "What became of every URL.")
        yield render_folded("The numbers", render_numbers(("fate", "URLs"), [(row[0], row[2]) for row in rows]))
    yield element("p", _failure_words(whole))
    if whole.needless:
        yield element("p", _needless_words(sum(whole.needless.values())))
    by = whole.by or {}
    tables = element(
        "div",
        [_render_dimension(title, by[name]) for name, title in _DIMENSIONS if by.get(name)],
        class_="columns",
    )
    # Where nothing failed, there is nothing to find out by them.
    yield tables if whole.failed else render_folded("URLs by status, host, type and the like", tables)
    if whole.listed:
        lines = ((shorten_url(each.url), each.cause, each.detail, shorten_url(each.via)) for each in whole.listed)
        table = render_table(("URL", "cause", "what was said", "found on"), lines, class_="list")
        yield render_folded(f"Failures by name ({len(whole.listed):,} of {whole.failed:,})", table)


def _failure_words(whole: CompletenessFigures) -> str:
    if not whole.failed:
        return f"None of {format_count(whole.urls, 'wanted URL')} failed."
    if not whole.gone:
        return f"{whole.failed:,} of {format_count(whole.urls, 'wanted URL')} {_is_or_are(whole.failed)} missing."
    return (
        f"{whole.failed:,} of {format_count(whole.urls, 'URL')} failed, asked for or left out: {whole.missing:,} "
        f"{_is_or_are(whole.missing)} missing, and {whole.gone:,} {_is_or_are(whole.gone)} not there by the word of "
        f"their server (404, 410), so that no capture can hold {'it' if whole.gone == 1 else 'them'}."
    )


def _is_or_are(count: int) -> str:
    return "is" if count == 1 else "are"


def _needless_words(count: int) -> str:
    were = "URL was" if count == 1 else "URLs were"
    return (
        f"{count:,} more {were} left out with nothing lost, and count for nothing here: addresses that were asked for, "
        "with another session id or their parameters in another order, and what only looked like a link where all such "
        "guesses but a few went wrong."
    )


def _render_dimension(title: str, rows: Sequence[FailureRow]) -> object:
    shown = [
        (row.value, count_cell(row.urls), count_cell(row.failed), share_cell(row.failed, row.urls))
        for row in rows[:_MAX_ROWS]
    ]
    more = element("p", f"and {len(rows) - _MAX_ROWS:,} more", class_="soft") if len(rows) > _MAX_ROWS else None
    table = render_numbers(("", "URLs", "failed", "share"), shown)
    return element("div", element("h3", title), table, more)

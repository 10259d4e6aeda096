"""The section of a report on change: area plots over the series, hot spots by directory, how often pages change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webkeep.change.detection import ChangeCategory
from webkeep.presentation import format_duration, format_share
from webkeep.presentation.drawings import (
    AreaBand,
    render_area_chart,
    render_area_legend,
    render_bar_chart,
    render_figure,
)
from webkeep.presentation.pages import element
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.rate_figures import RateFigures
from webkeep.quality.report.report_parts import (
    count_cell,
    name_capture,
    name_days,
    render_folded,
    render_numbers,
    share_cell,
    shorten_url,
)
from webkeep.quality.report.series_changes import LINKS
from webkeep.quality.report.url_course import ResourceGroup, SeriesChange

_DRAWN_GROUPS = (str(ResourceGroup.PAGE), str(ResourceGroup.IMAGE), LINKS)
_BANDS = (
    SeriesChange.SAME,
    SeriesChange.CHANGED,
    SeriesChange.NEW,
    SeriesChange.DELETED,
    SeriesChange.UNKNOWN,
)
_MAX_HOT_SPOTS = 20
"""Directories that are drawn; the table has more."""
_GROUP_NOTES = {
    str(ResourceGroup.PAGE): "By their bytes; how much the changes matter stands below.",
    LINKS: "A link is the way by which a URL was found: from the page that led to it first.",
}


def render_change_section(report: ArchiveReport) -> Iterator[object]:
    """How the captures of the series differ, where, and how often pages change."""
    if len(report.series.captures) < 2:
        yield element("p", "There is one capture of these seeds; what changes shows from the second on.", class_="soft")
        return
    for group in _DRAWN_GROUPS:
        yield from _render_areas(report, group)
    yield from _render_categories(report)
    yield from _render_hot_spots(report)
    yield from _render_rates(report.rates)


def _render_areas(report: ArchiveReport, group: str) -> Iterator[object]:
    counts = [step.counts.get(group, {}) for step in report.steps]
    bands = [AreaBand(str(each), tuple(step.get(each, 0) for step in counts), f"change-{each}") for each in _BANDS]
    bands = [band for band in bands if any(band.counts)]
    if not bands:
        return
    days = name_days(report.series)
    title = f"{group.capitalize()} over {len(days):,} captures"
    yield element("h3", title)
    chart = render_area_chart(title, days, bands)
    yield render_figure(chart, render_area_legend(bands), _GROUP_NOTES.get(group, ""))
    rows = [
        (name_capture(day, capture.id), *(count_cell(band.counts[place]) for band in bands))
        for place, (day, capture) in enumerate(zip(days, report.series.captures, strict=True))
    ]
    yield render_folded("The numbers", render_numbers(("capture", *(band.name for band in bands)), rows))


def _render_categories(report: ArchiveReport) -> Iterator[object]:
    """How much the changes of each capture matter."""
    found = [each for each in ChangeCategory if any(step.categories.get(each) for step in report.steps)]
    if not found:
        return
    yield element("h3", "How much the changes matter")
    rows = [
        (
            name_capture(day, capture.id),
            *(count_cell(step.categories.get(each, 0)) for each in found),
            f"{step.read:,} of {sum(step.categories.values()):,}",
        )
        for day, capture, step in zip(name_days(report.series), report.series.captures, report.steps, strict=True)
    ]
    yield render_numbers(("capture", *(str(each) for each in found), "read"), rows)
    yield element(
        "p",
        "Structural where links, pictures or frames came or went, major or minor by how much of the text is another "
        "(major, too, what is no text), "
        "insignificant where all that differs is noise: dates, counters, tokens, advertisements, orderings, markup "
        "that nobody sees, by the verdicts of webkeep diff. They are told of those pages whose versions were read; of "
        "the others by the digests and the sketch of words that are kept of every page, which cannot tell noise from "
        "small edits. A category never makes a changed page an unchanged one.",
        class_="soft",
    )


def _render_hot_spots(report: ArchiveReport) -> Iterator[object]:
    hot = [each for each in report.directories if each.changed or each.last_changed]
    yield element("h3", "Hot spots: directories by what changed in them")
    if not hot:
        yield element("p", "Nothing changed that matters.", class_="soft")
        return
    drawn = sorted(hot, key=lambda each: -each.changed)[:_MAX_HOT_SPOTS]
    bars = [
        (shorten_url(each.directory), float(each.changed), f"{each.changed:,} ({format_share(each.share)})")
        for each in drawn
        if each.compared
    ]
    note = (
        "How many looks saw a change that matters, each held against the look before it in the series; their share of "
        "all such looks in brackets."
    )
    yield render_figure(render_bar_chart("Directories by the looks that saw a change", bars), note)
    rows: Sequence[tuple[object, ...]] = [
        (
            shorten_url(each.directory),
            count_cell(each.resources),
            count_cell(each.compared),
            count_cell(each.changed),
            share_cell(each.changed, each.compared),
            count_cell(each.last_changed),
        )
        for each in hot
    ]
    head = ("directory", "resources", "looks compared", "changed", "share", "changed, new or deleted last")
    yield render_folded("The numbers", render_numbers(head, rows))


def _render_rates(rates: RateFigures) -> Iterator[object]:
    if not rates.rated:
        return
    yield element("h3", "How often resources change")
    mean = f"{format_duration(rates.mean_interval_seconds)} on average" if rates.mean_interval_seconds else "unknown"
    note = (
        f"{rates.rated:,} resources that were seen twice or more, by their bytes, so that noise counts as a change; "
        f"from one change of a resource to the next: {mean}."
    )
    bars = [(name, float(count), count_cell(count)) for name, count in rates.distribution]
    chart = render_bar_chart("Resources by how often they change", bars)
    yield render_figure(chart, note)
    rows = [(name, count_cell(count)) for name, count in rates.distribution]
    yield render_folded("The numbers", render_numbers(("", "resources"), rows))
    if not rates.predicted:
        return
    yield element("h3", "Expected and observed")
    yield element(
        "p",
        f"By what the captures before had shown of {rates.predicted:,} resources, {rates.expected_changes:,.1f} "
        f"changes were to be expected in the last one; there were {rates.observed_changes:,}. Expected is what goes by "
        "rates: what differs at every look has none, and changes more often than that.",
    )
    bins = [
        (
            element("span", f"{format_share(each.low)} to {format_share(each.high)}", class_="measure"),
            count_cell(each.pages),
            f"{each.expected:,.1f}",
            count_cell(each.observed),
        )
        for each in rates.reliability
    ]
    yield render_numbers(("likely to change", "resources", "changes expected", "changes observed"), bins)

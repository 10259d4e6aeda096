"""The section of a report on storage: by type, what deduplication saved, growth over the series."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.presentation import format_size
from webkeep.presentation.drawings import AreaBand, render_area_chart, render_bar_chart, render_figure
from webkeep.presentation.pages import element
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.report_parts import count_cell, name_capture, name_days, render_folded, render_numbers


def render_storage_section(report: ArchiveReport) -> Iterator[object]:
    """What the records of the series take on disk."""
    figures = report.storage
    yield element(
        "p",
        f"The series takes {format_size(figures.disk_bytes)} on disk; deduplication saved "
        f"{format_size(figures.saved_bytes)} of payload that would have been stored once more.",
    )
    bars = [(row.group, float(row.disk_bytes), format_size(row.disk_bytes)) for row in figures.groups]
    yield render_figure(render_bar_chart("Bytes on disk by type", bars), "Bytes on disk by type.")
    rows = [
        (
            row.group,
            count_cell(row.records),
            format_size(row.disk_bytes),
            format_size(row.payload_bytes),
            count_cell(row.referring),
            format_size(row.saved_bytes),
        )
        for row in figures.groups
    ]
    head = ("type", "records", "on disk", "payload", "referring", "saved")
    yield render_folded("The numbers", render_numbers(head, rows))
    if len(figures.growth) > 1:
        days = name_days(report.series)
        chart = render_area_chart(
            "Bytes on disk over the series",
            days,
            [AreaBand("bytes", tuple(g.total_bytes for g in figures.growth), "series1")],
            format_size,
        )
        yield element("h3", "Growth")
        yield render_figure(chart, "Bytes on disk, capture by capture.")
        grown = [
            (
                name_capture(day, each.capture),
                count_cell(each.records),
                format_size(each.disk_bytes),
                format_size(each.total_bytes),
            )
            for day, each in zip(days, figures.growth, strict=True)
        ]
        yield render_folded("The numbers", render_numbers(("capture", "records", "added", "in all"), grown))

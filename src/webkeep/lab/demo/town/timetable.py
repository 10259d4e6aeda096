"""Timetables of the demo town's ferry and bus: stops, first runs and intervals, and how they shift from version to
version.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from webkeep.lab.demo.page_markup import PageLayout, render_anchor, render_breadcrumbs, render_page, render_table
from webkeep.lab.demo.site_plan import DAY_SECONDS
from webkeep.lab.demo.site_resource import DemoResource, ResourceVersion

_LINES = {
    "ferry": ("Ferry", ("Ferry steps", "Outer light", "North shore"), 350, 95, 20),
    "bus": ("Valley bus", ("Market square", "Mill bridge", "Upper Fell"), 410, 70, 14),
}


def resources() -> Iterator[DemoResource]:
    """The overview and one page to each line."""
    yield DemoResource("/timetable/", _render_overview, title="Timetable", section="timetable", priority=0.6)
    for name, (title, *_) in _LINES.items():
        render = partial(_render_line, name=name)
        yield DemoResource(f"/timetable/{name}/", render, rate=1 / (7 * DAY_SECONDS), title=title, section="timetable")


def _render_overview(edition: ResourceVersion) -> bytes:
    lines = "".join(f"<li>{render_anchor(edition, f'/timetable/{name}/', _LINES[name][0])}</li>" for name in _LINES)
    main = (
        f'{render_breadcrumbs(edition)}<h1>Timetable</h1><p class="lede">How to get here, and how to get away.</p>'
        f'<ul class="prose">{lines}</ul>'
    )
    return render_page(edition, PageLayout("Timetable", main))


def _render_line(edition: ResourceVersion, name: str) -> bytes:
    title, stops, first, every, leg = _LINES[name]
    start = first + edition.version * 5 % 30
    rows = [[_format_clock(start + run * every + stop * leg) for stop in range(len(stops))] for run in range(9)]
    main = (
        f'{render_breadcrumbs(edition)}<h1>{title}</h1><p class="byline">Timetable no. {edition.version + 1}</p>'
        f"{render_table('Weekdays and Saturdays', stops, rows)}"
    )
    return render_page(edition, PageLayout(title, main))


def _format_clock(minute: int) -> str:
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"

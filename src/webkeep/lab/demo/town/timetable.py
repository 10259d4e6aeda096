"""Timetables of the ferry and the bus."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from webkeep.lab.demo.markup import Layout, anchor, crumbs, page, table
from webkeep.lab.demo.plan import DAY
from webkeep.lab.demo.resource import Edition, Resource

_LINES = {
    "ferry": ("Ferry", ("Ferry steps", "Outer light", "North shore"), 350, 95, 20),
    "bus": ("Valley bus", ("Market square", "Mill bridge", "Upper Fell"), 410, 70, 14),
}


def resources() -> Iterator[Resource]:
    """The overview and one page to each line."""
    yield Resource("/timetable/", _overview, title="Timetable", section="timetable", priority=0.6)
    for name, (title, *_) in _LINES.items():
        render = partial(_line, name=name)
        yield Resource(f"/timetable/{name}/", render, rate=1 / (7 * DAY), title=title, section="timetable")


def _overview(edition: Edition) -> bytes:
    lines = "".join(f"<li>{anchor(edition, f'/timetable/{name}/', _LINES[name][0])}</li>" for name in _LINES)
    main = (
        f'{crumbs(edition)}<h1>Timetable</h1><p class="lede">How to get here, and how to get away.</p>'
        f'<ul class="prose">{lines}</ul>'
    )
    return page(edition, Layout("Timetable", main))


def _line(edition: Edition, name: str) -> bytes:
    title, stops, first, every, leg = _LINES[name]
    start = first + edition.version * 5 % 30
    rows = [[_clock(start + run * every + stop * leg) for stop in range(len(stops))] for run in range(9)]
    main = (
        f'{crumbs(edition)}<h1>{title}</h1><p class="byline">Timetable no. {edition.version + 1}</p>'
        f"{table('Weekdays and Saturdays', stops, rows)}"
    )
    return page(edition, Layout(title, main))


def _clock(minute: int) -> str:
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"

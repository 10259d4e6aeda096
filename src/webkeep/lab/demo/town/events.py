"""Events: the programme and a small calendar."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Iterator
from functools import partial
from html import escape

from webkeep.lab.demo.markup import Layout, anchor, crumbs, figure, page
from webkeep.lab.demo.plan import HOUR
from webkeep.lab.demo.resource import Edition, Resource
from webkeep.lab.demo.texts import phrases, plain_pages

_YEAR = 2026
_MONTHS = {5: "May", 6: "June", 7: "July"}
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS = {(5, 30): "/events/harbour-day/", (6, 12): "/events/lantern-walk/", (6, 20): "/events/regatta/"}


def resources() -> Iterator[Resource]:
    """The programme and its months; the events themselves are among the plain pages."""
    yield Resource("/events/", _programme, rate=1 / (12 * HOUR), title="Events", section="events", priority=0.7)
    for month in _MONTHS:
        title = f"{_MONTHS[month]} {_YEAR}"
        yield Resource(_path(month), partial(_calendar, month=month), title=title, section="events")


def _path(month: int) -> str:
    return f"/events/{_YEAR}-{month:02d}/"


def _programme(edition: Edition) -> bytes:
    titles = {page.path: page for page in plain_pages()}
    items = "".join(
        f"<li><h2>{anchor(edition, path, titles[path].title)}</h2>"
        f'<p><time datetime="{_YEAR}-{month:02d}-{day:02d}">{day} {_MONTHS[month]}</time>. '
        f"{escape(titles[path].lede)}</p></li>"
        for (month, day), path in sorted(_DAYS.items())
    )
    months = " · ".join(anchor(edition, _path(month), _MONTHS[month]) for month in _MONTHS)
    said = edition.chance("said", edition.version).pick(phrases("reports"))
    main = (
        f'{crumbs(edition)}<h1>Events</h1><p class="lede">By month: {months}</p>'
        f'<p class="byline">Programme, printing {edition.version + 1}. {escape(said)}.</p>'
        f'<ul class="entries">{items}</ul>{figure(edition, "regatta", lazy=True)}'
    )
    return page(edition, Layout("Events", main))


def _calendar(edition: Edition, month: int) -> bytes:
    heads = "".join(f'<th scope="col"><abbr title="{name}">{name[:2]}</abbr></th>' for name in _WEEK)
    weeks = "".join(
        f"<tr>{''.join(_day(edition, month, day) for day in week)}</tr>"
        for week in Calendar().monthdayscalendar(_YEAR, month)
    )
    ways = [
        anchor(edition, _path(other), f"{arrow} {_MONTHS[other]}" if other < month else f"{_MONTHS[other]} {arrow}")
        for other, arrow in ((month - 1, "←"), (month + 1, "→"))
        if other in _MONTHS
    ]
    title = f"{_MONTHS[month]} {_YEAR}"
    main = (
        f'{crumbs(edition)}<h1>{title}</h1><table class="calendar"><caption>Days with events are marked</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{weeks}</tbody></table><p>{' · '.join(ways)}</p>"
    )
    return page(edition, Layout(title, main))


def _day(edition: Edition, month: int, day: int) -> str:
    if not day:
        return "<td></td>"
    path = _DAYS.get((month, day))
    if path is None:
        return f"<td>{day}</td>"
    name = path.strip("/").split("/")[-1].replace("-", " ").capitalize()
    return f'<td class="event">{day} {anchor(edition, path, name)}</td>'

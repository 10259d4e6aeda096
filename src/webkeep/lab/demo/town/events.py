"""Events of the demo town: the programme and a small calendar, and on which days something happens."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Iterator
from functools import partial
from html import escape

from webkeep.lab.demo.page_markup import PageLayout, render_anchor, render_breadcrumbs, render_figure, render_page
from webkeep.lab.demo.site_plan import HOUR_SECONDS
from webkeep.lab.demo.site_resource import DemoResource, ResourceVersion
from webkeep.lab.demo.texts import read_phrases, read_plain_pages

_YEAR = 2026
"""Of the calendar of events, whose months are pages."""
_MONTHS = {5: "May", 6: "June", 7: "July"}
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_EVENT_DAYS = {(5, 30): "/events/harbour-day/", (6, 12): "/events/lantern-walk/", (6, 20): "/events/regatta/"}


def resources() -> Iterator[DemoResource]:
    """The programme and its months; the events themselves are among the plain pages."""
    yield DemoResource(
        "/events/", _render_programme, rate=1 / (12 * HOUR_SECONDS), title="Events", section="events", priority=0.7
    )
    for month in _MONTHS:
        title = f"{_MONTHS[month]} {_YEAR}"
        yield DemoResource(_month_path(month), partial(_render_calendar, month=month), title=title, section="events")


def _month_path(month: int) -> str:
    return f"/events/{_YEAR}-{month:02d}/"


def _render_programme(edition: ResourceVersion) -> bytes:
    titles = {page.path: page for page in read_plain_pages()}
    items = "".join(
        f"<li><h2>{render_anchor(edition, path, titles[path].title)}</h2>"
        f'<p><time datetime="{_YEAR}-{month:02d}-{day:02d}">{day} {_MONTHS[month]}</time>. '
        f"{escape(titles[path].lede)}</p></li>"
        for (month, day), path in sorted(_EVENT_DAYS.items())
    )
    months = " · ".join(render_anchor(edition, _month_path(month), _MONTHS[month]) for month in _MONTHS)
    said = edition.chance("said", edition.version).pick(read_phrases("reports"))
    main = (
        f'{render_breadcrumbs(edition)}<h1>Events</h1><p class="lede">By month: {months}</p>'
        f'<p class="byline">Programme, printing {edition.version + 1}. {escape(said)}.</p>'
        f'<ul class="entries">{items}</ul>{render_figure(edition, "regatta", lazy=True)}'
    )
    return render_page(edition, PageLayout("Events", main))


def _render_calendar(edition: ResourceVersion, month: int) -> bytes:
    heads = "".join(f'<th scope="col"><abbr title="{name}">{name[:2]}</abbr></th>' for name in _WEEK)
    weeks = "".join(
        f"<tr>{''.join(_render_day(edition, month, day) for day in week)}</tr>"
        for week in Calendar().monthdayscalendar(_YEAR, month)
    )
    ways = [
        render_anchor(
            edition, _month_path(other), f"{arrow} {_MONTHS[other]}" if other < month else f"{_MONTHS[other]} {arrow}"
        )
        for other, arrow in ((month - 1, "←"), (month + 1, "→"))
        if other in _MONTHS
    ]
    title = f"{_MONTHS[month]} {_YEAR}"
    main = (
        f'{render_breadcrumbs(edition)}<h1>{title}</h1><table class="calendar"><caption>Days with events are '
        f"marked</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{weeks}</tbody></table><p>{' · '.join(ways)}</p>"
    )
    return render_page(edition, PageLayout(title, main))


def _render_day(edition: ResourceVersion, month: int, day: int) -> str:
    if not day:
        return "<td></td>"
    path = _EVENT_DAYS.get((month, day))
    if path is None:
        return f"<td>{day}</td>"
    name = path.strip("/").split("/")[-1].replace("-", " ").capitalize()
    return f'<td class="event">{day} {render_anchor(edition, path, name)}</td>'

"""The history of one URL: a timeline of years, a calendar of the year with its busy days, and the list of versions in
it, with its columns and how many it shows at most.
"""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.presentation import format_moment, format_times_seen
from webkeep.presentation.drawings import draw_rect, draw_svg
from webkeep.presentation.pages import Markup, element, render_table
from webkeep.replay.choice import Memento
from webkeep.store.index import REVISIT_TYPE
from webkeep.web.page_frame import render_document

MAX_VERSIONS_LISTED = 400
"""How many versions of a year are listed: more than one a day."""

_BUSY_DAY_VERSIONS = 5
"""Days with so many versions stand out in the calendar."""
_MONTH_ROWS = 6
"""Every month has as many rows as the longest needs, so that months stand level."""
_BAR_WIDTH_PIXELS, _BAR_HEIGHT_PIXELS = 28, 40
"""Of a year, which a finger can meet, and of the one with most versions."""


@dataclass(frozen=True, slots=True)
class VersionCalendar:
    """The versions of a URL, counted by day, and those of one year."""

    url: str
    days: Mapping[str, int]
    """How many versions each day has, by its 8 digits."""
    year: int
    versions: Sequence[Memento]
    """Those of the year, as far as they are listed."""
    digest_before: str = ""
    """The digest of the last version before that year."""

    @property
    def total(self) -> int:
        """How many versions there are."""
        return sum(self.days.values())


def render_calendar_page(history: VersionCalendar) -> bytes:
    """The page."""
    year = f"{history.year:04d}"
    held = sum(count for day, count in history.days.items() if day.startswith(year))
    return render_document(
        history.url,
        element("h1", history.url),
        element(
            "p",
            f"Seen {format_times_seen(history.total)}, {format_times_seen(held)} of that in {year}; where nothing "
            f"had changed it says so.",
            class_="soft",
        ),
        _render_timeline(history),
        element("h2", f"Calendar of {year}"),
        element("div", *[_render_month(history, month) for month in range(1, 13)], class_="months"),
        _render_versions(history, held),
        query=history.url,
    )


def view_url(url: str, moment: Moment, mark: str = "") -> str:
    """Where a version is shown to a reader, with a banner; `mark` has what is asked of the replay."""
    return f"/view/{moment.digits()}{mark}/{url}"


def _render_timeline(history: VersionCalendar) -> Markup:
    """All years from the first to the last, each with a bar as high as its share."""
    years: Counter[int] = Counter()
    for day, count in history.days.items():
        years[int(day[:4])] += count
    most = max(years.values())
    first, last = min(years), max(years)
    shown = range(first, last + 1) if last - first < 60 else sorted(years)
    return element("ul", *[_render_year(history, year, years[year], most) for year in shown], class_="years")


def _render_year(history: VersionCalendar, year: int, count: int, most: int) -> Markup:
    height = 0 if not count else max(3, round(_BAR_HEIGHT_PIXELS * count / most))
    bar = draw_rect(0, _BAR_HEIGHT_PIXELS - height, _BAR_WIDTH_PIXELS, height, "bar")
    picture = draw_svg(_BAR_WIDTH_PIXELS, _BAR_HEIGHT_PIXELS, bar, class_="")
    if not count:
        return element("li", element("a", picture, str(year), aria_disabled="true", class_="soft"))
    current = "true" if year == history.year else None
    told = f"{year}: seen {format_times_seen(count)}"
    place = f"/history/{history.url}"
    # The year goes before the URL's own query, which is part of the path here.
    address = place.replace("/history/", f"/history/{year}/", 1)
    return element("li", element("a", picture, str(year), href=address, title=told, aria_current=current))


def _render_month(history: VersionCalendar, month: int) -> Markup:
    names = [element("th", name[:2], scope="col") for name in calendar.day_abbr]
    days = calendar.Calendar().monthdayscalendar(history.year, month)
    # All months are of one height, so that those beside each other end together.
    days += [[0] * 7] * (_MONTH_ROWS - len(days))
    weeks = [element("tr", *[_render_day(history, month, day) for day in week]) for week in days]
    caption = element("caption", calendar.month_name[month])
    is_empty = not any(day.startswith(f"{history.year:04d}{month:02d}") for day in history.days)
    content = caption, element("thead", element("tr", *names)), element("tbody", *weeks)
    return element("table", *content, class_="empty" if is_empty else None)


def _render_day(history: VersionCalendar, month: int, day: int) -> Markup:
    if not day:
        return element("td")
    digits = f"{history.year:04d}{month:02d}{day:02d}"
    count = history.days.get(digits, 0)
    if not count:
        return element("td", str(day), class_="soft")
    told = f"{digits[:4]}-{digits[4:6]}-{digits[6:]}: seen {format_times_seen(count)}"
    link = element(
        "a", str(day), href=f"#d{digits}", title=told, class_="many" if count >= _BUSY_DAY_VERSIONS else None
    )
    return element("td", link)


def _render_versions(history: VersionCalendar, held: int) -> Markup:
    rows: list[Markup] = []
    day, digest = "", history.digest_before
    for found in history.versions:
        entry = found.resolved_entry
        digits = entry.moment.digits()
        anchor = f"d{digits[:8]}" if digits[:8] != day else None
        day = digits[:8]
        same = bool(entry.digest) and entry.digest == digest
        digest = entry.digest
        media = "original not held" if entry.media_type == REVISIT_TYPE else entry.media_type
        rows.append(
            element(
                "tr",
                element("td", _render_version(found), class_="when"),
                element("td", str(entry.status or "")),
                element("td", media, class_="less"),
                element("td", "unchanged" if same else "", class_="soft"),
                element("td", found.archive.name, class_="less"),
                id=anchor,
            )
        )
    head = [element("th", each, scope="col") for each in ("Seen (UTC)", "Status")]
    head += [element("th", "Type", scope="col", class_="less"), element("th", "Content", scope="col")]
    head.append(element("th", "Archive", scope="col", class_="less"))
    more = element("p", f"and {held - len(rows):,} more of that year", class_="soft") if held > len(rows) else None
    return element("div", element("h2", "When it was seen"), render_table(head, rows), more)


def _render_version(found: Memento) -> Markup:
    return element("a", format_moment(found.entry.moment), href=view_url(found.entry.url, found.entry.moment))

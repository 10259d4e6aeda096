"""The history of one URL: a timeline of years, a calendar of the year, and the versions in it."""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.replay.collection import Found
from webkeep.store.sight import REVISIT_TYPE
from webkeep.web.frame import document
from webkeep.web.markup import Markup, element
from webkeep.web.numbers import instant, times

LISTED = 400
"""How many versions of a year are listed."""

_MANY = 5
_WEEKS = 6
_BAR = 40


@dataclass(frozen=True, slots=True)
class History:
    """The versions of a URL, counted by day, and those of one year."""

    url: str
    days: Mapping[str, int]
    """How many versions each day has, by its 8 digits."""
    year: int
    versions: Sequence[Found]
    """Those of the year, as far as they are listed."""
    digest_before: str = ""
    """The digest of the last version before that year."""

    @property
    def total(self) -> int:
        """How many versions there are."""
        return sum(self.days.values())


def history_page(history: History) -> bytes:
    """The page."""
    year = f"{history.year:04d}"
    held = sum(count for day, count in history.days.items() if day.startswith(year))
    return document(
        history.url,
        element("h1", history.url),
        element(
            "p",
            f"Seen {times(history.total)}, {times(held)} of that in {year}; where nothing had changed it says so.",
            class_="soft",
        ),
        _timeline(history),
        element("h2", f"Calendar of {year}"),
        element("div", *[_month(history, month) for month in range(1, 13)], class_="months"),
        _list(history, held),
        query=history.url,
    )


def view_address(url: str, moment: Moment, mark: str = "") -> str:
    """Where a version is shown to a reader, with a banner; `mark` has what is asked of the replay."""
    return f"/view/{moment.digits()}{mark}/{url}"


def _timeline(history: History) -> Markup:
    """All years from the first to the last, each with a bar as high as its share."""
    years: Counter[int] = Counter()
    for day, count in history.days.items():
        years[int(day[:4])] += count
    most = max(years.values())
    first, last = min(years), max(years)
    shown = range(first, last + 1) if last - first < 60 else sorted(years)
    return element("ul", *[_year(history, year, years[year], most) for year in shown], class_="years")


def _year(history: History, year: int, count: int, most: int) -> Markup:
    height = 0 if not count else max(3, round(_BAR * count / most))
    bar = element("rect", x=0, y=_BAR - height, width=28, height=height, rx=2, class_="bar")
    picture = element("svg", bar, width=28, height=_BAR, aria_hidden="true")
    if not count:
        return element("li", element("a", picture, str(year), aria_disabled="true", class_="soft"))
    current = "true" if year == history.year else None
    told = f"{year}: seen {times(count)}"
    place = f"/history/{history.url}"
    # The year goes before the URL's own query, which is part of the path here.
    address = place.replace("/history/", f"/history/{year}/", 1)
    return element("li", element("a", picture, str(year), href=address, title=told, aria_current=current))


def _month(history: History, month: int) -> Markup:
    names = [element("th", name[:2], scope="col") for name in calendar.day_abbr]
    days = calendar.Calendar().monthdayscalendar(history.year, month)
    # All months are of one height, so that those beside each other end together.
    days += [[0] * 7] * (_WEEKS - len(days))
    weeks = [element("tr", *[_day(history, month, day) for day in week]) for week in days]
    caption = element("caption", calendar.month_name[month])
    is_empty = not any(day.startswith(f"{history.year:04d}{month:02d}") for day in history.days)
    content = caption, element("thead", element("tr", *names)), element("tbody", *weeks)
    return element("table", *content, class_="empty" if is_empty else None)


def _day(history: History, month: int, day: int) -> Markup:
    if not day:
        return element("td")
    digits = f"{history.year:04d}{month:02d}{day:02d}"
    count = history.days.get(digits, 0)
    if not count:
        return element("td", str(day), class_="soft")
    told = f"{digits[:4]}-{digits[4:6]}-{digits[6:]}: seen {times(count)}"
    link = element("a", str(day), href=f"#d{digits}", title=told, class_="many" if count >= _MANY else None)
    return element("td", link)


def _list(history: History, held: int) -> Markup:
    rows: list[Markup] = []
    day, digest = "", history.digest_before
    for found in history.versions:
        entry = found.meant
        digits = entry.moment.digits()
        anchor = f"d{digits[:8]}" if digits[:8] != day else None
        day = digits[:8]
        same = bool(entry.digest) and entry.digest == digest
        digest = entry.digest
        media = "original not held" if entry.media_type == REVISIT_TYPE else entry.media_type
        rows.append(
            element(
                "tr",
                element("td", _version(found), class_="when"),
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
    table = element("table", element("thead", element("tr", *head)), element("tbody", *rows))
    return element("div", element("h2", "When it was seen"), element("div", table, class_="scroll"), more)


def _version(found: Found) -> Markup:
    return element("a", instant(found.entry.moment), href=view_address(found.entry.url, found.entry.moment))

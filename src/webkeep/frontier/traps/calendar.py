"""Calendar traps: pages for every day or month until the end of time. Decides which URLs are about a date, and which
dates lie so far back or ahead that they have a budget.

Days that have been since there is a web, and those of the next two years, are asked for as long as they lead to
something (`page_series` sees to that); what lies further back or ahead has a budget whatever it leads to.
"""

from __future__ import annotations

import re

from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.url_shape import shape_of

_EARLIEST_YEAR = 1990
"""Days since there is a web are asked for as long as they lead to something."""
_MAX_YEARS_AHEAD = 2
"""So many years from now may have been written about already; later ones have a budget."""
_YEAR = r"([0-9]{4})"
_MONTH_DIGITS = r"(?:0[1-9]|1[0-2])"
_DAY_DIGITS = r"(?:0[1-9]|[12][0-9]|3[01])"
_DATE_END = r"(?=\Z|[&;/.T_-])"
# Names of parameters are short; without a bound, long ones would be gone over again and again.
_NAME_PREFIX, _NAME_SUFFIX = r"[a-z_\[-]{0,24}", r"[a-z_\]-]{0,24}"
# A bare number of four digits is a year only where it is called one: `start=2040` is a place in a list.
_DATE_IN_QUERY = re.compile(
    rf"[?&;](?:{_NAME_PREFIX}(?:year|date|jahr|annee|yr){_NAME_SUFFIX}|y)="
    rf"{_YEAR}(?:{_MONTH_DIGITS}{_DAY_DIGITS}?)?{_DATE_END}"
    rf"|[?&;]{_NAME_PREFIX}(?:month|week|day|cal){_NAME_SUFFIX}={_YEAR}"
    rf"(?:(?:[/._-]w?|w)[0-9]{{1,2}}|{_MONTH_DIGITS}{_DAY_DIGITS}?){_DATE_END}"
    rf"|[?&;](?:{_NAME_PREFIX}(?:time|start|from|end|until){_NAME_SUFFIX}|d)={_YEAR}{_MONTH_DIGITS}{_DAY_DIGITS}{_DATE_END}"
    rf"|={_YEAR}-(?:0?[1-9]|1[0-2])(?:-(?:0?[1-9]|[12][0-9]|3[01]))?(?=\Z|[&;T])",
    re.IGNORECASE,
)
_DATE_IN_PATH = re.compile(
    rf"/{_YEAR}(?:/(?:0?[1-9]|1[0-2])(?=/|\Z)|-(?:0[1-9]|1[0-2])(?=[-/]|\Z)|/?(?=w(?:eek)?-?[0-9]))", re.IGNORECASE
)
_MONTH = (
    r"(?:0?[1-9]|1[0-2]|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MONTH_NAME = re.compile("[a-z]{3,}", re.IGNORECASE)
_DATE_AT_PATH_END = re.compile(
    rf"/(?:1[6-9]|2[0-9])[0-9]{{2}}(?:[/_.-]{_MONTH}(?:[/_.-](?:0?[1-9]|[12][0-9]|3[01]))?|{_MONTH_DIGITS}{_DAY_DIGITS}"
    r"|[/_.-]?w(?:eek)?[/_.-]?[0-9]{1,2})(?=(?:/|\.[a-z]{1,5})?\Z)",
    re.IGNORECASE,
)


def calendar_suspicion(url: str, year_now: int) -> TrapSuspicion | None:
    """Whether a URL is about days that are long gone or far ahead."""
    path, mark, query = url.partition("?")
    found = _DATE_IN_PATH.search(path, path.find("://") + 3)
    found = found or (_DATE_IN_QUERY.search(mark + query) if mark else None)
    if found is None or _EARLIEST_YEAR <= int(found[found.lastindex or 1]) <= year_now + _MAX_YEARS_AHEAD:
        return None
    return TrapSuspicion(TrapKind.CALENDAR, dated_shape(url))


def calendar_of(url: str) -> str:
    """The calendar that a page for a day, week or month belongs to: its address without the date; or nothing.

    What has a name after its date, such as `/2024/05/12/title`, is no such page.
    """
    path, mark, query = url.partition("?")
    found = _DATE_AT_PATH_END.search(path, path.find("://") + 3)
    if found is not None:
        return path[: found.start() + 1]
    return path + mark if mark and _DATE_IN_QUERY.search(mark + query) else ""


def dated_shape(url: str) -> str:
    """The shape of a URL, with its last name as digits where it is a date itself."""
    url = _with_months_as_numbers(url)
    shape = shape_of(url)
    last = url.rstrip("/").rpartition("/")[2]
    if "?" not in url and last[:1].isdigit():
        stem = shape.rstrip("/").rpartition("/")[0]
        return f"{stem}/{re.sub('[0-9]+', '#', last)}{'/' if url.endswith('/') else ''}"
    return shape


def _with_months_as_numbers(url: str) -> str:
    path, mark, query = url.partition("?")
    found = _DATE_AT_PATH_END.search(path, path.find("://") + 3)
    if found is None:
        return url
    return f"{path[: found.start()]}{_MONTH_NAME.sub('1', found[0])}{path[found.end() :]}{mark}{query}"

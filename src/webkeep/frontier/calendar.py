"""Calendars: pages for every month until the end of time.

Pages of days that have been, since there is a web, are few enough to be captured; what lies further back or more than
a year ahead has a budget.
"""

from __future__ import annotations

import re

from webkeep.frontier.shape import shape_of
from webkeep.frontier.suspicion import Kind, Suspicion

_EARLIEST = 1990
_AHEAD = 1
_YEAR = r"([0-9]{4})"
_IN_QUERY = re.compile(
    rf"[?&;](?:[a-z_\[-]*(?:year|date|month|week|day|jahr|annee|yr|cal|time|start|from|end|until)[a-z_\]-]*|y)="
    rf"{_YEAR}(?=\Z|[&;/.T_-]|[0-9]{{2}}(?:[0-9]{{2}})?(?:\Z|[&;T]))",
    re.IGNORECASE,
)
_IN_PATH = re.compile(
    rf"/{_YEAR}(?:/(?:0?[1-9]|1[0-2])(?=/|\Z)|-(?:0[1-9]|1[0-2])(?=[-/]|\Z)|/?(?=w(?:eek)?-?[0-9]))", re.IGNORECASE
)


def calendar_suspicion(url: str, year_now: int) -> Suspicion | None:
    """Whether a URL is about days that are long gone or far ahead."""
    path, mark, query = url.partition("?")
    found = _IN_PATH.search(path, path.find("://") + 3)
    found = found or (_IN_QUERY.search(mark + query) if mark else None)
    if found is None or _EARLIEST <= int(found[1]) <= year_now + _AHEAD:
        return None
    return Suspicion(Kind.CALENDAR, _dated_shape(url))


def _dated_shape(url: str) -> str:
    """The shape of a URL, with its last name as digits where it is a date itself."""
    shape = shape_of(url)
    last = url.rstrip("/").rpartition("/")[2]
    if "?" not in url and last[:1].isdigit():
        stem = shape.rstrip("/").rpartition("/")[0]
        return f"{stem}/{re.sub('[0-9]+', '#', last)}{'/' if url.endswith('/') else ''}"
    return shape

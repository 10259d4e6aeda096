"""Status lines (HTTP/1.1 200 OK): the status of an answer, seen without reading its head, reason phrases, and the lines
of answers that are made.

HTTP/2 and HTTP/3 have none; libcurl and archives write `HTTP/2 200`, without a minor version and mostly without words.
"""

from __future__ import annotations

import re
from http import HTTPStatus

from webkeep.formats.http.http1 import parse_response

_STATUS_LINE = re.compile(rb"HTTP/[0-9](?:\.[0-9])? ([0-9]{3})(?![0-9])")
_REASON_PHRASES = {int(each): each.phrase for each in HTTPStatus}


def status_of(head: bytes) -> int:
    """The status in a head's first line, which HTTP/2 and later write without a minor version; 0 where there is none.

    Whoever wants to know the status of an answer asks here: the place of the digits depends on the version.
    """
    found = _STATUS_LINE.match(head)
    return int(found[1]) if found is not None else parse_response(head).status or 0


def reason_phrase(status: int) -> str:
    """The words that go with a status; "" where it has none."""
    return _REASON_PHRASES.get(status, "")


def build_status_line(status: int, reason: str = "") -> str:
    """The first line of an answer of HTTP/1.1, with its usual words where no others are given; without a line end."""
    return f"HTTP/1.1 {status:03d} {reason or reason_phrase(status)}"

"""The status of an answer, seen without reading its head."""

from __future__ import annotations

import re

from webkeep.formats.http.http1 import parse_response

_STATUS_LINE = re.compile(rb"HTTP/[0-9](?:\.[0-9])? ([0-9]{3})(?![0-9])")


def status_of(head: bytes) -> int:
    """The status in a head's first line, which HTTP/2 and later write without a minor version; 0 where there is none.

    Whoever wants to know the status of an answer asks here: the place of the digits depends on the version.
    """
    found = _STATUS_LINE.match(head)
    return int(found[1]) if found is not None else parse_response(head).status or 0

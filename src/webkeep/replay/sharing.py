"""Sharing across origins: replay hosts may read from one another what archived origins let one another read.

A crawler asks for a font or a module without saying for whom, so an answer that does not name who may read it proves
nothing. Only where a page of another origin asked, and the answer did not let it read, was it refused.
"""

from __future__ import annotations

from webkeep.errors import WebkeepError
from webkeep.formats.http1 import split_request
from webkeep.replay.collection import Found, holding_of
from webkeep.replay.front import Front
from webkeep.replay.message import Fields, Request
from webkeep.url import normal, split

_APART: Fields = [("Vary", "Origin")]


def sharing(front: Front, request: Request, found: Found | None = None) -> Fields:
    """The fields that let the page which asks read an answer, as it could read the archived one."""
    origin = request.headers.get("origin", "")
    href = normal(origin) if origin else None
    if href is None or front.replayed(split(href).authority) is None:
        return _APART
    if found is not None and _was_refused(found):
        return _APART
    asked = request.headers.get("access-control-request-headers", "")
    return [
        *_APART,
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
        ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"),
        *([("Access-Control-Allow-Headers", asked)] if asked else []),
    ]


def _was_refused(found: Found) -> bool:
    """Whether a page of another origin asked for a version and could not read it."""
    head = holding_of(found).head
    if head is None or "access-control-allow-origin" in head.headers:
        return False
    asking = _asking_origin(found)
    own = normal(found.entry.url)
    return bool(asking) and own is not None and asking != split(own).origin


def _asking_origin(found: Found) -> str:
    """The origin that a request came from, as its record has it; empty where it says none."""
    place = found.entry.place
    seen = found.archive.catalog.observations.at(place.file, place.offset)
    if seen is None or seen.request is None:
        return ""
    try:
        with found.archive.files.open(seen.request.file) as stream:
            head, _ = split_request(found.archive.files.record(seen.request, stream).read())
    except WebkeepError:
        return ""  # what is wrong with a record that nobody asked for is for `webkeep verify` to say
    return head.headers.get("origin")

"""Sharing across origins (CORS): when replay hosts may read from one another what archived origins let one another
read, and when an archived refusal is kept.

A crawler asks for a font or a module without saying for whom, so an answer that does not name who may read it proves
nothing. Only where a page of another origin asked, and the answer did not let it read, was it refused.
"""

from __future__ import annotations

from webkeep.errors import WebkeepError
from webkeep.formats.http import split_request
from webkeep.replay.choice.collection import Memento, read_memento
from webkeep.replay.server.message import Fields, Request
from webkeep.replay.server.server_name import ServerName
from webkeep.url import normalize_url, split_url

_VARY_ORIGIN: Fields = [("Vary", "Origin")]


def cors_fields(server_name: ServerName, request: Request, found: Memento | None = None) -> Fields:
    """The fields that let the page which asks read an answer, as it could read the archived one."""
    origin = request.headers.get("origin", "")
    href = normalize_url(origin) if origin else None
    if href is None or server_name.replay_host_of(split_url(href).authority) is None:
        return _VARY_ORIGIN
    if found is not None and _was_denied(found):
        return _VARY_ORIGIN
    asked = request.headers.get("access-control-request-headers", "")
    return [
        *_VARY_ORIGIN,
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
        ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"),
        *([("Access-Control-Allow-Headers", asked)] if asked else []),
    ]


def _was_denied(found: Memento) -> bool:
    """Whether a page of another origin asked for a version and could not read it."""
    head = read_memento(found).head
    if head is None or "access-control-allow-origin" in head.headers:
        return False
    asking = _requesting_origin(found)
    own = normalize_url(found.entry.url)
    return bool(asking) and own is not None and asking != split_url(own).origin


def _requesting_origin(found: Memento) -> str:
    """The origin that a request came from, as its record has it; empty where it says none."""
    place = found.entry.place
    seen = found.archive.catalog.observations.find_at(place.file, place.offset)
    if seen is None or seen.request is None:
        return ""
    try:
        with found.archive.files.open(seen.request.file) as stream:
            head, _ = split_request(found.archive.files.read_record(seen.request, stream).read())
    except WebkeepError:
        return ""  # what is wrong with a record that nobody asked for is for `webkeep verify` to say
    return head.headers.get("origin")

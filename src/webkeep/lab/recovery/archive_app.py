"""A simulated repository as a web archive: its index in the Wayback Machine's form, Memento, and raw bytes.

/cdx?url=…              what is held, rows as JSON, with a key to resume from
/timemap/link/URL       the versions of a URL
/web/URL                the TimeGate, which leads to the nearest version
/web/DIGITSid_/URL      a version as it was; digits that are off lead to the nearest one
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from webkeep.errors import UsageError
from webkeep.lab.recovery.shelf import Shelf, Stored
from webkeep.memento import (
    Addresses,
    Neighbours,
    Page,
    TimeMapFormat,
    Version,
    View,
    absent_fields,
    http_date,
    memento_fields,
    read_accept_datetime,
    read_memento_path,
    read_timemap_path,
    redirecting_fields,
    timemap_text,
    to_the_second,
)
from webkeep.memento.cdx_query import CdxQuery
from webkeep.memento.timemap import MEDIA_TYPES
from webkeep.model import Moment
from webkeep.recover.repository_traits import Traits
from webkeep.url import surt

_FIELDS = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
_RESUME = "resumeKey"


class ArchiveApp:
    """Answers as a web archive does, and counts what it was asked."""

    def __init__(self, traits: Traits, shelf: Shelf, root: str) -> None:
        self._traits = traits
        self._shelf = shelf
        self._addresses = Addresses(root)
        self.requests: Counter[str] = Counter()
        """By the first part of the path."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._answer(Request(scope))(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        path = _path(request)
        kind, _, rest = path.removeprefix("/").partition("/")
        kind = kind.partition("?")[0]
        self.requests[kind] += 1
        try:
            match kind:
                case "cdx":
                    return self._index(request)
                case "timemap":
                    return self._timemap(rest)
                case "web":
                    return self._memento(rest, request.headers.get("accept-datetime", ""))
        except UsageError as error:
            return Response(f"{error}\n", 400, media_type="text/plain")
        return Response("not here\n", 404, media_type="text/plain")

    def _index(self, request: Request) -> Response:
        parameters = {name: request.query_params.getlist(name) for name in request.query_params}
        key = (parameters.pop(_RESUME, None) or ["0"])[0]
        if not key.isdigit():
            raise UsageError("resumeKey is not one of ours; take it from the end of the answer before")
        query = CdxQuery.read(parameters)
        found = self._shelf.below(query.url, query.match)
        since, until = query.since or Moment(0), query.until
        found = [each for each in found if each.moment >= since and (until is None or each.moment <= until)]
        begin, end = int(key), int(key) + min(query.limit, self._traits.listing_page)
        rows = [_FIELDS, *(_row(each) for each in found[: self._traits.listing_cap][begin:end])]
        if end < len(found[: self._traits.listing_cap]) and query.shows_resume:
            rows += [[], [str(end)]]
        lines = ",\n".join(json.dumps(each) for each in rows)
        return Response(f"[{lines}]\n", media_type="application/json")

    def _timemap(self, rest: str) -> Response:
        address = read_timemap_path(rest)
        held = self._shelf.versions(address.url)
        if not held:
            return _absent(absent_fields(self._addresses, address.url, is_timegate=False))
        versions = [Version(each.url, each.moment) for each in held]
        page = Page(address.url, TimeMapFormat.LINK, versions[0], versions[-1])
        text = "".join(timemap_text(self._addresses, page, versions))
        return Response(text, media_type=MEDIA_TYPES[TimeMapFormat.LINK])

    def _memento(self, rest: str, accepted: str) -> Response:
        address = read_memento_path(rest)
        held = self._shelf.versions(address.url)
        if not held:
            return _absent(absent_fields(self._addresses, address.url, is_timegate=address.moment is None))
        if address.moment is None:
            wanted = read_accept_datetime(accepted) if accepted else held[-1].moment
            _, around = _chosen(held, wanted)
            return Response(status_code=302, headers=dict(redirecting_fields(self._addresses, address.url, around)))
        stored, around = _chosen(held, address.moment)
        if to_the_second(stored.moment) != address.moment:
            target = self._addresses.memento(stored.url, stored.moment, View.RAW)
            return Response(status_code=302, headers={"location": target})
        return _raw(stored, memento_fields(self._addresses, address.url, around))


def _path(request: Request) -> str:
    """The path as it was sent, with the query, which belongs to the URL that it names."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    query: bytes = request.scope["query_string"]
    return (raw + (b"?" + query if query else b"")).decode("latin-1")


def _row(stored: Stored) -> list[str]:
    return [
        surt(stored.url),
        stored.moment.digits(),
        stored.url,
        stored.media_type,
        str(stored.status),
        stored.digest.base32,
        str(len(stored.body)),
    ]


def _chosen(held: Sequence[Stored], wanted: Moment) -> tuple[Stored, Neighbours]:
    place = min(range(len(held)), key=lambda each: abs(held[each].moment.micros - wanted.micros))
    versions = [Version(each.url, each.moment) for each in held]
    before = versions[place - 1] if place else None
    after = versions[place + 1] if place + 1 < len(versions) else None
    return held[place], Neighbours(versions[place], versions[0], versions[-1], before, after)


def _raw(stored: Stored, fields: Iterable[tuple[str, str]]) -> Response:
    headers = dict(fields)
    headers["x-archive-orig-content-length"] = str(len(stored.body))
    if stored.modified is not None:
        headers["x-archive-orig-last-modified"] = http_date(stored.modified)
    headers["content-type"] = stored.media_type
    return Response(stored.body, stored.status, headers)


def _absent(fields: Iterable[tuple[str, str]]) -> Response:
    return Response("not held\n", 404, dict(fields), media_type="text/plain")

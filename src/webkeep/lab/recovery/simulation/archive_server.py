"""A simulated repository as a web archive on loopback: its index in the Wayback Machine's form (CDX), Memento, and raw
bytes; what each path answers.

/cdx?url=…              what is held, rows as JSON, with a key to resume from
/timemap/link/URL       the versions of a URL
/web/URL                the TimeGate, which leads to the nearest version
/web/DIGITSid_/URL      a version as it was; digits that are off lead to the nearest one
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from webkeep.errors import UsageError
from webkeep.lab.recovery.simulation.stored_versions import ShelfVersion, VersionShelf
from webkeep.lab.server_thread import LOOPBACK, ServerThread, open_listener
from webkeep.memento import (
    TIMEMAP_MEDIA_TYPES,
    MementoAddresses,
    MementoForm,
    MementoNeighbours,
    MementoVersion,
    TimeMapFormat,
    TimeMapPage,
    format_http_date,
    memento_fields,
    missing_memento_fields,
    parse_accept_datetime,
    parse_memento_path,
    parse_timemap_path,
    redirecting_timegate_fields,
    render_timemap,
    truncate_to_second,
)
from webkeep.memento.cdx import CdxQuery
from webkeep.model import Moment
from webkeep.recover.repositories import RepositoryTraits
from webkeep.url import surt

_CDX_FIELDS = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
_RESUME_PARAMETER = "resumeKey"


class ArchiveApp:
    """Answers as a web archive does, and counts what it was asked."""

    def __init__(self, traits: RepositoryTraits, shelf: VersionShelf, root: str) -> None:
        self._traits = traits
        self._shelf = shelf
        self._addresses = MementoAddresses(root)
        self.requests: Counter[str] = Counter()
        """By the first part of the path."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._respond(Request(scope))(scope, receive, send)

    def _respond(self, request: Request) -> Response:
        path = _request_path(request)
        kind, _, rest = path.removeprefix("/").partition("/")
        kind = kind.partition("?")[0]
        self.requests[kind] += 1
        try:
            match kind:
                case "cdx":
                    return self._cdx_response(request)
                case "timemap":
                    return self._timemap_response(rest)
                case "web":
                    return self._memento_response(rest, request.headers.get("accept-datetime", ""))
        except UsageError as error:
            return Response(f"{error}\n", 400, media_type="text/plain")
        return Response("not here\n", 404, media_type="text/plain")

    def _cdx_response(self, request: Request) -> Response:
        parameters = {name: request.query_params.getlist(name) for name in request.query_params}
        key = (parameters.pop(_RESUME_PARAMETER, None) or ["0"])[0]
        if not key.isdigit():
            raise UsageError("resumeKey is not one of ours; take it from the end of the response before")
        query = CdxQuery.parse(parameters)
        found = self._shelf.versions_matching(query.url, query.match)
        since, until = query.since or Moment(0), query.until
        found = [each for each in found if each.moment >= since and (until is None or each.moment <= until)]
        begin, end = int(key), int(key) + min(query.limit, self._traits.listing_page)
        rows = [_CDX_FIELDS, *(_cdx_row(each) for each in found[: self._traits.listing_cap][begin:end])]
        if end < len(found[: self._traits.listing_cap]) and query.wants_resume_key:
            rows += [[], [str(end)]]
        lines = ",\n".join(json.dumps(each) for each in rows)
        return Response(f"[{lines}]\n", media_type="application/json")

    def _timemap_response(self, rest: str) -> Response:
        address = parse_timemap_path(rest)
        held = self._shelf.versions_of(address.url)
        if not held:
            return _absent_response(missing_memento_fields(self._addresses, address.url, is_timegate=False))
        versions = [MementoVersion(each.url, each.moment) for each in held]
        page = TimeMapPage(address.url, TimeMapFormat.LINK, versions[0], versions[-1])
        text = "".join(render_timemap(self._addresses, page, versions))
        return Response(text, media_type=TIMEMAP_MEDIA_TYPES[TimeMapFormat.LINK])

    def _memento_response(self, rest: str, accepted: str) -> Response:
        address = parse_memento_path(rest)
        held = self._shelf.versions_of(address.url)
        if not held:
            return _absent_response(
                missing_memento_fields(self._addresses, address.url, is_timegate=address.moment is None)
            )
        if address.moment is None:
            wanted = parse_accept_datetime(accepted) if accepted else held[-1].moment
            _, around = _choose_version(held, wanted)
            return Response(
                status_code=302, headers=dict(redirecting_timegate_fields(self._addresses, address.url, around))
            )
        stored, around = _choose_version(held, address.moment)
        if truncate_to_second(stored.moment) != address.moment:
            target = self._addresses.memento_uri(stored.url, stored.moment, MementoForm.RAW)
            return Response(status_code=302, headers={"location": target})
        return _raw_response(stored, memento_fields(self._addresses, address.url, around))


def _request_path(request: Request) -> str:
    """The path as it was sent, with the query, which belongs to the URL that it names."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    query: bytes = request.scope["query_string"]
    return (raw + (b"?" + query if query else b"")).decode("latin-1")


def _cdx_row(stored: ShelfVersion) -> list[str]:
    return [
        surt(stored.url),
        stored.moment.digits(),
        stored.url,
        stored.media_type,
        str(stored.status),
        stored.digest.base32,
        str(len(stored.body)),
    ]


def _choose_version(held: Sequence[ShelfVersion], wanted: Moment) -> tuple[ShelfVersion, MementoNeighbours]:
    place = min(range(len(held)), key=lambda each: abs(held[each].moment.micros - wanted.micros))
    versions = [MementoVersion(each.url, each.moment) for each in held]
    before = versions[place - 1] if place else None
    after = versions[place + 1] if place + 1 < len(versions) else None
    return held[place], MementoNeighbours(versions[place], versions[0], versions[-1], before, after)


def _raw_response(stored: ShelfVersion, fields: Iterable[tuple[str, str]]) -> Response:
    headers = dict(fields)
    headers["x-archive-orig-content-length"] = str(len(stored.body))
    if stored.modified is not None:
        headers["x-archive-orig-last-modified"] = format_http_date(stored.modified)
    headers["content-type"] = stored.media_type
    return Response(stored.body, stored.status, headers)


def _absent_response(fields: Iterable[tuple[str, str]]) -> Response:
    return Response("not held\n", 404, dict(fields), media_type="text/plain")


# Simulated archives on loopback ports, each in a thread of its own: the product cannot tell them from real ones.


class ArchiveServer:
    """Serves a shelf while the `with` block lasts, on any free port."""

    def __init__(self, traits: RepositoryTraits, shelf: VersionShelf) -> None:
        self._name = traits.name
        listening = open_listener()
        self.root = f"http://{LOOPBACK}:{listening.getsockname()[1]}"
        self._app = ArchiveApp(traits, shelf, self.root)
        self._server = ServerThread(self._app, listening, traits.name)

    @property
    def cdx_repository(self) -> str:
        """How it is named where its index is to be asked."""
        return f"cdx={self.root}/cdx name={self._name}"

    @property
    def memento_repository(self) -> str:
        """How it is named where only Memento is to be spoken."""
        return f"memento={self.root} name={self._name}-memento"

    @property
    def requests(self) -> Counter[str]:
        """What it was asked, by the first part of the path."""
        return self._app.requests

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()

"""The server under its own name: which paths lead to mementos, TimeGates, TimeMaps, CDX and logs, how Accept-Datetime
is negotiated, and when a browser is sent on to the replay host.

Archived content comes here only as what it is to programs. A browser that goes to a URI-M is sent on to the replay
host, and whoever shows the content as a page all the same gets one without scripts and without an origin.
"""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.errors import UsageError
from webkeep.memento import (
    MementoAddress,
    MementoAddresses,
    MementoForm,
    direct_timegate_fields,
    memento_fields,
    missing_memento_fields,
    parse_accept_datetime,
    parse_archived_url,
    parse_memento_path,
    parse_timemap_path,
    redirecting_timegate_fields,
)
from webkeep.model import Moment
from webkeep.replay.choice.collection import Memento, MementoQuery
from webkeep.replay.delivery.rendition import Rendition
from webkeep.replay.delivery.replay_rewriter import SCRIPTLESS_EDITS, ReplayRewriter
from webkeep.replay.endpoints.cdx_endpoint import cdx_response
from webkeep.replay.endpoints.log_endpoint import LOG_PATH, log_response
from webkeep.replay.endpoints.missing_response import build_missing_response
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.endpoints.timemap_endpoint import timemap_response
from webkeep.replay.server.message import DeferredResponse, Request, Response, text_response
from webkeep.url import normalize_url

_READ_METHODS = ("GET", "HEAD")
_PAGE_DESTINATIONS = frozenset({"document", "iframe", "frame"})


class ControlHandler:
    """Answers what is asked of the server itself."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context

    def respond(self, request: Request) -> Response | DeferredResponse:
        """Find out what is wanted, and give it."""
        if request.is_service_worker:
            return text_response(403, "no service worker runs here")
        # Other archives have their TimeMaps below /web/, and clients that know one know no better.
        target = request.target.removeprefix("/web") if request.target.startswith("/web/timemap/") else request.target
        addresses = MementoAddresses(f"{self._context.server_name.scheme}://{request.host}")
        if target.startswith("/web/"):
            return self._memento_response(request, addresses, target[5:])
        if target.startswith("/timegate/"):
            return self._check_method(request) or self._direct_timegate(
                request, addresses, parse_archived_url(target[10:])
            )
        if target.startswith("/timemap/"):
            asked = parse_timemap_path(target[9:])
            return self._check_method(request) or DeferredResponse(
                lambda: timemap_response(self._context, addresses, asked)
            )
        if request.path in ("/cdx", "/cdx/", "/cdx/search/cdx"):
            query = request.query
            return self._check_method(request) or DeferredResponse(lambda: cdx_response(self._context, query))
        if request.path.startswith(LOG_PATH):
            collection = self._context.collection
            return self._check_method(request) or DeferredResponse(lambda: log_response(collection, request))
        return self._context.pages.respond(request)

    def _check_method(self, request: Request) -> Response | None:
        return None if request.method in _READ_METHODS else _method_refusal()

    def _memento_response(
        self, request: Request, addresses: MementoAddresses, rest: str
    ) -> Response | DeferredResponse:
        asked = parse_memento_path(rest)
        if asked.moment is None:
            return self._check_method(request) or self._redirecting_timegate(request, addresses, asked)
        query = MementoQuery(asked.url, asked.moment)
        found = self._context.lookup.nearest(query)
        if found is None:
            return build_missing_response(self._context, request, addresses, query)
        if not _is_exact(found, query):
            exact = addresses.memento_uri(found.entry.url, found.entry.moment, asked.form)
            return Response(302, [("Location", exact), *_link_fields(self._context, addresses, found)])
        if (
            request.method not in _READ_METHODS
        ):  # a memento keeps its datetime whatever is asked of it (RFC 7089, 2.1.1)
            return _method_refusal(memento_fields(addresses, found.entry.url, self._context.lookup.neighbours(found)))
        if asked.form is not MementoForm.RAW and request.headers.get("sec-fetch-dest") in _PAGE_DESTINATIONS:
            return self._redirect_to_replay(addresses, found)
        return self._show_memento(request, addresses, found, asked.form)

    def _redirect_to_replay(self, addresses: MementoAddresses, found: Memento) -> Response:
        naming = self._context.server_name.naming_at(found.entry.moment.digits())
        place = naming.replay_url(normalize_url(found.entry.url) or found.entry.url)
        if place is None:
            return text_response(404, "this cannot be shown as a page")
        return Response(
            302, [("Location", place), ("Vary", "Sec-Fetch-Dest"), *_link_fields(self._context, addresses, found)]
        )

    def _show_memento(
        self, request: Request, addresses: MementoAddresses, found: Memento, view: MementoForm
    ) -> Response | DeferredResponse:
        def own_fields() -> list[tuple[str, str]]:
            return memento_fields(addresses, found.entry.url, self._context.lookup.neighbours(found))

        return self._rendition(addresses, found, view).respond(request, own_fields)

    def _rendition(self, addresses: MementoAddresses, found: Memento, view: MementoForm) -> Rendition:
        entry, server_name = found.entry, self._context.server_name
        rewriter = ReplayRewriter(
            entry.url, server_name.naming_at(entry.moment.digits()), SCRIPTLESS_EDITS, named_hosts_only=False
        )
        return Rendition(
            found,
            lambda url: addresses.memento_uri(url, entry.moment, view),
            None if view is MementoForm.RAW else rewriter,
        )

    def _redirecting_timegate(self, request: Request, addresses: MementoAddresses, asked: MementoAddress) -> Response:
        """The TimeGate that redirects."""
        moment = self._negotiate_moment(request, addresses, asked.url)
        if isinstance(moment, Response):
            return moment
        query = MementoQuery(asked.url, moment)
        found = self._context.lookup.nearest(query)
        if found is None:
            return build_missing_response(self._context, request, addresses, query, is_timegate=True)
        around = self._context.lookup.neighbours(found)
        fields = redirecting_timegate_fields(addresses, found.entry.url, around)
        if asked.form is not MementoForm.REPLAY:
            exact = addresses.memento_uri(found.entry.url, found.entry.moment, asked.form)
            fields = [(name, exact if name == "Location" else value) for name, value in fields]
        return Response(302, fields)

    def _direct_timegate(self, request: Request, addresses: MementoAddresses, url: str) -> Response | DeferredResponse:
        """The TimeGate that answers with the memento itself."""
        moment = self._negotiate_moment(request, addresses, url)
        if isinstance(moment, Response):
            return moment
        query = MementoQuery(url, moment)
        found = self._context.lookup.nearest(query)
        if found is None:
            return build_missing_response(self._context, request, addresses, query, is_timegate=True)
        chosen = found

        def own_fields() -> list[tuple[str, str]]:
            return direct_timegate_fields(addresses, chosen.entry.url, self._context.lookup.neighbours(chosen))

        return self._rendition(addresses, chosen, MementoForm.REPLAY).respond(request, own_fields)

    def _negotiate_moment(self, request: Request, addresses: MementoAddresses, url: str) -> Moment | Response:
        """The moment that is negotiated for, or a TimeGate's answer that none can be read (RFC 7089, 4.5.3)."""
        wanted = request.headers.get("accept-datetime")
        try:
            return self._context.clock.now() if wanted is None else parse_accept_datetime(wanted)
        except UsageError as error:
            return text_response(400, str(error), missing_memento_fields(addresses, url, is_timegate=True))


def _method_refusal(fields: Iterable[tuple[str, str]] = ()) -> Response:
    return text_response(405, "this can only be read", [("Allow", ", ".join(_READ_METHODS)), *fields])


def _link_fields(context: ServerContext, addresses: MementoAddresses, found: Memento) -> list[tuple[str, str]]:
    """The links of a memento without its date, for an answer that is none itself."""
    fields = memento_fields(addresses, found.entry.url, context.lookup.neighbours(found))
    return [field for field in fields if field[0] == "Link"]


def _is_exact(found: Memento, query: MementoQuery) -> bool:
    """Whether a URI-M names this memento and no other."""
    url = found.entry.url
    same_url = url == query.url or normalize_url(url.partition("#")[0]) == query.url
    return same_url and found.entry.moment.micros // 1_000_000 == query.moment.micros // 1_000_000

"""Proxy mode: archived sites under their very addresses, to a browser whose proxy this is, and nothing is rewritten;
which archived fields pass, as of which moment, and for which page an embed has to fit.

Whatever the browser asks for is asked of the archive, so that nothing can get out; what is not held is missing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from webkeep.errors import UsageError
from webkeep.formats.cdx import post_query
from webkeep.memento import memento_fields, parse_accept_datetime
from webkeep.model import Headers, Moment
from webkeep.replay.choice.captured_ranges import choose_range
from webkeep.replay.choice.coherent_choice import FittedEmbed, choose_fitting_embed
from webkeep.replay.choice.collection import Memento, MementoQuery, read_memento
from webkeep.replay.choice.fuzzy_match import fuzzy_url, replace_callback
from webkeep.replay.choice.recorded_sockets import find_recorded_socket
from webkeep.replay.delivery.archived_headers import ORIGINAL_PREFIX, limit_headers, prefix_headers
from webkeep.replay.delivery.archived_message import ArchivedMessage
from webkeep.replay.delivery.redirections import skip_self_redirect
from webkeep.replay.delivery.socket_player import SocketPlayer, accept_key
from webkeep.replay.endpoints.missing_response import build_missing_response
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.server.message import DeferredResponse, Fields, Request, Response, SecurityClass, text_response
from webkeep.replay.server.security_headers import REFERRER_FIELD
from webkeep.url import normalize_url

# What describes the answer to a browser, and what a page says of itself. Nothing that outlasts the look into the past
# (reports, pins, hints, other servers), and nothing that concerns a connection or is answered anew here.
_PASSED_NAMES = frozenset(
    {
        "content-type", "content-language", "content-disposition", "content-location", "last-modified", "location",
        "refresh", "link", "set-cookie", "retry-after", "allow", "server", "sourcemap", "timing-allow-origin",
        "content-security-policy", "referrer-policy", "permissions-policy", "feature-policy", "service-worker-allowed",
        "cross-origin-opener-policy", "cross-origin-embedder-policy", "cross-origin-resource-policy", "document-policy",
        "access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-methods",
        "access-control-allow-headers", "access-control-expose-headers", "access-control-max-age",
    }
)  # fmt: skip


_ORIGINAL_PREFIX = ORIGINAL_PREFIX.lower()
_PLAIN_VALUE = re.compile(r"[\w .,;:=+()\"'*?!$-]*").fullmatch
_PAGE_DESTINATIONS = frozenset({"document", "iframe", "frame"})


class ProxyModeHandler:
    """Answers a browser for the whole archived web, as of one moment or the one it asks for."""

    def __init__(self, context: ServerContext, moment: Moment | None) -> None:
        self._context = context
        self._moment = moment

    def respond(self, origin: str, request: Request) -> Response | DeferredResponse:
        """Show what is held; `origin` is that of the tunnel the request came through, if it did."""
        # In a tunnel nobody gives a password again: whoever opened it has.
        refusal = None if origin else self.refusal(request.client, request.headers.get("proxy-authorization", ""))
        if refusal is not None:
            return refusal
        query = self._memento_query(origin, request)
        if request.is_upgrade:
            return DeferredResponse(lambda: self._socket_response(request, query))
        if self._context.lookup.access.rules:  # then it may take a look at many versions to find one to show
            return DeferredResponse(lambda: self._find_memento(request, query))
        found = self._context.lookup.nearest(query)
        if found is None or not found.is_small:
            return DeferredResponse(lambda: self._find_memento(request, query))
        return self._choose_version(request, query, found)

    def _find_memento(self, request: Request, query: MementoQuery) -> Response:
        """What answers a query, by likeness where nothing does to the letter; to find out may take a while."""
        found = self._context.lookup.nearest(query)
        if found is not None:
            return self._choose_version(request, query, found)
        alike = self._context.lookup.find_fuzzy(query)
        return (
            self._missing_response(request, query)
            if alike is None
            else self._choose_version(request, query, alike.memento, alike.callback)
        )

    def _choose_version(self, request: Request, query: MementoQuery, found: Memento, callback: str = "") -> Response:
        """The version among those of what was found that is to be shown; `callback` is what it was captured with."""
        lookup = self._context.lookup
        held = skip_self_redirect(lookup, query, found)
        if held is None:
            return self._missing_response(request, query)
        shown = choose_range(lookup, query, held, request.headers.get("range", ""))
        asking = _referring_page(request, query)
        part = None if asking is None else choose_fitting_embed(lookup, query, shown, asking)
        return self._show_memento(request, query, shown if part is None else part.memento, callback, part)

    def _missing_response(self, request: Request, query: MementoQuery) -> Response:
        return build_missing_response(self._context, request, self._context.addresses, query)

    def refusal(self, client: str, given: str) -> Response | None:
        """The answer to a client that is not let in, by what it gave as Proxy-Authorization; None to one that is."""
        password = self._context.password_check
        return None if password is None else password.refusal(client, given, is_proxy=True)

    def _socket_response(self, request: Request, query: MementoQuery) -> Response:
        """A WebSocket as it was recorded; without a recording it is refused, as one is whose server is gone."""
        recorded = find_recorded_socket(self._context.lookup, f"ws{query.url.removeprefix('http')}", query.moment)
        key = request.headers.get("sec-websocket-key", "")
        if not recorded or not key:
            return text_response(404, "no WebSocket of that name was recorded")
        fields = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept_key(key))]
        agreed = str(recorded["protocol"])
        offered = [each.strip() for each in request.headers.get("sec-websocket-protocol", "").split(",")]
        if agreed and agreed in offered:
            fields.append(("Sec-WebSocket-Protocol", agreed))
        return Response(101, fields, upgrade_to=lambda: SocketPlayer(recorded))

    def _memento_query(self, origin: str, request: Request) -> MementoQuery:
        url = normalize_url(f"{origin}{request.target}" if origin else request.target)
        if url is None or not url.startswith(("http://", "https://")):
            raise UsageError("this is a proxy; ask it for an address in full")
        post = post_query(request.method, request.headers.get("content-type", ""), request.body)
        wanted = request.headers.get("accept-datetime")
        moment = parse_accept_datetime(wanted) if wanted else self._moment or self._context.clock.now()
        return MementoQuery(url.partition("#")[0], moment, post, request.method)

    def _show_memento(
        self, request: Request, query: MementoQuery, found: Memento, callback: str, part: FittedEmbed | None
    ) -> Response:
        delivery = ArchivedMessage.from_stored(read_memento(found))
        headers = request.headers
        response = delivery.build_response(request.method, headers.get("range", ""), headers.get("accept-encoding", ""))
        body = response.body
        if callback and isinstance(body, bytes):
            body = replace_callback(body, callback, fuzzy_url(query.url).callback)
        told = memento_fields(self._context.addresses, found.entry.url, self._context.lookup.neighbours(found))
        fits = [] if part is None else part.response_fields()
        fields = [
            *response.fields,
            *_select_headers(delivery.head.headers),
            *told,
            *fits,
            ("Cache-Control", "no-cache"),
        ]
        return replace(response, fields=fields, body=body, security_class=SecurityClass.ARCHIVED)


def _referring_page(request: Request, query: MementoQuery) -> MementoQuery | None:
    """The page that asks for a part of itself; None where a page is asked for, or nothing tells by which."""
    told = request.headers.get("referer", "")
    # Requests over http do not say what they are for, but for a page a browser wants HTML.
    destination = request.headers.get("sec-fetch-dest", "")
    if not told or destination in _PAGE_DESTINATIONS or "text/html" in request.headers.get("accept", ""):
        return None
    referrer = normalize_url(told)
    return None if referrer is None else MementoQuery(referrer.partition("#")[0], query.moment)


def _select_headers(headers: Headers) -> Fields:
    """The archived fields that mean here what they meant, and those that only scripts know; others with a prefix.

    Where a page does not say otherwise its parts are asked for with its whole address, which tells what fits together.
    """
    kept = [field for field in headers.fields if _is_passed_header(*field)]
    others = Headers(tuple(field for field in headers.fields if not _is_passed_header(*field)))
    return [*limit_headers(kept), *prefix_headers(others), *([] if "referrer-policy" in headers else [REFERRER_FIELD])]


def _is_passed_header(name: str, value: str) -> bool:
    """Whether a field goes out under its own name: it is known to be harmless, or means something to scripts alone.

    Fields that have a server on the way answer with something else name it, by a path or an address.
    """
    lowered = name.lower()
    if lowered in _PASSED_NAMES:
        return True
    return (
        lowered.startswith("x-")
        and not lowered.startswith((_ORIGINAL_PREFIX, "x-accel-"))
        and _PLAIN_VALUE(value) is not None
    )

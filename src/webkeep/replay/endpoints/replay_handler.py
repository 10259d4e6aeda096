"""The server under the names of archived origins: which version is shown as of the moment in the name, when a part lies
too far from its page, and when a browser is sent on to a like name (www, https).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.formats.cdx import post_query
from webkeep.memento import memento_fields, missing_memento_fields
from webkeep.model import Moment
from webkeep.replay.choice.captured_ranges import choose_range
from webkeep.replay.choice.coherent_choice import FittedEmbed, choose_fitting_embed
from webkeep.replay.choice.collection import Memento, MementoQuery
from webkeep.replay.choice.fuzzy_match import fuzzy_url
from webkeep.replay.choice.occurrences import OCCURRENCE_HEADER as OCCURRENCE, choose_occurrence
from webkeep.replay.delivery.cors import cors_fields
from webkeep.replay.delivery.redirections import skip_self_redirect
from webkeep.replay.delivery.rendition import Rendition
from webkeep.replay.delivery.replay_rewriter import ReplayRewriter, ScriptOrigin, replay_edits
from webkeep.replay.endpoints.missing_response import build_missing_response, too_far_reason
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.endpoints.shim_endpoint import shim_response
from webkeep.replay.server.message import DeferredResponse, Fields, Request, Response, text_response
from webkeep.replay.server.security_headers import SecurityFields, obeys_allowlist, replay_security_fields
from webkeep.replay.shim.replay_host import ReplayHost
from webkeep.replay.shim.scripts import OWN_PATH, shim_tag
from webkeep.rewrite import HtmlEdits
from webkeep.url import normalize_url, split_url

_DAY_SECONDS = 86400
_PAGE_DESTINATIONS = frozenset({"document", "iframe", "frame", ""})


@dataclass(frozen=True, slots=True)
class _ChosenMemento:
    """What is shown for a query."""

    query: MementoQuery
    memento: Memento
    part: FittedEmbed | None
    callback: str

    def response_fields(self) -> Fields:
        """How it fits the page it is part of."""
        return [] if self.part is None else self.part.response_fields()


class ReplayHandler:
    """Answers what is asked of archived origins."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context

    def respond(self, request: Request, host: ReplayHost) -> Response | DeferredResponse:
        """Find the version that is meant, and show it."""
        if request.method == "OPTIONS":
            return Response(204, [*cors_fields(self._context.server_name, request), ("Access-Control-Max-Age", "600")])
        origin = host.origin or self._context.origins.find_origin(host.origin_hash)
        if not origin:
            return text_response(404, "no origin of that name is held here")
        if request.target.startswith(OWN_PATH):
            return shim_response(self._context, request, host)
        query = self._memento_query(request, host, origin)
        found = self._context.lookup.nearest(query)
        if found is not None:
            found = skip_self_redirect(self._context.lookup, query, found)
        if found is None:
            return DeferredResponse(lambda: self._respond_fuzzy(request, host, origin, query))
        return self._choose_version(request, host, origin, query, found)

    def _respond_fuzzy(self, request: Request, host: ReplayHost, origin: str, query: MementoQuery) -> Response:
        """What answers a query that nothing answers to the letter; to find out takes a while."""
        alike = self._context.lookup.find_fuzzy(query)
        if alike is None:
            return self._missing_response(request, query)
        response = self._choose_version(request, host, origin, query, alike.memento, alike.callback)
        return response.make() if isinstance(response, DeferredResponse) else response

    def _choose_version(
        self, request: Request, host: ReplayHost, origin: str, query: MementoQuery, found: Memento, callback: str = ""
    ) -> Response | DeferredResponse:
        """The version among those of what was found that is to be shown; `callback` is what it was captured with."""
        found = choose_occurrence(self._context.lookup, found, request)
        found = choose_range(self._context.lookup, query, found, request.headers.get("range", ""))
        part = self._fit_embed(request, query, found) if OCCURRENCE not in request.headers else None
        shown = _ChosenMemento(query, part.memento if part else found, part, callback)
        if host.within_days is not None and self._is_too_far(request, shown, host.within_days):
            return self._missing_response(request, query, too_far_reason(query, host.within_days))
        if not shown.memento.entry.url.startswith(f"{origin}/") and _origin_of(shown.memento.entry.url) != origin:
            return self._redirect_to_origin(request, host, shown.memento)
        return self._show_memento(request, host, origin, shown)

    def _redirect_to_origin(self, request: Request, host: ReplayHost, found: Memento) -> Response:
        """The way to what is held under a like name (`www.` or not, http or https): no host shows another's content."""
        naming = self._context.server_name.naming_at(host.stamp, host.set_clock, host.within_days)
        place = naming.replay_url(normalize_url(found.entry.url) or found.entry.url)
        links = missing_memento_fields(self._context.addresses, found.entry.url, is_timegate=False)
        fields = [*links, *cors_fields(self._context.server_name, request)]
        return Response(307, [("Location", place or "about:blank"), *fields])

    def _is_too_far(self, request: Request, shown: _ChosenMemento, days: int) -> bool:
        """Whether a part of a page lies further from it than the reader allowed; a page itself is never too far."""
        if request.headers.get("sec-fetch-dest", "document") == "document":
            return False
        return abs(shown.memento.entry.moment.seconds_since(shown.query.moment)) > days * _DAY_SECONDS

    def _fit_embed(self, request: Request, query: MementoQuery, found: Memento) -> FittedEmbed | None:
        """The version that fits the page which asks for it; None where that is not known, or there is no choice."""
        if request.headers.get("sec-fetch-dest", "") in _PAGE_DESTINATIONS:
            return None
        asking = self._referring_page(request)
        return None if asking is None else choose_fitting_embed(self._context.lookup, query, found, asking)

    def _referring_page(self, request: Request) -> MementoQuery | None:
        """The page that a request comes from, as of the moment that it is shown at."""
        told = request.headers.get("referer", "")
        referrer = normalize_url(told) if told else None
        if referrer is None or not referrer.startswith(("http://", "https://")):
            return None
        parts = split_url(referrer)
        host = self._context.server_name.replay_host_of(parts.authority)
        if host is None or not host.origin:
            return None
        url = normalize_url(host.origin + parts.target)
        return None if url is None else MementoQuery(url, _parse_stamp(host.stamp))

    def _memento_query(self, request: Request, host: ReplayHost, origin: str) -> MementoQuery:
        url = normalize_url(origin + request.target)
        if url is None or not request.target.startswith("/"):
            raise UsageError("this is no address that could have been archived")
        post = post_query(request.method, request.headers.get("content-type", ""), request.body)
        return MementoQuery(url, _parse_stamp(host.stamp), post, request.method)

    def _show_memento(
        self, request: Request, host: ReplayHost, origin: str, shown: _ChosenMemento
    ) -> Response | DeferredResponse:
        context, found = self._context, shown.memento
        naming = context.server_name.naming_at(host.stamp, host.set_clock, host.within_days)
        wanted = fuzzy_url(shown.query.url).callback if shown.callback else ""
        own_origin = f"{context.server_name.scheme}://{request.host}"

        def own_fields() -> Fields:
            memento = memento_fields(context.addresses, found.entry.url, context.lookup.neighbours(found))
            exact = ("Content-Location", context.addresses.memento_uri(found.entry.url, found.entry.moment))
            return [*memento, exact, *shown.response_fields(), *cors_fields(context.server_name, request, found)]

        rewriter = ReplayRewriter(
            found.entry.url,
            naming,
            _page_edits(own_origin, origin, _framing_control(context, request), context.server_name.can_have_cookies),
            named_hosts_only=True,
            script_origin=ScriptOrigin(
                own_origin, origin, dict(_worker_locks(context, request)), context.server_name.can_have_cookies
            ),
        )
        callbacks = shown.callback, wanted
        rendition = Rendition(found, naming.replay_url, rewriter, True, context.server_name.can_have_cookies, callbacks)
        return rendition.respond(request, own_fields)

    def _missing_response(self, request: Request, query: MementoQuery, why: str = "") -> Response:
        response = build_missing_response(self._context, request, self._context.addresses, query, why=why)
        return replace(response, fields=[*response.fields, *cors_fields(self._context.server_name, request)])


def _worker_locks(context: ServerContext, request: Request) -> SecurityFields:
    """The locks of what a service worker makes up."""
    return replay_security_fields(context.server_name, obeys_allowlist(request.headers.get("sec-ch-ua", "")))


@lru_cache(1024)
def _parse_stamp(stamp: str) -> Moment:
    return Moment.parse(stamp)


@lru_cache(256)
def _page_edits(own_origin: str, archived_origin: str, control: str, has_cookies: bool) -> HtmlEdits:
    return replay_edits(shim_tag(own_origin, archived_origin, control, has_cookies))


def _origin_of(url: str) -> str:
    href = normalize_url(url)
    return split_url(href).origin if href is not None else ""


def _framing_control(context: ServerContext, request: Request) -> str:
    """The control page that a page may be framed by, which wants to be told where the reader is."""
    return context.server_name.control_url if request.headers.get("sec-fetch-dest") == "iframe" else ""

"""Renditions: an archived message made into an answer, as it was or with its links renamed; which fields go out with it
(Location, cookies), and what cannot be a service worker's script.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from webkeep.formats.status import PARTIAL_CONTENT
from webkeep.replay.choice.collection import Memento, read_memento
from webkeep.replay.choice.fuzzy_match import replace_callback
from webkeep.replay.delivery.archived_headers import entity_headers, prefix_headers, replay_cookies
from webkeep.replay.delivery.archived_message import ArchivedMessage
from webkeep.replay.delivery.redirections import redirect_target
from webkeep.replay.delivery.replay_rewriter import ReplayRewriter
from webkeep.replay.server.message import (
    DeferredResponse,
    Fields,
    Request,
    Response,
    SecurityClass,
    take_pieces,
    text_response,
)
from webkeep.rewrite import MAX_REWRITTEN_BYTES


@dataclass(frozen=True, slots=True)
class Rendition:
    """What is to be shown, and how."""

    memento: Memento
    locate_url: Callable[[str], str | None]
    """Where the target of a redirection is found; None where it is nowhere."""
    rewriter: ReplayRewriter | None = None
    """How links are renamed; None for raw bytes."""
    is_at_home: bool = False
    """Whether it goes out on its origin's own replay host, with what its fields make a browser load."""
    has_cookies: bool = False
    """Whether its cookies go out as well."""
    callbacks: tuple[str, str] = ("", "")
    """The callback the answer was captured with, and the one that is waiting for it."""

    def respond(self, request: Request, told: Callable[[], Fields]) -> Response | DeferredResponse:
        """The answer, with what is told of it beside; at once only where it is made in no time."""
        if not self.memento.is_small:
            return DeferredResponse(lambda: self._build_response(request, self.read_message(), told))
        delivery = self.read_message()
        if delivery.is_long:
            return DeferredResponse(lambda: self._build_response(request, delivery, told))
        return self._build_response(request, delivery, told)

    def read_message(self) -> ArchivedMessage:
        """What was archived."""
        return ArchivedMessage.from_stored(read_memento(self.memento))

    def _build_response(self, request: Request, delivery: ArchivedMessage, told: Callable[[], Fields]) -> Response:
        rewritten = self._rewritten_response(request, delivery)
        if (
            request.is_service_worker and rewritten is None
        ):  # it would run without the shim, and its pages without locks
            return text_response(403, "this cannot be the script of a service worker")
        response = rewritten or delivery.build_response(
            request.method,
            request.headers.get("range", ""),
            request.headers.get("accept-encoding", ""),
            raw=self.rewriter is None,
        )
        place = self._redirect_place(delivery)
        fields = [*told(), *response.fields, *self._response_fields(delivery, place)]
        status = response.status if place is None else delivery.status
        return replace(response, status=status, fields=fields, security_class=SecurityClass.ARCHIVED)

    def _redirect_place(self, delivery: ArchivedMessage) -> str | None:
        """Where it redirects to, by the address under which that is shown; None where it does not."""
        target = redirect_target(self.memento, delivery)
        return None if target is None else self.locate_url(target)

    def _rewritten_response(self, request: Request, delivery: ArchivedMessage) -> Response | None:
        old, new = self.callbacks
        if self.rewriter is None:
            return None
        job = self.rewriter.rewrite_job(delivery.content_type, request)
        if (job is None and not new) or delivery.status == PARTIAL_CONTENT or delivery.is_head_only(request.method):
            return None
        start, rest = _split_rewritable(delivery.content())
        start = replace_callback(start, old, new)
        made = job(start) if job else start
        fields = self.rewriter.meta_policy_fields(start, delivery.content_type) if self.is_at_home else []
        return Response(delivery.status, fields, made if rest is None else chain((made,), rest))

    def _response_fields(self, delivery: ArchivedMessage, place: str | None) -> Fields:
        headers = delivery.head.headers
        fields: Fields = []
        if delivery.content_type:
            fields.append(("Content-Type", delivery.content_type))
        if place is not None:
            fields.append(("Location", place))
        fields += entity_headers(headers)
        if self.is_at_home:
            fields += replay_cookies(headers) if self.has_cookies else []
            fields += self.rewriter.rewrite_fields(headers) if self.rewriter else []
        fields.append(("Cache-Control", "no-cache"))
        return [*fields, *prefix_headers(headers)]


def _split_rewritable(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes] | None]:
    """A document's beginning, as far as links are renamed in it, and what follows; None where that is nothing.

    What follows goes out as it is: lock two holds for it as well.
    """
    held, is_all = take_pieces(pieces, MAX_REWRITTEN_BYTES)
    return b"".join(held), None if is_all else pieces

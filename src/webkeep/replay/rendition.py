"""Renditions: an archived message made into an answer, as it was or with its links renamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from webkeep.replay.archived_fields import cookies, describing, prefixed
from webkeep.replay.body import Delivery
from webkeep.replay.collection import Found, holding_of
from webkeep.replay.likeness import with_callback
from webkeep.replay.message import Answer, Fields, Later, Lock, Request, text_answer
from webkeep.replay.redirections import redirects_to
from webkeep.replay.rewriting import Rewriting
from webkeep.rewrite import MOST_REWRITTEN

_PARTIAL = 206


@dataclass(frozen=True, slots=True)
class Rendition:
    """What is to be shown, and how."""

    found: Found
    moved: Callable[[str], str | None]
    """Where the target of a redirection is found; None where it is nowhere."""
    rewriting: Rewriting | None = None
    """How links are renamed; None for raw bytes."""
    is_at_home: bool = False
    """Whether it goes out on its origin's own replay host, with what its fields make a browser load."""
    has_cookies: bool = False
    """Whether its cookies go out as well."""
    callbacks: tuple[str, str] = ("", "")
    """The callback the answer was captured with, and the one that is waiting for it."""

    def answer(self, request: Request, told: Callable[[], Fields]) -> Answer | Later:
        """The answer, with what is told of it beside; at once only where it is made in no time."""
        if not self.found.is_small:
            return Later(lambda: self._answered(request, self.delivery(), told))
        delivery = self.delivery()
        if delivery.is_long:
            return Later(lambda: self._answered(request, delivery, told))
        return self._answered(request, delivery, told)

    def delivery(self) -> Delivery:
        """What was archived."""
        return Delivery.of(holding_of(self.found))

    def _answered(self, request: Request, delivery: Delivery, told: Callable[[], Fields]) -> Answer:
        rewritten = self._rewritten(request, delivery)
        if (
            request.is_service_worker and rewritten is None
        ):  # it would run without the shim, and its pages without locks
            return text_answer(403, "this cannot be the script of a service worker")
        answer = rewritten or delivery.answer(
            request.method,
            request.headers.get("range", ""),
            request.headers.get("accept-encoding", ""),
            raw=self.rewriting is None,
        )
        answer.fields = [*told(), *answer.fields, *self._fields(delivery, answer)]
        answer.lock = Lock.ARCHIVED
        return answer

    def _rewritten(self, request: Request, delivery: Delivery) -> Answer | None:
        old, new = self.callbacks
        if self.rewriting is None:
            return None
        job = self.rewriting.job(delivery.content_type, request)
        if (job is None and not new) or delivery.status == _PARTIAL or delivery.is_told_only(request.method):
            return None
        start, rest = _parted(delivery.content())
        start = with_callback(start, old, new)
        made = job(start) if job else start
        fields = self.rewriting.declared(start, delivery.content_type) if self.is_at_home else []
        return Answer(delivery.status, fields, made if rest is None else chain((made,), rest))

    def _fields(self, delivery: Delivery, answer: Answer) -> Fields:
        headers = delivery.head.headers
        fields: Fields = []
        if delivery.content_type:
            fields.append(("Content-Type", delivery.content_type))
        if (target := redirects_to(self.found, delivery)) is not None and (place := self.moved(target)) is not None:
            fields.append(("Location", place))
            answer.status = delivery.status
        fields += describing(headers)
        if self.is_at_home:
            fields += cookies(headers) if self.has_cookies else []
            fields += self.rewriting.fields(headers) if self.rewriting else []
        fields.append(("Cache-Control", "no-cache"))
        return [*fields, *prefixed(headers)]


def _parted(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes] | None]:
    """A document's beginning, as far as links are renamed in it, and what follows; None where that is nothing.

    What follows goes out as it is: lock two holds for it as well.
    """
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > MOST_REWRITTEN:
            return b"".join(held), pieces
    return b"".join(held), None

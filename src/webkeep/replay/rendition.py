"""Renditions: an archived message made into an answer, as it was or with its links renamed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from webkeep.replay.archived_fields import cookies, describing, prefixed
from webkeep.replay.body import Delivery
from webkeep.replay.collection import Found, holding_of
from webkeep.replay.likeness import with_callback
from webkeep.replay.message import Answer, Fields, Later, Request
from webkeep.replay.rewriting import Rewriting
from webkeep.url import resolve

_LONGEST_LOCATION = 8 * 1024
_REWRITTEN = 32 << 20
"""Longer documents go out as they are: lock two holds for them as well."""

_REDIRECTIONS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Rendition:
    """What is to be shown, and how."""

    found: Found
    locks: tuple[tuple[str, str], ...]
    moved: Callable[[str], str | None]
    """Where the target of a redirection is found; None where it is nowhere."""
    rewriting: Rewriting | None = None
    """How links are renamed; None for raw bytes."""
    is_at_home: bool = False
    """Whether it goes out on its origin's own replay host, with its cookies and what its fields make a browser load."""
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
        answer = self._rewritten(request, delivery) or delivery.answer(
            request.method,
            request.headers.get("range", ""),
            request.headers.get("accept-encoding", ""),
            raw=self.rewriting is None,
        )
        answer.fields = [*told(), *answer.fields, *self._fields(delivery, answer)]
        return answer

    def redirects_to(self, delivery: Delivery) -> str | None:
        """The URL that an archived redirection leads to."""
        location = delivery.head.headers.get("location")
        if delivery.status not in _REDIRECTIONS or not location or len(location) > _LONGEST_LOCATION:
            return None
        return resolve(self.found.entry.url, location)

    def _rewritten(self, request: Request, delivery: Delivery) -> Answer | None:
        old, new = self.callbacks
        if self.rewriting is None:
            return None
        job = self.rewriting.job(delivery.content_type, request)
        if (job is None and not new) or delivery.holding.body.size > _REWRITTEN or delivery.status == 206:
            return None
        content = b"".join(delivery.content(_REWRITTEN + 1))
        if len(content) > _REWRITTEN:
            return None
        content = with_callback(content, old, new)
        return Answer(delivery.status, [], job(content) if job else content)

    def _fields(self, delivery: Delivery, answer: Answer) -> Fields:
        headers = delivery.head.headers
        fields: Fields = []
        if delivery.content_type:
            fields.append(("Content-Type", delivery.content_type))
        if (target := self.redirects_to(delivery)) is not None and (place := self.moved(target)) is not None:
            fields.append(("Location", place))
            answer.status = delivery.status
        fields += describing(headers)
        if self.is_at_home:
            fields += cookies(headers)
            fields += self.rewriting.fields(headers) if self.rewriting else []
        fields.append(("Cache-Control", "no-cache"))
        return [*fields, *self.locks, *prefixed(headers)]

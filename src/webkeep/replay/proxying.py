"""Proxy mode: archived sites under their very addresses, to a browser whose proxy this is; nothing is rewritten.

Whatever the browser asks for is asked of the archive, so that nothing can get out; what is not held is missing.
"""

from __future__ import annotations

import re

from webkeep.errors import UsageError
from webkeep.formats.post_key import post_query
from webkeep.memento import memento_fields, read_accept_datetime
from webkeep.model import Headers, Moment
from webkeep.replay.archived_fields import PREFIX, prefixed, within_bounds
from webkeep.replay.body import Delivery
from webkeep.replay.choosing import Part, fitting_part
from webkeep.replay.collection import Found, Wish, holding_of
from webkeep.replay.context import Context
from webkeep.replay.likeness import likeness, with_callback
from webkeep.replay.locks import REFERRING
from webkeep.replay.message import Answer, Fields, Later, Lock, Request, text_answer
from webkeep.replay.missing import absent
from webkeep.replay.redirections import past_redirection
from webkeep.replay.socket_player import SocketPlayer, acceptance
from webkeep.replay.socket_search import recorded_socket
from webkeep.replay.stretches import stretch_for
from webkeep.url import normal

# What describes the answer to a browser, and what a page says of itself. Nothing that outlasts the look into the past
# (reports, pins, hints, other servers), and nothing that concerns a connection or is answered anew here.
_PASSED = frozenset(
    {
        "content-type", "content-language", "content-disposition", "content-location", "last-modified", "location",
        "refresh", "link", "set-cookie", "retry-after", "allow", "server", "sourcemap", "timing-allow-origin",
        "content-security-policy", "referrer-policy", "permissions-policy", "feature-policy", "service-worker-allowed",
        "cross-origin-opener-policy", "cross-origin-embedder-policy", "cross-origin-resource-policy", "document-policy",
        "access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-methods",
        "access-control-allow-headers", "access-control-expose-headers", "access-control-max-age",
    }
)  # fmt: skip


_ORIGINAL = PREFIX.lower()
_IS_PLAIN = re.compile(r"[\w .,;:=+()\"'*?!$-]*").fullmatch
_PAGES = frozenset({"document", "iframe", "frame"})


class Proxying:
    """Answers a browser for the whole archived web, as of one moment or the one it asks for."""

    def __init__(self, context: Context, moment: Moment | None) -> None:
        self._context = context
        self._moment = moment

    def answer(self, origin: str, request: Request) -> Answer | Later:
        """Show what is held; `origin` is that of the tunnel the request came through, if it did."""
        # In a tunnel nobody gives a password again: whoever opened it has.
        refusal = None if origin else self.refusal(request.client, request.headers.get("proxy-authorization", ""))
        if refusal is not None:
            return refusal
        wish = self._wish(origin, request)
        if request.is_upgrade:
            return Later(lambda: self._socket(request, wish))
        if self._context.looker.access.rules:  # then it may take a look at many versions to find one to show
            return Later(lambda: self._found(request, wish))
        found = self._context.looker.nearest(wish)
        if found is None or not found.is_small:
            return Later(lambda: self._found(request, wish))
        return self._chosen(request, wish, found)

    def _found(self, request: Request, wish: Wish) -> Answer:
        """What answers a wish, by likeness where nothing does to the letter; to find out may take a while."""
        found = self._context.looker.nearest(wish)
        if found is not None:
            return self._chosen(request, wish, found)
        alike = self._context.looker.alike(wish)
        return (
            self._absent(request, wish) if alike is None else self._chosen(request, wish, alike.found, alike.callback)
        )

    def _chosen(self, request: Request, wish: Wish, found: Found, callback: str = "") -> Answer:
        """The version among those of what was found that is to be shown; `callback` is what it was captured with."""
        looker = self._context.looker
        held = past_redirection(looker, wish, found)
        if held is None:
            return self._absent(request, wish)
        shown = stretch_for(looker, wish, held, request.headers.get("range", ""))
        asking = _asking(request, wish)
        part = None if asking is None else fitting_part(looker, wish, shown, asking)
        return self._shown(request, wish, shown if part is None else part.found, callback, part)

    def _absent(self, request: Request, wish: Wish) -> Answer:
        return absent(self._context, request, self._context.addresses, wish)

    def refusal(self, client: str, given: str) -> Answer | None:
        """The answer to a client that is not let in, by what it gave as Proxy-Authorization; None to one that is."""
        password = self._context.password
        return None if password is None else password.refusal(client, given, is_proxy=True)

    def _socket(self, request: Request, wish: Wish) -> Answer:
        """A WebSocket as it was recorded; without a recording it is refused, as one is whose server is gone."""
        recorded = recorded_socket(self._context.looker, f"ws{wish.url.removeprefix('http')}", wish.moment)
        key = request.headers.get("sec-websocket-key", "")
        if not recorded or not key:
            return text_answer(404, "no WebSocket of that name was recorded")
        fields = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", acceptance(key))]
        agreed = str(recorded["protocol"])
        offered = [each.strip() for each in request.headers.get("sec-websocket-protocol", "").split(",")]
        if agreed and agreed in offered:
            fields.append(("Sec-WebSocket-Protocol", agreed))
        return Answer(101, fields, then=lambda: SocketPlayer(recorded))

    def _wish(self, origin: str, request: Request) -> Wish:
        url = normal(f"{origin}{request.target}" if origin else request.target)
        if url is None or not url.startswith(("http://", "https://")):
            raise UsageError("this is a proxy; ask it for an address in full")
        post = post_query(request.method, request.headers.get("content-type", ""), request.body)
        wanted = request.headers.get("accept-datetime")
        moment = read_accept_datetime(wanted) if wanted else self._moment or self._context.clock.now()
        return Wish(url.partition("#")[0], moment, post, request.method)

    def _shown(self, request: Request, wish: Wish, found: Found, callback: str, part: Part | None) -> Answer:
        delivery = Delivery.of(holding_of(found))
        headers = request.headers
        answer = delivery.answer(request.method, headers.get("range", ""), headers.get("accept-encoding", ""))
        if callback and isinstance(answer.body, bytes):
            answer.body = with_callback(answer.body, callback, likeness(wish.url).callback)
        told = memento_fields(self._context.addresses, found.entry.url, self._context.looker.around(found))
        fits = [] if part is None else part.fields()
        answer.fields = [*answer.fields, *_passed(delivery.head.headers), *told, *fits, ("Cache-Control", "no-cache")]
        answer.lock = Lock.ARCHIVED
        return answer


def _asking(request: Request, wish: Wish) -> Wish | None:
    """The page that asks for a part of itself; None where a page is asked for, or nothing tells by which."""
    told = request.headers.get("referer", "")
    # Requests over http do not say what they are for, but for a page a browser wants HTML.
    destination = request.headers.get("sec-fetch-dest", "")
    if not told or destination in _PAGES or "text/html" in request.headers.get("accept", ""):
        return None
    referrer = normal(told)
    return None if referrer is None else Wish(referrer.partition("#")[0], wish.moment)


def _passed(headers: Headers) -> Fields:
    """The archived fields that mean here what they meant, and those that only scripts know; others with a prefix.

    Where a page does not say otherwise its parts are asked for with its whole address, which tells what fits together.
    """
    kept = [field for field in headers.fields if _is_passed(*field)]
    others = Headers(tuple(field for field in headers.fields if not _is_passed(*field)))
    return [*within_bounds(kept), *prefixed(others), *([] if "referrer-policy" in headers else [REFERRING])]


def _is_passed(name: str, value: str) -> bool:
    """Whether a field goes out under its own name: it is known to be harmless, or means something to scripts alone.

    Fields that have a server on the way answer with something else name it, by a path or an address.
    """
    lowered = name.lower()
    if lowered in _PASSED:
        return True
    return lowered.startswith("x-") and not lowered.startswith((_ORIGINAL, "x-accel-")) and _IS_PLAIN(value) is not None

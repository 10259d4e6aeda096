"""The server under the names of archived origins: all there is archived content, as of the moment in the name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.formats.post_key import post_query
from webkeep.memento import absent_fields, memento_fields
from webkeep.model import Moment
from webkeep.replay.choosing import Part, fitting_part
from webkeep.replay.collection import Found, Wish
from webkeep.replay.context import Context
from webkeep.replay.likeness import likeness
from webkeep.replay.locks import LockFields, obeys_allowlist, replay_locks
from webkeep.replay.message import Answer, Fields, Later, Request, text_answer
from webkeep.replay.missing import absent, too_far
from webkeep.replay.occurrences import HEADER as OCCURRENCE
from webkeep.replay.occurrences import occurrence_for
from webkeep.replay.own_paths import own_answer
from webkeep.replay.redirections import past_redirection
from webkeep.replay.rendition import Rendition
from webkeep.replay.rewriting import Rewriting, ScriptHome
from webkeep.replay.sharing import sharing
from webkeep.replay.shim import OWN_PATH, ReplayHost, replay_edits, shim_tag
from webkeep.replay.stretches import stretch_for
from webkeep.rewrite import HtmlEdits
from webkeep.url import normal, split

_DAY = 86400
_PAGES = frozenset({"document", "iframe", "frame", ""})


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown for a wish."""

    wish: Wish
    found: Found
    part: Part | None
    callback: str

    def fields(self) -> Fields:
        """How it fits the page it is part of."""
        return [] if self.part is None else self.part.fields()


class Replaying:
    """Answers what is asked of archived origins."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def answer(self, request: Request, host: ReplayHost) -> Answer | Later:
        """Find the version that is meant, and show it."""
        if request.method == "OPTIONS":
            return Answer(204, [*sharing(self._context.front, request), ("Access-Control-Max-Age", "600")])
        origin = host.origin or self._context.origins.of_hash(host.origin_hash)
        if not origin:
            return text_answer(404, "no origin of that name is held here")
        if request.target.startswith(OWN_PATH):
            return own_answer(self._context, request, host)
        wish = self._wish(request, host, origin)
        found = self._context.looker.nearest(wish)
        if found is not None:
            found = past_redirection(self._context.looker, wish, found)
        if found is None:
            return Later(lambda: self._alike(request, host, origin, wish))
        return self._chosen(request, host, origin, wish, found)

    def _alike(self, request: Request, host: ReplayHost, origin: str, wish: Wish) -> Answer:
        """What answers a wish that nothing answers to the letter; to find out takes a while."""
        alike = self._context.looker.alike(wish)
        if alike is None:
            return self._absent(request, wish)
        answer = self._chosen(request, host, origin, wish, alike.found, alike.callback)
        return answer.make() if isinstance(answer, Later) else answer

    def _chosen(
        self, request: Request, host: ReplayHost, origin: str, wish: Wish, found: Found, callback: str = ""
    ) -> Answer | Later:
        """The version among those of what was found that is to be shown; `callback` is what it was captured with."""
        found = occurrence_for(self._context.looker, found, request)
        found = stretch_for(self._context.looker, wish, found, request.headers.get("range", ""))
        part = self._part(request, wish, found) if OCCURRENCE not in request.headers else None
        shown = _Shown(wish, part.found if part else found, part, callback)
        if host.within_days is not None and self._is_too_far(request, shown, host.within_days):
            return self._absent(request, wish, too_far(wish, host.within_days))
        if not shown.found.entry.url.startswith(f"{origin}/") and _origin(shown.found.entry.url) != origin:
            return self._elsewhere(request, host, shown.found)
        return self._shown(request, host, origin, shown)

    def _elsewhere(self, request: Request, host: ReplayHost, found: Found) -> Answer:
        """The way to what is held under a like name (`www.` or not, http or https): no host shows another's content."""
        naming = self._context.front.naming(host.stamp, host.set_clock, host.within_days)
        place = naming.address(normal(found.entry.url) or found.entry.url)
        links = absent_fields(self._context.addresses, found.entry.url, is_timegate=False)
        fields = [*links, *sharing(self._context.front, request)]
        return Answer(307, [("Location", place or "about:blank"), *fields])

    def _is_too_far(self, request: Request, shown: _Shown, days: int) -> bool:
        """Whether a part of a page lies further from it than the reader allowed; a page itself is never too far."""
        if request.headers.get("sec-fetch-dest", "document") == "document":
            return False
        return abs(shown.found.entry.moment.seconds_since(shown.wish.moment)) > days * _DAY

    def _part(self, request: Request, wish: Wish, found: Found) -> Part | None:
        """The version that fits the page which asks for it; None where that is not known, or there is no choice."""
        if request.headers.get("sec-fetch-dest", "") in _PAGES:
            return None
        asking = self._asking(request)
        return None if asking is None else fitting_part(self._context.looker, wish, found, asking)

    def _asking(self, request: Request) -> Wish | None:
        """The page that a request comes from, as of the moment that it is shown at."""
        told = request.headers.get("referer", "")
        referrer = normal(told) if told else None
        if referrer is None or not referrer.startswith(("http://", "https://")):
            return None
        parts = split(referrer)
        host = self._context.front.replayed(parts.authority)
        if host is None or not host.origin:
            return None
        url = normal(host.origin + parts.target)
        return None if url is None else Wish(url, _moment(host.stamp))

    def _wish(self, request: Request, host: ReplayHost, origin: str) -> Wish:
        url = normal(origin + request.target)
        if url is None or not request.target.startswith("/"):
            raise UsageError("this is no address that could have been archived")
        post = post_query(request.method, request.headers.get("content-type", ""), request.body)
        return Wish(url, _moment(host.stamp), post, request.method)

    def _shown(self, request: Request, host: ReplayHost, origin: str, shown: _Shown) -> Answer | Later:
        context, found = self._context, shown.found
        naming = context.front.naming(host.stamp, host.set_clock, host.within_days)
        wanted = likeness(shown.wish.url).callback if shown.callback else ""
        own_origin = f"{context.front.scheme}://{request.host}"

        def told() -> Fields:
            memento = memento_fields(context.addresses, found.entry.url, context.looker.around(found))
            exact = ("Content-Location", context.addresses.memento(found.entry.url, found.entry.moment))
            return [*memento, exact, *shown.fields(), *sharing(context.front, request, found)]

        rewriting = Rewriting(
            found.entry.url,
            naming,
            _page_edits(own_origin, origin, _around(context, request), context.front.has_cookies),
            named_hosts_only=True,
            home=ScriptHome(own_origin, origin, dict(_locks(context, request)), context.front.has_cookies),
        )
        callbacks = shown.callback, wanted
        rendition = Rendition(found, naming.address, rewriting, True, context.front.has_cookies, callbacks)
        return rendition.answer(request, told)

    def _absent(self, request: Request, wish: Wish, why: str = "") -> Answer:
        answer = absent(self._context, request, self._context.addresses, wish, why=why)
        answer.fields = [*answer.fields, *sharing(self._context.front, request)]
        return answer


def _locks(context: Context, request: Request) -> LockFields:
    """The locks of what a service worker makes up."""
    return replay_locks(context.front, obeys_allowlist(request.headers.get("sec-ch-ua", "")))


@lru_cache(1024)
def _moment(stamp: str) -> Moment:
    return Moment.parse(stamp)


@lru_cache(256)
def _page_edits(own_origin: str, archived_origin: str, control: str, has_cookies: bool) -> HtmlEdits:
    return replay_edits(shim_tag(own_origin, archived_origin, control, has_cookies))


def _origin(url: str) -> str:
    href = normal(url)
    return split(href).origin if href is not None else ""


def _around(context: Context, request: Request) -> str:
    """The control page that a page may be framed by, which wants to be told where the reader is."""
    return context.front.root if request.headers.get("sec-fetch-dest") == "iframe" else ""

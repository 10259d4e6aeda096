"""The server under its own name: the protocols of Memento and CDX, and the pages beside them.

Archived content comes here only as what it is to programs. A browser that goes to a URI-M is sent on to the replay
host, and whoever shows the content as a page all the same gets one without scripts and without an origin.
"""

from __future__ import annotations

from collections.abc import Iterable

from webkeep.errors import UsageError
from webkeep.memento import (
    Addresses,
    MementoAddress,
    View,
    absent_fields,
    direct_fields,
    memento_fields,
    read_accept_datetime,
    read_memento_path,
    read_timemap_path,
    read_url,
    redirecting_fields,
)
from webkeep.model import Moment
from webkeep.replay.cdx import cdx
from webkeep.replay.collection import Found, Wish
from webkeep.replay.context import Context
from webkeep.replay.message import Answer, Later, Request, text_answer
from webkeep.replay.missing import absent
from webkeep.replay.rendition import Rendition
from webkeep.replay.rewriting import PLAIN, Rewriting
from webkeep.replay.timemaps import timemap
from webkeep.url import normal

_READS = ("GET", "HEAD")
_PAGES = frozenset({"document", "iframe", "frame"})


class Control:
    """Answers what is asked of the server itself."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def answer(self, request: Request) -> Answer | Later:
        """Find out what is wanted, and give it."""
        if request.is_service_worker:
            return text_answer(403, "no service worker runs here")
        # Other archives have their TimeMaps below /web/, and clients that know one know no better.
        target = request.target.removeprefix("/web") if request.target.startswith("/web/timemap/") else request.target
        addresses = Addresses(f"{self._context.front.scheme}://{request.host}")
        if target.startswith("/web/"):
            return self._memento(request, addresses, target[5:])
        if target.startswith("/timegate/"):
            return self._reading(request) or self._direct(request, addresses, read_url(target[10:]))
        if target.startswith("/timemap/"):
            asked = read_timemap_path(target[9:])
            return self._reading(request) or Later(lambda: timemap(self._context, addresses, asked))
        if request.path in ("/cdx", "/cdx/", "/cdx/search/cdx"):
            query = request.query
            return self._reading(request) or Later(lambda: cdx(self._context, query))
        return self._context.pages.answer(request)

    def _reading(self, request: Request) -> Answer | None:
        return None if request.method in _READS else _refused()

    def _memento(self, request: Request, addresses: Addresses, rest: str) -> Answer | Later:
        asked = read_memento_path(rest)
        if asked.moment is None:
            return self._reading(request) or self._redirecting(request, addresses, asked)
        wish = Wish(asked.url, asked.moment)
        found = self._context.looker.nearest(wish)
        if found is None:
            return absent(self._context, request, addresses, wish)
        if not _is_exact(found, wish):
            exact = addresses.memento(found.entry.url, found.entry.moment, asked.view)
            return Answer(302, [("Location", exact), *_links(self._context, addresses, found)])
        if request.method not in _READS:  # a memento keeps its datetime whatever is asked of it (RFC 7089, 2.1.1)
            return _refused(memento_fields(addresses, found.entry.url, self._context.looker.around(found)))
        if asked.view is not View.RAW and request.headers.get("sec-fetch-dest") in _PAGES:
            return self._sent_on(addresses, found)
        return self._shown(request, addresses, found, asked.view)

    def _sent_on(self, addresses: Addresses, found: Found) -> Answer:
        naming = self._context.front.naming(found.entry.moment.digits())
        place = naming.address(normal(found.entry.url) or found.entry.url)
        if place is None:
            return text_answer(404, "this cannot be shown as a page")
        return Answer(302, [("Location", place), ("Vary", "Sec-Fetch-Dest"), *_links(self._context, addresses, found)])

    def _shown(self, request: Request, addresses: Addresses, found: Found, view: View) -> Answer | Later:
        def told() -> list[tuple[str, str]]:
            return memento_fields(addresses, found.entry.url, self._context.looker.around(found))

        return self._rendition(addresses, found, view).answer(request, told)

    def _rendition(self, addresses: Addresses, found: Found, view: View) -> Rendition:
        entry, front = found.entry, self._context.front
        rewriting = Rewriting(entry.url, front.naming(entry.moment.digits()), PLAIN, named_hosts_only=False)
        return Rendition(
            found,
            lambda url: addresses.memento(url, entry.moment, view),
            None if view is View.RAW else rewriting,
        )

    def _redirecting(self, request: Request, addresses: Addresses, asked: MementoAddress) -> Answer:
        """The TimeGate that redirects."""
        moment = self._wanted_moment(request, addresses, asked.url)
        if isinstance(moment, Answer):
            return moment
        wish = Wish(asked.url, moment)
        found = self._context.looker.nearest(wish)
        if found is None:
            return absent(self._context, request, addresses, wish, is_timegate=True)
        around = self._context.looker.around(found)
        fields = redirecting_fields(addresses, found.entry.url, around)
        if asked.view is not View.REPLAY:
            exact = addresses.memento(found.entry.url, found.entry.moment, asked.view)
            fields = [(name, exact if name == "Location" else value) for name, value in fields]
        return Answer(302, fields)

    def _direct(self, request: Request, addresses: Addresses, url: str) -> Answer | Later:
        """The TimeGate that answers with the memento itself."""
        moment = self._wanted_moment(request, addresses, url)
        if isinstance(moment, Answer):
            return moment
        wish = Wish(url, moment)
        found = self._context.looker.nearest(wish)
        if found is None:
            return absent(self._context, request, addresses, wish, is_timegate=True)
        chosen = found

        def told() -> list[tuple[str, str]]:
            return direct_fields(addresses, chosen.entry.url, self._context.looker.around(chosen))

        return self._rendition(addresses, chosen, View.REPLAY).answer(request, told)

    def _wanted_moment(self, request: Request, addresses: Addresses, url: str) -> Moment | Answer:
        """The moment that is negotiated for, or a TimeGate's answer that none can be read (RFC 7089, 4.5.3)."""
        wanted = request.headers.get("accept-datetime")
        try:
            return self._context.clock.now() if wanted is None else read_accept_datetime(wanted)
        except UsageError as error:
            return text_answer(400, str(error), absent_fields(addresses, url, is_timegate=True))


def _refused(fields: Iterable[tuple[str, str]] = ()) -> Answer:
    return text_answer(405, "this can only be read", [("Allow", ", ".join(_READS)), *fields])


def _links(context: Context, addresses: Addresses, found: Found) -> list[tuple[str, str]]:
    """The links of a memento without its date, for an answer that is none itself."""
    fields = memento_fields(addresses, found.entry.url, context.looker.around(found))
    return [field for field in fields if field[0] == "Link"]


def _is_exact(found: Found, wish: Wish) -> bool:
    """Whether a URI-M names this memento and no other."""
    url = found.entry.url
    same_url = url == wish.url or normal(url.partition("#")[0]) == wish.url
    return same_url and found.entry.moment.micros // 1_000_000 == wish.moment.micros // 1_000_000

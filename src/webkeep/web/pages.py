"""The pages beside replay, by their paths."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from itertools import islice, takewhile

from webkeep.document import is_frameset
from webkeep.formats.content_type import charset
from webkeep.memento import APART, read_memento_path, read_url
from webkeep.model import Headers, Moment
from webkeep.replay.absence import absence_of
from webkeep.replay.choosing import capture_of
from webkeep.replay.collection import Collection, Found, Wish
from webkeep.replay.context import Missing
from webkeep.replay.front import Front
from webkeep.replay.looking import Looker
from webkeep.replay.message import Answer, Later, Lock, Request, text_answer, told_type
from webkeep.replay.plan import ServePlan
from webkeep.replay.states import state_place, states_of
from webkeep.url import normal, surt
from webkeep.web.figures import ArchiveFigures, Remembered, archive_figures, certificate
from webkeep.web.frame import ASSETS, asset, document, page_answer
from webkeep.web.history import LISTED, History, history_page
from webkeep.web.home import home_page
from webkeep.web.markup import element
from webkeep.web.missing import missing_page
from webkeep.web.parts import parts_facts, parts_of
from webkeep.web.searching import addresses_like, pages_with, search_page
from webkeep.web.view import read_view_path, view_page
from webkeep.web.words import WordIndex

_YEAR = re.compile(r"([0-9]{4})/(?=\S)")
_FRESH = 20.0
_LOOKED_AT = 256 * 1024
_READS = ("GET", "HEAD")


class ArchivePages:
    """Answers with pages."""

    def __init__(self, plan: ServePlan, collection: Collection, front: Front, looker: Looker) -> None:
        self._plan = plan
        self._collection = collection
        self._front = front
        self._looker = looker
        self._figures = Remembered(self._added_up, _FRESH, self._taken_down)
        self._words = [WordIndex(archive.layout.reports / "words.sqlite") for archive in collection.archives]

    def answer(self, request: Request) -> Answer | Later:
        """The page at a path; pages only show, so that nothing but reading is answered."""
        if request.method not in _READS:
            return text_answer(405, "this can only be read", [("Allow", ", ".join(_READS))])
        if request.host != self._front.authority:
            # One name for all pages, so that the policies which name it hold.
            return Answer(302, [("Location", f"{self._front.root}{request.target}")])
        path = request.path
        if path == "/":
            return Later(lambda: page_answer(self._front, home_page(self._figures.get())))
        if path == "/search":
            return Later(lambda: self._search(request))
        for start, make in (("/history/", self._history), ("/view/", self._view), ("/parts/", self._parts)):
            if request.target.startswith(start):
                return Later(partial(make, request.target.removeprefix(start)))
        if path.startswith("/assets/") and path[8:] in ASSETS:
            return _asset(path[8:])
        return page_answer(self._front, document("No such page", element("h1", "There is no such page")), 404)

    def missing(self, missing: Missing) -> Answer:
        """The page that says that something is missing, fit to stand on any host."""
        name = self._plan.names[0] if self._plan.names else "ARCHIVE"
        page = missing_page(missing, self._front.root, name, self._plan.elsewhere)
        fields = [*told_type("text/html; charset=utf-8"), ("Cache-Control", "no-cache")]
        return Answer(missing.absence.status, fields, page, lock=Lock.NOTICE)

    def _missing(self, wish: Wish, moment: Moment | None) -> Answer:
        return self.missing(Missing(wish.url, moment, absence_of(self._looker, wish)))

    def _added_up(self) -> list[ArchiveFigures]:
        return [archive_figures(archive, archive.name, self._looker) for archive in self._collection.archives]

    def _taken_down(self) -> list[int]:
        """How much was taken down: what is told of the rest must follow at once."""
        return [archive.catalog.ledger.tombstone_count() for archive in self._collection.archives]

    def _search(self, request: Request) -> Answer:
        query = request.parameter("q")[:2000]
        hits = pages_with(self._words, self._looker, query)
        complete = all(words.is_complete for words in self._words)
        found = addresses_like(self._collection, self._looker, query)
        return page_answer(self._front, search_page(query, found, hits, complete))

    def _history(self, rest: str) -> Answer:
        match = _YEAR.match(rest)
        url = read_url(rest[match.end() :] if match else rest)
        days = self._days(surt(url))
        if not days:
            return self._missing(Wish(url, self._looker.clock.now()), None)
        year = match[1] if match else max(days)[:4]
        versions = takewhile(
            lambda found: found.entry.moment.digits().startswith(year),
            self._looker.mementos(surt(url), Moment.parse(year)),
        )
        before = self._digest_before(surt(url), Moment.parse(year))
        history = History(url, days, int(year), list(islice(versions, LISTED)), before)
        return page_answer(self._front, history_page(history))

    def _digest_before(self, key: str, moment: Moment) -> str:
        """The digest of the last version before a moment, where that may be seen."""
        last = self._collection.last(key, moment)
        is_seen = last is not None and self._looker.access.shows(key, last.moment, self._looker.clock.now())
        return last.digest if last is not None and is_seen else ""

    def _days(self, key: str) -> Counter[str]:
        """How many versions each day has that may be seen, by its 8 digits."""
        return Counter(found.entry.moment.digits()[:8] for found in self._looker.mementos(key))

    def _found(self, rest: str) -> tuple[Wish, Found | None]:
        asked = read_memento_path(rest)
        wish = Wish(asked.url, asked.moment or self._looker.clock.now())
        return wish, self._looker.nearest(wish)

    def _view(self, rest: str) -> Answer:
        path, options = read_view_path(rest)
        wish, found = self._found(path)
        if found is None:
            return self._missing(wish, wish.moment)
        entry = found.entry
        naming = self._front.naming(entry.moment.digits(), options.set_clock, options.within_days)
        place = naming.address(normal(entry.url) or entry.url)
        if place is None:
            return page_answer(self._front, document("Not a page", element("h1", "This cannot be shown")), 404)
        told = certificate(found.archive, capture_of(found))
        around = self._looker.around(found)
        states = states_of(self._looker, found)
        if options.state and any(note.id == options.state for note in states):
            place = state_place(place, options.state)
        page = view_page(entry.url, around, place, told, options, _has_frames(found), states)
        return page_answer(self._front, page)

    def _parts(self, rest: str) -> Answer:
        wish, found = self._found(rest)
        if found is None:
            absence = absence_of(self._looker, wish)
            return text_answer(absence.status, f"{wish.url}: {absence.why or 'It is not held here.'}")
        told = json.dumps(parts_facts(parts_of(self._looker, found)))
        return Answer(200, [*told_type("application/json"), ("Cache-Control", "no-cache")], told.encode())


def _has_frames(found: Found) -> bool:
    """Whether a page is made of frames."""
    if not found.is_small:
        return False
    holding = found.read()
    headers = holding.head.headers if holding.head else Headers()
    return is_frameset(b"".join(holding.content(_LOOKED_AT)), charset(headers))


def _asset(name: str) -> Answer:
    fields = [*told_type(ASSETS[name]), ("Cache-Control", "no-cache"), APART]
    return Answer(200, [*fields, ("Cross-Origin-Resource-Policy", "cross-origin")], asset(name))

"""The pages beside replay, by their paths: home, search, history, view, parts and assets. Also how old the home page's
figures may be, and which pages count as framesets.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from itertools import islice, takewhile
from pathlib import PurePath

from webkeep.document import is_frameset
from webkeep.formats.http import declared_charset
from webkeep.memento import DO_NOT_NEGOTIATE, parse_archived_url, parse_memento_path
from webkeep.model import Headers, Moment
from webkeep.presentation.pages import element
from webkeep.quality.certificates import read_certificate_summary
from webkeep.replay.choice import Collection, Memento, MementoLookup, MementoQuery, capture_of, explain_absence
from webkeep.replay.endpoints import MissingMemento, ServePlan, page_states, state_url
from webkeep.replay.server import (
    DeferredResponse,
    Request,
    Response,
    SecurityClass,
    ServerName,
    content_type_fields,
    text_response,
)
from webkeep.replay.words import TextIndex
from webkeep.url import normalize_url, surt
from webkeep.web.archive_figures import ArchiveFigures, CachedValue, find_report, read_archive_figures
from webkeep.web.banner_page import ShownPage, parse_view_path, render_banner_page
from webkeep.web.home_page import render_home_page
from webkeep.web.missing_page import render_missing_page
from webkeep.web.page_embeds import find_page_embeds, page_embeds_facts
from webkeep.web.page_frame import ASSETS, page_response, read_asset, render_document, report_fields
from webkeep.web.search_page import render_search_page, search_pages, search_urls
from webkeep.web.version_calendar import MAX_VERSIONS_LISTED, VersionCalendar, render_calendar_page
from webkeep.web.version_changes import VersionChanges

_YEAR_PREFIX = re.compile(r"([0-9]{4})/(?=\S)")
_FIGURES_SECONDS = 20.0
"""How old the figures of the home page may be: adding up a large archive takes seconds."""
_MAX_FRAMESET_BYTES = 256 * 1024
"""A frameset stands at the start of a page; more is not read to see whether there is one."""
_READ_METHODS = ("GET", "HEAD")


class ArchivePages:
    """Answers with pages."""

    def __init__(self, plan: ServePlan, collection: Collection, server_name: ServerName, lookup: MementoLookup) -> None:
        self._plan = plan
        self._collection = collection
        self._server_name = server_name
        self._lookup = lookup
        self._changes = VersionChanges(lookup)
        self._figures = CachedValue(self._read_figures, _FIGURES_SECONDS, self._count_tombstones)
        self._text_indexes = [TextIndex(archive.layout.reports / "words.sqlite") for archive in collection.archives]

    def respond(self, request: Request) -> Response | DeferredResponse:
        """The page at a path; pages only show, so that nothing but reading is answered."""
        if request.method not in _READ_METHODS:
            return text_response(405, "this can only be read", [("Allow", ", ".join(_READ_METHODS))])
        if request.host != self._server_name.authority:
            # One name for all pages, so that the policies which name it hold.
            return Response(302, [("Location", f"{self._server_name.control_url}{request.target}")])
        path = request.path
        if path == "/":
            return DeferredResponse(lambda: page_response(self._server_name, render_home_page(self._figures.get())))
        if path.startswith("/report/"):
            return DeferredResponse(partial(self._report_response, path.removeprefix("/report/")))
        if path == "/search":
            return DeferredResponse(lambda: self._search_response(request))
        for start, make in (
            ("/history/", self._calendar_response),
            ("/view/", self._view_response),
            ("/parts/", self._parts_response),
        ):
            if request.target.startswith(start):
                return DeferredResponse(partial(make, request.target.removeprefix(start)))
        if path.startswith("/assets/") and path[8:] in ASSETS:
            return _asset_response(path[8:])
        return self._no_such_page()

    def missing_response(self, missing: MissingMemento) -> Response:
        """The page that says that something is missing, fit to stand on any host."""
        page = render_missing_page(missing, self._server_name.control_url, self._advised_name(), self._plan.elsewhere)
        fields = [*content_type_fields("text/html; charset=utf-8"), ("Cache-Control", "no-cache")]
        return Response(missing.absence.status, fields, page, security_class=SecurityClass.NOTICE)

    def _advised_name(self) -> str:
        """What the archive is called in advice: never where it lies on the machine, which is nobody else's affair."""
        name = PurePath(self._plan.names[0] if self._plan.names else "ARCHIVE")
        return name.name if name.is_absolute() else str(name)

    def _missing_response(self, query: MementoQuery, moment: Moment | None) -> Response:
        return self.missing_response(MissingMemento(query.url, moment, explain_absence(self._lookup, query)))

    def _read_figures(self) -> list[ArchiveFigures]:
        return [read_archive_figures(archive, archive.name, self._lookup) for archive in self._collection.archives]

    def _count_tombstones(self) -> list[int]:
        """How much was taken down: what is told of the rest must follow at once."""
        return [archive.catalog.log.tombstone_count() for archive in self._collection.archives]

    def _report_response(self, number: str) -> Response:
        """The report of an archive by its number among those served."""
        archives = self._collection.archives
        known = number.isascii() and number.isdecimal() and len(number) < 6 and int(number) < len(archives)
        path = find_report(archives[int(number)], self._lookup) if known else None
        if path is None:
            return self._no_such_page()
        return Response(200, report_fields(), path.read_bytes(), security_class=SecurityClass.OWN)

    def _no_such_page(self) -> Response:
        document = render_document("No such page", element("h1", "There is no such page"))
        return page_response(self._server_name, document, 404)

    def _search_response(self, request: Request) -> Response:
        query = request.parameter("q")[:2000]
        hits = search_pages(self._text_indexes, self._lookup, query)
        complete = all(words.is_complete for words in self._text_indexes)
        found = search_urls(self._collection, self._lookup, query)
        return page_response(self._server_name, render_search_page(query, found, hits, complete))

    def _calendar_response(self, rest: str) -> Response:
        match = _YEAR_PREFIX.match(rest)
        url = parse_archived_url(rest[match.end() :] if match else rest)
        days = self._count_by_day(surt(url))
        if not days:
            return self._missing_response(MementoQuery(url, self._lookup.clock.now()), None)
        year = match[1] if match else max(days)[:4]
        versions = takewhile(
            lambda found: found.entry.moment.digits().startswith(year),
            self._lookup.visible_mementos(surt(url), Moment.parse(year)),
        )
        before = self._digest_before(surt(url), Moment.parse(year))
        history = VersionCalendar(url, days, int(year), list(islice(versions, MAX_VERSIONS_LISTED)), before)
        return page_response(self._server_name, render_calendar_page(history))

    def _digest_before(self, key: str, moment: Moment) -> str:
        """The digest of the last version before a moment, where that may be seen."""
        last = self._collection.last_memento(key, moment)
        is_seen = last is not None and self._lookup.access.allows(key, last.moment, self._lookup.clock.now())
        return last.digest if last is not None and is_seen else ""

    def _count_by_day(self, key: str) -> Counter[str]:
        """How many versions each day has that may be seen, by its 8 digits."""
        return Counter(found.entry.moment.digits()[:8] for found in self._lookup.visible_mementos(key))

    def _find_memento(self, rest: str) -> tuple[MementoQuery, Memento | None]:
        asked = parse_memento_path(rest)
        query = MementoQuery(asked.url, asked.moment or self._lookup.clock.now())
        return query, self._lookup.nearest(query)

    def _view_response(self, rest: str) -> Response:
        path, options = parse_view_path(rest)
        query, found = self._find_memento(path)
        if found is None:
            return self._missing_response(query, query.moment)
        entry = found.entry
        naming = self._server_name.naming_at(entry.moment.digits(), options.set_clock, options.within_days)
        place = naming.replay_url(normalize_url(entry.url) or entry.url)
        if place is None:
            return page_response(
                self._server_name, render_document("Not a page", element("h1", "This cannot be shown")), 404
            )
        told = read_certificate_summary(found.archive, capture_of(found))
        around = self._lookup.neighbours(found)
        states = page_states(self._lookup, found)
        if options.state and any(note.id == options.state for note in states):
            place = state_url(place, options.state)
        shown = ShownPage(entry.url, place, told, _has_frameset(found), states)
        page = render_banner_page(shown, around, options)
        return page_response(self._server_name, page)

    def _parts_response(self, rest: str) -> Response:
        query, found = self._find_memento(rest)
        if found is None:
            absence = explain_absence(self._lookup, query)
            return text_response(absence.status, f"{query.url}: {absence.why or 'It is not held here.'}")
        facts = page_embeds_facts(find_page_embeds(self._lookup, found))
        change = self._changes.describe_change(found)
        told = json.dumps(facts | {"words": "; ".join(filter(None, (str(facts["words"]), change))), "change": change})
        return Response(200, [*content_type_fields("application/json"), ("Cache-Control", "no-cache")], told.encode())


def _has_frameset(found: Memento) -> bool:
    """Whether a page is made of frames."""
    if not found.is_small:
        return False
    stored = found.read()
    headers = stored.head.headers if stored.head else Headers()
    return is_frameset(b"".join(stored.content(_MAX_FRAMESET_BYTES)), declared_charset(headers))


def _asset_response(name: str) -> Response:
    fields = [*content_type_fields(ASSETS[name]), ("Cache-Control", "no-cache"), DO_NOT_NEGOTIATE]
    return Response(200, [*fields, ("Cross-Origin-Resource-Policy", "cross-origin")], read_asset(name))

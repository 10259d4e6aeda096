"""The survey: which pages of a capture there are to be run, and what they are made after."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.document.template import Template, template_of
from webkeep.document.values import Value, page_values
from webkeep.formats.content_type import charset
from webkeep.formats.state_note import ROOT
from webkeep.frontier.candidate import Role
from webkeep.model import Observation, Place, Visit
from webkeep.store.archive import Archive
from webkeep.store.job import JobBook
from webkeep.store.states import read_note, state_entries

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_FOUND = 200
_MOST_READ = 4 << 20
_PLAIN = Template(frozenset(), frozenset())


class Survey:
    """Goes through what a capture has stored, each time from where it stopped."""

    def __init__(self, archive: Archive, capture: str, book: JobBook, templates: bool) -> None:
        self._archive, self._capture, self._book, self._templates = archive, capture, book, templates
        self._beyond: Place | None = None
        self._seen = set(self._walked())
        self._places: dict[str, Place] = {}

    def _walked(self) -> Iterator[str]:
        """The pages that were walked before this capture was stopped."""
        for entry in state_entries(self._archive):
            if entry.url.endswith(f":{ROOT}"):
                note = read_note(self._archive, entry.place)
                if note.capture == self._capture:
                    yield note.page

    def pages(self) -> list[Observation]:
        """The pages that were stored since the last time."""
        found = []
        for observation in self._archive.observations(self._capture, self._beyond):
            self._beyond = observation.place
            if self._is_page(observation):
                self._seen.add(observation.url)
                if self._templates:
                    self._places[observation.url] = observation.place
                found.append(observation)
        return found

    def templates(self, pages: list[Observation]) -> list[tuple[str, Template]]:
        """The URLs of pages with their templates, where those are wanted; this may be called from another thread."""
        return [(each.url, self._template(each) if self._templates else _PLAIN) for each in pages]

    def _is_page(self, seen: Observation) -> bool:
        if seen.media_type not in _PAGES or seen.status != _FOUND or seen.method != "GET" or seen.url in self._seen:
            return False
        if seen.visit is Visit.REVISIT or not seen.url.startswith(("http:", "https:")):
            return False
        candidate = self._book.find(seen.url)
        return candidate is not None and candidate.role in (Role.SEED, Role.NAVIGATE)

    def _template(self, seen: Observation) -> Template:
        return template_of(*self._content(seen))

    def values(self, page: str) -> list[Value]:
        """The values that a page holds; this may be called from another thread."""
        place = self._places.get(page)
        seen = self._archive.catalog.observations.at(place.file, place.offset) if place is not None else None
        if seen is None:
            return []
        content, named = self._content(seen)
        return page_values(content, page, named)

    def _content(self, seen: Observation) -> tuple[bytes, str]:
        holding = self._archive.read(seen)
        named = charset(holding.head.headers) if holding.head is not None else ""
        return b"".join(holding.content(_MOST_READ)), named

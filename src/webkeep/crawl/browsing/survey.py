"""The survey: which pages of a capture there are to be run, and what they are made after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from webkeep.crawl.browsing.page_notes import PAGES, NotedPage, PageNotes
from webkeep.crawl.link_extraction import page_programs
from webkeep.document import read_text
from webkeep.document.template import Template, template_of
from webkeep.document.values import Value, page_values
from webkeep.extract.scripting import scripting_of
from webkeep.formats.content_type import charset
from webkeep.formats.state_note import ROOT
from webkeep.frontier.candidate import Role
from webkeep.model import Observation, Place, Visit
from webkeep.store.archive import Archive
from webkeep.store.job import JobBook
from webkeep.store.states import read_note, state_entries

_FOUND = 200
_MOST_READ = 4 << 20
_PLAIN = Template(frozenset(), frozenset())


class _Page(NamedTuple):
    seen: Observation
    is_seed: bool
    runs: bool
    """Whether it is known that something of it would run."""


class SurveyedPage(NamedTuple):
    """A page that may gain something by being run."""

    url: str
    template: Template
    is_seed: bool


class Survey:
    """Knows what a capture has stored, each time from where it was last asked."""

    def __init__(
        self,
        archive: Archive,
        capture: str,
        book: JobBook,
        notes: PageNotes,
        templates: bool = True,
        resumed: bool = False,
    ) -> None:
        """What is stored from now on is found in `notes`; `resumed` looks for what was stored before."""
        self._archive, self._capture, self._book = archive, capture, book
        self._notes, self._templates, self._resumed = notes, templates, resumed
        self._seen = set(self._walked())
        self._places: dict[str, Place] = {}

    def _walked(self) -> Iterator[str]:
        """The pages that were walked before this capture was stopped."""
        for entry in state_entries(self._archive):
            if entry.url.endswith(f":{ROOT}"):
                note = read_note(self._archive, entry.place)
                if note.capture == self._capture:
                    yield note.page

    @property
    def pending(self) -> int:
        """How many pages wait to be looked at."""
        return sum(1 for _ in self._pages(self._notes.waiting()))

    def pages(self) -> list[_Page]:
        """The pages that were stored since the last time and may gain something."""
        found = list(self._pages(self._notes.take()))
        self._resumed = False
        self._seen.update(page.seen.url for page in found)
        if self._templates:
            self._places.update((page.seen.url, page.seen.place) for page in found)
        return found

    def _pages(self, noted_now: Sequence[NotedPage]) -> Iterator[_Page]:
        known: set[str] = set()
        for noted in chain(self._past(), noted_now):
            if noted.url in self._seen or noted.url in known:
                continue
            seen = self._archive.observation_at(noted.place)
            role = self._role(noted.url)
            if seen is not None and role in (Role.SEED, Role.NAVIGATE) and self._is_page(seen):
                known.add(noted.url)
                yield _Page(seen, role is Role.SEED, noted.programs is not None)

    def _past(self) -> Iterator[NotedPage]:
        """What was stored before the capture was stopped."""
        if self._resumed:
            for seen in self._archive.observations(self._capture):
                if seen.media_type in PAGES:
                    yield NotedPage(seen.url, seen.place, None)

    def _role(self, url: str) -> Role | None:
        candidate = self._book.find(url)
        return None if candidate is None else candidate.role

    def _is_page(self, seen: Observation) -> bool:
        if seen.method != "GET" or seen.visit is Visit.REVISIT or not seen.url.startswith(("http:", "https:")):
            return False
        return seen.status == _FOUND and seen.media_type in PAGES

    def templates(self, pages: list[_Page]) -> list[SurveyedPage]:
        """Pages with their templates, where those are wanted; this may be called from another thread."""
        if not self._templates:
            return [SurveyedPage(page.seen.url, _PLAIN, page.is_seed) for page in pages]
        found = []
        for seen, is_seed, runs in pages:
            content = self._content(seen)
            if runs or self._notes.all_pages or self._runs(seen.url, *content):
                found.append(SurveyedPage(seen.url, template_of(*content), is_seed))
        return found

    def _runs(self, url: str, content: bytes, named: str) -> bool:
        programs = page_programs(url, scripting_of(read_text(content, named).text))
        return not self._notes.inert.issuperset(programs)

    def values(self, page: str) -> list[Value]:
        """The values that a page holds; this may be called from another thread."""
        place = self._places.get(page)
        seen = self._archive.observation_at(place) if place is not None else None
        if seen is None:
            return []
        content, named = self._content(seen)
        return page_values(content, page, named)

    def _content(self, seen: Observation) -> tuple[bytes, str]:
        holding = self._archive.read(seen)
        named = charset(holding.head.headers) if holding.head is not None else ""
        return b"".join(holding.content(_MOST_READ)), named

"""The survey: which stored pages may gain by being run in a browser (seeds and linked HTML pages that came with success
and were not walked before), and the template each is made after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from webkeep.crawl.links.link_extraction import page_programs
from webkeep.crawl.links.runnable_pages import PAGE_TYPES, RunnablePage, RunnablePages
from webkeep.crawl.run.capture_url_store import CaptureUrlStore
from webkeep.document import PageTemplate, PageValue, read_page_values, read_template, sniff_text
from webkeep.extract.inline import find_scripting
from webkeep.formats.http import declared_charset
from webkeep.formats.states import ROOT_STATE
from webkeep.formats.status import OK, is_error
from webkeep.frontier.urls import UrlRole
from webkeep.model import Observation, RecordPlace, VisitKind
from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note

_MAX_READ_BYTES = 4 << 20
"""So much of a page tells what it is made after."""
_NO_TEMPLATE = PageTemplate(frozenset(), frozenset())


class _Page(NamedTuple):
    seen: Observation
    is_seed: bool
    runs: bool
    """Whether it is known that something of it would run."""


class StoredPage(NamedTuple):
    """A page that may gain something by being run."""

    url: str
    template: PageTemplate
    is_seed: bool


class StoredPages:
    """Knows what a capture has stored, each time from where it was last asked."""

    def __init__(
        self,
        archive: Archive,
        capture: str,
        url_store: CaptureUrlStore,
        runnable_pages: RunnablePages,
        templates: bool = True,
        resumed: bool = False,
    ) -> None:
        """What is stored from now on is found in `runnable_pages`; `resumed` looks for what was stored before."""
        self._archive, self._capture, self._url_store = archive, capture, url_store
        self._runnable_pages, self._wants_templates, self._resumed = runnable_pages, templates, resumed
        self._seen = set(self._walked_pages())
        self._places: dict[str, RecordPlace] = {}

    def _walked_pages(self) -> Iterator[str]:
        """The pages that were walked before this capture was stopped."""
        for entry in find_state_entries(self._archive):
            if entry.url.endswith(f":{ROOT_STATE}"):
                note = read_state_note(self._archive, entry.place)
                if note.capture == self._capture:
                    yield note.page

    @property
    def pending_count(self) -> int:
        """How many pages wait to be looked at."""
        return sum(1 for _ in self._find_pages(self._runnable_pages.pending()))

    def take_pages(self) -> list[_Page]:
        """The pages that were stored since the last time and may gain something."""
        found = list(self._find_pages(self._runnable_pages.take()))
        self._resumed = False
        self._seen.update(page.seen.url for page in found)
        if self._wants_templates:
            self._places.update((page.seen.url, page.seen.place) for page in found)
        return found

    def _find_pages(self, noted_now: Sequence[RunnablePage]) -> Iterator[_Page]:
        known: set[str] = set()
        for noted in chain(self._earlier_pages(), noted_now):
            if noted.url in self._seen or noted.url in known:
                continue
            seen = self._archive.observation_at(noted.place)
            role = self._role_of(noted.url)
            if seen is not None and role in (UrlRole.SEED, UrlRole.NAVIGATE) and self._is_page(seen, role):
                known.add(noted.url)
                yield _Page(seen, role is UrlRole.SEED, noted.programs is not None)

    def _earlier_pages(self) -> Iterator[RunnablePage]:
        """What was stored before the capture was stopped."""
        if self._resumed:
            for seen in self._archive.observations(self._capture):
                if seen.media_type in PAGE_TYPES:
                    yield RunnablePage(seen.url, seen.place, None)

    def _role_of(self, url: str) -> UrlRole | None:
        candidate = self._url_store.find(url)
        return None if candidate is None else candidate.role

    def _is_page(self, seen: Observation, role: UrlRole) -> bool:
        if seen.method != "GET" or seen.visit is VisitKind.REVISIT or not seen.url.startswith(("http:", "https:")):
            return False
        if self._runnable_pages.all_seeds and role is UrlRole.SEED:
            return seen.status == OK or is_error(seen.status)
        return seen.status == OK and seen.media_type in PAGE_TYPES

    def read_templates(self, pages: list[_Page]) -> list[StoredPage]:
        """Pages with their templates, where those are wanted; this may be called from another thread."""
        if not self._wants_templates:
            return [StoredPage(page.seen.url, _NO_TEMPLATE, page.is_seed) for page in pages]
        found = []
        for seen, is_seed, runs in pages:
            content = self._read_content(seen)
            if runs or self._runnable_pages.all_pages or self._has_programs(seen.url, *content):
                found.append(StoredPage(seen.url, read_template(*content), is_seed))
        return found

    def _has_programs(self, url: str, content: bytes, named: str) -> bool:
        programs = page_programs(url, find_scripting(sniff_text(content, named).text))
        return not self._runnable_pages.inert_scripts.issuperset(programs)

    def read_values(self, page: str) -> list[PageValue]:
        """The values that a page holds; this may be called from another thread."""
        place = self._places.get(page)
        seen = self._archive.observation_at(place) if place is not None else None
        if seen is None:
            return []
        content, named = self._read_content(seen)
        return read_page_values(content, page, named)

    def _read_content(self, seen: Observation) -> tuple[bytes, str]:
        stored = self._archive.read(seen)
        named = declared_charset(stored.head.headers) if stored.head is not None else ""
        return b"".join(stored.content(_MAX_READ_BYTES)), named

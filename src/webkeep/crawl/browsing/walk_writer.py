"""Keeping a walk: the notes of its views, renditions (screenshot, text, DOM) where they are wanted and the names they
are stored under, and which of its links go to the frontier.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, replace

from webkeep.browser import PageView, StateWalk
from webkeep.browser.portraits import PagePortrait
from webkeep.browser.walk import PageState, find_states
from webkeep.crawl.browsing.browser_requests import BROWSER_SOURCE, BrowserRequests
from webkeep.crawl.browsing.portrait_records import portrait_parts
from webkeep.crawl.browsing.walk_notes import failure_note, state_notes_of
from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.formats.states import (
    FULL_PAGE_PREFIX,
    NO_PICTURE,
    ROOT_STATE,
    STATE_TYPE,
    TEXT_PREFIX,
    WINDOW_PREFIX,
    StateNote,
    rendition_urn,
)
from webkeep.model import BytesBody
from webkeep.redaction import Redactor
from webkeep.store.archive import OpenCapture, WritableArchive
from webkeep.store.writing import Acknowledgement

_HTTP_SCHEMES = ("http:", "https:")


@dataclass(frozen=True, slots=True)
class WalkWriter:
    """Writes walks into a capture."""

    archive: WritableArchive
    capture: OpenCapture
    renditions: bool = False
    """Whether pictures, texts and documents of every view are kept as files of their own."""
    full_page: bool = False
    """Whether the pictures are of whole pages."""

    async def write(self, walk: StateWalk, fresh: Collection[str]) -> None:
        """Write the notes of a walk, and wait until they are on disk; `fresh` are URLs that it alone led to."""
        now = self.archive.clock.now()
        notes = await asyncio.to_thread(lambda: list(state_notes_of(walk, self.capture.id, now, fresh)))
        promises: list[Acknowledgement] = []
        if self.renditions:
            views = list(reversed(walk.views))
            notes = [_note_missing_picture(view, note) for view, note in zip(views, notes, strict=True)]
            for view, note in zip(views, notes, strict=True):
                promises += self._write_renditions(view, note)
        promises += [self._write_note(note) for note in notes]
        for promise in promises:
            await asyncio.to_thread(promise.result)

    async def write_portrait(self, page: str, portrait: PagePortrait | str, redactor: Redactor) -> None:
        """Write the portrait of a page, or why there is none, and wait until it is on disk."""
        now = self.archive.clock.now()
        parts = await asyncio.to_thread(portrait_parts, page, portrait, redactor)
        promises = [
            self.capture.submit_resource(address, now, kind, BytesBody(data), via=page)
            for address, kind, data in parts
            if data
        ]
        for promise in promises:
            await asyncio.to_thread(promise.result)

    def write_failure(self, page: str, reason: str) -> None:
        """Note that a page could not be run, so that it is not tried for ever."""
        self._write_note(failure_note(page, reason, self.capture.id, self.archive.clock.now()))

    def _write_note(self, note: StateNote) -> Acknowledgement:
        return self.archive.submit_metadata(self.capture.id, note.urn, STATE_TYPE, note.to_block())

    def _write_renditions(self, view: PageView, note: StateNote) -> list[Acknowledgement]:
        """What a person could see and read, and the document that it was made of."""
        text = view.text.encode("utf-8", "replace")
        parts = [
            (rendition_urn(note.page, note.id, "screenshot"), "image/png", view.screenshot),
            (rendition_urn(note.page, note.id, "text"), "text/plain; charset=utf-8", text),
            (
                rendition_urn(note.page, note.id, "dom"),
                "text/html; charset=utf-8",
                view.dom.encode("utf-8", "replace"),
            ),
            (rendition_urn(note.page, note.id, "uncovered"), "image/png", view.uncovered),
        ]
        if note.id == ROOT_STATE:
            # Under these names other viewers look for pictures and texts of pages; first, so that they hold the bytes.
            picture = f"{FULL_PAGE_PREFIX if self.full_page else WINDOW_PREFIX}{note.page}"
            parts[:0] = [(picture, "image/png", view.screenshot), (f"{TEXT_PREFIX}{note.page}", "text/plain", text)]
        return [
            self.capture.submit_resource(address, note.moment, kind, BytesBody(data), via=note.page)
            for address, kind, data in parts
            if data
        ]

    def add_links(self, page: str, walk: StateWalk, browser_requests: BrowserRequests) -> int:
        """Have links followed that a page showed as it ran; the answer is how many nothing had led to before."""
        found = {
            link.partition("#")[0]: Link(link.partition("#")[0], LinkRole.NAVIGATE, _link_source(view))
            for view in reversed(walk.views)
            for link in view.links
            if link.startswith(_HTTP_SCHEMES)
        }
        asked = {each.url for view in walk.views for each in view.requested}
        for url in {url for view in walk.views for url in view.referred} - asked:
            found.setdefault(
                url, Link(url, LinkRole.EMBED, BROWSER_SOURCE)
            )  # an icon, which browsers may or may not ask for
        for effects in (walk.loading, *(each.effects for each in walk.transitions)):
            for url in (*effects.popups, *effects.departures):
                if url.startswith(_HTTP_SCHEMES):
                    bare = url.partition("#")[0]
                    found.setdefault(bare, Link(bare, LinkRole.NAVIGATE, BROWSER_SOURCE))
        new = sum(not browser_requests.is_known_url(url) for url in found)
        browser_requests.add_links(page, list(found.values()))
        return new

    @staticmethod
    def states_of(walk: StateWalk) -> tuple[PageState, ...]:
        """The states of a walk."""
        return find_states(walk)


def _note_missing_picture(view: PageView, note: StateNote) -> StateNote:
    """A note that says why its view has no picture, where it has none."""
    return (
        note if view.screenshot else replace(note, comment={**note.comment, NO_PICTURE: _missing_picture_reason(note)})
    )


def _missing_picture_reason(note: StateNote) -> str:
    if note.id == ROOT_STATE:
        return "the browser made none"
    return "it was seen together with other views, and did not come again alone in the time there was"


def _link_source(view: PageView) -> str:
    """Where a link came from: the page as it ran, or what was done to it."""
    return BROWSER_SOURCE if not view.script else f"{BROWSER_SOURCE} after {len(view.script)} interactions"

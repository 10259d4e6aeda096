"""Keeping a walk: notes of its views, pictures and texts where they are wanted, its links for the frontier."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, replace

from webkeep.browser.machine import State, states
from webkeep.browser.values import View, Walk
from webkeep.crawl.browsing.notes import failed_note, notes_of
from webkeep.crawl.browsing.passages import SOURCE, Passages
from webkeep.extract import Link
from webkeep.extract import Role as LinkRole
from webkeep.formats.state_note import FULL_PAGE, NO_PICTURE, ROOT, STATE_TYPE, TEXT, WINDOW, StateNote, state_address
from webkeep.model import BytesBody
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.writable import OpenCapture, WritableArchive

_WEB = ("http:", "https:")


@dataclass(frozen=True, slots=True)
class Keeper:
    """Writes walks into a capture."""

    archive: WritableArchive
    capture: OpenCapture
    renditions: bool = False
    """Whether pictures, texts and documents of every view are kept as files of their own."""
    full_page: bool = False
    """Whether the pictures are of whole pages."""

    async def keep(self, walk: Walk, fresh: Collection[str]) -> None:
        """Write the notes of a walk, and wait until they are on disk; `fresh` are URLs that it alone led to."""
        now = self.archive.clock.now()
        notes = await asyncio.to_thread(lambda: list(notes_of(walk, self.capture.id, now, fresh)))
        promises: list[Acknowledgement] = []
        if self.renditions:
            views = list(reversed(walk.views))
            notes = [_with_missing_picture(view, note) for view, note in zip(views, notes, strict=True)]
            for view, note in zip(views, notes, strict=True):
                promises += self._renditions(view, note)
        promises += [self._note(note) for note in notes]
        for promise in promises:
            await asyncio.to_thread(promise.result)

    def failed(self, page: str, reason: str) -> None:
        """Note that a page could not be run, so that it is not tried for ever."""
        self._note(failed_note(page, reason, self.capture.id, self.archive.clock.now()))

    def _note(self, note: StateNote) -> Acknowledgement:
        return self.archive.note(self.capture.id, note.address, STATE_TYPE, note.block())

    def _renditions(self, view: View, note: StateNote) -> list[Acknowledgement]:
        """What a person could see and read, and the document that it was made of."""
        text = view.text.encode("utf-8", "replace")
        parts = [
            (rendition_address(note.page, note.id, "screenshot"), "image/png", view.screenshot),
            (rendition_address(note.page, note.id, "text"), "text/plain; charset=utf-8", text),
            (
                rendition_address(note.page, note.id, "dom"),
                "text/html; charset=utf-8",
                view.dom.encode("utf-8", "replace"),
            ),
        ]
        if note.id == ROOT:
            # Under these names other viewers look for pictures and texts of pages; first, so that they hold the bytes.
            picture = f"{FULL_PAGE if self.full_page else WINDOW}{note.page}"
            parts[:0] = [(picture, "image/png", view.screenshot), (f"{TEXT}{note.page}", "text/plain", text)]
        return [
            self.capture.submit_resource(address, note.moment, kind, BytesBody(data), via=note.page)
            for address, kind, data in parts
            if data
        ]

    def enter_links(self, page: str, walk: Walk, passages: Passages) -> int:
        """Have links followed that a page showed as it ran; the answer is how many nothing had led to before."""
        found = {
            link.partition("#")[0]: Link(link.partition("#")[0], LinkRole.NAVIGATE, _source(view))
            for view in reversed(walk.views)
            for link in view.links
            if link.startswith(_WEB)
        }
        asked = {each.url for view in walk.views for each in view.requested}
        for url in {url for view in walk.views for url in view.referred} - asked:
            found.setdefault(url, Link(url, LinkRole.EMBED, SOURCE))  # an icon, which browsers may or may not ask for
        for happenings in (walk.loading, *(each.happenings for each in walk.transitions)):
            for url in (*happenings.popups, *happenings.departures):
                if url.startswith(_WEB):
                    bare = url.partition("#")[0]
                    found.setdefault(bare, Link(bare, LinkRole.NAVIGATE, SOURCE))
        new = sum(not passages.is_known_page(url) for url in found)
        passages.discovered(page, list(found.values()))
        return new

    @staticmethod
    def states_of(walk: Walk) -> tuple[State, ...]:
        """The states of a walk."""
        return states(walk)


def _with_missing_picture(view: View, note: StateNote) -> StateNote:
    """A note that says why its view has no picture, where it has none."""
    return note if view.screenshot else replace(note, comment={**note.comment, NO_PICTURE: _why_no_picture(note)})


def _why_no_picture(note: StateNote) -> str:
    if note.id == ROOT:
        return "the browser made none"
    return "it was seen together with other views, and did not come again alone in the time there was"


def rendition_address(page: str, view: str, name: str) -> str:
    """The name under which a picture, text or document of a view is found."""
    return f"{state_address(page, view)}:{name}"


def _source(view: View) -> str:
    """Where a link came from: the page as it ran, or what was done to it."""
    return SOURCE if not view.script else f"{SOURCE} after {len(view.script)} interactions"

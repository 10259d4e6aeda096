"""Which stored pages are worth a browser: those with scripts that are not inert, or whatever has a page's media type
where all are wanted; taken down as it comes, at next to no cost.

One in which nothing runs, or only scripts that do nothing, gains nothing by a browser that only loads it. It is never
looked at again, so that a site of such pages costs no more than without a browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webkeep.model import RecordPlace

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
"""The media types of what a browser shows as a page."""


class RunnablePage(NamedTuple):
    """Something that was stored and may gain by being run, if it is a page."""

    url: str
    place: RecordPlace
    programs: Sequence[str] | None
    """What of it would run; None where that was not read yet."""


class RunnablePages:
    """Kept by whoever stores, and taken by whoever runs pages."""

    def __init__(self, all_pages: bool, all_seeds: bool = False) -> None:
        """With `all_pages`, those count too in which nothing runs; with `all_seeds`, whatever answers for one."""
        self.all_pages, self.all_seeds = all_pages, all_seeds
        self.inert_scripts: set[str] = set()
        """Scripts that do nothing."""
        self._noted: list[RunnablePage] = []

    def note(self, url: str, place: RecordPlace, kind: str, programs: Sequence[str]) -> None:
        """Take note of something that was stored: its media type, if it came with one, and what of it would run."""
        if programs or self.all_seeds or (self.all_pages and (kind in PAGE_TYPES or not kind)):
            self._noted.append(RunnablePage(url, place, programs))
        elif "script" in kind:
            self.inert_scripts.add(url)

    def pending(self) -> Sequence[RunnablePage]:
        """What may gain something, as far as is known; to be asked when all that pages need is stored."""
        if not self.all_pages:
            self._noted = [page for page in self._noted if not self.inert_scripts.issuperset(page.programs or ())]
        return self._noted

    def take(self) -> Sequence[RunnablePage]:
        """The same; it is somebody else's from now on."""
        taken, self._noted = self.pending(), []
        return taken

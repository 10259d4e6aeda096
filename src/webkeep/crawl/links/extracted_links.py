"""What a crawl wants to know of every response while it is stored: its links, robots directives (noarchive), change
hints, scripts that would run, bare imports; and where the response stands in the crawl.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from webkeep.extract.links import LINK_KINDS, FoundLink, Link

if TYPE_CHECKING:
    from webkeep.crawl.links.change_hints import ChangeHint


class ExtractedLinks(NamedTuple):
    """What was read out of a response."""

    links: list[FoundLink]
    robots_directives: str = ""
    """What it asks of robots, such as `noarchive`."""
    error: str = ""
    """Why its links could not be read."""
    hints: Sequence[ChangeHint] = ()
    """What it says of other pages, where that was wanted."""
    programs: Sequence[str] = ()
    """What of it would run in a browser, where that was wanted: addresses of scripts, and `OWN_SCRIPTS`."""
    imports: Sequence[str] = ()
    """Modules that it imports by names which an import map has to tell the address of."""
    prefixes: Sequence[tuple[str, str]] = ()
    """What its import maps make of beginnings of such names."""
    fingerprint: bytes | None = None
    """The page's fingerprint, packed for the catalog: whoever stores it need not read it again. Empty where it is no
    page, None where it was not made here."""


OWN_SCRIPTS = ""
"""Stands for what would run and is in the resource itself: scripts in a page, handlers, frames; a script that acts."""

NOTHING_EXTRACTED = ExtractedLinks([], fingerprint=b"")
"""Nothing was found."""


class ExtractionContext(NamedTuple):
    """Where a response stands in a crawl; what is new from one situation may be none from another."""

    job: str
    depth: int = 0
    outside: int = 0
    requisite: int = 0
    sitemap_of: str = ""
    """The host whose sitemap it is, for what that names may be sitemaps again."""
    wants_hints: bool = False
    """Whether what sitemaps and feeds say of pages is wanted."""
    wants_programs: bool = False
    """Whether it is wanted what would run in a browser."""


def links_from_found(found: Iterable[FoundLink]) -> Iterator[Link]:
    """The links, as the frontier takes them."""
    return (Link(url, *LINK_KINDS[kind], guess) for url, kind, guess in found)

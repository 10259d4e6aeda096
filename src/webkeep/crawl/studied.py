"""What a crawl wants to know of every response while it is stored: where it leads, and what it asks of robots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from webkeep.extract import Link, Role

if TYPE_CHECKING:
    from webkeep.crawl.hints import Hint

Found = tuple[str, int, bool]
"""A link as it passes between processes: the URL without fragment, what kind it is, whether it is a guess."""

LINK_KINDS = ((Role.NAVIGATE, ""), (Role.EMBED, ""), (Role.NAVIGATE, "sitemap index"))
"""The kinds of links, by their number."""


class Studied(NamedTuple):
    """What was read out of a response."""

    links: list[Found]
    wishes: str = ""
    """What it asks of robots, such as `noarchive`."""
    trouble: str = ""
    """Why its links could not be read."""
    hints: Sequence[Hint] = ()
    """What it says of other pages, where that was wanted."""
    programs: Sequence[str] = ()
    """What of it would run in a browser, where that was wanted: addresses of scripts, and `OWN`."""
    imports: Sequence[str] = ()
    """Modules that it imports by names which an import map has to tell the address of."""
    prefixes: Sequence[tuple[str, str]] = ()
    """What its import maps make of beginnings of such names."""


OWN = ""
"""Stands for what would run and is in the resource itself: scripts in a page, handlers, frames; a script that acts."""

NOTHING = Studied([])
"""Nothing was found."""


class Situation(NamedTuple):
    """Where a response stands in a crawl; what is news from one situation may be none from another."""

    job: str
    depth: int = 0
    outside: int = 0
    requisite: int = 0
    sitemap_of: str = ""
    """The host whose sitemap it is, for what that names may be sitemaps again."""
    hinting: bool = False
    """Whether what sitemaps and feeds say of pages is wanted."""
    running: bool = False
    """Whether it is wanted what would run in a browser."""


def as_links(found: Iterable[Found]) -> Iterator[Link]:
    """The links, as the frontier takes them."""
    return (Link(url, *LINK_KINDS[kind], guess) for url, kind, guess in found)

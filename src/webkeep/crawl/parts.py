"""The parts of a site that are made coherent one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from webkeep.crawl.hints import Hint
from webkeep.crawl.plan import Subsites
from webkeep.url.places import first_directory

_MOST_LISTED = 5_000_000


class Parts:
    """Says to which part a URL belongs; parts have the names of what they are."""

    def __init__(self, subsites: Subsites) -> None:
        self._subsites = subsites
        self._listed: dict[int, str] = {}
        """The sitemap of each page, by a hash of its URL."""

    def listed(self, sitemap: str, hints: Iterable[Hint]) -> None:
        """Take note of the pages of a sitemap; a page that another listed first stays there."""
        if self._subsites is Subsites.SITEMAPS:
            for hint in hints:
                if not hint.from_feed and len(self._listed) < _MOST_LISTED:
                    self._listed.setdefault(hash(hint.url), sitemap)

    @property
    def part_of(self) -> Callable[[str], str]:
        """The part that a URL belongs to."""
        match self._subsites:
            case Subsites.NONE:
                return lambda _: ""
            case Subsites.DIRECTORIES:
                return first_directory
            case Subsites.SITEMAPS:
                return lambda url: self._listed.get(hash(url), "")

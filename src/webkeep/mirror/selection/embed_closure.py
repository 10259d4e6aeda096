"""What the pages of a copy embed, wherever it lies (page requisites), and what that embeds in turn; how far links are
believed that scripts only seem to name.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from webkeep.errors import StorageError
from webkeep.extract import extract_links
from webkeep.extract.links import Link, LinkRole
from webkeep.formats.http import ResponseHead
from webkeep.model import RecordPlace
from webkeep.store.archive import Archive

_LINKLESS_TYPES = ("image/", "video/", "audio/", "font/")
_LINKED_TYPES = ("xml", "mpegurl")
_DATA_TYPES = ("json", "/xml")
_MAX_READ_BYTES = 8 << 20
"""How much of one document is read for what it embeds."""


class EmbedCandidate(Protocol):
    """What is known of a URL that could be in a copy."""

    @property
    def url(self) -> str:
        """Its URL."""

    @property
    def media_type(self) -> str:
        """Its media type."""

    @property
    def target(self) -> str:
        """Where it leads, if it is a redirect."""

    @property
    def is_page(self) -> bool:
        """Whether people read it."""

    @property
    def place(self) -> RecordPlace:
        """Where its record lies."""


class _EmbedCertainty(enum.Enum):
    """How far it can be believed that something is embedded."""

    SURE = enum.auto()
    NO_PAGE = enum.auto()
    """Unless it turns out to be a page."""
    DATA = enum.auto()
    """Only if it turns out to be data: a script may name what it reads, or where it leads to."""


class _PendingItem(NamedTuple):
    item: EmbedCandidate
    page: str
    """The page that called for it, which scripts mean their strings relative to."""
    came_along: bool


def collect_embeds(archive: Archive, find: Callable[[str], EmbedCandidate | None], begun: Iterable[str]) -> set[str]:
    """The URLs to begin with, and of what else is held all that these embed, and what that embeds in turn.

    `find` gives what is held of a URL, which may be spelled otherwise there.
    """
    taken = set(begun)
    waiting = deque(
        _PendingItem(item, item.url if item.is_page else "", False) for item in filter(None, map(find, sorted(taken)))
    )
    while waiting:
        one = waiting.popleft()
        for url, claim in _embedded_urls(archive, one):
            other = find(url)
            if other is not None and other.url not in taken and _is_credible(claim, other):
                taken.add(other.url)
                waiting.append(_PendingItem(other, other.url if other.is_page else one.page, True))
    return taken


def _is_credible(claim: _EmbedCertainty, item: EmbedCandidate) -> bool:
    if claim is _EmbedCertainty.DATA:
        return item.media_type.endswith(_DATA_TYPES)
    return claim is _EmbedCertainty.SURE or not item.is_page


def _embedded_urls(archive: Archive, waiting: _PendingItem) -> Iterator[tuple[str, _EmbedCertainty]]:
    item = waiting.item
    if item.target:
        # A redirect that the rules took in may be what a page shows, or just a way to somewhere else.
        yield item.target.partition("#")[0], _EmbedCertainty.SURE if waiting.came_along else _EmbedCertainty.NO_PAGE
    elif not item.media_type.startswith(_LINKLESS_TYPES) or item.media_type.endswith(_LINKED_TYPES):
        try:
            stored = archive.read_place(item.place)
            content = b"".join(stored.content(_MAX_READ_BYTES))
        except StorageError:
            return  # that it cannot be read is told when it is to be copied
        headers = (stored.head or ResponseHead()).headers
        for link in extract_links(item.url, headers, content, content_type=item.media_type, page=waiting.page):
            if link.guess or link.role is LinkRole.EMBED:
                yield link.url.partition("#")[0], _certainty_of(link)


def _certainty_of(link: Link) -> _EmbedCertainty:
    if link.role is not LinkRole.EMBED:
        return _EmbedCertainty.DATA
    return _EmbedCertainty.NO_PAGE if link.guess else _EmbedCertainty.SURE

"""What the pages of a copy embed, wherever it lies: without it they would not look as they did."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from webkeep.errors import StorageError
from webkeep.extract import Link, Role, extract_links
from webkeep.formats.http1 import ResponseHead
from webkeep.model import Place
from webkeep.store.archive import Archive

_MUTE = ("image/", "video/", "audio/", "font/")
_TELLING = ("xml", "mpegurl")
_DATA = ("json", "/xml")
_MOST_READ = 8 << 20


class Held(Protocol):
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
    def place(self) -> Place:
        """Where its record lies."""


class _Claim(enum.Enum):
    """How far it can be believed that something is embedded."""

    SURE = enum.auto()
    NO_PAGE = enum.auto()
    """Unless it turns out to be a page."""
    DATA = enum.auto()
    """Only if it turns out to be data: a script may name what it reads, or where it leads to."""


class _Waiting(NamedTuple):
    item: Held
    page: str
    """The page that called for it, which scripts mean their strings relative to."""
    came_along: bool


def needed(archive: Archive, find: Callable[[str], Held | None], begun: Iterable[str]) -> set[str]:
    """The URLs to begin with, and of what else is held all that these embed, and what that embeds in turn.

    `find` gives what is held of a URL, which may be spelled otherwise there.
    """
    taken = set(begun)
    waiting = deque(
        _Waiting(item, item.url if item.is_page else "", False) for item in filter(None, map(find, sorted(taken)))
    )
    while waiting:
        one = waiting.popleft()
        for url, claim in _embedded(archive, one):
            other = find(url)
            if other is not None and other.url not in taken and _is_held_to(claim, other):
                taken.add(other.url)
                waiting.append(_Waiting(other, other.url if other.is_page else one.page, True))
    return taken


def _is_held_to(claim: _Claim, item: Held) -> bool:
    if claim is _Claim.DATA:
        return item.media_type.endswith(_DATA)
    return claim is _Claim.SURE or not item.is_page


def _embedded(archive: Archive, waiting: _Waiting) -> Iterator[tuple[str, _Claim]]:
    item = waiting.item
    if item.target:
        # A redirect that the rules took in may be what a page shows, or just a way to somewhere else.
        yield item.target.partition("#")[0], _Claim.SURE if waiting.came_along else _Claim.NO_PAGE
    elif not item.media_type.startswith(_MUTE) or item.media_type.endswith(_TELLING):
        try:
            holding = archive.read_place(item.place)
            content = b"".join(holding.content(_MOST_READ))
        except StorageError:
            return  # that it cannot be read is told when it is to be copied
        headers = (holding.head or ResponseHead()).headers
        for link in extract_links(item.url, headers, content, content_type=item.media_type, page=waiting.page):
            if link.guess or link.role is Role.EMBED:
                yield link.url.partition("#")[0], _claim(link)


def _claim(link: Link) -> _Claim:
    if link.role is not Role.EMBED:
        return _Claim.DATA
    return _Claim.NO_PAGE if link.guess else _Claim.SURE

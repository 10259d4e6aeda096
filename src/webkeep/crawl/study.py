"""What a crawl wants to know of every response while it is stored: where it leads, and what it asks of robots.

It is read where the record is prepared, which for much work is another process. So that a link which stands on every
page does not pass between processes each time, links that were told lately in the same job are told no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import ClassVar, NamedTuple

from webkeep.extract import Kind, Link, Role, extract_links, header_directives, kind_of, meta_directives
from webkeep.extract.link import Heard
from webkeep.extract.reading import MOST_READ
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import parse_response
from webkeep.model import BytesBody, Exchange, Headers

MOST_LINKS = 2_000_000
"""How many links of one document are followed."""

_REMEMBERED = 100_000
_SITUATIONS = 20
_SITES = 1000
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"wOF2", b"wOFF")
_TELLING = re.compile(
    rb"\n(?:link|[a-z-]*location|refresh|uri|[a-z-]*sourcemap|speculation-rules|x-[a-z-]+|[a-z-]*-encoding)[ \t]*:",
    re.IGNORECASE,
)
_SCHEMES = ("http:", "https:", "ftp:", "file:")


Found = tuple[str, int, bool]
"""A link as it passes between processes: the URL without fragment, what kind it is, whether it is a guess."""

_KINDS = ((Role.NAVIGATE, ""), (Role.EMBED, ""), (Role.NAVIGATE, "sitemap index"))


class Studied(NamedTuple):
    """What was read out of a response."""

    links: list[Found]
    wishes: str = ""
    """What it asks of robots, such as `noarchive`."""
    trouble: str = ""
    """Why its links could not be read."""


NOTHING = Studied([])
"""Nothing was found."""


class Situation(NamedTuple):
    """Where a response stands in a crawl; what is news from one situation may be none from another."""

    job: str
    depth: int = 0
    outside: int = 0
    requisite: int = 0


class _Told:
    """What was told of one job already, as far as it is remembered."""

    job: ClassVar[str] = ""
    situations: ClassVar[dict[Situation, _Told]] = {}

    def __init__(self) -> None:
        self.links: tuple[set[int], ...] = tuple(set() for _ in range(2 * len(_KINDS)))
        """Hashes of URLs, by kind and by whether they are guesses."""
        self.heard: dict[str, Heard] = {}
        """What the pages of each site have in them, by its beginning."""

    @classmethod
    def in_(cls, situation: Situation) -> _Told:
        """What was told in a situation; what was told in other jobs is forgotten."""
        if cls.job != situation.job:
            cls.job, cls.situations = situation.job, {}
        told = cls.situations.get(situation)
        if told is None or told.is_full:
            if len(cls.situations) > _SITUATIONS:
                cls.situations.clear()
            told = cls.situations[situation] = cls()
        return told

    @property
    def is_full(self) -> bool:
        """Whether it is time to forget."""
        return sum(map(len, self.links)) > _REMEMBERED or len(self.heard) > _SITES

    def heard_on(self, url: str) -> Heard:
        """What the pages of a URL's site told."""
        site = url[: url.find("/", 8)]
        heard = self.heard.get(site)
        if heard is None or sum(map(len, heard.values())) > _REMEMBERED:
            heard = self.heard[site] = {}
        return heard


def study(situation: Situation, exchange: Exchange) -> Studied:
    """The links of a response that its job was not told of lately, and what it asks of robots."""
    if _is_picture(exchange):
        return NOTHING
    headers = parse_response(exchange.response).headers
    content, kind = _content(exchange, headers)
    return Studied(list(_links(situation, exchange, headers, content, kind)), _wishes(headers, content))


def _is_picture(exchange: Exchange) -> bool:
    """Whether it is plainly a picture, and nothing in its head could be of interest."""
    body = exchange.body
    if not isinstance(body, BytesBody) or not body.data.startswith(_PICTURES):
        return False
    return _TELLING.search(exchange.response) is None


def as_links(found: Iterable[Found]) -> Iterator[Link]:
    """The links, as the frontier takes them."""
    return (Link(url, *_KINDS[kind], guess) for url, kind, guess in found)


def _content(exchange: Exchange, headers: Headers) -> tuple[bytes, Kind]:
    """The decoded content, if it is of a kind that can have links, and that kind."""
    pieces = decoded(headers, exchange.body.chunks(), MOST_READ)
    first = next(pieces, b"")
    kind = kind_of(media_type(headers), first, exchange.url)
    return (b"" if kind is Kind.OTHER else b"".join(chain((first,), pieces))), kind


def _links(situation: Situation, exchange: Exchange, headers: Headers, content: bytes, kind: Kind) -> Iterator[Found]:
    told = _Told.in_(situation)
    links, heard = told.links, told.heard_on(exchange.url)
    left = MOST_LINKS
    embed = Role.EMBED
    for url, role, source, guess in extract_links(
        exchange.url, headers, content, page=exchange.via, kind=kind, heard=heard
    ):
        bare = url.partition("#")[0] if "#" in url else url
        sort = 1 if role is embed else 2 if source == "sitemap index" else 0
        alike, key = links[2 * sort + guess], hash(bare)
        if key not in alike and bare.startswith(_SCHEMES):
            alike.add(key)
            yield bare, sort, guess
            left -= 1
            if not left:
                return


def _wishes(headers: Headers, content: bytes) -> str:
    asked = header_directives(headers)
    if content:
        asked += meta_directives(content, charset(headers))
    return ", ".join(dict.fromkeys(each.name for each in asked if each.agent in ("*", "webkeep")))[:200]

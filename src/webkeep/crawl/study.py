"""What a crawl wants to know of every response while it is stored: where it leads, and what it asks of robots.

It is read where the record is prepared, which for much work is another process. So that a link which stands on every
page does not pass between processes each time, links that were told lately in the same job are told no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import ClassVar, NamedTuple

from webkeep.extract import Kind, Link, Role, extract_links, header_directives, kind_of, meta_directives
from webkeep.extract.reading import MOST_READ
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import parse_response
from webkeep.model import Exchange, Headers

MOST_LINKS = 2_000_000
"""How many links of one document are followed."""

_REMEMBERED = 200_000
_SITUATIONS = 20
_SCHEMES = ("http:", "https:", "ftp:", "file:")


Found = tuple[str, int, bool]
"""A link as it passes between processes: the URL without fragment, what kind it is, whether it is a guess."""

_KINDS = ((Role.NAVIGATE, ""), (Role.EMBED, ""), (Role.NAVIGATE, "sitemap index"))


class Studied(NamedTuple):
    """What was read out of a response."""

    links: list[Found]
    wishes: str = ""
    """What it asks of robots, such as `noarchive`."""


class Situation(NamedTuple):
    """Where a response stands in a crawl; what is news from one situation may be none from another."""

    job: str
    depth: int = 0
    outside: int = 0
    requisite: int = 0


class _Told:
    """The links of one job that were told already, as far as they are remembered: hashes of URLs."""

    job: ClassVar[str] = ""
    links: ClassVar[dict[Situation, tuple[set[int], ...]]] = {}

    @classmethod
    def in_(cls, situation: Situation) -> tuple[set[int], ...]:
        """The links told in a situation, by kind and by whether they are guesses; those of other jobs are forgotten."""
        if cls.job != situation.job:
            cls.job, cls.links = situation.job, {}
        told = cls.links.get(situation)
        if told is None or sum(map(len, told)) > _REMEMBERED:
            if len(cls.links) > _SITUATIONS:
                cls.links.clear()
            told = cls.links[situation] = tuple(set() for _ in range(2 * len(_KINDS)))
        return told


def study(situation: Situation, exchange: Exchange) -> Studied:
    """The links of a response that its job was not told of lately, and what it asks of robots."""
    headers = parse_response(exchange.response).headers
    content = _content(exchange, headers)
    return Studied(list(_links(situation, exchange, headers, content)), _wishes(headers, content))


def as_links(found: Iterable[Found]) -> Iterator[Link]:
    """The links, as the frontier takes them."""
    return (Link(url, *_KINDS[kind], guess) for url, kind, guess in found)


def _content(exchange: Exchange, headers: Headers) -> bytes:
    """The decoded content, if it is of a kind that can have links."""
    pieces = decoded(headers, exchange.body.chunks(), MOST_READ)
    first = next(pieces, b"")
    if kind_of(media_type(headers), first, exchange.url) is Kind.OTHER:
        return b""
    return b"".join(chain((first,), pieces))


def _links(situation: Situation, exchange: Exchange, headers: Headers, content: bytes) -> Iterator[Found]:
    told = _Told.in_(situation)
    left = MOST_LINKS
    embed = Role.EMBED
    for url, role, source, guess in extract_links(exchange.url, headers, content, page=exchange.via):
        bare = url.partition("#")[0] if "#" in url else url
        kind = 1 if role is embed else 2 if source == "sitemap index" else 0
        alike, key = told[2 * kind + guess], hash(bare)
        if key not in alike and bare.startswith(_SCHEMES):
            alike.add(key)
            yield bare, kind, guess
            left -= 1
            if not left:
                return


def _wishes(headers: Headers, content: bytes) -> str:
    asked = header_directives(headers)
    if content:
        asked += meta_directives(content, charset(headers))
    return ", ".join(dict.fromkeys(each.name for each in asked if each.agent in ("*", "webkeep")))[:200]

"""What a recovery reads out of every answer it keeps: where it leads, and what it needs to show.

It is read where the record is prepared, which for much work is another process. Links to go to that were told lately
in the same recovery are told no more; what a page needs is always told, since it is chosen to fit that page.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import ClassVar, NamedTuple

from webkeep.extract import Kind, Role, extract_links, kind_of
from webkeep.extract.reading import MOST_READ
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import media_type
from webkeep.formats.http1 import parse_response
from webkeep.model import Exchange, Headers

_MOST_LINKS = 500_000
_REMEMBERED = 400_000
_SCHEMES = ("http:", "https:")
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"wOF2", b"wOFF")

Lead = tuple[str, bool, bool]
"""A URL without fragment, whether it is embedded, whether it is a guess."""


class Studied(NamedTuple):
    """What was read out of an answer."""

    links: list[Lead]
    redirect: str = ""
    """Where it leads instead, if it only leads elsewhere."""


class Situation(NamedTuple):
    """Where an answer stands in a recovery; what is news from one situation may be none from another."""

    job: str
    level: int
    is_current: bool


class _Told:
    """The links that were told lately, by their hashes."""

    job: ClassVar[str] = ""
    known: ClassVar[dict[Situation, set[int]]] = {}

    @classmethod
    def in_(cls, situation: Situation) -> set[int]:
        """Those told in a situation; those of other jobs are forgotten, and all of them when they are many."""
        if cls.job != situation.job or sum(map(len, cls.known.values())) > _REMEMBERED:
            cls.job, cls.known = situation.job, {}
        return cls.known.setdefault(situation, set())


def study(situation: Situation, exchange: Exchange) -> Studied:
    """The links of an answer: all that it needs, and those to go to that were not told lately."""
    told = _Told.in_(situation)
    redirect, found = links_of(exchange)
    links: list[Lead] = []
    fresh: set[int] = set()
    for lead in found:
        key = hash(lead)
        if lead[1]:
            links.append(lead)
        elif key not in told and key not in fresh:
            fresh.add(key)
            links.append(lead)
    told |= fresh
    return Studied(links, redirect)


def links_of(exchange: Exchange) -> tuple[str, list[Lead]]:
    """Where an answer redirects to, if it does, and its links, each once."""
    head = parse_response(exchange.response)
    content, kind = _content(exchange, head.headers)
    is_redirect = 300 <= (head.status or 0) < 400
    redirect = ""
    seen: dict[Lead, None] = {}
    links = extract_links(exchange.url, head.headers, content, page=exchange.via, kind=kind)
    for url, role, source, guess in islice(links, _MOST_LINKS):
        bare = url.partition("#")[0]
        if not bare.startswith(_SCHEMES):
            continue
        if is_redirect and source == "http Location":
            redirect = bare
        seen.setdefault((bare, role is Role.EMBED, guess))
    return redirect, list(seen)


def _content(exchange: Exchange, headers: Headers) -> tuple[bytes, Kind]:
    """The decoded content, if it is of a kind that can have links, and that kind."""
    pieces = decoded(headers, exchange.body.chunks(), MOST_READ)
    first = next(pieces, b"")
    if first.startswith(_PICTURES):
        return b"", Kind.OTHER
    kind = kind_of(media_type(headers), first, exchange.url)
    return (b"" if kind is Kind.OTHER else b"".join(chain((first,), pieces))), kind

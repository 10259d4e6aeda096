"""What a recovery reads out of every answer it keeps: where it leads, and what it needs to show.

It is read where the record is prepared, which for much work is another process. Links to go to that were told lately
in the same recovery are told no more; what a page needs is always told, since it is chosen to fit that page.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import ClassVar, NamedTuple

from webkeep.extract import MAX_READ_BYTES, DocumentKind, detect_kind, extract_links
from webkeep.extract.links import LinkRole
from webkeep.formats.codings import decode_body
from webkeep.formats.http import declared_media_type, parse_response
from webkeep.formats.status import is_redirection
from webkeep.model import Exchange, Headers

_MAX_LINKS = 500_000
_MAX_REMEMBERED_LINKS = 400_000
_SCHEMES = ("http:", "https:")
_IMAGE_MAGICS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"wOF2", b"wOFF")

RecoveredLink = tuple[str, bool, bool]
"""A URL without fragment, whether it is embedded, whether it is a guess."""


class RecoveredLinks(NamedTuple):
    """What was read out of an answer."""

    links: list[RecoveredLink]
    redirect: str = ""
    """Where it leads instead, if it only leads elsewhere."""


class RecoveredLinkContext(NamedTuple):
    """Where an answer stands in a recovery; what is new from one situation may be none from another."""

    job: str
    level: int
    is_current: bool


class _RecentLinks:
    """The links that were told lately, by their hashes."""

    job: ClassVar[str] = ""
    known: ClassVar[dict[RecoveredLinkContext, set[int]]] = {}

    @classmethod
    def in_context(cls, context: RecoveredLinkContext) -> set[int]:
        """Those told in a situation; those of other jobs are forgotten, and all of them when they are many."""
        if cls.job != context.job or sum(map(len, cls.known.values())) > _MAX_REMEMBERED_LINKS:
            cls.job, cls.known = context.job, {}
        return cls.known.setdefault(context, set())


def extract_new_links(context: RecoveredLinkContext, exchange: Exchange) -> RecoveredLinks:
    """The links of an answer: all that it needs, and those to go to that were not told lately."""
    told = _RecentLinks.in_context(context)
    redirect, found = extract_page_links(exchange)
    links: list[RecoveredLink] = []
    fresh: set[int] = set()
    for lead in found:
        key = hash(lead)
        if lead[1]:
            links.append(lead)
        elif key not in told and key not in fresh:
            fresh.add(key)
            links.append(lead)
    told |= fresh
    return RecoveredLinks(links, redirect)


def extract_page_links(exchange: Exchange) -> tuple[str, list[RecoveredLink]]:
    """Where an answer redirects to, if it does, and its links, each once."""
    head = parse_response(exchange.response)
    content, kind = _linkable_content(exchange, head.headers)
    is_redirect = is_redirection(head.status)
    redirect = ""
    seen: dict[RecoveredLink, None] = {}
    links = extract_links(exchange.url, head.headers, content, page=exchange.via, kind=kind)
    for url, role, source, guess in islice(links, _MAX_LINKS):
        bare = url.partition("#")[0]
        if not bare.startswith(_SCHEMES):
            continue
        if is_redirect and source == "http Location":
            redirect = bare
        seen.setdefault((bare, role is LinkRole.EMBED, guess))
    return redirect, list(seen)


def _linkable_content(exchange: Exchange, headers: Headers) -> tuple[bytes, DocumentKind]:
    """The decoded content, if it is of a kind that can have links, and that kind."""
    pieces = decode_body(headers, exchange.body.chunks(), MAX_READ_BYTES)
    first = next(pieces, b"")
    if first.startswith(_IMAGE_MAGICS):
        return b"", DocumentKind.OTHER
    kind = detect_kind(declared_media_type(headers), first, exchange.url)
    return (b"" if kind is DocumentKind.OTHER else b"".join(chain((first,), pieces))), kind

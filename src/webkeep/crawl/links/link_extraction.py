"""Reading the links of a response, and what it asks of robots.

It is done where the record is prepared, which for much work is another process. So that a link which stands on every
page does not pass between processes each time, links that were told lately in the same job are told no more.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import ClassVar

from webkeep.crawl.links.change_hints import read_change_hints
from webkeep.crawl.links.extracted_links import (
    LINK_KINDS,
    NOTHING_EXTRACTED,
    OWN_SCRIPTS,
    ExtractedLinks,
    ExtractionContext,
    FoundLink,
)
from webkeep.document import MAX_INERT_CHARS, is_inert_script
from webkeep.extract import MAX_READ_BYTES, DocumentKind, detect_kind, extract_links, header_directives, meta_directives
from webkeep.extract.inline import PageScripting, find_bare_imports
from webkeep.extract.links import LinkRole, ReportedLinks
from webkeep.formats.codings import decode_body
from webkeep.formats.http import declared_charset, declared_media_type, parse_response
from webkeep.formats.status import is_redirection, status_of
from webkeep.frontier.policy import ROBOTS_AGENT
from webkeep.model import BytesBody, Exchange, Headers
from webkeep.url import resolve_url

MAX_LINKS = 2_000_000
"""How many links of one document are followed."""

_ImportPrefix = tuple[str, str]
_MAX_MODULES = 5000
"""Names of modules, and prefixes for them, that are read of one document."""
_MAX_REMEMBERED = 200_000
"""Links remembered as told; with more, all are forgotten and told once more."""
_PAGES_BETWEEN_CHECKS = 200
"""After so many pages it is looked whether too much is remembered."""
_IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"wOF2", b"wOFF")
_LINK_FIELDS = re.compile(
    rb"\n(?:link|[a-z-]*location|refresh|uri|[a-z-]*sourcemap|speculation-rules|x-[a-z-]+|[a-z-]*-encoding)[ \t]*:",
    re.IGNORECASE,
)
_SCRIPTING_MARKUP = re.compile(rb"script|<[a-z:]*(?:i?frame|object|embed)|\son[a-z]+\s*=", re.IGNORECASE)
_FOLLOWED_SCHEMES = ("http:", "https:", "ftp:", "file:")


class _KnownLinks:
    """What was told of one job already, as far as it is remembered; only of what was told to the end."""

    job: ClassVar[str] = ""
    asked: ClassVar[int] = 0
    contexts: ClassVar[dict[ExtractionContext, _KnownLinks]] = {}

    def __init__(self) -> None:
        self.links: tuple[set[int], ...] = tuple(set() for _ in range(2 * len(LINK_KINDS)))
        """Hashes of URLs, by kind and by whether they are guesses."""
        self.reported: dict[str, ReportedLinks] = {}
        """What the pages of each site have in them, by its beginning."""

    @classmethod
    def for_context(cls, context: ExtractionContext) -> _KnownLinks:
        """What was told in a situation; what was told in other jobs is forgotten, and all of it when it is much."""
        cls.asked += 1
        is_much = cls.asked % _PAGES_BETWEEN_CHECKS == 0 and sum(map(len, cls.contexts.values())) > _MAX_REMEMBERED
        if cls.job != context.job or is_much:
            cls.job, cls.contexts = context.job, {}
        told = cls.contexts.get(context)
        if told is None:
            told = cls.contexts[context] = cls()
        return told

    def __len__(self) -> int:
        return sum(map(len, self.links)) + sum(map(len, self.reported.values())) + len(self.reported)

    def links_reported_on(self, url: str) -> ReportedLinks:
        """What the pages of a URL's site told."""
        site = url[: url.find("/", 8)]
        reported = self.reported.get(site)
        if reported is None:
            reported = self.reported[site] = ReportedLinks()
        reported.fresh.clear()
        return reported


def extract_response_links(context: ExtractionContext, exchange: Exchange) -> ExtractedLinks:
    """The links of a response that its job was not told of lately, and what it asks of robots."""
    if _is_plain_image(exchange):
        return NOTHING_EXTRACTED
    headers = parse_response(exchange.response).headers
    content, kind = _read_content(exchange, headers)
    hints = read_change_hints(exchange.url, content, declared_charset(headers), kind) if context.wants_hints else ()
    scripting = PageScripting() if kind is DocumentKind.HTML else None
    links = _read_new_links(context, exchange, headers, content, kind, scripting)
    programs = _own_programs(exchange.url, scripting, content, kind) if context.wants_programs else ()
    imports, prefixes = _module_names(exchange.url, scripting, content, kind)
    return ExtractedLinks(links, _robots_directives(headers, content), "", hints, programs, imports, prefixes)


def _is_plain_image(exchange: Exchange) -> bool:
    """Whether it is plainly a picture, and nothing in its head could be of interest."""
    body = exchange.body
    if not isinstance(body, BytesBody) or not body.data.startswith(_IMAGE_SIGNATURES):
        return False
    return _LINK_FIELDS.search(exchange.response) is None


def _read_content(exchange: Exchange, headers: Headers) -> tuple[bytes, DocumentKind]:
    """The decoded content, if it is of a kind that can have links, and that kind."""
    pieces = decode_body(headers, exchange.body.chunks(), MAX_READ_BYTES)
    first = next(pieces, b"")
    kind = detect_kind(declared_media_type(headers), first, exchange.url)
    return (b"" if kind is DocumentKind.OTHER else b"".join(chain((first,), pieces))), kind


def _own_programs(url: str, scripting: PageScripting | None, content: bytes, kind: DocumentKind) -> tuple[str, ...]:
    if scripting is not None:
        return page_programs(url, scripting)
    if kind is DocumentKind.SCRIPT:
        acts = len(content) > MAX_INERT_CHARS or not is_inert_script(content.decode("utf-8", "replace"))
    else:
        acts = kind is DocumentKind.XML and _SCRIPTING_MARKUP.search(content) is not None
    return (OWN_SCRIPTS,) if acts else ()


def _module_names(
    url: str, scripting: PageScripting | None, content: bytes, kind: DocumentKind
) -> tuple[list[str], list[_ImportPrefix]]:
    """What is imported by bare names, and what import maps say of such names."""
    if scripting is not None:
        base = resolve_url(url, scripting.base) or url
        found = ((name, resolve_url(base, address)) for name, address in scripting.prefixes[:_MAX_MODULES])
        return scripting.imports[:_MAX_MODULES], [(name, address) for name, address in found if address is not None]
    if kind is not DocumentKind.SCRIPT or b"import" not in content:
        return [], []
    return list(islice(find_bare_imports(content.decode("utf-8", "replace")), _MAX_MODULES)), []


def page_programs(url: str, scripting: PageScripting) -> tuple[str, ...]:
    """What of a page would run: addresses of scripts, and `OWN_SCRIPTS`."""
    if scripting.is_own or (scripting.is_rebased and scripting.sources):
        return (OWN_SCRIPTS,)
    found = (resolve_url(url, source) for source in scripting.sources)
    return tuple(dict.fromkeys((each or OWN_SCRIPTS).partition("#")[0] for each in found))


def _read_new_links(
    context: ExtractionContext,
    exchange: Exchange,
    headers: Headers,
    content: bytes,
    kind: DocumentKind,
    scripting: PageScripting | None = None,
) -> list[FoundLink]:
    told = _KnownLinks.for_context(context)
    reported = told.links_reported_on(exchange.url)
    found: list[FoundLink] = []
    fresh: tuple[set[int], ...] = tuple(set() for _ in told.links)
    embed, is_redirect = LinkRole.EMBED, is_redirection(status_of(exchange.response))
    for url, role, source, guess in extract_links(
        exchange.url, headers, content, page=exchange.via, kind=kind, reported=reported, scripting=scripting
    ):
        bare = url.partition("#")[0] if "#" in url else url
        sort = 1 if role is embed else 2 if source == "sitemap index" else 0
        place, key = 2 * sort + guess, hash(bare)
        if key in told.links[place] or key in fresh[place] or not bare.startswith(_FOLLOWED_SCHEMES):
            continue
        if is_redirect and source == "http Location":
            continue  # where a redirect leads is followed as such, and judged otherwise than a link
        fresh[place].add(key)
        found.append((bare, sort, guess))
        if len(found) >= MAX_LINKS:
            if scripting is not None:
                scripting.is_own = True  # for all that is known
            break
    reported.commit()
    for known, new in zip(told.links, fresh, strict=True):
        known |= new
    return found


def _robots_directives(headers: Headers, content: bytes) -> str:
    asked = header_directives(headers)
    if content:
        asked += meta_directives(content, declared_charset(headers))
    return ", ".join(dict.fromkeys(each.name for each in asked if each.agent in ("*", ROBOTS_AGENT)))[:200]

"""Reading the links of a response, and what it asks of robots.

It is done where the record is prepared, which for much work is another process. So that a link which stands on every
page does not pass between processes each time, links that were told lately in the same job are told no more.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import ClassVar

from webkeep.crawl.hints import hints_in
from webkeep.crawl.studied import LINK_KINDS, NOTHING, OWN, Found, Situation, Studied
from webkeep.document.inert import LONGEST, is_inert
from webkeep.extract import Kind, Role, extract_links, header_directives, kind_of, meta_directives
from webkeep.extract.import_map import bare_imports
from webkeep.extract.link import Heard
from webkeep.extract.reading import MOST_READ
from webkeep.extract.scripting import Scripting
from webkeep.fetch.status import status_of
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import charset, media_type
from webkeep.formats.http1 import parse_response
from webkeep.model import BytesBody, Exchange, Headers
from webkeep.url import resolve

MOST_LINKS = 2_000_000
"""How many links of one document are followed."""

_Prefix = tuple[str, str]
_MOST_MODULES = 5000
_REMEMBERED = 200_000
_ASKED_BETWEEN = 200
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"wOF2", b"wOFF")
_TELLING = re.compile(
    rb"\n(?:link|[a-z-]*location|refresh|uri|[a-z-]*sourcemap|speculation-rules|x-[a-z-]+|[a-z-]*-encoding)[ \t]*:",
    re.IGNORECASE,
)
_MAY_RUN = re.compile(rb"script|<[a-z:]*(?:i?frame|object|embed)|\son[a-z]+\s*=", re.IGNORECASE)
_SCHEMES = ("http:", "https:", "ftp:", "file:")


class _Told:
    """What was told of one job already, as far as it is remembered; only of what was told to the end."""

    job: ClassVar[str] = ""
    asked: ClassVar[int] = 0
    situations: ClassVar[dict[Situation, _Told]] = {}

    def __init__(self) -> None:
        self.links: tuple[set[int], ...] = tuple(set() for _ in range(2 * len(LINK_KINDS)))
        """Hashes of URLs, by kind and by whether they are guesses."""
        self.heard: dict[str, Heard] = {}
        """What the pages of each site have in them, by its beginning."""

    @classmethod
    def in_(cls, situation: Situation) -> _Told:
        """What was told in a situation; what was told in other jobs is forgotten, and all of it when it is much."""
        cls.asked += 1
        is_much = cls.asked % _ASKED_BETWEEN == 0 and sum(map(len, cls.situations.values())) > _REMEMBERED
        if cls.job != situation.job or is_much:
            cls.job, cls.situations = situation.job, {}
        told = cls.situations.get(situation)
        if told is None:
            told = cls.situations[situation] = cls()
        return told

    def __len__(self) -> int:
        return sum(map(len, self.links)) + sum(map(len, self.heard.values())) + len(self.heard)

    def heard_on(self, url: str) -> Heard:
        """What the pages of a URL's site told."""
        site = url[: url.find("/", 8)]
        heard = self.heard.get(site)
        if heard is None:
            heard = self.heard[site] = Heard()
        heard.fresh.clear()
        return heard


def read_links(situation: Situation, exchange: Exchange) -> Studied:
    """The links of a response that its job was not told of lately, and what it asks of robots."""
    if _is_picture(exchange):
        return NOTHING
    headers = parse_response(exchange.response).headers
    content, kind = _content(exchange, headers)
    hints = hints_in(exchange.url, content, charset(headers), kind) if situation.hinting else ()
    scripting = Scripting() if kind is Kind.HTML else None
    links = _links(situation, exchange, headers, content, kind, scripting)
    programs = _programs(exchange.url, scripting, content, kind) if situation.running else ()
    imports, prefixes = _modules(exchange.url, scripting, content, kind)
    return Studied(links, _wishes(headers, content), "", hints, programs, imports, prefixes)


def _is_picture(exchange: Exchange) -> bool:
    """Whether it is plainly a picture, and nothing in its head could be of interest."""
    body = exchange.body
    if not isinstance(body, BytesBody) or not body.data.startswith(_PICTURES):
        return False
    return _TELLING.search(exchange.response) is None


def _content(exchange: Exchange, headers: Headers) -> tuple[bytes, Kind]:
    """The decoded content, if it is of a kind that can have links, and that kind."""
    pieces = decoded(headers, exchange.body.chunks(), MOST_READ)
    first = next(pieces, b"")
    kind = kind_of(media_type(headers), first, exchange.url)
    return (b"" if kind is Kind.OTHER else b"".join(chain((first,), pieces))), kind


def _programs(url: str, scripting: Scripting | None, content: bytes, kind: Kind) -> tuple[str, ...]:
    if scripting is not None:
        return page_programs(url, scripting)
    if kind is Kind.SCRIPT:
        acts = len(content) > LONGEST or not is_inert(content.decode("utf-8", "replace"))
    else:
        acts = kind is Kind.XML and _MAY_RUN.search(content) is not None
    return (OWN,) if acts else ()


def _modules(url: str, scripting: Scripting | None, content: bytes, kind: Kind) -> tuple[list[str], list[_Prefix]]:
    """What is imported by bare names, and what import maps say of such names."""
    if scripting is not None:
        base = resolve(url, scripting.base) or url
        found = ((name, resolve(base, address)) for name, address in scripting.prefixes[:_MOST_MODULES])
        return scripting.imports[:_MOST_MODULES], [(name, address) for name, address in found if address is not None]
    if kind is not Kind.SCRIPT or b"import" not in content:
        return [], []
    return list(islice(bare_imports(content.decode("utf-8", "replace")), _MOST_MODULES)), []


def page_programs(url: str, scripting: Scripting) -> tuple[str, ...]:
    """What of a page would run: addresses of scripts, and `OWN`."""
    if scripting.is_own or (scripting.is_rebased and scripting.sources):
        return (OWN,)
    found = (resolve(url, source) for source in scripting.sources)
    return tuple(dict.fromkeys((each or OWN).partition("#")[0] for each in found))


def _links(
    situation: Situation,
    exchange: Exchange,
    headers: Headers,
    content: bytes,
    kind: Kind,
    scripting: Scripting | None = None,
) -> list[Found]:
    told = _Told.in_(situation)
    heard = told.heard_on(exchange.url)
    found: list[Found] = []
    fresh: tuple[set[int], ...] = tuple(set() for _ in told.links)
    embed, is_redirect = Role.EMBED, 300 <= status_of(exchange.response) < 400
    for url, role, source, guess in extract_links(
        exchange.url, headers, content, page=exchange.via, kind=kind, heard=heard, scripting=scripting
    ):
        bare = url.partition("#")[0] if "#" in url else url
        sort = 1 if role is embed else 2 if source == "sitemap index" else 0
        place, key = 2 * sort + guess, hash(bare)
        if key in told.links[place] or key in fresh[place] or not bare.startswith(_SCHEMES):
            continue
        if is_redirect and source == "http Location":
            continue  # where a redirect leads is followed as such, and judged otherwise than a link
        fresh[place].add(key)
        found.append((bare, sort, guess))
        if len(found) >= MOST_LINKS:
            if scripting is not None:
                scripting.is_own = True  # for all that is known
            break
    heard.settle()
    for known, new in zip(told.links, fresh, strict=True):
        known |= new
    return found


def _wishes(headers: Headers, content: bytes) -> str:
    asked = header_directives(headers)
    if content:
        asked += meta_directives(content, charset(headers))
    return ", ".join(dict.fromkeys(each.name for each in asked if each.agent in ("*", "webkeep")))[:200]

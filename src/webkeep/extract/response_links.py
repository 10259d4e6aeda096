"""The links of a response that its job was not told of lately, and where it redirects; how many of a document are
followed, how many are remembered as told, and which responses are plainly pictures.

They are read where records are prepared, which for much work is another process. So that a link which stands on every
page does not pass between processes each time, links that were told lately in the same job are told no more. Captures
and recoveries read responses by this; each adds what it alone wants to know.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import ClassVar, NamedTuple

from webkeep.document import PageContentSink
from webkeep.extract.document_kind import DocumentKind
from webkeep.extract.inline.page_scripting import PageScripting
from webkeep.extract.known_content import IMAGE_SIGNATURES, read_known_content
from webkeep.extract.link_extraction import extract_links
from webkeep.extract.links.found_link import EMBED_KIND, LINK_KINDS, FoundLink
from webkeep.extract.links.link import LinkRole, ReportedLinks
from webkeep.formats.http import declared_media_type, parse_response
from webkeep.formats.status import is_redirection, status_of
from webkeep.model import BytesBody, Exchange, Headers

MAX_LINKS = 2_000_000
"""How many links of one document are followed: forty full sitemaps; what has more was made to fill memory."""
_MAX_REMEMBERED_LINKS = 200_000
"""Links remembered as told; with more, all are forgotten and told once more."""
_PAGES_BETWEEN_CHECKS = 200
"""After so many pages it is looked whether too much is remembered."""
_LINK_FIELDS = re.compile(
    rb"\n(?:link|[a-z-]*location|refresh|uri|[a-z-]*sourcemap|speculation-rules|x-[a-z-]+|[a-z-]*-encoding)[ \t]*:",
    re.IGNORECASE,
)
_ALL_KINDS = frozenset(DocumentKind) - {DocumentKind.OTHER}
_FOLLOWED_SCHEMES = ("http:", "https:", "ftp:", "file:")


class ResponseContent(NamedTuple):
    """A response as it is searched for links."""

    exchange: Exchange
    headers: Headers
    content: bytes
    """Without codings; empty where it is of a kind that has no links."""
    kind: DocumentKind


class NewLinks(NamedTuple):
    """The links of a response that were not told before, and where it leads instead if it is a redirect."""

    links: list[FoundLink]
    redirect: str = ""


class LinkMemory:
    """What was told of one job already, as far as it is remembered; only of what was told to the end."""

    job: ClassVar[str] = ""
    asked: ClassVar[int] = 0
    contexts: ClassVar[dict[Hashable, LinkMemory]] = {}

    def __init__(self) -> None:
        self.links: tuple[set[int], ...] = tuple(set() for _ in range(2 * len(LINK_KINDS)))
        """Hashes of URLs, by kind and by whether they are guesses."""
        self.reported: dict[str, ReportedLinks] = {}
        """What the pages of each site have in them, by its beginning."""

    @classmethod
    def for_context(cls, job: str, context: Hashable) -> LinkMemory:
        """What was told in a situation; what was told in other jobs is forgotten, and all of it when it is much."""
        cls.asked += 1
        is_much = (
            cls.asked % _PAGES_BETWEEN_CHECKS == 0 and sum(map(len, cls.contexts.values())) > _MAX_REMEMBERED_LINKS
        )
        if cls.job != job or is_much:
            cls.job, cls.contexts = job, {}
        memory = cls.contexts.get(context)
        if memory is None:
            memory = cls.contexts[context] = cls()
        return memory

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


def is_plain_image(exchange: Exchange) -> bool:
    """Whether it is plainly a picture, and nothing in its head could be of interest.

    Takes 2 to 4 µs, where to read it as a document takes 18 to 20 (`bench.quick_paths`).
    `test_a_plain_picture_has_no_links` holds it to be true.
    """
    body = exchange.body
    if not isinstance(body, BytesBody) or not body.data.startswith(IMAGE_SIGNATURES):
        return False
    return _LINK_FIELDS.search(exchange.response) is None


def read_response_content(exchange: Exchange) -> ResponseContent:
    """What of a response can have links: its fields, and its content if it is of such a kind."""
    headers = parse_response(exchange.response).headers
    content, kind = read_known_content(
        exchange.url, headers, exchange.body.chunks(), declared_media_type(headers), _ALL_KINDS
    )
    return ResponseContent(exchange, headers, content, kind)


def read_new_links(
    memory: LinkMemory,
    response: ResponseContent,
    scripting: PageScripting | None = None,
    page_content: PageContentSink | None = None,
) -> NewLinks:
    """The links that were told in this situation neither before nor on this page."""
    reported = memory.links_reported_on(response.exchange.url)
    found = _read_links(memory, response, scripting, reported, page_content=page_content)
    reported.commit()
    return found


def read_links_for_page(memory: LinkMemory, response: ResponseContent, most: int = MAX_LINKS) -> NewLinks:
    """The same, but all that the page embeds, told before or not: it is chosen to fit this very page."""
    for known in memory.links[2 * EMBED_KIND : 2 * EMBED_KIND + 2]:
        known.clear()
    return _read_links(memory, response, most=most)


def _read_links(
    memory: LinkMemory,
    response: ResponseContent,
    scripting: PageScripting | None = None,
    reported: ReportedLinks | None = None,
    most: int = MAX_LINKS,
    page_content: PageContentSink | None = None,
) -> NewLinks:
    exchange, headers, content, kind = response
    found: list[FoundLink] = []
    redirect = ""
    fresh: tuple[set[int], ...] = tuple(set() for _ in memory.links)
    embed, is_redirect = LinkRole.EMBED, is_redirection(status_of(exchange.response))
    for url, role, source, guess in extract_links(
        exchange.url,
        headers,
        content,
        page=exchange.via,
        kind=kind,
        reported=reported,
        scripting=scripting,
        page_content=page_content,
    ):
        bare = url.partition("#")[0] if "#" in url else url
        sort = EMBED_KIND if role is embed else 2 if source == "sitemap index" else 0
        place, key = 2 * sort + guess, hash(bare)
        if is_redirect and source == "http Location":
            redirect = bare
            continue  # where a redirect leads is followed as such, and judged otherwise than a link
        if key in memory.links[place] or key in fresh[place] or not bare.startswith(_FOLLOWED_SCHEMES):
            continue
        fresh[place].add(key)
        found.append((bare, sort, guess))
        if len(found) >= most:
            if scripting is not None:
                scripting.mark_own()  # for all that is known
            break
    for known, new in zip(memory.links, fresh, strict=True):
        known |= new
    return NewLinks(found, redirect)

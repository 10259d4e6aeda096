"""What a recovery reads out of every response it keeps: where it leads, and what it needs to show; which schemes count,
and how many links of one page are read.

Links to go to that were told lately in the same recovery are told no more; what a page needs is always told, since it
is chosen to fit that page.
"""

from __future__ import annotations

from typing import NamedTuple

from webkeep.extract import LinkMemory, read_links_for_page, read_response_content
from webkeep.extract.links import EMBED_KIND
from webkeep.model import Exchange

_MAX_LINKS = 500_000
"""Links of one page; they wait in memory until all are entered."""
_SCHEMES = ("http:", "https:")
"""What repositories hold."""

RecoveredLink = tuple[str, bool, bool]
"""A URL without fragment, whether it is embedded, whether it is a guess."""


class RecoveredLinks(NamedTuple):
    """What was read out of a response."""

    links: list[RecoveredLink]
    redirect: str = ""
    """Where it leads instead, if it only leads elsewhere."""


class RecoveredLinkContext(NamedTuple):
    """Where a response stands in a recovery; what is new from one situation may be none from another."""

    job: str
    level: int
    is_current: bool


def extract_new_links(context: RecoveredLinkContext, exchange: Exchange) -> RecoveredLinks:
    """The links of a response: all that it needs, and those to go to that were not told lately."""
    return _read_links(LinkMemory.for_context(context.job, context), exchange)


def extract_page_links(exchange: Exchange) -> RecoveredLinks:
    """The links of a response, each once."""
    return _read_links(LinkMemory(), exchange)


def _read_links(memory: LinkMemory, exchange: Exchange) -> RecoveredLinks:
    found, redirect = read_links_for_page(memory, read_response_content(exchange), _MAX_LINKS)
    links = [(url, kind == EMBED_KIND, guess) for url, kind, guess in found if url.startswith(_SCHEMES)]
    return RecoveredLinks(links, redirect if redirect.startswith(_SCHEMES) else "")

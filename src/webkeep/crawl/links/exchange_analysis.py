"""Studying responses while they are stored: the entry to `link_extraction`, and whose head is read where that of the
record has secrets left out.

What reads documents is much code, and is loaded with the first answer, not before the first request.
"""

from __future__ import annotations

from dataclasses import replace

from webkeep.crawl.links.extracted_links import ExtractedLinks, ExtractionContext
from webkeep.model import Exchange


def analyse_exchange(context: ExtractionContext, exchange: Exchange) -> ExtractedLinks:
    """The links of a response that its job was not told of lately, and what it asks of robots."""
    from webkeep.crawl.links.link_extraction import extract_response_links

    return extract_response_links(context, exchange)


def analyse_with_head(context: ExtractionContext, head: bytes, exchange: Exchange) -> ExtractedLinks:
    """The same for an exchange in whose record the head has secrets left out, which may be where it leads."""
    return analyse_exchange(context, replace(exchange, response=head))

"""Studying responses while they are stored.

What reads documents is much code, and is loaded with the first answer, not before the first request.
"""

from __future__ import annotations

from dataclasses import replace

from webkeep.crawl.studied import Situation, Studied
from webkeep.model import Exchange


def study(situation: Situation, exchange: Exchange) -> Studied:
    """The links of a response that its job was not told of lately, and what it asks of robots."""
    from webkeep.crawl.link_extraction import read_links

    return read_links(situation, exchange)


def study_as_it_came(situation: Situation, head: bytes, exchange: Exchange) -> Studied:
    """The same for an exchange in whose record the head has secrets left out, which may be where it leads."""
    return study(situation, replace(exchange, response=head))

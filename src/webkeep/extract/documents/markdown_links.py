"""Markdown: the addresses in its links, pictures and definitions, and in the HTML within it.

What draws it in a page may mean them relative to that page: where the page is known, that is a guess beside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.html.html_fragment import references_in_page
from webkeep.extract.html.html_links import html_references
from webkeep.extract.links.link import NO_PLACE, LinkReference
from webkeep.extract.links.link_guess import MAX_ADDRESS_CHARS, role_by_name

_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"\]\([ \t]*(?:<([^<>\n]+)>|([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]+)", re.MULTILINE)


def markdown_references(text: str, page: str = "") -> Iterator[LinkReference]:
    """What Markdown leads to and shows; `page` is the page that called for it, where that is known."""
    prose = _CODE.sub("", text)
    references = _own_references(prose)
    yield from references_in_page(references, page) if page else references
    yield from (reference.without_place().as_guess() for reference in html_references(prose))


def _own_references(prose: str) -> Iterator[LinkReference]:
    for pattern in (_INLINE, _DEFINITION):
        for match in pattern.finditer(prose):
            address = match[match.lastindex or 0]
            if len(address) <= MAX_ADDRESS_CHARS and not address.startswith("#"):
                yield LinkReference(address, role_by_name(address), "markdown", start=NO_PLACE, end=NO_PLACE)

"""Markdown: the addresses in its links, pictures and definitions, and in the HTML within it.

What draws it in a page may mean them relative to that page: where the page is known, that is a guess beside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.guess import LONGEST, role_by_name
from webkeep.extract.html import html_references
from webkeep.extract.html_fragment import references_in_page
from webkeep.extract.link import NOWHERE, Reference

_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"\]\([ \t]*(?:<([^<>\n]+)>|([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]+)", re.MULTILINE)


def markdown_references(text: str, page: str = "") -> Iterator[Reference]:
    """What Markdown leads to and shows; `page` is the page that called for it, where that is known."""
    prose = _CODE.sub("", text)
    references = _own_references(prose)
    yield from references_in_page(references, page) if page else references
    yield from (reference.adrift().guessed() for reference in html_references(prose))


def _own_references(prose: str) -> Iterator[Reference]:
    for pattern in (_INLINE, _DEFINITION):
        for match in pattern.finditer(prose):
            address = match[match.lastindex or 0]
            if len(address) <= LONGEST and not address.startswith("#"):
                yield Reference(address, role_by_name(address), "markdown", start=NOWHERE, end=NOWHERE)

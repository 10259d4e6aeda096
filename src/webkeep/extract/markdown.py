"""Markdown: the addresses in its links, pictures and definitions, and in the HTML within it.

The page that draws it says what they are relative to, which is seldom known here: all of them are guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.guess import LONGEST, role_by_name
from webkeep.extract.html import html_references
from webkeep.extract.link import NOWHERE, Reference

_INLINE = re.compile(r"\]\([ \t]*(?:<([^<>\n]+)>|([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]+)", re.MULTILINE)


def markdown_references(text: str) -> Iterator[Reference]:
    """What Markdown leads to and shows."""
    for pattern in (_INLINE, _DEFINITION):
        for match in pattern.finditer(text):
            address = match[match.lastindex or 0]
            if len(address) <= LONGEST and not address.startswith("#"):
                yield Reference(address, role_by_name(address), "markdown", True, start=NOWHERE, end=NOWHERE)
    yield from (reference.adrift().guessed() for reference in html_references(text))

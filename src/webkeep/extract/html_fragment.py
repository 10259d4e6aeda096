"""Pieces of HTML that a script fetches and puts into a page: what is relative in them is meant relative to the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from webkeep.extract.elements import BASE
from webkeep.extract.link import Reference

_LOOKED_AT = 4096
_OF_A_PAGE = re.compile(r"<(?:!doctype|html|head|body|title|frameset)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"(?![a-z][a-z0-9+.-]*:)[^\s/\\#]", re.IGNORECASE)


def is_fragment(text: str) -> bool:
    """Whether HTML has nothing at its beginning that makes it a page of its own."""
    return _OF_A_PAGE.search(text, 0, _LOOKED_AT) is None


def references_in_page(references: Iterable[Reference], page: str) -> Iterator[Reference]:
    """The references of a fragment as they are, and as guesses what relative ones would mean in a page."""
    for reference in references:
        yield reference
        if not reference.base and reference.source is not BASE and _RELATIVE.match(reference.text):
            yield reference._replace(base=page).adrift().guessed()

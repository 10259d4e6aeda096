"""Pieces of HTML (partials) that a script fetches and puts into a page: how they are told from pages of their own, and
that what is relative in them may be meant relative to the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from webkeep.extract.html.compound_elements import BASE_SOURCE
from webkeep.extract.links.link import LinkReference

_PAGE_SIGN_CHARS = 4096
"""Where a page would have shown that it is one."""
_PAGE_SIGN = re.compile(r"<(?:!doctype|html|head|body|title|frameset)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"(?![a-z][a-z0-9+.-]*:)[^\s/\\#]", re.IGNORECASE)


def is_fragment(text: str) -> bool:
    """Whether HTML has nothing at its beginning that makes it a page of its own."""
    return _PAGE_SIGN.search(text, 0, _PAGE_SIGN_CHARS) is None


def references_in_page(references: Iterable[LinkReference], page: str) -> Iterator[LinkReference]:
    """The references of a fragment as they are, and as guesses what relative ones would mean in a page."""
    for reference in references:
        yield reference
        if not reference.base and reference.source is not BASE_SOURCE and _RELATIVE.match(reference.text):
            yield reference._replace(base=page).without_place().as_guess()

"""The text of a page as a search reads it: what the page is about first, then header and footer, menus last. Here is
decided which elements are which.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from turbohtml import Document, Element, Text, parse

_MENU_SELECTORS = ("nav", "aside")
_MAIN_SELECTORS = ("main", "[role=main]", "article")
_FRAME_SELECTORS = ("header", "footer")
_SECTION_SEPARATOR = "·"
_LIST_MARKS = "*•- "
_MAX_ELEMENTS = 50
"""Elements of one kind that are taken out of a page; a page of nothing but menus costs no more."""


def extract_search_text(content: bytes, encoding: str) -> str:
    """The words of an HTML page, one space between each two.

    An excerpt is taken where the words stand first, which so is not in a menu that all pages of a site share.
    """
    tree = parse(content, encoding=encoding, positions=False)
    _separate_links(tree)
    menus = list(_take_texts(tree, _MENU_SELECTORS))
    matter = list(_take_texts(tree, _MAIN_SELECTORS))
    surroundings = list(_take_texts(tree, _FRAME_SELECTORS))
    pieces = (" ".join(_line_words(text)) for text in (*matter, tree.to_text(), *surroundings, *menus))
    return f" {_SECTION_SEPARATOR} ".join(piece for piece in pieces if piece)


def _take_texts(tree: Document, selectors: tuple[str, ...]) -> Iterator[str]:
    """The texts of the first elements that there are of some kind, which leave the tree."""
    for selector in selectors:
        for found in islice(tree.select(selector), _MAX_ELEMENTS):
            if found.parent is not None and not _is_within(found, selector):
                yield found.to_text()
                found.extract()


def _is_within(found: Element, selector: str) -> bool:
    """Whether its text was taken with that of one around it."""
    parent = found.parent
    return isinstance(parent, Element) and parent.closest(selector) is not None


def _separate_links(tree: Document) -> None:
    """Put spaces between links and spans that touch, because styles usually keep them apart."""
    for found in tree.select("a + a, a + span, span + a, span + span"):
        if isinstance(found.previous_sibling, Element):
            found.insert_before(Text(" "))


def _line_words(text: str) -> Iterator[str]:
    """The words of all lines, without the marks of lists."""
    for line in text.splitlines():
        yield from line.strip().lstrip(_LIST_MARKS).split()

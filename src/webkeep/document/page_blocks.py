"""The blocks of a page: each of its texts, links, pictures and unseen values, with the place in the tree where it
stands; how places are named, and how many blocks of a page are read.

Where the lines of `page_content` tell whether two versions of a page differ, blocks tell where, so that what differs
whenever a page is fetched can be told from what its author changed.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import NamedTuple

from turbohtml import Element, Text, parse

from webkeep.document.html_parts import MAX_TREE_CHARS
from webkeep.document.page_content import LINKING_ELEMENTS, SHOWING_ELEMENTS, UNSEEN_ELEMENTS, shown_address

_MAX_BLOCKS = 50_000
"""Of one page; one with more is compared by its fingerprint alone."""
_MAX_STEPS = 5
"""Of a place: elements around a block by which it is known, the nearest ones."""
_MAX_NAME_CHARS = 60
"""Of an id or of the classes of an element."""
_DIGITS = re.compile(r"[0-9]+")
_ROOTS = frozenset({"html", "body"})
"""Elements around everything, which tell no place."""
_UNSEEN_ATTRIBUTES = ("nonce", "integrity")


class BlockRole(enum.StrEnum):
    """What a block is to the reader."""

    TEXT = "text"
    LINK = "link"
    PICTURE = "picture"
    UNSEEN = "unseen"
    """A value that only programs read: a nonce, a hidden field, a token in a `meta`."""


class PageBlock(NamedTuple):
    """One part of a page."""

    role: BlockRole
    place: str
    """The elements around it, from the outside in: `main ul.news li`; numbers in names are told as 0."""
    value: str
    """A text on one line, or an address as it is written."""


def read_page_blocks(text: str) -> list[PageBlock] | None:
    """The blocks of a page in their order; None where it is too long to be read like this."""
    if len(text) > MAX_TREE_CHARS:
        return None
    blocks: list[PageBlock] = []
    document = parse(text, positions=False, allow_declarative_shadow_roots=False)
    # A stack of its own: pages nest deeper than Python calls.
    waiting: list[tuple[object, tuple[str, ...]]] = [(child, ()) for child in reversed(list(document.children))]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, Text):
            words = " ".join(node.data.split())
            if words:
                blocks.append(PageBlock(BlockRole.TEXT, " ".join(around), words))
        elif isinstance(node, Element):
            steps = around if node.tag in _ROOTS else (*around[1 - _MAX_STEPS :], _step_name(node))
            blocks += (PageBlock(role, " ".join(steps), value) for role, value in _own_values(node))
            if node.tag not in UNSEEN_ELEMENTS or node.attr("shadowrootmode") is not None:
                waiting += [(child, steps) for child in reversed(list(node.children))]
        if len(blocks) > _MAX_BLOCKS:
            return None
    return blocks


def read_text_blocks(text: str) -> list[PageBlock] | None:
    """The lines of a text that is no page, as blocks."""
    lines = text.splitlines()
    if len(lines) > _MAX_BLOCKS:
        return None
    return [PageBlock(BlockRole.TEXT, "", words) for line in lines if (words := " ".join(line.split()))]


def _step_name(element: Element) -> str:
    """An element by its tag, its id and its classes."""
    name = element.tag
    if identifier := element.attr("id"):
        name += f"#{_shorten(identifier)}"
    if classes := element.attr("class"):
        name += "".join(f".{each}" for each in _shorten(classes).split())
    return name


def _shorten(value: object) -> str:
    words = " ".join(value) if isinstance(value, list) else str(value)
    return _DIGITS.sub("0", words[:_MAX_NAME_CHARS])


def _own_values(element: Element) -> Iterator[tuple[BlockRole, str]]:
    tag = element.tag
    if tag in LINKING_ELEMENTS:
        if isinstance(address := element.attr("href"), str) and (address := address.partition("#")[0].strip()):
            yield BlockRole.LINK, address
    elif tag in SHOWING_ELEMENTS:
        if address := shown_address(element):
            yield BlockRole.PICTURE, address
    elif (tag == "input" and element.attr("type") == "hidden") or tag == "meta":
        name, value = element.attr("name"), element.attr("value" if tag == "input" else "content")
        if name and value:
            yield BlockRole.UNSEEN, f"{name}={value}"
    for attribute in _UNSEEN_ATTRIBUTES:
        if value := element.attr(attribute):
            yield BlockRole.UNSEEN, f"{attribute}={value}"

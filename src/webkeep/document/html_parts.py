"""HTML by the one WHATWG parser, as the parts in which links can stand: elements, comments and text; from what length
on a page is read as a stream of tags, and which pages are framesets.

Theory of operation. A page of ordinary size becomes a tree, the one a browser builds. A tree can take fifty times the
memory of its source, so a page beyond `MAX_TREE_CHARS` is read as a stream of tags by the same library's tokenizer,
which holds no more than one construct at a time. What follows sees the same parts either way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from turbohtml import Comment, Document, Element, NodeFilter, NodeIterator, Text, Token, Tokenizer, TokenType, parse

from webkeep.document.charset import detect_charset

# Pages that are made of frames and have no body of their own.

_FRAMESET_BYTES = 256 * 1024
"""Of a page, within which a frameset shows: pages with one have little else."""


def is_frameset(content: bytes, charset: str = "") -> bool:
    """Whether a browser takes an HTML page for a set of frames; `charset` is what the server declared."""
    start = content[:_FRAMESET_BYTES]
    if b"frameset" not in start.lower() and b"\0" not in start:  # spares nearly every page the parser
        return False
    root = parse(start, encoding=detect_charset(start, charset), positions=False).find("html")
    return root is not None and any(getattr(child, "tag", "") == "frameset" for child in root.children)


MAX_TREE_CHARS = 2 * 1024 * 1024
"""The longest page, in characters, that is read as a tree."""

RAW_TEXT_ELEMENTS = frozenset(
    {"script", "style", "noframes", "noembed", "noscript", "iframe", "xmp", "plaintext", "textarea"}
)
"""Elements whose content comes as one text."""

_TREE_RAW_TEXT_ELEMENTS = RAW_TEXT_ELEMENTS - {"noscript"}
_SEPARATE_ELEMENTS = _TREE_RAW_TEXT_ELEMENTS | {"base"}
_FEED_CHARS = 256 * 1024
"""Given to the tokenizer at a time, so that its tokens never hold a whole page."""
_MAX_CONSTRUCT_CHARS = 8 * 1024 * 1024
"""A tag or comment of this length is no markup but an attempt on memory."""
_MAX_RAW_TEXT_CHARS = 4 * 1024 * 1024
"""Of one raw text element; what follows is passed over."""


MarkupAttributes = Collection[tuple[str, Any]]
"""Names and values; a value is text, or a list of words for attributes such as `class` and `rel`."""

# Pages have hundreds of parts: plain tuples are made in a tenth of the time of anything with names.
MarkupPart = tuple[str, MarkupAttributes, str, Element | None]
"""A part: the name of an element, or `#comment` or `#text`; its attributes; its text, for elements only if that is
raw; and the element of the tree, whose source location a rewriter needs."""

TreeReader = Callable[[Document], list[str]]
"""Reads a tree that is its own from then on; gives the texts in which a URL may stand, as `find_url_texts` does."""


def read_html_parts(
    text: str, tree_limit: int = MAX_TREE_CHARS, on_tree: TreeReader | None = None
) -> Iterator[MarkupPart]:
    """The parts of a page; the first `base` of a tree comes before all else, as it counts for all.

    `on_tree` is given the tree, if there is one, before the first of them.
    """
    return read_tree_parts(text, on_tree=on_tree) if len(text) <= tree_limit else read_streamed_parts(text)


def read_tree_parts(
    text: str,
    source_locations: bool = False,
    elements_only: bool = False,
    on_tree: TreeReader | None = None,
) -> Iterator[MarkupPart]:
    """The parts of a page by its tree: its base, elements, those of raw text, comments, text; each kind in order, but
    for texts that `on_tree` gives.
    """
    # Shadow roots stay templates, whose content is walked like everything else.
    document = parse(text, positions=False, source_locations=source_locations, allow_declarative_shadow_roots=False)
    # All of it at once, before anybody works on what is found: a tree is walked fastest while caches hold it.
    parts: list[MarkupPart] = [
        ("base", element.attrs.items(), "", element) for element in document.iter_elements("base")
    ]
    parts += [
        (element.tag, attributes.items(), "", element)
        for element in document.iter_elements()
        if (attributes := element.attrs) and element.tag not in _SEPARATE_ELEMENTS
    ]
    parts += [
        (element.tag, element.attrs.items(), element.text, element)
        for element in document.iter_elements(_TREE_RAW_TEXT_ELEMENTS)
    ]
    if not elements_only:
        comments = NodeIterator(document, NodeFilter.SHOW_COMMENT)
        parts += [("#comment", (), each.data, None) for each in comments if isinstance(each, Comment)]
        texts = find_url_texts(document) if on_tree is None else on_tree(document)
        parts += [("#text", (), each, None) for each in texts]
    return iter(parts)


def find_url_texts(node: Document | Element) -> list[str]:
    """The texts below a node in which a URL may stand; none of scripts and styles."""
    # One look at all text at once spares nearly every page a walk over its text nodes.
    if not may_hold_url(node.text):
        return []
    texts = (each for each in NodeIterator(node, NodeFilter.SHOW_TEXT) if isinstance(each, Text))
    return [each.data for each in texts if may_hold_url(each.data) and not _is_program(each.parent)]


def _is_program(node: object) -> bool:
    return isinstance(node, Element) and node.tag in ("script", "style")


def may_hold_url(text: str) -> bool:
    """Whether a URL with its scheme or a name that begins with `www.` may stand in a text."""
    # A single character that few texts have is looked for much faster than three. Two take longer than four, as a
    # search goes on by so many: "ww" takes 13 µs of 18 KB of prose, "www." 9.
    return ("/" in text and "://" in text) or "www." in text


def read_streamed_parts(text: str) -> Iterator[MarkupPart]:
    """The parts of a page of any length by its tags alone, in the order of the page and in bounded memory."""
    raw = _RawText()
    for token in read_tokens(text):
        if (finished := raw.end_at(token)) is not None:
            yield finished
        match token.type:
            case TokenType.START_TAG if token.tag in RAW_TEXT_ELEMENTS:
                raw.begin(token)
            case TokenType.START_TAG if token.attrs:
                yield token.tag or "", token.attrs, "", None
            case TokenType.COMMENT:
                yield "#comment", (), token.data or "", None
            case TokenType.TEXT if token.data and not raw.add_text(token.data) and may_hold_url(token.data):
                yield "#text", (), token.data, None
            case _:
                pass
    if (unfinished := raw.end_at(None)) is not None:
        yield unfinished


class _RawText:
    """Collects the content of one raw text element."""

    def __init__(self) -> None:
        self._tag: Token | None = None
        self._texts: list[str] = []
        self._size = 0

    def begin(self, tag: Token) -> None:
        self._tag, self._texts, self._size = tag, [], 0

    def add_text(self, text: str) -> bool:
        """Whether the text belongs to a raw text element."""
        if self._tag is None:
            return False
        if self._size < _MAX_RAW_TEXT_CHARS:
            self._texts.append(text)
            self._size += len(text)
        return True

    def end_at(self, token: Token | None) -> MarkupPart | None:
        if self._tag is None or (token is not None and token.type is TokenType.TEXT):
            return None
        tag, self._tag = self._tag, None
        return tag.tag or "", tag.attrs or (), "".join(self._texts), None


def read_tokens(text: str) -> Iterator[Token]:
    """The tags, texts and comments of a page of any length, in bounded memory."""
    tokenizer = Tokenizer()
    pending = 0
    for at in range(0, len(text), _FEED_CHARS):
        pending += _FEED_CHARS
        for token in tokenizer.feed(text[at : at + _FEED_CHARS]):
            pending = 0
            yield token
        if pending > _MAX_CONSTRUCT_CHARS:
            # A tag or comment of this length is no markup but an attempt on memory.
            tokenizer.reset()
            pending = 0
    yield from tokenizer.close()

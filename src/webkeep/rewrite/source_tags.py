"""HTML tags with their places in the source: what links are found in, and where new text goes; as a tree, or as a
stream for large pages.

Theory of operation. A page of ordinary size becomes a tree that remembers where its tags stood. A larger one is read
as a stream of tags, whose places follow from their lines and columns, and whose attributes are found in their source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol

from turbohtml import Comment, Document, Element, NodeFilter, NodeIterator, Token, Tokenizer, TokenType, parse

from webkeep.document import RAW_TEXT_ELEMENTS, MarkupAttributes

# The tree of a page with the sources of its tags, in a third of the time that all places of a page take.

TREE_RAW_TEXT = RAW_TEXT_ELEMENTS - {"noscript"}
"""Elements of a tree whose content comes as one text."""


class PageTree:
    """A page of which all lines end alike, as its parser sees it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._document: Document = parse(
            text, positions=False, source_locations=True, allow_declarative_shadow_roots=False
        )

    def base_elements(self) -> list[Element]:
        """Its `base` elements."""
        return list(self._document.iter_elements("base"))

    def read_tags(self) -> Iterator[tuple[Element, int, str]]:
        """Elements that have attributes or raw text, each with the place of its tag and the tag up to its first `>`.

        The place is -1 where the source has no such tag.
        """
        text = self._text
        lines = [0, *accumulate([len(line) + 1 for line in text.split("\n")])]
        for element in self._document.iter_elements():
            if not element.attrs and element.tag not in TREE_RAW_TEXT:
                continue
            line, column = element.source_line, element.source_col
            start = -1 if line is None or column is None else lines[line - 1] + column
            yield element, start, "" if start < 0 else text[start : text.find(">", start) + 1]

    def read_comments(self) -> list[str]:
        """What its comments say."""
        found = NodeIterator(self._document, NodeFilter.SHOW_COMMENT)
        return [comment.data for comment in found if isinstance(comment, Comment)]


Span = tuple[int, int]

_FEED_CHARS = 256 * 1024
"""Given to the tokenizer at a time, so that its tokens never hold a whole page."""
_MAX_CONSTRUCT_CHARS = 8 * 1024 * 1024
"""A comment or tag that does not end within this is given up, so that memory stays bounded."""
_ATTRIBUTE = re.compile(r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+""")
_TAG_NAME = re.compile(r"<[^\s/>]++")


class ElementPlaces(Protocol):
    """Where the parts of one element stand."""

    def attributes(self) -> Mapping[str, Span]:
        """Each attribute by its name in lower case: name, sign and value."""

    def content(self) -> Span | None:
        """What is between start tag and end tag."""


@dataclass(frozen=True, slots=True)
class TreePlaces:
    """The places of an element of a tree."""

    element: Element
    size: int
    """How long the page is, for elements that are not closed."""

    def attributes(self) -> Mapping[str, Span]:
        """Each attribute's place; none for elements that the source does not have."""
        where = self.element.source_location
        return {} if where is None else {name: (span[2], span[5]) for name, span in where.attrs.items()}

    def content(self) -> Span | None:
        """The place between the tags."""
        where = self.element.source_location
        if where is None:
            return None
        return where.start_tag.end_offset, self.size if where.end_tag is None else where.end_tag.start_offset


@dataclass(frozen=True, slots=True)
class SourcePlaces:
    """The places of an element that was read from a stream."""

    source: str
    """Its start tag."""
    start: int
    inner: Span | None = None

    def attributes(self) -> Mapping[str, Span]:
        """Each attribute's place, the first of a name."""
        found: dict[str, Span] = {}
        name = _TAG_NAME.match(self.source)
        at = name.end() if name else len(self.source)
        while (match := _ATTRIBUTE.match(self.source, at)) is not None and match.end() > at:
            found.setdefault(match[1].lower(), (self.start + match.start(1), self.start + match.end()))
            at = match.end()
        return found

    def content(self) -> Span | None:
        """The place between the tags, of elements of raw text."""
        return self.inner


SourceTag = tuple[str, MarkupAttributes, str, ElementPlaces]
"""Name, attributes, text (of elements of raw text) and places."""


def stream_tags(text: str) -> Iterator[SourceTag]:
    """The tags of a page of any length, whose lines all end alike, in bounded memory."""
    rows = _LineOffsets(text)
    opened: Token | None = None
    begin = 0
    for token in _tokenize(text):
        if token.type is TokenType.TEXT:
            continue
        at = rows.offset(token.line, token.col)
        if opened is not None:
            yield _build_tag(opened, begin, text, at)
            opened = None
        if token.type is TokenType.START_TAG and text.startswith(token.source or "<", at):
            if token.tag in RAW_TEXT_ELEMENTS:
                opened, begin = token, at
            elif token.attrs:
                yield token.tag or "", token.attrs, "", SourcePlaces(token.source or "", at)
    if opened is not None:
        yield _build_tag(opened, begin, text, len(text))


def _build_tag(token: Token, begin: int, text: str, end: int) -> SourceTag:
    source = token.source or ""
    inner = (begin + len(source), end)
    attributes: Any = token.attrs or ()
    return token.tag or "", attributes, text[slice(*inner)], SourcePlaces(source, begin, inner)


class _LineOffsets:
    """Turns lines and columns, which only grow, into places."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line, self._start = 1, 0

    def offset(self, line: int, column: int) -> int:
        while self._line < line:
            end = self._text.find("\n", self._start)
            if end < 0:
                break
            self._line, self._start = self._line + 1, end + 1
        return self._start + column


def _tokenize(text: str) -> Iterator[Token]:
    tokenizer = Tokenizer(capture_source=True)
    pending = 0
    for at in range(0, len(text), _FEED_CHARS):
        pending += _FEED_CHARS
        for token in tokenizer.feed(text[at : at + _FEED_CHARS]):
            pending = 0
            yield token
        if pending > _MAX_CONSTRUCT_CHARS:
            return  # no markup but an attempt on memory; what follows is left as it is
    yield from tokenizer.close()


# Comments with their places, found by what they say.

_MARKUP_SIGN = re.compile(r"<[a-zA-Z/]")
_CONDITIONAL_COMMENT = re.compile(r"\s*\[if\b[^\]]{0,200}\]>", re.IGNORECASE)
_MAX_MISSES = 16
"""Comments that the source does not have as the parser gives them; after so many the rest is not looked for."""


def locate_comments(text: str, comments: Sequence[str], raw: Callable[[], Iterable[Span]]) -> Iterator[tuple[str, int]]:
    """The markup of each comment that has any, and where it begins; the comments come in the order of the page.

    `raw` gives the places of scripts and the like, where no comment is one.
    """
    wanted = [comment for comment in comments if _MARKUP_SIGN.search(comment)]
    taken = sorted(raw()) if wanted else []
    at = misses = 0
    for comment in wanted:
        begin = _find_outside(text, f"<!--{comment}-->", at, taken)
        if begin < 0:
            misses += 1
            if misses > _MAX_MISSES:
                return
            continue
        at = begin + 4 + len(comment)
        condition = _CONDITIONAL_COMMENT.match(comment)
        start = begin + 4 + (condition.end() if condition else 0)
        yield text[start:at], start


def _find_outside(text: str, words: str, at: int, taken: Sequence[Span]) -> int:
    """Where words stand outside the places that are taken; -1 for nowhere."""
    begin = text.find(words, at)
    while begin >= 0:
        around = taken[bisect_right(taken, (begin, len(text))) - 1] if taken else (0, 0)
        if not around[0] <= begin < around[1]:
            break
        begin = text.find(words, around[1])
    return begin

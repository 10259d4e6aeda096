"""Tags with their places in the source: what links are found in, and where new text goes.

Theory of operation. A page of ordinary size becomes a tree that remembers where its tags stood. A larger one is read
as a stream of tags, whose places follow from their lines and columns, and whose attributes are found in their source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from turbohtml import Element, Token, Tokenizer, TokenType

from webkeep.document import Attributes
from webkeep.document.markup import RAW_TEXT

Span = tuple[int, int]

_PIECE = 256 * 1024
_LONGEST_CONSTRUCT = 8 * 1024 * 1024
_ATTRIBUTE = re.compile(r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+""")
_NAME = re.compile(r"<[^\s/>]++")


class Places(Protocol):
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
        name = _NAME.match(self.source)
        at = name.end() if name else len(self.source)
        while (match := _ATTRIBUTE.match(self.source, at)) is not None and match.end() > at:
            found.setdefault(match[1].lower(), (self.start + match.start(1), self.start + match.end()))
            at = match.end()
        return found

    def content(self) -> Span | None:
        """The place between the tags, of elements of raw text."""
        return self.inner


Tag = tuple[str, Attributes, str, Places]
"""Name, attributes, text (of elements of raw text) and places."""


def streamed_tags(text: str) -> Iterator[Tag]:
    """The tags of a page of any length, whose lines all end alike, in bounded memory."""
    rows = _Rows(text)
    opened: Token | None = None
    begin = 0
    for token in _tokens(text):
        if token.type is TokenType.TEXT:
            continue
        at = rows.place(token.line, token.col)
        if opened is not None:
            yield _tag(opened, begin, text, at)
            opened = None
        if token.type is TokenType.START_TAG and text.startswith(token.source or "<", at):
            if token.tag in RAW_TEXT:
                opened, begin = token, at
            elif token.attrs:
                yield token.tag or "", token.attrs, "", SourcePlaces(token.source or "", at)
    if opened is not None:
        yield _tag(opened, begin, text, len(text))


def _tag(token: Token, begin: int, text: str, end: int) -> Tag:
    source = token.source or ""
    inner = (begin + len(source), end)
    attributes: Any = token.attrs or ()
    return token.tag or "", attributes, text[slice(*inner)], SourcePlaces(source, begin, inner)


class _Rows:
    """Turns lines and columns, which only grow, into places."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line, self._start = 1, 0

    def place(self, line: int, column: int) -> int:
        while self._line < line:
            end = self._text.find("\n", self._start)
            if end < 0:
                break
            self._line, self._start = self._line + 1, end + 1
        return self._start + column


def _tokens(text: str) -> Iterator[Token]:
    tokenizer = Tokenizer(capture_source=True)
    pending = 0
    for at in range(0, len(text), _PIECE):
        pending += _PIECE
        for token in tokenizer.feed(text[at : at + _PIECE]):
            pending = 0
            yield token
        if pending > _LONGEST_CONSTRUCT:
            return  # no markup but an attempt on memory; what follows is left as it is
    yield from tokenizer.close()

"""CSS: where a style sheet or a style attribute names other resources, found in one pass over the text: in url(),
@import, image-set(), src(), AlphaImageLoader and sourceMappingURL.

Theory of operation. Only five characters can begin something of interest: a slash a comment, quotes a string, `@` an
at-rule, a bracket a function's arguments. The scanner jumps from one to the next and consumes each construct whole,
so every character is looked at a bounded number of times, closed or not.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import NamedTuple


class CssReference(NamedTuple):
    """A reference: the URL as the style sheet means it, and the stretch of text it was written in."""

    text: str
    start: int
    end: int
    construct: str
    """`url()`, `@import`, `image-set()`, `src()`, `AlphaImageLoader` or `sourceMappingURL`."""


_INTEREST = re.compile(r"""[/"'@()]""")
_STRING = re.compile(
    r""" "((?:[^"\\\n\r\f]++|\\(?:\r\n|[\s\S])?)*+)"? | '((?:[^'\\\n\r\f]++|\\(?:\r\n|[\s\S])?)*+)'? """, re.VERBOSE
)
_BARE_URL = re.compile(r"""(?:[^\s()"'\\]++|\\[0-9a-fA-F]{1,6}+(?:\r\n|[ \t\r\n\f])?+|\\[^\n\r\f])*+""")
_SPACE = re.compile(r"\s*+")
_GAP = re.compile(r"(?:\s++|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_URL_START = re.compile(r"url\(", re.IGNORECASE)
_NAME_REVERSED = re.compile(r"[\w-]+")
_ESCAPED_NAME = re.compile(r"(?:[\w-]|\\[0-9a-fA-F]{1,6}\s?|\\[^\s0-9a-fA-F])+$")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\n\r\f])|([\s\S])|$)")
_AT_RULE = re.compile(r"@(?:[\w-]|\\[0-9a-fA-F]{1,6}\s?){1,60}")
_STATEMENT_END = re.compile(r"[;{]")
_SOURCE_MAP = re.compile(r"\s*[#@]\s*sourceMappingURL\s*=\s*([^\s*]+)")
_SILENT_RULES = {"@namespace", "@charset", "@document", "@-moz-document"}
_STRING_FUNCTIONS = {
    "image-set": "image-set()", "-webkit-image-set": "image-set()", "image": "image-set()", "src": "src()",
}  # fmt: skip
_FILTER = "alphaimageloader"
_MAX_NAME_CHARS, _MAX_OPEN_FUNCTIONS = 64, 32
"""Characters of a function's name before its bracket, and functions open at a time whose strings are URLs."""


def find_css_references(text: str) -> Iterator[CssReference]:
    """Every reference of a style sheet or of the declarations of a style attribute, in order."""
    return _Scanner(text).references()


def unescape_css(text: str) -> str:
    """A string or URL with its escapes resolved."""
    return _ESCAPE.sub(_unescape_match, text) if "\\" in text else text


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        # The functions open around the place whose strings are URLs, each with its depth of brackets.
        self._open: list[tuple[int, str]] = []

    def references(self) -> Iterator[CssReference]:
        text, at = self._text, 0
        while (match := _INTEREST.search(text, at)) is not None:
            at = match.end()
            sign = match[0]
            if sign == "(":
                at = yield from self._function(match.start())
            elif sign == ")":
                self._close()
            elif sign == "/":
                at = yield from self._comment(match.start())
            elif sign == "@":
                at = yield from self._at_rule(match.start())
            else:
                at = yield from self._string(match.start())

    def _close(self) -> None:
        if self._open and self._open[-1][0] == self._depth:
            self._open.pop()
        self._depth = max(0, self._depth - 1)

    def _function(self, bracket: int) -> Generator[CssReference, None, int]:
        name = self._name_before(bracket)
        if name == "url":
            return (yield from self._url(bracket + 1, "url()"))
        self._depth += 1
        construct = _STRING_FUNCTIONS.get(name, "AlphaImageLoader" if name.endswith(_FILTER) else "")
        if construct and len(self._open) < _MAX_OPEN_FUNCTIONS:
            self._open.append((self._depth, construct))
        return bracket + 1

    def _name_before(self, bracket: int) -> str:
        before = self._text[max(0, bracket - _MAX_NAME_CHARS) : bracket]
        if "\\" in before:
            match = _ESCAPED_NAME.search(before[-24:])
            return unescape_css(match[0]).lower() if match else ""
        # Backwards, for a name ends at the bracket and may begin anywhere.
        match = _NAME_REVERSED.match(before[::-1])
        return match[0][::-1].lower() if match else ""

    def _url(self, at: int, construct: str) -> Generator[CssReference, None, int]:
        """The argument of a `url(` that ends before a place; returns where to go on."""
        begin = _match_end(_SPACE, self._text, at)
        if self._text[begin : begin + 1] in ('"', "'"):
            return (yield from self._read_quoted(begin, construct))
        end = _match_end(_BARE_URL, self._text, begin)
        if end > begin:
            yield CssReference(unescape_css(self._text[begin:end]), begin, end, construct)
        return end

    def _read_quoted(self, quote: int, construct: str) -> Generator[CssReference, None, int]:
        start, end, after = self._bounds(quote)
        yield CssReference(unescape_css(self._text[start:end]), start, end, construct)
        return after

    def _string(self, quote: int) -> Generator[CssReference, None, int]:
        start, end, after = self._bounds(quote)
        if self._open and self._open[-1][0] == self._depth:
            construct = self._open[-1][1]
            before = self._text[max(0, quote - 8) : quote].rstrip().lower()
            if construct != "AlphaImageLoader" or before.endswith("src="):
                yield CssReference(unescape_css(self._text[start:end]), start, end, construct)
        return after

    def _bounds(self, quote: int) -> tuple[int, int, int]:
        match = _STRING.match(self._text, quote)
        if match is None:
            return quote, quote, quote + 1
        group = 1 if match[1] is not None else 2
        return match.start(group), match.end(group), match.end()

    def _comment(self, slash: int) -> Generator[CssReference, None, int]:
        text = self._text
        if not text.startswith("/*", slash):
            return slash + 1
        end = text.find("*/", slash + 2)
        end = len(text) if end < 0 else end
        if (found := _SOURCE_MAP.match(text, slash + 2, end)) is not None:
            yield CssReference(found[1], found.start(1), found.end(1), "sourceMappingURL")
        return end + 2

    def _at_rule(self, sign: int) -> Generator[CssReference, None, int]:
        match = _AT_RULE.match(self._text, sign)
        name = unescape_css(match[0]).lower() if match else ""
        after = match.end() if match else sign + 1
        if name in _SILENT_RULES:
            end = _STATEMENT_END.search(self._text, after)
            return end.end() if end else len(self._text)
        if name != "@import":
            return after
        begin = _match_end(_GAP, self._text, after)
        if self._text[begin : begin + 1] in ('"', "'"):
            return (yield from self._read_quoted(begin, "@import"))
        if (url := _URL_START.match(self._text, begin)) is not None:
            return (yield from self._url(url.end(), "@import"))
        return after


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _unescape_match(match: re.Match[str]) -> str:
    digits, line_end, char = match.groups()
    if digits is None:
        return "" if line_end is not None else char or ""
    code = int(digits, 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"

"""JavaScript: the strings of a program that could name something, with the code around them, by an automaton that tells
strings, templates, comments and regular expressions apart and knows no more grammar.

Theory of operation. Quotes begin strings, backticks templates, slashes comments, regular expressions or divisions;
which of these a slash begins is told by what stands before it. The automaton jumps from one such sign to the next and
consumes each construct whole, so its cost grows with the text however broken that is. A template with substitutions
is no string, but the code within its substitutions is read like all other.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import NamedTuple


class ScriptString(NamedTuple):
    """A string: its value, the stretch of text between its quotes, and the code around it."""

    value: str
    start: int
    end: int
    before: str
    """Up to 80 characters of code before it, without space at the end."""
    after: str
    """Up to 40 characters of code after it, without space at the start; a line's end stays as such."""


_CODE = re.compile(r"""["'`/]""")
_CODE_IN_TEMPLATE = re.compile(r"""["'`/{}]""")
_STRINGS = {
    '"': re.compile(r'"(?:[^"\\\n\r]++|\\(?:\r\n|[\s\S]))*+'),
    "'": re.compile(r"'(?:[^'\\\n\r]++|\\(?:\r\n|[\s\S]))*+"),
}
_TEMPLATE = re.compile(r"(?:[^`\\$]++|\\[\s\S]|\$(?!\{))*+")
_REGEX = re.compile(r"/(?:[^\\/\[\n\r]++|\\[^\n\r]|\[(?:[^\]\\\n\r]++|\\[^\n\r])*+\])++/[a-zA-Z]*")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{0{0,10}([0-9a-fA-F]{1,6})\}|(\r\n|[\n\r\u2028\u2029])|([\s\S]))"
)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_WORD_BEFORE = re.compile(r"[\w$]+$")
_REGEX_WORDS = {
    "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield",
    "instanceof",
}  # fmt: skip
_LINKABLE = re.compile(r"[./<]")
_BEFORE_CHARS, _AFTER_CHARS, _MAX_REGEX_CHARS = 80, 40, 4096
"""Code that is kept around a string, and how far a regular expression is followed to its end."""


def find_script_strings(text: str) -> Iterator[ScriptString]:
    """The strings that could name something: with a dot, a slash or a tag in them; and plain templates."""
    return _Automaton(text).find_strings()


def unescape_script(text: str) -> str:
    """The value of a string."""
    return _ESCAPE.sub(_unescape_match, text) if "\\" in text else text


class _Automaton:
    def __init__(self, text: str) -> None:
        self._text = text
        # For each open substitution of a template, how many braces are open in it.
        self._braces: list[int] = []
        self._no_regex_before = 0
        self._no_templates = False

    def find_strings(self) -> Iterator[ScriptString]:
        text, at = self._text, 0
        while True:
            match = (_CODE_IN_TEMPLATE if self._braces else _CODE).search(text, at)
            if match is None:
                return
            at = match.start()
            sign = match[0]
            if sign == "/":
                at = self._after_slash(at)
            elif sign == "`":
                at = yield from self._template(at + 1)
            elif sign == "{":
                self._braces[-1] += 1
                at += 1
            elif sign == "}":
                at = self._after_brace(at)
            else:
                at = yield from self._string(sign, at)

    def _string(self, quote: str, at: int) -> Generator[ScriptString, None, int]:
        match = _STRINGS[quote].match(self._text, at)
        end = match.end() if match else at + 1
        if self._text[end : end + 1] != quote:
            # Not closed on its line: no string but, say, an apostrophe in running text.
            return end
        if _LINKABLE.search(self._text, at + 1, end) is not None:
            yield self._build_string(at + 1, end)
        return end + 1

    def _template(self, at: int) -> Generator[ScriptString, None, int]:
        """A template from behind its backtick on; returns where to go on."""
        end = self._chunk_end(at)
        if end is None:
            return at
        if self._text[end] == "`":
            yield self._build_string(at, end)
            return end + 1
        self._braces.append(0)
        return end + 2

    def _after_brace(self, at: int) -> int:
        """Where to go on behind a brace: in the code, or behind the stretch of template that follows."""
        if self._braces[-1]:
            self._braces[-1] -= 1
            return at + 1
        self._braces.pop()
        end = self._chunk_end(at + 1)
        if end is None:
            return at + 1
        if self._text[end] == "$":
            self._braces.append(0)
            return end + 2
        return end + 1

    def _chunk_end(self, at: int) -> int | None:
        """Where a stretch of template ends in a backtick or a substitution; None where it never does."""
        if self._no_templates:
            return None
        match = _TEMPLATE.match(self._text, at)
        end = match.end() if match else at
        if end >= len(self._text) or self._text[end] not in "`$":
            self._no_templates = True
            return None
        return end

    def _after_slash(self, at: int) -> int:
        text = self._text
        if text.startswith("//", at):
            match = _LINE_END.search(text, at)
            return match.end() if match else len(text)
        if text.startswith("/*", at):
            end = text.find("*/", at + 2)
            return len(text) if end < 0 else end + 2
        return self._after_regex(at) if self._may_begin_regex(at) else at + 1

    def _after_regex(self, at: int) -> int:
        if at < self._no_regex_before:
            return at + 1
        match = _REGEX.match(self._text, at, at + _MAX_REGEX_CHARS)
        if match is not None:
            return match.end()
        # What is not closed here need not be tried again before the line or the stretch ends.
        line = _LINE_END.search(self._text, at, at + _MAX_REGEX_CHARS)
        self._no_regex_before = line.start() if line else at + _MAX_REGEX_CHARS
        return at + 1

    def _may_begin_regex(self, at: int) -> bool:
        before = self._text[max(0, at - 40) : at].rstrip()
        if not before or before[-1] in "(,=:[!&|?{};+-*%~^<>":
            return True
        word = _WORD_BEFORE.search(before)
        return word is not None and word[0] in _REGEX_WORDS

    def _build_string(self, start: int, end: int) -> ScriptString:
        text = self._text
        before = text[max(0, start - 1 - _BEFORE_CHARS) : start - 1].rstrip()
        after = text[end + 1 : end + 1 + _AFTER_CHARS].lstrip(" \t")
        return ScriptString(unescape_script(text[start:end]), start, end, before, after)


def _unescape_match(match: re.Match[str]) -> str:
    short, four, braced, line_end, char = match.groups()
    digits = short or four or braced
    if digits:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    return "" if line_end else _CONTROL.get(char, char)

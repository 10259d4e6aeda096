"""Secrets by name: where a form, a JSON text or a page gives a value to such a name, the value is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate

REDACTED = b"[redacted]"
"""What stands in for a value that was left out."""

_FORM_PAIR = re.compile(rb"([^=&]*)=([^&]*)")
_JSON_PAIR = re.compile(rb'("((?:[^"\\]|\\.){1,100})"[ \t\r\n]*:[ \t\r\n]*)("(?:[^"\\]|\\.)*"|[-0-9.eE+]+)')
_INPUT = re.compile(rb"<input\b[^>]{0,4096}>", re.IGNORECASE)
_INPUT_NAME = re.compile(rb"""\bname\s*=\s*["']?([^"'\s>]{1,200})""", re.IGNORECASE)
_INPUT_VALUE = re.compile(rb"""(\bvalue\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
_PART_NAME = re.compile(rb'\bname="?([^";\r\n]*)', re.IGNORECASE)
_BOUNDARY = re.compile(r'\bboundary="?([^";]{1,200})', re.IGNORECASE)

Found = tuple[bytes, int]
"""A text without its secrets, and how many there were."""


class Secrets:
    """Names whose values are secret; in each of them `*` is any characters."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = re.compile("|".join(map(translate, names)), re.IGNORECASE)

    def names(self, name: str) -> bool:
        """Whether the value of that name is secret."""
        return self._names.fullmatch(name) is not None

    def in_form(self, data: bytes) -> Found:
        """Without the secrets of an encoded form."""
        return self._replaced(_FORM_PAIR, data, lambda match: (match[1], match[1] + b"=" + REDACTED))

    def in_json(self, data: bytes) -> Found:
        """Without the secrets in JSON, be it within another text."""
        return self._replaced(_JSON_PAIR, data, lambda match: (match[2], match[1] + b'"' + REDACTED + b'"'))

    def in_page(self, data: bytes) -> Found:
        """Without what the fields of a page's forms are filled with."""

        def told(match: re.Match[bytes]) -> tuple[bytes, bytes]:
            name = _INPUT_NAME.search(match[0])
            filled = _INPUT_VALUE.sub(rb'\1"' + REDACTED + b'"', match[0], count=1)
            return (name[1] if name is not None and filled != match[0] else b"", filled)

        return self._replaced(_INPUT, data, told)

    def in_parts(self, data: bytes, content_type: str) -> Found:
        """Without the secrets of a form in parts."""
        match = _BOUNDARY.search(content_type)
        if match is None:
            return data, 0
        boundary = b"--" + match[1].encode("latin-1", "replace")
        parts, count = data.split(boundary), 0
        for at, part in enumerate(parts):
            head, empty, content = part.partition(b"\r\n\r\n")
            name = _PART_NAME.search(head)
            if name and content.strip() and self.names(name[1].decode("utf-8", "replace")):
                parts[at] = head + empty + REDACTED + b"\r\n"
                count += 1
        return boundary.join(parts), count

    def _replaced(
        self, pattern: re.Pattern[bytes], data: bytes, told: Callable[[re.Match[bytes]], tuple[bytes, bytes]]
    ) -> Found:
        """With the second of what is told in place of each match whose name, the first, is secret."""
        count = 0

        def replaced(match: re.Match[bytes]) -> bytes:
            nonlocal count
            name, without = told(match)
            if not name or not self.names(name.decode("utf-8", "replace")):
                return match[0]
            count += 1
            return without

        return pattern.sub(replaced, data), count

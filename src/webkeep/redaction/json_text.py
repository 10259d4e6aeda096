"""JSON without its secrets, token by token, so that what is broken, cut off or one to a line is read as far as it goes.

Theory of operation. Tokens are copied one by one; each container knows what its own name says of everything in it, so
that all leaves below a secret name are left out and the shape stays. An object that names its value beside it, as
`{"name": "password", "value": "x"}`, is judged when it ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from webkeep.redaction.names import ValueTest
from webkeep.redaction.pairs import Inner
from webkeep.redaction.secret_names import SecretNames

_TOKENS = r""""[^"\\]*+(?:\\.[^"\\]*+)*+"?|'[^'\\]*+(?:\\.[^'\\]*+)*+'?|[{}\[\]:,]|//[^\n]*+|[^\s{}\[\]:,"']++"""
_TOKEN = re.compile(_TOKENS, re.DOTALL)
_TOKEN_OR_COMMENT = re.compile(rf"/\*|{_TOKENS}", re.DOTALL)
_CONSTANTS = frozenset({"true", "false", "null", "undefined", "NaN"})
_NAMING = frozenset({"name", "key", "field", "k", "id", "label", "param", "parameter", "header"})
_NAMED = frozenset({"value", "val", "v", "content", "text", "data", "values"})
_GRAPHQL = frozenset({"query", "mutation"})
_ARGUMENT = re.compile(r"""(?<![$\w])(\w{1,100})(\s*:\s*)("[^"\\]*(?:\\.[^"\\]*)*"|[-\w.]+)""")
_REDACTED = '"[redacted]"'


@dataclass(slots=True)
class _Container:
    """An object or a list that is open."""

    is_list: bool
    test: ValueTest | None = None
    """What the names above say of everything in it."""
    key: str = ""
    naming: str = ""
    named: list[tuple[int, str]] = field(default_factory=list)
    """Where values lie that another member may name."""


class _Scan:
    def __init__(self, names: SecretNames, inner: Inner) -> None:
        self._names, self._inner = names, inner
        self._open = [_Container(False)]
        self._before = ""
        self._last = ""
        self.out: list[str] = []
        self.count = 0

    def take(self, token: str) -> None:
        """Copy a token, or what stands in for it."""
        if token.startswith(("/*", "//")):
            self.out.append(token)
            return
        if token in "{[":
            self._begin(token == "[")
        elif token in "}]":
            self._end()
        elif token == ":":
            self._open[-1].key = _decoded(self._last)
        elif token == ",":
            if not self._open[-1].is_list:
                self._open[-1].key = ""
        else:
            self._last = token
            self.out.append(self._leaf(token) if self._is_value() else token)
            self._before = "leaf"
            return
        self.out.append(token)
        self._before = token

    def _is_value(self) -> bool:
        return self._before == ":" or (self._open[-1].is_list and self._before in "[,")

    def _begin(self, is_list: bool) -> None:
        holder = self._open[-1]
        own = self._names.secrecy_of(holder.key) if self._before == ":" else None
        key = holder.key if self._before == ":" else ""
        self._open.append(_Container(is_list, holder.test or own, key if is_list else ""))

    def _end(self) -> None:
        if len(self._open) == 1:
            return
        ended = self._open.pop()
        test = self._names.secrecy_of(ended.naming) if ended.naming and ended.named else None
        for at, value in ended.named if test is not None else ():
            if test(value) and self.out[at] != _REDACTED:  # type: ignore[misc]
                self.out[at] = _REDACTED
                self.count += 1

    def _leaf(self, token: str) -> str:
        holder = self._open[-1]
        value = _decoded(token)
        test = holder.test or (None if holder.is_list else self._names.secrecy_of(holder.key))
        if token in _CONSTANTS:
            return token
        if test is not None and test(value):
            self.count += 1
            return _REDACTED
        self._note(holder, value)
        return self._nested(holder.key, token, value)

    def _note(self, holder: _Container, value: str) -> None:
        lowered = holder.key.lower()
        if lowered in _NAMING:
            holder.naming = value
        elif lowered in _NAMED:
            holder.named.append((len(self.out), value))

    def _nested(self, key: str, token: str, value: str) -> str:
        if token[0] not in "\"'":
            return token
        value, found = self._arguments(value) if key in _GRAPHQL else (value, 0)
        value, more = self._inner(value)
        if not found + more:
            return token
        self.count += found + more
        return json.dumps(value, ensure_ascii=token.isascii())

    def _arguments(self, text: str) -> tuple[str, int]:
        """GraphQL without what is secret among its arguments."""
        count = 0

        def replaced(match: re.Match[str]) -> str:
            nonlocal count
            test = self._names.secrecy_of(match[1])
            if test is None or not test(match[3].strip('"')):
                return match[0]
            count += 1
            return f"{match[1]}{match[2]}{_REDACTED}"

        return _ARGUMENT.sub(replaced, text), count


def redact_json(text: str, names: SecretNames, inner: Inner) -> tuple[str, int]:
    """A text of JSON without its secrets, and how many there were; `inner` is given the strings in it."""
    scan = _Scan(names, inner)
    at = 0
    for start, end in _tokens(text):
        if start > at:
            scan.out.append(text[at:start])
        scan.take(text[start:end])
        at = end
    scan.out.append(text[at:])
    return "".join(scan.out), scan.count


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    """Where tokens begin and end; a comment that nobody closes is none, and is looked for once."""
    at, opened = 0, text.find("/*")
    while opened >= 0 and (match := _TOKEN_OR_COMMENT.search(text, at)) is not None:
        at = match.end()
        if match[0] == "/*":
            closed = text.find("*/", at)
            if closed < 0:
                at = match.start()
                break
            at = closed + 2
        yield match.start(), at
        if opened < at:
            opened = text.find("/*", at)
    yield from (match.span() for match in _TOKEN.finditer(text, at))


def redact_graphql(text: str, names: SecretNames) -> tuple[str, int]:
    """GraphQL that is not in JSON."""
    return _Scan(names, lambda value: (value, 0))._arguments(text)


def _decoded(token: str) -> str:
    if token[:1] == '"':
        try:
            return str(json.loads(token, strict=False))
        except (ValueError, RecursionError):
            return _loosely_decoded(token)
    return _loosely_decoded(token) if token[:1] == "'" else token


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)


def _loosely_decoded(token: str) -> str:
    """A string that JSON does not know: in single quotes, or cut off."""
    inner = token[1:].removesuffix(token[0])
    return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)) if match[1] or match[2] else match[3], inner)

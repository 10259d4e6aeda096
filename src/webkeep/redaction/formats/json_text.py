"""JSON without its secrets, token by token, so that what is broken, cut off or one to a line is read as far as it goes:
values below secret names, and those that a member beside them names.

Theory of operation. Tokens are copied one by one; each container knows what its own name says of everything in it, so
that all leaves below a secret name are left out and the shape stays. An object that names its value beside it, as
`{"name": "password", "value": "x"}`, is judged when it ends.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from webkeep.redaction.formats.name_value_pairs import ValueRedactor
from webkeep.redaction.names.credential_names import ValueTest
from webkeep.redaction.names.secret_names import SecretNames

_TOKENS = r""""[^"\\]*+(?:\\.[^"\\]*+)*+"?|'[^'\\]*+(?:\\.[^'\\]*+)*+'?|[{}\[\]:,]|//[^\n]*+|[^\s{}\[\]:,"']++"""
_TOKEN = re.compile(_TOKENS, re.DOTALL)
_TOKEN_OR_COMMENT = re.compile(rf"/\*|{_TOKENS}", re.DOTALL)
_CONSTANTS = frozenset({"true", "false", "null", "undefined", "NaN"})
_NAMING_KEYS = frozenset(
    {
        "name", "key", "field", "k", "id", "label", "param", "parameter", "header", "property", "attribute", "path",
        "fieldname", "var",
    }
)  # fmt: skip
_VALUE_KEYS = frozenset({"value", "val", "v", "content", "text", "data", "values", "fieldvalue"})
_SCHEMA_TYPES = frozenset(
    {"string", "number", "integer", "boolean", "object", "array", "password", "byte", "binary", "uuid", "email", "uri"}
)
_SCHEMA_SIZES = frozenset({"minlength", "maxlength", "minimum", "maximum", "minitems", "maxitems"})
_REDACTED = '"[redacted]"'


@dataclass(slots=True)
class _Container:
    """An object or a list that is open."""

    is_list: bool
    test: ValueTest | None = None
    """What the names above say of everything in it."""
    key: str = ""
    naming: list[str] = field(default_factory=list)
    named: list[tuple[int, str]] = field(default_factory=list)
    """Where values lie that another member may name."""
    owner: _Container | None = None
    """Whose value it is a part of, where another member may name that."""
    is_pair: bool = False
    """Whether it may be a name and its value: a list in a list, or all there is."""
    leaves: list[tuple[int, str]] = field(default_factory=list)


class _JsonScanner:
    def __init__(self, names: SecretNames, inner: ValueRedactor) -> None:
        self._names, self._inner = names, inner
        self._open = [_Container(False)]
        self._before = ""
        self._last = ""
        self.out: list[str] = []
        self.count = 0

    def take_token(self, token: str) -> None:
        """Copy a token, or what stands in for it."""
        if token in "{[":
            self._open_container(token == "[")
        elif token in "}]":
            self._close_container()
        elif token == ":":
            self._open[-1].key = _decode_token(self._last)
        elif token == ",":
            if not self._open[-1].is_list:
                self._open[-1].key = ""
        elif token.startswith(("/*", "//")):
            self.out.append(token)
            return
        else:
            self._last = token
            self.out.append(self._redact_leaf(token) if self._is_value() else self._read_name(token))
            self._before = "leaf"
            return
        self.out.append(token)
        self._before = token

    def _read_name(self, token: str) -> str:
        """What names a value, or is all there is."""
        return (
            self._redact_nested("", token, _decode_token(token)) if len(self._open) == 1 and token[0] == '"' else token
        )

    def _is_value(self) -> bool:
        return self._before == ":" or (self._open[-1].is_list and self._before in "[,")

    def _open_container(self, is_list: bool) -> None:
        holder = self._open[-1]
        key = holder.key if self._before == ":" else ""
        begun = _Container(is_list, holder.test or (self._names.secrecy_of(key) if key else None))
        begun.key = key if is_list else ""
        begun.owner = holder if key.lower() in _VALUE_KEYS else holder.owner
        begun.is_pair = is_list and (holder.is_list or len(self._open) == 1)
        self._open.append(begun)

    def _close_container(self) -> None:
        if len(self._open) == 1:
            return
        ended = self._open.pop()
        naming = ended.naming if ended.named else ()
        for test in {self._names.secrecy_of(name.rpartition("/")[2]) for name in naming}:
            self._replace_values(ended.named, test)
        if ended.is_pair and len(ended.leaves) == 2:
            self._replace_values(ended.leaves[1:], self._names.secrecy_of(ended.leaves[0][1]))

    def _replace_values(self, leaves: list[tuple[int, str]], test: ValueTest | None) -> None:
        for at, value in leaves if test is not None else ():
            if test(value) and self.out[at] != _REDACTED:  # type: ignore[misc]
                self.out[at] = _REDACTED
                self.count += 1

    def _redact_leaf(self, token: str) -> str:
        holder = self._open[-1]
        value = _decode_token(token)
        test = holder.test or (None if holder.is_list else self._names.secrecy_of(holder.key))
        if token in _CONSTANTS:
            return token
        if test is not None and test(value) and not _is_schema_value(holder, value):
            self.count += 1
            return _REDACTED
        self._note_leaf(holder, value)
        return self._redact_nested(holder.key, token, value)

    def _note_leaf(self, holder: _Container, value: str) -> None:
        lowered = holder.key.lower()
        if holder.is_pair and len(holder.leaves) < 3:
            holder.leaves.append((len(self.out), value))
        if not holder.is_list and (lowered in _NAMING_KEYS or (lowered == "type" and value == "password")):
            holder.naming.append(value)
        elif not holder.is_list and lowered in _VALUE_KEYS:
            holder.named.append((len(self.out), value))
        if holder.owner is not None:
            holder.owner.named.append((len(self.out), value))

    def _redact_nested(self, key: str, token: str, value: str) -> str:
        if token[0] not in "\"'":
            return token
        value, found = self._inner(value, key)
        if not found:
            return token
        self.count += found
        return json.dumps(value, ensure_ascii=token.isascii())


def _is_schema_value(holder: _Container, value: str) -> bool:
    """Whether a value below a secret name says what such values are like, as a schema does."""
    if holder.test is None or holder.is_list:
        return False
    key = holder.key.lower()
    return (key in ("type", "format") and value in _SCHEMA_TYPES) or (
        key in _SCHEMA_SIZES and value.isdigit() and len(value) < 4
    )


def redact_json(text: str, names: SecretNames, inner: ValueRedactor) -> tuple[str, int]:
    """A text of JSON without its secrets, and how many there were; `inner` is given the strings in it."""
    scan = _JsonScanner(names, inner)
    at = _scan_with_comments(text, scan) if "/*" in text else 0
    for match in _TOKEN.finditer(text, at):
        if match.start() > at:
            scan.out.append(text[at : match.start()])
        scan.take_token(match[0])
        at = match.end()
    scan.out.append(text[at:])
    return "".join(scan.out), scan.count


def _scan_with_comments(text: str, scan: _JsonScanner) -> int:
    """Read up to the last comment; one that nobody closes is none, and is looked for once."""
    at, opened = 0, text.find("/*")
    while opened >= 0 and (match := _TOKEN_OR_COMMENT.search(text, at)) is not None:
        end = match.end()
        if match[0] == "/*":
            closed = text.find("*/", end)
            if closed < 0:
                return at
            end = closed + 2
        scan.out.append(text[at : match.start()])
        scan.take_token(text[match.start() : end])
        at = end
        if opened < at:
            opened = text.find("/*", at)
    return at


def _decode_token(token: str) -> str:
    if token[:1] == '"':
        try:
            return str(json.loads(token, strict=False))
        except (ValueError, RecursionError):
            return _decode_loosely(token)
    return _decode_loosely(token) if token[:1] == "'" else token


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)


def _decode_loosely(token: str) -> str:
    """A string that JSON does not know: in single quotes, or cut off."""
    inner = token[1:].removesuffix(token[0])
    return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)) if match[1] or match[2] else match[3], inner)

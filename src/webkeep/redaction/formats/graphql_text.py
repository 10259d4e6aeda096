"""GraphQL queries without their secrets: strings and numbers among arguments, by the names before them.

Outside of parentheses stand names of fields, their other names and their types, none of which is a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.redaction.names.credential_names import ValueTest
from webkeep.redaction.names.secret_names import SecretNames

_TOKEN = re.compile(
    r'#[^\n]*+|"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|"(?:[^"\\\n]|\\.)*+"?|[A-Za-z_]\w*+|-?[0-9][0-9.]*+|[(){}\[\]:]',
    re.DOTALL,
)
_LONG_NUMBER = re.compile(r"[0-9]{4,}")
_ENDS = {")": "(", "]": "[", "}": "{"}
_REDACTED = '"[redacted]"'


@dataclass(slots=True)
class _OpenBracket:
    """A bracket that is open."""

    kind: str
    is_argument: bool
    test: ValueTest | None = None
    key: str = ""


def redact_graphql(text: str, names: SecretNames) -> tuple[str, int]:
    """A query without its secrets, and how many there were."""
    scan = _GraphqlScanner(names)
    return _TOKEN.sub(scan.take_token, text), scan.count


class _GraphqlScanner:
    def __init__(self, names: SecretNames) -> None:
        self._names = names
        self._open = [_OpenBracket("", is_argument=False)]
        self._last = ""
        self.count = 0

    def take_token(self, match: re.Match[str]) -> str:
        token = match[0]
        if token[0] in '"-0123456789':
            return self._redact_value(token)
        if token in "([{":
            self._open_bracket(token)
        elif token in ")]}":
            if len(self._open) > 1 and self._open[-1].kind == _ENDS[token]:
                self._open.pop()
        elif token == ":":
            self._open[-1].key = self._last
        elif token[0] != "#":
            self._last = token
        return token

    def _open_bracket(self, token: str) -> None:
        holder = self._open[-1]
        is_value = holder.is_argument and token != "("
        test = (holder.test or self._names.secrecy_of(holder.key)) if is_value else None
        self._open.append(_OpenBracket(token, holder.is_argument or token == "(", test))
        if token == "[":
            self._open[-1].key = holder.key

    def _redact_value(self, token: str) -> str:
        holder = self._open[-1]
        test = (holder.test or self._names.secrecy_of(holder.key)) if holder.is_argument else None
        plain = token.strip('"')
        if test is None or not test(plain) or (token[0] != '"' and _LONG_NUMBER.fullmatch(token) is None):
            return token
        self.count += 1
        return _REDACTED

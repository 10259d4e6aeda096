"""Texts without their secrets by what kind they are of, and values that are packed into others, as deep as they go."""

from __future__ import annotations

import re

from webkeep.redaction.escapes import decode_percent, encode_percent
from webkeep.redaction.graphql_text import redact_graphql
from webkeep.redaction.json_text import redact_json
from webkeep.redaction.lines_text import redact_lines, redact_named
from webkeep.redaction.pairs import FORM, TEXT, Inner, redact_pairs
from webkeep.redaction.secret_names import SecretNames
from webkeep.redaction.text_kinds import TextKind, guard_length, tell_kind
from webkeep.redaction.xml_text import redact_xml

_DEEPEST = 5
"""How often a value may be packed into another."""
_LONGEST = 1 << 20
_SIGN = re.compile(r"[=@%:<{\[]").search
"""What stands in a value that has something packed into it."""
_OF_PLAIN = frozenset("/?&=%@ABCDEFGHIJKLMNOPQRSTUVWXYZghjlnoprvxyz")
"""What nothing but a URL, a pair or a sentence begins with."""
_QUERIES = frozenset({"query", "mutation", "subscription"})
_REDACTED = "[redacted]"


def redact_kind(text: str, kind: TextKind, names: SecretNames, inner: Inner) -> tuple[str, int]:
    """A text of a kind without its secrets, and how many there were."""
    match kind:
        case TextKind.JSON:
            begin = guard_length(text)
            redacted, count = redact_json(text[begin:], names, inner)
            return text[:begin] + redacted, count
        case TextKind.XML:
            return redact_xml(text, names, inner)
        case TextKind.GRAPHQL:
            return redact_graphql(text, names)
        case TextKind.FORM:
            return redact_pairs(text, FORM, names, inner, _REDACTED)
        case _:
            return redact_lines(text, names, inner)


class Packed:
    """Reads a value that was unpacked from another."""

    __slots__ = ("_depth", "_names")

    def __init__(self, names: SecretNames, depth: int) -> None:
        self._names, self._depth = names, depth

    def __call__(self, text: str, name: str = "") -> tuple[str, int]:
        """The value without its secrets, and how many there were."""
        if _SIGN(text) is None or self._depth > _DEEPEST or len(text) > _LONGEST:
            return text, 0
        deeper = Packed(self._names, self._depth + 1)
        if name.lower() in _QUERIES and "(" in text and not text.lstrip().startswith('{"'):
            return redact_graphql(text, self._names)
        kind = TextKind.OTHER if text[:1] in _OF_PLAIN else tell_kind(text)
        if kind is TextKind.GRAPHQL or (kind is not TextKind.OTHER and (":" in text or "," in text or "<" in text)):
            return redact_kind(text, kind, self._names, deeper)
        if "=" in text or "@" in text:
            return redact_pairs(text, TEXT, self._names, deeper, anywhere=False)
        if "%" in text and (decoded := decode_percent(text)) != text:
            redacted, count = deeper(decoded, name)
            return (encode_percent(redacted), count) if count else (text, 0)
        return redact_named(text, self._names) if ":" in text else (text, 0)

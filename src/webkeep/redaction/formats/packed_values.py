"""Texts without their secrets by what kind they are of, and values that are packed into others (JSON in a form, a URL
in a parameter); how deep and up to what length these are read.
"""

from __future__ import annotations

import re

from webkeep.redaction.formats.graphql_text import redact_graphql
from webkeep.redaction.formats.json_text import redact_json
from webkeep.redaction.formats.lines_text import redact_lines, redact_named_value
from webkeep.redaction.formats.name_value_pairs import FORM_VALUE, TEXT_VALUE, ValueRedactor, redact_pairs
from webkeep.redaction.formats.text_kind import TextKind, detect_text_kind, json_guard_length
from webkeep.redaction.formats.xml_text import redact_xml
from webkeep.redaction.names.secret_names import SecretNames
from webkeep.redaction.values.escapes import decode_percent, encode_percent

_MAX_DEPTH = 5
"""How often a value may be packed into another: programs pack twice or thrice, and each time costs a reading."""
_MAX_VALUE_CHARS = 1 << 20
"""Longer values are not unpacked: they are content."""
_PACKED_SIGN = re.compile(r"[=@%:<{\[]").search
"""What stands in a value that has something packed into it."""
_PLAIN_STARTS = frozenset("/?&=%@ABCDEFGHIJKLMNOPQRSTUVWXYZghjlnoprvxyz")
"""What nothing but a URL, a pair or a sentence begins with."""
_QUERY_NAMES = frozenset({"query", "mutation", "subscription"})
_REDACTED = "[redacted]"


def redact_by_kind(text: str, kind: TextKind, names: SecretNames, inner: ValueRedactor) -> tuple[str, int]:
    """A text of a kind without its secrets, and how many there were."""
    match kind:
        case TextKind.JSON:
            begin = json_guard_length(text)
            redacted, count = redact_json(text[begin:], names, inner)
            return text[:begin] + redacted, count
        case TextKind.XML:
            return redact_xml(text, names, inner)
        case TextKind.GRAPHQL:
            return redact_graphql(text, names)
        case TextKind.FORM:
            return redact_pairs(text, FORM_VALUE, names, inner, _REDACTED)
        case _:
            return redact_lines(text, names, inner)


class PackedValueRedactor:
    """Reads a value that was unpacked from another."""

    __slots__ = ("_depth", "_names")

    def __init__(self, names: SecretNames, depth: int) -> None:
        self._names, self._depth = names, depth

    def __call__(self, text: str, name: str = "") -> tuple[str, int]:
        """The value without its secrets, and how many there were."""
        if _PACKED_SIGN(text) is None or self._depth > _MAX_DEPTH or len(text) > _MAX_VALUE_CHARS:
            return text, 0
        deeper = PackedValueRedactor(self._names, self._depth + 1)
        if name.lower() in _QUERY_NAMES and "(" in text and not text.lstrip().startswith('{"'):
            return redact_graphql(text, self._names)
        kind = TextKind.OTHER if text[:1] in _PLAIN_STARTS else detect_text_kind(text)
        if kind is TextKind.GRAPHQL or (kind is not TextKind.OTHER and (":" in text or "," in text or "<" in text)):
            return redact_by_kind(text, kind, self._names, deeper)
        if "=" in text or "@" in text:
            return redact_pairs(text, TEXT_VALUE, self._names, deeper, anywhere=False)
        if "%" in text and (decoded := decode_percent(text)) != text:
            redacted, count = deeper(decoded, name)
            return (encode_percent(redacted), count) if count else (text, 0)
        return redact_named_value(text, self._names) if ":" in text else (text, 0)

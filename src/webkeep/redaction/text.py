"""Texts of any kind without their secrets: what each holds is read as deep as it was packed."""

from __future__ import annotations

import re

from webkeep.redaction.escapes import decode_percent, encode_percent
from webkeep.redaction.json_text import redact_graphql, redact_json
from webkeep.redaction.known_values import KnownValues
from webkeep.redaction.pairs import FORM, IN_URL, LINE, TARGET, TEXT, redact_pairs
from webkeep.redaction.secret_names import SecretNames
from webkeep.redaction.shapes import hide_shapes
from webkeep.redaction.xml_text import redact_xml

REDACTED = "[redacted]"
"""What stands in for a value that was left out."""

_DEEPEST = 5
"""How often a value may be packed into another."""
_LONGEST = 1 << 20


class TextRedactor:
    """Leaves secrets out of texts, each with how many there were."""

    def __init__(self, names: SecretNames, known: KnownValues, shapes: bool = True) -> None:
        self._names, self._known, self._shapes = names, known, shapes

    @property
    def has_known(self) -> bool:
        """Whether any values are known to be secret."""
        return bool(self._known)

    def holds_known(self, text: str) -> bool:
        """Whether a text holds such a value."""
        return self._known.are_in(text)

    def hide_known(self, text: str, word: str = REDACTED) -> tuple[str, int]:
        """The same without such values."""
        return self._known.hide(text, word)

    def hide_known_bytes(self, data: bytes) -> tuple[bytes, int]:
        """Bytes of any kind without such values."""
        return self._known.hide_in_bytes(data, REDACTED)

    def redact_target(self, text: str) -> tuple[str, int]:
        """A URL, or the target of a request."""
        return self._finish(*self._pairs(text, TARGET, IN_URL), IN_URL)

    def redact_field(self, text: str) -> tuple[str, int]:
        """The value of a field that may name URLs or parameters."""
        if text[:1] in "{[":
            return self.redact_json(text)
        return self._finish(*self._pairs(text, TEXT, IN_URL), IN_URL)

    def redact_form(self, text: str) -> tuple[str, int]:
        """An encoded form."""
        return self._finish(*self._pairs(text, FORM, REDACTED), REDACTED)

    def redact_json(self, text: str) -> tuple[str, int]:
        """JSON, one value or many."""
        return self._finish(*redact_json(text, self._names, self._inner(1)), REDACTED)

    def redact_graphql(self, text: str) -> tuple[str, int]:
        """A query of GraphQL."""
        return self._finish(*redact_graphql(text, self._names), REDACTED)

    def redact_xml(self, text: str) -> tuple[str, int]:
        """XML."""
        return self._finish(*redact_xml(text, self._names), REDACTED)

    def redact_any(self, text: str) -> tuple[str, int]:
        """A text of which nobody says what it is."""
        begin = text.lstrip()[:1]
        if begin in ("{", "["):
            return self.redact_json(text)
        if begin == "<":
            return self.redact_xml(text)
        found = redact_pairs(text, LINE, self._names, self._inner(1), REDACTED, anywhere=False)
        if "\n" in text:
            found = self._lines(text)
        return self._finish(*found, REDACTED)

    def redact_urls(self, text: str) -> tuple[str, int]:
        """A text with URLs in it, such as a document."""
        found = redact_pairs(text, TEXT, self._names, lambda value: (value, 0), anywhere=False)
        return self._finish(*found, REDACTED)

    def _lines(self, text: str) -> tuple[str, int]:
        """Lines of which each may be a pair."""
        done = [
            redact_pairs(line, LINE, self._names, self._inner(1), REDACTED, anywhere=False)
            for line in re.split(r"(?<=\n)", text)
        ]
        return "".join(line for line, _ in done), sum(count for _, count in done)

    def _pairs(self, text: str, ends: re.Pattern[str], word: str) -> tuple[str, int]:
        return redact_pairs(text, ends, self._names, self._inner(1), word)

    def _inner(self, depth: int) -> _Inner:
        return _Inner(self._names, depth)

    def _finish(self, text: str, count: int, word: str) -> tuple[str, int]:
        """The same without values that are secret wherever they stand."""
        if self._shapes:
            text, more = hide_shapes(text, word)
            count += more
        text, more = self._known.hide(text, word)
        return text, count + more


class _Inner:
    """Reads a value that was unpacked from another."""

    __slots__ = ("_depth", "_names")

    def __init__(self, names: SecretNames, depth: int) -> None:
        self._names, self._depth = names, depth

    def __call__(self, text: str) -> tuple[str, int]:
        if self._depth > _DEEPEST or len(text) > _LONGEST:
            return text, 0
        deeper = _Inner(self._names, self._depth + 1)
        if text.lstrip()[:1] in ("{", "[") and ":" in text:
            return redact_json(text, self._names, deeper)
        if "=" in text or "@" in text:
            return redact_pairs(text, TEXT, self._names, deeper, anywhere=False)
        if "%" in text and (decoded := decode_percent(text)) != text:
            redacted, count = deeper(decoded)
            return (encode_percent(redacted), count) if count else (text, 0)
        return text, 0

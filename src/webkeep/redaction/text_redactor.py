"""Texts of any kind (URLs, fields, forms, JSON, documents) without their secrets: what each holds is read as deep as it
was packed, and read again where it reads differently without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from webkeep.redaction.credential_shapes import hide_shapes
from webkeep.redaction.formats.name_value_pairs import REDACTED_IN_URL, TARGET_VALUE, TEXT_VALUE, redact_pairs
from webkeep.redaction.formats.packed_values import PackedValueRedactor, redact_by_kind
from webkeep.redaction.formats.text_kind import TextKind, detect_text_kind
from webkeep.redaction.names.secret_names import SecretNames
from webkeep.redaction.values.known_values import KnownValues

REDACTED = "[redacted]"
"""What stands in for a value that was left out."""

_JSON_STARTS = frozenset("{[)wf0123456789")
_MAX_PASSES = 4
"""How often a text is read again that reads differently without its secrets."""


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
        return self._known.occur_in(text)

    def hide_known(self, text: str, word: str = REDACTED) -> tuple[str, int]:
        """The same without such values."""
        return self._known.hide_values(text, word)

    def hide_known_bytes(self, data: bytes) -> tuple[bytes, int]:
        """Bytes of any kind without such values."""
        return self._known.hide_in_bytes(data, REDACTED)

    def redact_target(self, text: str) -> tuple[str, int]:
        """A URL, or the target of a request."""
        return _redact_repeatedly(text, lambda text: self._redact_pairs_once(text, TARGET_VALUE))

    def redact_field(self, text: str) -> tuple[str, int]:
        """The value of a field that may name URLs or parameters."""
        return _redact_repeatedly(text, self._redact_field_once)

    def redact_form(self, text: str) -> tuple[str, int]:
        """An encoded form."""
        return _redact_repeatedly(text, lambda text: self._redact_once(text, TextKind.FORM))

    def redact_json(self, text: str) -> tuple[str, int]:
        """JSON, one value or many."""
        return _redact_repeatedly(text, lambda text: self._redact_once(text, TextKind.JSON))

    def redact_any(self, text: str, media_type: str = "") -> tuple[str, int]:
        """A text of any kind."""
        return _redact_repeatedly(text, lambda text: self._redact_once(text, detect_text_kind(text, media_type)))

    def redact_urls(self, text: str) -> tuple[str, int]:
        """A text with URLs in it, such as a document."""
        return _redact_repeatedly(text, self._redact_urls_once)

    def _redact_urls_once(self, text: str) -> tuple[str, int]:
        text, count = self._hide_values(text, REDACTED)
        text, more = redact_pairs(text, TEXT_VALUE, self._names, lambda value, _: (value, 0), anywhere=False)
        return text, count + more

    def _redact_field_once(self, text: str) -> tuple[str, int]:
        if text[:1] in _JSON_STARTS and (kind := detect_text_kind(text)) is TextKind.JSON:
            return self._redact_once(text, kind)
        return self._redact_pairs_once(text, TEXT_VALUE)

    def _redact_once(self, text: str, kind: TextKind) -> tuple[str, int]:
        text, count = self._hide_values(text, REDACTED)
        text, more = redact_by_kind(text, kind, self._names, PackedValueRedactor(self._names, 1))
        return text, count + more

    def _redact_pairs_once(self, text: str, ends: re.Pattern[str]) -> tuple[str, int]:
        text, count = self._hide_values(text, REDACTED_IN_URL)
        text, more = redact_pairs(text, ends, self._names, PackedValueRedactor(self._names, 1))
        return text, count + more

    def _hide_values(self, text: str, word: str) -> tuple[str, int]:
        """The same without values that are secret wherever they stand; first of all, as they may reach across pairs."""
        text, count = self._known.hide_values(text, word)
        text, more = hide_shapes(text, word) if self._shapes else (text, 0)
        return text, count + more


def _redact_repeatedly(text: str, redact: Callable[[str], tuple[str, int]]) -> tuple[str, int]:
    """A text that has nothing more to hide, and how much it had: what was left out may have held the rest together."""
    redacted, count = redact(text)
    for _ in range(_MAX_PASSES):
        if redacted == text:
            break
        text = redacted
        redacted, more = redact(text)
        count += more if redacted != text else 0
    return redacted, count

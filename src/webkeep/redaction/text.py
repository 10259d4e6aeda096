"""Texts of any kind without their secrets: what each holds is read as deep as it was packed."""

from __future__ import annotations

import re
from collections.abc import Callable

from webkeep.redaction.known_values import KnownValues
from webkeep.redaction.packed_text import Packed, redact_kind
from webkeep.redaction.pairs import IN_URL, TARGET, TEXT, redact_pairs
from webkeep.redaction.secret_names import SecretNames
from webkeep.redaction.shapes import hide_shapes
from webkeep.redaction.text_kinds import TextKind, tell_kind

REDACTED = "[redacted]"
"""What stands in for a value that was left out."""

_OF_JSON = frozenset("{[)wf0123456789")
_MOST_PASSES = 4
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
        return self._known.are_in(text)

    def hide_known(self, text: str, word: str = REDACTED) -> tuple[str, int]:
        """The same without such values."""
        return self._known.hide(text, word)

    def hide_known_bytes(self, data: bytes) -> tuple[bytes, int]:
        """Bytes of any kind without such values."""
        return self._known.hide_in_bytes(data, REDACTED)

    def redact_target(self, text: str) -> tuple[str, int]:
        """A URL, or the target of a request."""
        return _until_settled(text, lambda text: self._pairs(text, TARGET))

    def redact_field(self, text: str) -> tuple[str, int]:
        """The value of a field that may name URLs or parameters."""
        return _until_settled(text, self._field)

    def redact_form(self, text: str) -> tuple[str, int]:
        """An encoded form."""
        return _until_settled(text, lambda text: self._redact(text, TextKind.FORM))

    def redact_json(self, text: str) -> tuple[str, int]:
        """JSON, one value or many."""
        return _until_settled(text, lambda text: self._redact(text, TextKind.JSON))

    def redact_any(self, text: str, media_type: str = "") -> tuple[str, int]:
        """A text of any kind."""
        return _until_settled(text, lambda text: self._redact(text, tell_kind(text, media_type)))

    def redact_urls(self, text: str) -> tuple[str, int]:
        """A text with URLs in it, such as a document."""
        return _until_settled(text, self._urls)

    def _urls(self, text: str) -> tuple[str, int]:
        text, count = self._hide(text, REDACTED)
        text, more = redact_pairs(text, TEXT, self._names, lambda value, _: (value, 0), anywhere=False)
        return text, count + more

    def _field(self, text: str) -> tuple[str, int]:
        if text[:1] in _OF_JSON and (kind := tell_kind(text)) is TextKind.JSON:
            return self._redact(text, kind)
        return self._pairs(text, TEXT)

    def _redact(self, text: str, kind: TextKind) -> tuple[str, int]:
        text, count = self._hide(text, REDACTED)
        text, more = redact_kind(text, kind, self._names, Packed(self._names, 1))
        return text, count + more

    def _pairs(self, text: str, ends: re.Pattern[str]) -> tuple[str, int]:
        text, count = self._hide(text, IN_URL)
        text, more = redact_pairs(text, ends, self._names, Packed(self._names, 1))
        return text, count + more

    def _hide(self, text: str, word: str) -> tuple[str, int]:
        """The same without values that are secret wherever they stand; first of all, as they may reach across pairs."""
        text, count = self._known.hide(text, word)
        text, more = hide_shapes(text, word) if self._shapes else (text, 0)
        return text, count + more


def _until_settled(text: str, redact: Callable[[str], tuple[str, int]]) -> tuple[str, int]:
    """A text that has nothing more to hide, and how much it had: what was left out may have held the rest together."""
    redacted, count = redact(text)
    for _ in range(_MOST_PASSES):
        if redacted == text:
            break
        text = redacted
        redacted, more = redact(text)
        count += more if redacted != text else 0
    return redacted, count

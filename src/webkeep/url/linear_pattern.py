"""Regular expressions that people send or write down, matched by RE2 in a time that grows with the text and no faster
(no ReDoS); how long those of strangers may be, and how much memory one may take.

The library's own engine tries one way after another and can be made to try for years. RE2 follows all ways at once; it
knows no look-around and no back-references, which cannot be matched so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from webkeep.errors import UsageError

MAX_STRANGERS_CHARS = 256
"""Expressions of strangers are refused if they are longer: filters that people write by hand have a few dozen."""
_MAX_MEMORY_BYTES = 64 << 10
"""RE2 refuses an expression whose program would take more. The worst found below it costs 2 ms for a text of 2,000
characters; with RE2's own 8 MB it costs 29 ms."""


@dataclass(frozen=True, slots=True)
class LinearPattern:
    """An expression, ready to be held against texts."""

    text: str
    _compiled: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", _compile(self.text))

    @classmethod
    def from_stranger(cls, text: str) -> LinearPattern:
        """The pattern of an expression that came over the net."""
        if len(text) > MAX_STRANGERS_CHARS:
            raise UsageError(f"the expression is longer than {MAX_STRANGERS_CHARS} characters; shorten it")
        return cls(text)

    def matches(self, text: str) -> bool:
        """Whether the whole text is what the expression describes."""
        return self._compiled.fullmatch(_encode(text)) is not None

    def matches_start(self, text: str) -> bool:
        """Whether the text begins with what the expression describes."""
        return self._compiled.match(_encode(text)) is not None

    def search(self, text: str) -> bool:
        """Whether what the expression describes is somewhere in the text."""
        return self._compiled.search(_encode(text)) is not None


def _compile(text: str) -> Any:
    import re2  # takes 5 ms, and few commands are given an expression

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MAX_MEMORY_BYTES
    try:
        # Bytes are matched as such: for texts re2 would translate every place it found, at three times the cost.
        return re2.compile(text.encode(errors="surrogatepass"), options)
    except re2.error as error:
        reason = str(error.args[0], "utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        raise UsageError(f"the expression {text!r} cannot be used: {reason}") from error


def _encode(text: str) -> bytes:
    return text.encode(errors="replace")

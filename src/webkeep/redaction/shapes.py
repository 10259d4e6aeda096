"""Values that are credentials whatever they are called: web tokens, and keys that say so themselves."""

from __future__ import annotations

import re

_SIGNS = ("eyJ", "gh", "glpat-", "xox", "k_live_")
# A row that begins as a token and is none is taken whole too, or rows of beginnings take the square of their length.
_SHAPE = re.compile(
    r"\b(?:eyJ[A-Za-z0-9_-]{8,}+(\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+)?"
    r"|(gh[pousr]_[A-Za-z0-9]{30,}+|glpat-[A-Za-z0-9_-]{20,}+|xox[abprs]-[A-Za-z0-9-]{10,}+"
    r"|[sr]k_live_[A-Za-z0-9]{16,}+))"
)


def hide_shapes(text: str, word: str) -> tuple[str, int]:
    """A text with a word in place of each of them, and how many there were."""
    if not any(sign in text for sign in _SIGNS):
        return text, 0
    count = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None and match[2] is None:
            return match[0]
        count += 1
        return word

    return _SHAPE.sub(replaced, text), count

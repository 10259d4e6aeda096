"""Values that are credentials whatever they are called: JSON web tokens, keys that say so themselves (of GitHub,
GitLab, Slack, Stripe), and what follows Bearer, Basic or Negotiate.
"""

from __future__ import annotations

import re

# A row that begins as a token and is none is taken whole too, or rows of beginnings take the square of their length.
_TOKEN_SHAPE = re.compile(
    r"\b(?:eyJ[A-Za-z0-9_-]{8,}+(\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+)?"
    r"|(gh[pousr]_[A-Za-z0-9]{30,}+|glpat-[A-Za-z0-9_-]{20,}+|xox[abprs]-[A-Za-z0-9-]{10,}+"
    r"|[sr]k_live_[A-Za-z0-9]{16,}+))"
)
_AUTH_SCHEME = re.compile(
    r"\b(bearer|basic|negotiate)((?:[\s+]|%20)++)([A-Za-z0-9._~/-][A-Za-z0-9._~+/=-]{7,}+)", re.IGNORECASE
)
_RANDOM_LOOKING = re.compile(r"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])|.[^A-Z]*+[A-Z].*[a-z]|.{40}").match


def hide_shapes(text: str, word: str) -> tuple[str, int]:
    """A text with a word in place of each of them, and how many there were."""
    count = more = 0
    # One by one, as that is three times as fast as any loop.
    if "eyJ" in text or "gh" in text or "k_live_" in text or "glpat-" in text or "xox" in text:
        text, count = _hide_tokens(text, word)
    if "earer" in text or "asic" in text or "egotiate" in text or "EARER" in text or "ASIC" in text:
        text, more = _hide_schemes(text, word)
    return text, count + more


def _hide_schemes(text: str, word: str) -> tuple[str, int]:
    count = 0

    def replace_match(match: re.Match[str]) -> str:
        nonlocal count
        if not _RANDOM_LOOKING(match[3]):
            return match[0]
        count += 1
        return f"{match[1]}{match[2]}{word}"

    return _AUTH_SCHEME.sub(replace_match, text), count


def _hide_tokens(text: str, word: str) -> tuple[str, int]:
    count = 0

    def replace_match(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None and match[2] is None:
            return match[0]
        count += 1
        return word

    return _TOKEN_SHAPE.sub(replace_match, text), count

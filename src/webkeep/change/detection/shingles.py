"""Shingles: texts as sets of their short runs of words or characters, how much two texts share (Jaccard similarity),
and how much makes them the same text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set as AbstractSet

from webkeep.errors import UsageError

SAME_TEXT_SIMILARITY = 0.9
"""Two versions that share so much differ in nothing that matters."""
_MAX_WORD_CHARS = 30
"""A text whose words are longer on average has no spaces between them."""
_WORD = re.compile(r"\w+")


def word_shingles(text: str, size: int = 10) -> frozenset[str]:
    """Runs of words; the whole text where it has fewer."""
    return frozenset(_join_runs(_WORD.findall(text.lower()), size, " "))


def character_shingles(text: str, size: int = 5) -> frozenset[str]:
    """Runs of characters; the whole text where it has fewer."""
    return frozenset(_join_runs(text, size, ""))


def character_bag(text: str, size: int = 5) -> Counter[str]:
    """Runs of characters, and how often each occurs."""
    return Counter(_join_runs(text, size, ""))


def _join_runs(parts: Sequence[str], size: int, joint: str) -> Iterable[str]:
    if size < 1:
        raise UsageError(f"a shingle of {size} parts holds nothing; give a size of one or more")
    if len(parts) <= size:
        return [joint.join(parts)] if parts else []
    return (joint.join(parts[start : start + size]) for start in range(len(parts) - size + 1))


def jaccard_similarity(first: AbstractSet[object], second: AbstractSet[object]) -> float:
    """What two sets share of what either has (Jaccard); one for two empty sets."""
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def text_resemblance(first: str, second: str) -> float:
    """What two texts share of what either has: by runs of words, or of characters where words are not apart."""
    shingles = word_shingles if _has_words(first) and _has_words(second) else character_shingles
    return jaccard_similarity(shingles(first), shingles(second))


def _has_words(text: str) -> bool:
    """Whether a text has spaces between its words, as Chinese and Japanese have not."""
    return text.count(" ") * _MAX_WORD_CHARS >= len(text)

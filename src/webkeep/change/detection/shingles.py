"""Shingles: texts as sets of their short runs of words or characters, how much two texts share (Jaccard similarity,
MinHash), and how much makes them the same text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set as AbstractSet

from webkeep.errors import UsageError

SAME_TEXT_SIMILARITY = 0.9
"""Two versions that share so much differ in nothing that matters."""
_WORD = re.compile(r"\w+")
_HASH_MODULUS = 1 << 64
"""Hashes are of 64 bits."""
_MULTIPLIER, _INCREMENT = 6364136223846793005, 1442695040888963407
"""Knuth's for linear congruences of 64 bits (MMIX)."""


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


def minhash_signature(rows: Iterable[int], hashes: Sequence[Callable[[int], int]]) -> tuple[int, ...]:
    """The least value of each hash function over the rows; minus one where there are no rows."""
    seen = list(rows)
    return tuple(min(map(function, seen), default=-1) for function in hashes)


def signature_similarity(first: Sequence[int], second: Sequence[int]) -> float:
    """The share of equal components, which estimates the similarity of the sets."""
    equal = sum(one == other for one, other in zip(first, second, strict=True))
    return equal / len(first) if first else 1.0


def hash_functions(count: int, seed: int = 1) -> list[Callable[[int], int]]:
    """So many functions that each shuffle numbers of 64 bits in another way."""
    keys = [seed % _HASH_MODULUS]
    for _ in range(2 * count):
        keys.append((keys[-1] * _MULTIPLIER + _INCREMENT) % _HASH_MODULUS)
    return [_shuffle(factor | 1, offset) for factor, offset in zip(keys[1::2], keys[2::2], strict=True)]


def _shuffle(factor: int, offset: int) -> Callable[[int], int]:
    """High bits are folded into low ones twice, or neighbouring numbers would stay in order."""

    def mix_bits(number: int) -> int:
        mixed = (number * factor + offset) % _HASH_MODULUS
        mixed = ((mixed ^ mixed >> 32) * factor) % _HASH_MODULUS
        mixed = ((mixed ^ mixed >> 29) * _MULTIPLIER) % _HASH_MODULUS
        return mixed ^ mixed >> 32

    return mix_bits

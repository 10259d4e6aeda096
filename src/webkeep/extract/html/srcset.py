"""Responsive images: the addresses in `srcset`, each an image candidate with its descriptors, apart by commas that may
also stand within them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A candidate is one word; commas at its end close it, else its descriptors run up to the next comma outside brackets.
_CANDIDATE = re.compile(r"[\s,]*+([^\s,]\S*+)")
_DESCRIPTORS = re.compile(r"(?:[^,()]++|\([^()]*+\)?|\))*+")


def srcset_spans(value: str) -> Iterator[tuple[int, int]]:
    """Where each candidate's address begins and ends."""
    at = 0
    while (match := _CANDIDATE.match(value, at)) is not None:
        start, end = match.span(1)
        trimmed = value[start:end].rstrip(",")
        if trimmed:
            yield start, start + len(trimmed)
        at = end
        if len(trimmed) == end - start and (descriptors := _DESCRIPTORS.match(value, end)) is not None:
            at = descriptors.end()

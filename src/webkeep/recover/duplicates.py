"""Duplicate-URL rules: a site that had two names for a page had them by a rule, as `/~bar/` and `/people/bar/`.

Pairs of pages that show the same bytes by the lists are told apart by what stands between a common beginning and a
common end. What recurs with several pairs is a rule, if hardly any pair that it makes shows different bytes. Rules are
asked only where a page leads to something that nobody holds: it may be held by its other name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

_FEWEST = 3
"""How many pairs make a rule."""
_MOST_WRONG = 0.05
"""The share of the pairs made by a rule that may show different bytes, as the same page does at different times."""
_MOST_TRIED = 40
_LONGEST = 60


class Renaming(NamedTuple):
    """A part of URLs that the site also wrote in another way."""

    old: str
    new: str

    def applied(self, key: str) -> str:
        """The other name of a URL, or "" where the rule says nothing of it."""
        return key.replace(self.old, self.new) if self.old in key else ""


def learned(groups: Iterable[Sequence[str]], tried: Callable[[Renaming], tuple[int, int]]) -> list[Renaming]:
    """The rules by which groups of URLs show the same.

    `tried` says of how many pairs made by a rule the bytes are the same, and of how many they are not.
    """
    support: Counter[Renaming] = Counter()
    for group in groups:
        support.update({rule for one, other in permutations(group, 2) for rule in renamings(one, other)})
    likely = [rule for rule, count in support.most_common(_MOST_TRIED) if count >= _FEWEST]
    return [rule for rule in likely if _holds(*tried(rule))]


def _holds(same: int, different: int) -> bool:
    return same >= _FEWEST and different <= _MOST_WRONG * same


def renamings(one: str, other: str) -> Iterator[Renaming]:
    """The ways to see one URL as another one renamed: what differs, and that up to the next marks on either side."""
    start = _alike(one, other)
    end = _alike(one[start:][::-1], other[start:][::-1])
    differing = one[start : len(one) - end], other[start : len(other) - end]
    if (differing[0] + differing[1]).isdigit():
        return  # numbered pages that happen to look alike
    shared = one[len(one) - end :]
    for before in {"", one[_mark_before(one, start) : start]}:
        for after in {"", shared[: _mark_after(shared)]}:
            old, new = (before + each + after for each in differing)
            if old and new and len(old) <= _LONGEST and len(new) <= _LONGEST:
                yield Renaming(old, new)


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning on."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (here, there) in enumerate(pairs) if here != there), min(len(one), len(other)))


def _mark_before(text: str, place: int) -> int:
    """Where the last mark before a place stands."""
    return next((at for at in range(place - 1, -1, -1) if not text[at].isalnum()), 0)


def _mark_after(text: str) -> int:
    """Behind the first mark of a text."""
    return next((at + 1 for at, char in enumerate(text) if not char.isalnum()), len(text))

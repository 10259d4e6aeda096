"""Edit distance (Myers's diff): how many words were put in or taken out between two texts, and from how many edits on
their order no longer counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def edit_distance(first: Sequence[object], second: Sequence[object], most: int | None = None) -> int:
    """How many parts must be put in or taken out to make one of the other, or one more than `most` if it is more.

    Costs no more than the length times the distance, so that a bound keeps texts which have nothing in common cheap.
    """
    start = _common_prefix(first, second)
    one, other = first[start:], second[start:]
    end = _common_prefix(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    bound = len(one) + len(other) if most is None else min(most, len(one) + len(other))
    return _search_distance(one, other, bound)


def _search_distance(one: Sequence[object], other: Sequence[object], bound: int) -> int:
    """Myers's search: for more and more edits, how far each difference of places can be followed."""
    furthest = {1: 0}
    for edits in range(bound + 1):
        for shift in range(-edits, edits + 1, 2):
            down = shift == -edits or (shift != edits and furthest[shift - 1] < furthest[shift + 1])
            place = furthest[shift + 1] if down else furthest[shift - 1] + 1
            while place < len(one) and place - shift < len(other) and one[place] == other[place - shift]:
                place += 1
            furthest[shift] = place
            if place >= len(one) and place - shift >= len(other):
                return edits
    return bound + 1


def _common_prefix(one: Sequence[object], other: Sequence[object]) -> int:
    """How many parts two texts have in common from the start."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def edit_share(first: Sequence[str], second: Sequence[str], most: int = 200) -> float:
    """The share of all words that were put in or taken out, from nought to one.

    Beyond so many edits only the words themselves are counted, not their order.
    """
    total = len(first) + len(second)
    if not total:
        return 0.0
    distance = edit_distance(first, second, most)
    if distance > most:
        before, after = Counter(first), Counter(second)
        distance = max(distance, (before - after).total() + (after - before).total())
    return distance / total

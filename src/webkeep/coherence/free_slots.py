"""Slots before and after the middle of a capture that are still free, and the longest pair of them within a limit.

Free slots are the ones of two large numbers, the second written backwards. Shifted by a sum and laid over each other
they show all pairs of that sum at once, so that a look costs a few words of memory instead of a walk along both sides.
"""

from __future__ import annotations

_LOOKS = 64
"""After so many sums without a pair, walking along both sides costs less than looking on."""


class FreeSlots:
    """Distances from the middle, from one to `count`, on both sides."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._before = self._after_backwards = (1 << count + 1) - 2 if count else 0
        self._after_backwards >>= 1

    def take(self, early: int, late: int) -> None:
        """Let a distance before and one after the middle be free no longer."""
        self._before ^= 1 << early
        self._after_backwards ^= 1 << self._count - late

    def left(self) -> tuple[list[int], list[int]]:
        """The free distances before and after the middle, ascending."""
        after = [self._count - place for place in _ones(self._after_backwards)]
        return _ones(self._before), after[::-1]

    def longest_pair(self, limit: float) -> tuple[int, int] | None:
        """The pair with the greatest sum within the limit.

        Of equal sums, the one whose sides differ least, then the one with the smaller distance before the middle.
        """
        if not self._before:
            return None
        least = _lowest(self._before) + self._count - self._after_backwards.bit_length() + 1
        most = self._before.bit_length() - 1 + self._count - _lowest(self._after_backwards)
        if least > limit:
            return None
        start = int(min(limit, most))
        for total in range(start, max(start - _LOOKS, least - 1), -1):
            pairs = self._pairs(total)
            if pairs:
                early = _nearest(pairs, total // 2, total)
                return early, total - early
        return self._walked(start)

    def _pairs(self, total: int) -> int:
        """The distances before the middle, as ones, that have a free partner for this sum."""
        shift = self._count - total
        return self._before & (self._after_backwards >> shift if shift >= 0 else self._after_backwards << -shift)

    def _walked(self, most: int) -> tuple[int, int]:
        before, after = self.left()
        found, rank = (0, 0), (0, 0, 0)
        other = len(after) - 1
        for early in before:
            while other >= 0 and early + after[other] > most:
                other -= 1
            if other < 0:
                break
            late = after[other]
            if (early + late, -abs(early - late), -early) > rank or found == (0, 0):
                found, rank = (early, late), (early + late, -abs(early - late), -early)
        return found


def _nearest(ones: int, middle: int, total: int) -> int:
    """The place of the one nearest to half the total, the lower of two; `middle` is the half rounded down."""
    below = (ones & (1 << middle + 1) - 1).bit_length() - 1
    above = ones >> middle + 1
    higher = _lowest(above) + middle + 1 if above else -1
    if below < 0 or (higher >= 0 and 2 * higher - total < total - 2 * below):
        return higher
    return below


def _lowest(ones: int) -> int:
    return (ones & -ones).bit_length() - 1


def _ones(number: int) -> list[int]:
    return [place for place, digit in enumerate(f"{number:b}"[::-1]) if digit == "1"]

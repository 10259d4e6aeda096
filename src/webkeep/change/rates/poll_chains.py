"""The last looks (polls) at many pages, in eight bytes each or less, and how many of them are kept of a page."""

from __future__ import annotations

from array import array

from webkeep.change.rates.rate_estimators import Poll

MAX_POLLS_A_PAGE = 16
"""As many looks at a page are kept, where calm ones in a row are one: older ones tell of what it may no longer be."""
NO_POLLS = -1
"""The chain of a page that was not looked at."""


class PollChains:
    """Chains of looks, the newest first; whoever keeps the number of a chain's newest look has the chain."""

    def __init__(self) -> None:
        self._lengths = array("f")
        """How long each look was after the one before; below zero where nothing had changed."""
        self._older = array("i")

    def add(self, newest: int, length: float, changed: bool) -> int:
        """The chain with one more look; where it is full, the oldest makes room."""
        if not changed and newest >= 0 and self._lengths[newest] < 0:
            # All that calm looks say is how long they were together.
            self._lengths[newest] -= length
            return newest
        place = self._free_oldest(newest)
        signed = length if changed else -length
        if place < 0:
            self._lengths.append(signed)
            self._older.append(newest)
            return len(self._lengths) - 1
        self._lengths[place], self._older[place] = signed, newest
        return place

    def polls_of(self, newest: int) -> list[Poll]:
        """The looks of a chain, the newest first."""
        polls = []
        while newest >= 0:
            signed = self._lengths[newest]
            polls.append(Poll(abs(signed), signed > 0))
            newest = self._older[newest]
        return polls

    def _free_oldest(self, newest: int) -> int:
        """The place of the oldest look of a full chain, cut off; minus one where the chain has room."""
        place, before = newest, NO_POLLS
        for _ in range(MAX_POLLS_A_PAGE - 1):
            if place < 0:
                return NO_POLLS
            place, before = self._older[place], place
        if place >= 0:
            self._older[before] = NO_POLLS
        return place

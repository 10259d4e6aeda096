"""How many pages a site has, while not all of them are known: estimated beforehand and held, or learned from what
visits find.

Too high an estimate spoils an order more than one too low: the crawl would save its hot pages for a middle that never
comes. So what is believed beyond the known pages shrinks as visits find nothing new.
"""

from __future__ import annotations

from typing import Protocol


class SizeEstimate(Protocol):
    """An estimate of a site's size that may change at any time."""

    def estimate_pages(self, visited: int, waiting: int) -> int:
        """How many pages there are, known and unknown."""
        ...


class FixedSizeEstimate:
    """An estimate made before the crawl and held whatever it finds."""

    def __init__(self, pages: int) -> None:
        self._pages = pages

    def estimate_pages(self, visited: int, waiting: int) -> int:  # noqa: ARG002
        """The estimate."""
        return self._pages


class LearnedSizeEstimate:
    """An estimate, from before the crawl or from nothing, that follows what the crawl finds."""

    MAX_VAIN_SHARE = 0.03
    """After visits in vain to this share of the known pages, nothing more is believed to be there."""

    def __init__(self, pages: int | None = None) -> None:
        self._prior = pages
        self._known = 0
        self._productive = 0
        """How many pages had been visited when the last new one was found."""

    def estimate_pages(self, visited: int, waiting: int) -> int:
        """What is known and what visits so far let believe."""
        known = visited + waiting
        if known > self._known:
            self._known, self._productive = known, visited
        vain = visited - self._productive
        belief = max(0.0, 1 - vain / max(self.MAX_VAIN_SHARE * known, 1.0))
        return known + int(belief * self._estimate_unknown(known, waiting))

    def _estimate_unknown(self, known: int, waiting: int) -> int:
        """Without a better word, pages that wait hide as many again."""
        if self._prior is None or self._prior < known:
            return waiting if self._prior is None else 0
        return self._prior - known

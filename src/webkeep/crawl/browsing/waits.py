"""How long a lane waits, of late: for its turn to ask, and for answers."""

from __future__ import annotations

import asyncio

_WEIGHT = 0.2
_PACED = 0.1
"""Seconds of waiting for its turn from which on requests come one after the other anyway."""


class Waits:
    """Means that follow what was measured."""

    def __init__(self) -> None:
        self._for_turns = self._for_answers = 0.0

    @staticmethod
    def now() -> float:
        """The time on the loop's own clock."""
        return asyncio.get_running_loop().time()

    def permitted(self, since: float) -> None:
        """A request got its turn that had waited for it since then."""
        self._for_turns += _WEIGHT * (self.now() - since - self._for_turns)

    def answered(self, since: float) -> None:
        """An answer came to what was asked then."""
        took = self.now() - since
        self._for_answers += (_WEIGHT if self._for_answers else 1.0) * (took - self._for_answers)

    @property
    def of_answers(self) -> float:
        """Seconds; 0.0 where requests are paced, so that several at once would only wait for their turns."""
        return self._for_answers if self._for_turns < _PACED else 0.0

"""Guesses: links that only look like links are tried as long as enough in their folder and host are right."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.url_shape import folder_shape
from webkeep.frontier.urls.lru_map import LruMap

_MAX_PLACES = 5000
"""Folders and hosts of which it is remembered how guessing went."""
_MIN_RIGHT_SHARE = 0.1
"""Guessing ends where fewer than so many of the guesses were right, once the budget is spent."""
_NEVER_RIGHT_BUDGET_SHARE = 0.4
"""So much of a folder's budget is enough where no guess was right, as with the tables of names that loaders carry."""
_HOST_BUDGET_FACTOR = 5
"""A host may have so many times as many wrong guesses as one of its folders."""


@dataclass(slots=True)
class _GuessCounts:
    right: int = 0
    wrong: int = 0

    def is_exhausted(self, budget: int) -> bool:
        return self.wrong >= budget and self.right < _MIN_RIGHT_SHARE * (self.right + self.wrong)


class GuessTracker:
    """How well guessing went, for folders and for whole hosts."""

    def __init__(self) -> None:
        self._records: LruMap[str, _GuessCounts] = LruMap(_MAX_PLACES)

    def suspicion(self, url: str, host: str, budget: int) -> TrapSuspicion | None:
        """Whether guessing has gone wrong too often where this guess leads."""
        folder = folder_shape(url)
        for place, limit in ((folder, self._wrong_limit(folder, budget)), (host, budget * _HOST_BUDGET_FACTOR)):
            record = self._records.get(place)
            if record is not None and record.is_exhausted(limit):
                return TrapSuspicion(TrapKind.GUESS, folder if place == folder else f"{host}/*")
        return None

    def _wrong_limit(self, folder: str, budget: int) -> int:
        record = self._records.get(folder)
        return budget if record is None or record.right else round(budget * _NEVER_RIGHT_BUDGET_SHARE)

    def learn(self, url: str, host: str, is_right: bool) -> None:
        """Take note of how a guess turned out."""
        for place in (folder_shape(url), host):
            record = self._records.get(place)
            if record is None:
                record = self._records[place] = _GuessCounts()
            if is_right:
                record.right += 1
            else:
                record.wrong += 1

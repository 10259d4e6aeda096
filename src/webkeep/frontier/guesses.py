"""Guesses: links that only look like links are tried as long as enough of them are right."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.frontier.lately import Lately
from webkeep.frontier.shape import folder_shape
from webkeep.frontier.suspicion import Kind, Suspicion

_REMEMBERED = 5000
_RIGHT_SHARE = 0.1
_NEVER_RIGHT_SHARE = 0.4
"""So much of a folder's budget is enough where no guess was right, as with the tables of names that loaders carry."""
_HOST_SHARE = 5
"""A host may have so many times as many wrong guesses as one of its folders."""


@dataclass(slots=True)
class _Record:
    right: int = 0
    wrong: int = 0

    def is_spent(self, budget: int) -> bool:
        return self.wrong >= budget and self.right < _RIGHT_SHARE * (self.right + self.wrong)


class Guesses:
    """How well guessing went, for folders and for whole hosts."""

    def __init__(self) -> None:
        self._records: Lately[str, _Record] = Lately(_REMEMBERED)

    def suspicion(self, url: str, host: str, budget: int) -> Suspicion | None:
        """Whether guessing has gone wrong too often where this guess leads."""
        folder = folder_shape(url)
        for place, limit in ((folder, self._limit(folder, budget)), (host, budget * _HOST_SHARE)):
            record = self._records.get(place)
            if record is not None and record.is_spent(limit):
                return Suspicion(Kind.GUESS, folder if place == folder else f"{host}/*")
        return None

    def _limit(self, folder: str, budget: int) -> int:
        record = self._records.get(folder)
        return budget if record is None or record.right else round(budget * _NEVER_RIGHT_SHARE)

    def learn(self, url: str, host: str, is_right: bool) -> None:
        """Take note of how a guess turned out."""
        for place in (folder_shape(url), host):
            record = self._records.get(place)
            if record is None:
                record = self._records[place] = _Record()
            if is_right:
                record.right += 1
            else:
                record.wrong += 1

"""Tombstones where people look for what lies under them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from webkeep.cli import measure
from webkeep.cli.facts import told
from webkeep.model import Fate, Outcome
from webkeep.store.archive import Archive
from webkeep.store.ledger import Tombstone

_KEPT = frozenset({Outcome.STORED, Outcome.DUPLICATE})


def last_stone(archive: Archive, urls: Iterable[str]) -> Tombstone | None:
    """The newest tombstone of any of these spellings."""
    meant = frozenset(urls)
    stones = (stone for stone in archive.tombstones() if stone.url in meant)
    return max(stones, key=lambda stone: stone.removed, default=None)


class Graveyard:
    """The tombstones of an archive, to be asked by what captures say of URLs."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._stones: defaultdict[str, list[Tombstone]] = defaultdict(list)
        for stone in archive.tombstones():
            self._stones[stone.url].append(stone)

    def stone_of(self, capture_id: str, fate: Fate) -> Tombstone | None:
        """The tombstone of what a capture stored; none where it is there, or was never stored."""
        if fate.outcome not in _KEPT or fate.url not in self._stones:
            return None
        seen = (each for each in self._archive.history(fate.url) if each.url == fate.url)
        if any(each.capture == capture_id for each in seen):
            return None
        capture = self._archive.capture(capture_id)
        ended = capture.finished
        stones = [stone for stone in self._stones[fate.url] if stone.moment >= capture.started]
        stones = [stone for stone in stones if ended is None or stone.moment <= ended]
        return max(stones, key=lambda stone: stone.removed, default=None)


def stone_words(stone: Tombstone) -> str:
    """When and why something was taken down."""
    return f"taken down {measure.date(stone.removed)}" + (f" ({stone.reason})" if stone.reason else "")


def stone_facts(stone: Tombstone | None) -> dict[str, object]:
    """The same as JSON; of what was not taken down, that it was not."""
    return {"removed": told(stone.removed if stone else None), "removal_reason": stone.reason if stone else ""}

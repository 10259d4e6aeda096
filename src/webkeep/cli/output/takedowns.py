"""Tombstones where people look for what lies under them: which observations of a URL were taken down, when and why, and
which fates of a capture have lost their records so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from webkeep.cli.output.json_facts import moment_fact
from webkeep.model import STORED_OUTCOMES, Fate
from webkeep.presentation import format_count, format_moment
from webkeep.store.archive import Archive
from webkeep.store.index import Tombstone


class TakedownLookup:
    """The tombstones of an archive, to be asked by what captures say of URLs."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._tombstones: defaultdict[str, list[Tombstone]] = defaultdict(list)
        for stone in archive.tombstones():
            self._tombstones[stone.url].append(stone)

    def find_tombstone(self, capture_id: str, fate: Fate) -> Tombstone | None:
        """The tombstone of what a capture stored; none where it is there, or was never stored."""
        if fate.outcome not in STORED_OUTCOMES or fate.url not in self._tombstones:
            return None
        seen = (each for each in self._archive.history(fate.url) if each.url == fate.url)
        if any(each.capture == capture_id for each in seen):
            return None
        capture = self._archive.capture(capture_id)
        ended = capture.finished
        stones = [stone for stone in self._tombstones[fate.url] if stone.moment >= capture.started]
        stones = [stone for stone in stones if ended is None or stone.moment <= ended]
        return max(stones, key=lambda stone: stone.removed, default=None)


def describe_takedowns(stones: Sequence[Tombstone], is_all: bool = True) -> str:
    """What was taken down of a URL, when and why; `is_all` says that nothing else of it is held."""
    last = max(stones, key=lambda stone: stone.removed)
    if len(stones) == 1:
        return f"{last.url} of {format_moment(last.moment)} was {describe_tombstone(last)}"
    seen = f"of {format_moment(stones[0].moment)} to {format_moment(stones[-1].moment)}"
    count = f"{'all ' if is_all else ''}{format_count(len(stones), 'observation')} of {last.url}"
    return f"{count}, {seen}, were taken down, the last of them {describe_tombstone(last).removeprefix('taken down ')}"


def describe_tombstone(stone: Tombstone) -> str:
    """When and why something was taken down."""
    return f"taken down {format_moment(stone.removed)}" + (f" ({stone.reason})" if stone.reason else "")


def tombstone_facts(stone: Tombstone | None) -> dict[str, object]:
    """The same as JSON; of what was not taken down, that it was not."""
    return {"removed": moment_fact(stone.removed if stone else None), "removal_reason": stone.reason if stone else ""}

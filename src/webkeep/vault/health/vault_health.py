"""Which blocks of a vault archives hold: a survey that takes in pages as archives have them, and what it comes to: for
each segment whether it could be recovered now, on whom that hangs, and which pages are missing.

A page is current in an archive that holds all the blocks it carries today, outdated where it holds blocks of other
versions, and stripped where it holds the page without any.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from webkeep.vault.blocks.block_header import SegmentIdentity
from webkeep.vault.blocks.block_scanner import ScannedBlock, scan_blocks
from webkeep.vault.protection.vault_folder import PublishedSegment, VaultState
from webkeep.vault.vault_plan import FOUNTAIN_SPARE_BLOCKS, ErasureCode


class PageHealth(enum.StrEnum):
    """What the best of all archives holds of a page."""

    CURRENT = "current"
    OUTDATED = "outdated"
    """With blocks of other versions only: it waits for being captured again."""
    STRIPPED = "without blocks"
    NOT_HELD = "not held"


@dataclass(frozen=True, slots=True)
class SegmentHealth:
    """What archives hold of the version of a segment that is out in pages."""

    name: str
    version: str
    needed: int
    """Blocks that recovery is to count with."""
    total: int
    held: int
    by_archive: Mapping[str, int]
    """Blocks that each archive holds."""
    missing_pages: tuple[str, ...]
    """Pages whose block of it nobody holds."""
    hangs_on: tuple[str, ...]
    """Archives without any one of which it could not be recovered."""
    older_version: str
    """The newest earlier version that could be recovered; "" where there is none."""

    @property
    def is_recoverable(self) -> bool:
        """Whether it could be recovered now, as it is out in pages."""
        return self.held >= self.needed

    @property
    def short_by(self) -> int:
        """Blocks that are missing."""
        return max(0, self.needed - self.held)


@dataclass(frozen=True, slots=True)
class VaultHealth:
    """What archives hold of a vault."""

    segments: tuple[SegmentHealth, ...]
    manifest: SegmentHealth
    pages: Mapping[str, PageHealth]
    """By their paths, the most visible first."""
    foreign: int
    """Blocks of other vaults that were seen."""
    unusable: Mapping[str, int]
    """Blocks that could not be used, by reason."""

    @property
    def is_recoverable(self) -> bool:
        """Whether everything could be recovered now; the manifest only names what there is."""
        return all(each.is_recoverable for each in self.segments)

    def count_pages(self, health: PageHealth) -> int:
        """How many pages are so."""
        return sum(each is health for each in self.pages.values())


@dataclass(slots=True)
class HealthSurvey:
    """Takes in the pages that archives hold, one by one."""

    state: VaultState
    _carried: dict[str, set[tuple[SegmentIdentity, int]]] = field(init=False)
    """The blocks that each page carries today."""
    _held: dict[SegmentIdentity, dict[int, set[str]]] = field(default_factory=dict)
    """Archives that hold each block, by version and index."""
    _pages: dict[str, PageHealth] = field(default_factory=dict)
    _foreign: int = 0
    _unusable: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._carried = {
            path: {(segment.identity, index) for segment, index in blocks}
            for path, blocks in self.state.blocks_by_page().items()
        }

    def add_page(self, archive: str, path: str, chunks: Iterable[bytes]) -> None:
        """Take in a version of a page that an archive holds, by its path in the plan; others are passed over."""
        if path not in self._carried:
            return
        seen: set[tuple[SegmentIdentity, int]] = set()
        for each in scan_blocks(chunks):
            if not isinstance(each, ScannedBlock):
                self._unusable[each.reason] += 1
            elif each.header.segment.vault != self.state.manifest.identity.vault:
                self._foreign += 1
            else:
                seen.add((each.header.segment, each.header.index))
                self._held.setdefault(each.header.segment, {}).setdefault(each.header.index, set()).add(archive)
        self._rate_page(path, seen)

    def _rate_page(self, path: str, seen: set[tuple[SegmentIdentity, int]]) -> None:
        carried = self._carried[path]
        lacking = PageHealth.OUTDATED if seen else PageHealth.STRIPPED
        rated = PageHealth.CURRENT if carried <= seen else lacking
        order = list(PageHealth)
        self._pages[path] = min(rated, self._pages.get(path, PageHealth.NOT_HELD), key=order.index)

    def conclude(self) -> VaultHealth:
        """What all that was taken in comes to."""
        paths = [page.path for page in self.state.plan.pages]
        return VaultHealth(
            tuple(self._judge_segment(each) for each in self.state.segments),
            self._judge_segment(self.state.manifest),
            {path: self._pages.get(path, PageHealth.NOT_HELD) for path in paths},
            self._foreign,
            dict(self._unusable),
        )

    def _judge_segment(self, segment: PublishedSegment) -> SegmentHealth:
        identity = segment.identity
        held = self._held.get(identity, {})
        needed = _count_needed(identity)
        archives = sorted({name for names in held.values() for name in names})
        hangs_on = [name for name in archives if sum(names != {name} for names in held.values()) < needed <= len(held)]
        missing = [self.state.plan.pages[page].path for index, page in enumerate(segment.pages) if index not in held]
        return SegmentHealth(
            identity.name,
            identity.version,
            needed,
            identity.total,
            len(held),
            {name: sum(name in names for names in held.values()) for name in archives},
            tuple(missing),
            tuple(hangs_on),
            self._find_older(identity),
        )

    def _find_older(self, identity: SegmentIdentity) -> str:
        whole = (
            each.version
            for each, held in self._held.items()
            if each.name == identity.name and each.version < identity.version and len(held) >= _count_needed(each)
        )
        return max(whole, default="")


def _count_needed(identity: SegmentIdentity) -> int:
    spare = 0 if identity.code == ErasureCode.REED_SOLOMON else FOUNTAIN_SPARE_BLOCKS
    return min(identity.needed + spare, identity.total)

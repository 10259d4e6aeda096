"""What blocks are worth, whoever spread them: how likely everything comes back, by how likely archives hold a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nextafter

from webkeep.vault.planning.block_layout import count_blocks
from webkeep.vault.planning.coverage_estimate import DEFAULT_DIRECTORY_CORRELATION, directory_of
from webkeep.vault.planning.loss_model import ArchiveOdds, LossModel, PageOdds
from webkeep.vault.vault_plan import VaultPlan

TOLD_SHARES = (0.4, 0.6, 0.8)
"""Chances of a page to be held that are told: poorly archived sites, usual ones, well archived ones."""
USUAL_SHARE = 0.6
"""Of pages that archives were found to hold of a usual site."""
_NEARLY_CERTAIN = nextafter(1.0, 0.0)
"""Where each page may be lost, all may: what a chance lacks of certainty may be less than numbers here can say."""


@dataclass(frozen=True, slots=True)
class ShareOutlook:
    """How likely everything comes back where each page is held with one chance."""

    share: float
    chance: float
    """If every page is missed by itself."""
    together: float
    """If pages of one directory are missed together as often as is usual."""


def forecast_outlook(plan: VaultPlan, shares: Sequence[float] = TOLD_SHARES) -> list[ShareOutlook]:
    """The chances of a plan by how likely pages are held."""
    alone = LossModel((ArchiveOdds(""),))
    together = LossModel((ArchiveOdds(""),), DEFAULT_DIRECTORY_CORRELATION)
    needs = _count_needs(plan)
    outlook = []
    for share in shares:
        odds = [PageOdds(page.path, directory_of(page.path), (share,)) for page in plan.pages]
        segments = [([odds[page] for page in pages], needed) for pages, needed in needs.items()]
        chances = (min(model.whole_chance(segments), _NEARLY_CERTAIN) for model in (alone, together))
        outlook.append(ShareOutlook(share, *chances))
    return outlook


def _count_needs(plan: VaultPlan) -> dict[tuple[int, ...], int]:
    """Blocks that are needed of each set of pages: what suffices for the segment that needs most, does for all."""
    needs: dict[tuple[int, ...], int] = {}
    for segment in plan.segments:
        needed = count_blocks(segment.needed, segment.total)
        needs[segment.pages] = max(needed, needs.get(segment.pages, 0))
    return needs

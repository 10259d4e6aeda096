"""Scouting beside the best published online strategy, setting by setting, wins and losses alike: which settings were
published, and when two strategies are level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.lab.coherence.simulated_tables import SIMULATED_TABLE
from webkeep.lab.results.result_table import ResultTable

LEVEL_SHARE = 0.005
"""By this share more incoherent pages a strategy still counts as level."""
PUBLISHED_TABLES = frozenset({"5.9", "5.10", "5.11", "5.12", "5.13", "5.14"})
"""The tables whose settings were published; others go beyond them."""
DUEL_VERDICTS = ("wins", "level", "loses")
_OUR_STRATEGY = "scouting"
_OFFLINE_STRATEGY = "selective-offline"


@dataclass(frozen=True, slots=True)
class StrategyDuel:
    """One setting."""

    table: str
    setting: str
    best: str
    """The heading of the best published strategy that needs no knowledge beforehand."""
    published: float
    ours: float
    knowing_all: float
    """What SHARC-Selective reaches if it knows all pages beforehand."""

    @property
    def difference(self) -> float:
        """How many more pages are incoherent with ours, as a share; below zero where it wins."""
        return self.ours / self.published - 1 if self.published else 0.0

    @property
    def is_published(self) -> bool:
        """Whether the setting is one of a published table."""
        return self.table in PUBLISHED_TABLES

    @property
    def verdict(self) -> str:
        """Who wins."""
        return "loses" if self.difference > LEVEL_SHARE else "wins" if self.difference < -LEVEL_SHARE else "level"


def count_verdicts(duels: Sequence[StrategyDuel]) -> dict[str, int]:
    """How often ours wins, is level, and loses."""
    return {verdict: sum(duel.verdict == verdict for duel in duels) for verdict in DUEL_VERDICTS}


def build_duels(blocks: Sequence[ResultTable]) -> list[StrategyDuel]:
    """Every setting of the tables of incoherence, but for means of simulated crawls, which scatter."""
    found = []
    for block in blocks:
        names = [column.name for column in block.columns]
        if _OUR_STRATEGY not in names or block.name == SIMULATED_TABLE:
            continue
        for row in block.rows:
            values = {column.heading: cell.value for column, cell in zip(block.columns, row.cells, strict=True)}
            ours, all_known = (block.cell(row, name).value or 0.0 for name in (_OUR_STRATEGY, _OFFLINE_STRATEGY))
            rivals = {
                column.heading: values[column.heading] or 0.0
                for column in block.columns
                if column.name not in {_OUR_STRATEGY, _OFFLINE_STRATEGY}
            }
            best = min(rivals, key=rivals.__getitem__)
            setting = f"{block.title.rpartition(', ')[2]}, {block.axis} {row.label}"
            found.append(StrategyDuel(block.name, setting, best, rivals[best], ours, all_known))
    return found

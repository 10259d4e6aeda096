"""The strategies of captures by the names people use (`--strategy`): plain orders and those that make a capture
coherent (SHARC), their aliases, and which serves exploring or evidence (`--for`).
"""

from __future__ import annotations

from typing import Final

from webkeep.coherence.strategies import STRATEGIES as COHERENT, CaptureStrategy
from webkeep.frontier.policy import STRATEGIES as PLAIN, CandidateRanking as PlainStrategy

_ALIASES: Final = {"sharc-offline": "sharc-online"}
"""With a sitemap, or an earlier capture, all pages are known at the start, and the one is the other."""

STRATEGY_NAMES: Final = (*PLAIN, *_ALIASES, *(name for name in COHERENT if name not in PLAIN))
"""All of them."""

PURPOSES: Final = {"exploring": "sharc-online", "evidence": "sharc-selective"}
"""What serves best what a capture is for."""


def coherent_strategy(name: str) -> CaptureStrategy | None:
    """The strategy of a name, if it is one that makes captures coherent."""
    return None if name in PLAIN else COHERENT[_ALIASES.get(name, name)]


def ranking_strategy(name: str) -> PlainStrategy:
    """The order of a name, if it is a plain one; what a visit plan puts in order itself comes breadth-first."""
    return PLAIN.get(name, PLAIN["breadth-first"])

"""Experiment E2: URLs found by random queries, and whether caches and an archive have them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.flat_cache import State
from webkeep.lab.recovery.parameters import Sampled, parameters
from webkeep.lab.recovery.published import published

COLUMNS = (
    *(Column(state.value, state.value) for state in (State.REPLICATED, State.ENDANGERED, State.VULNERABLE)),
    Column(State.UNRECOVERABLE.value, "unrecoverable"),
    Column("archived", "in the archive"),
    Column("anywhere", "in either"),
)
_COUNTED = (
    "The published overlap with the archive counts more URLs as cached than the published states do (0.91 and 0.81 for "
    "Google), so that both cannot be met; here the states are."
)


def sampled_block(seed: int = 1) -> Block:
    """The states of sampled URLs, by engine."""
    sampling = parameters().sampling
    told = published()["caches"]
    rows = []
    for name, engine in sampling.engines.items():
        values = _drawn(engine, sampling.urls, sampling.archived, random.Random(f"{seed}/{name}"))
        overlap = told["overlap"][name]
        printed = told["states"][name] | {
            "archived": overlap["both"] + overlap["archive"],
            "anywhere": 1 - overlap["neither"],
        }
        rows.append(row(name, COLUMNS, values, None, printed, {"archived": _COUNTED, "anywhere": _COUNTED}))
    return Block("E2", "Caches of search engines, and the archive", "engine", COLUMNS, tuple(rows), (_COUNTED,))


def _drawn(engine: Sampled, urls: int, archived: float, chance: random.Random) -> Mapping[str, float]:
    kinds, weights = zip(*engine.indexed.items(), strict=True)
    counts: Counter[str] = Counter()
    for kind in chance.choices(kinds, weights, k=urls):
        is_live, is_cached = chance.random() < engine.live, chance.random() < engine.cached[kind]
        is_archived = chance.random() < archived
        counts[_state(is_live, is_cached).value] += 1
        counts["archived"] += is_archived
        counts["anywhere"] += is_cached or is_archived
    return {name: count / urls for name, count in counts.items()}


def _state(is_live: bool, is_cached: bool) -> State:
    if is_live:
        return State.REPLICATED if is_cached else State.VULNERABLE
    return State.ENDANGERED if is_cached else State.UNRECOVERABLE

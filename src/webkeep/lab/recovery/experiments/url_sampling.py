"""Experiment E2: URLs found by random queries, and whether caches of search engines and an archive have them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.simulation.cache_model import CacheState
from webkeep.lab.recovery.simulation.parameters import EngineSample, read_parameters
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row

COLUMNS = (
    *(
        ResultColumn(state.value, state.value)
        for state in (CacheState.REPLICATED, CacheState.ENDANGERED, CacheState.VULNERABLE)
    ),
    ResultColumn(CacheState.UNRECOVERABLE.value, "unrecoverable"),
    ResultColumn("archived", "in the archive"),
    ResultColumn("anywhere", "in either"),
)
_OVERLAP_NOTE = (
    "The published overlap with the archive counts more URLs as cached than the published states do (0.91 and 0.81 for "
    "Google), so that both cannot be met; here the states are."
)


def url_sampling_block(seed: int = 1) -> ResultTable:
    """The states of sampled URLs, by engine."""
    sampling = read_parameters().sampling
    told = read_published()["caches"]
    rows = []
    for name, engine in sampling.engines.items():
        values = _draw_shares(engine, sampling.urls, sampling.archived, random.Random(f"{seed}/{name}"))
        overlap = told["overlap"][name]
        printed = told["states"][name] | {
            "archived": overlap["both"] + overlap["archive"],
            "anywhere": 1 - overlap["neither"],
        }
        rows.append(
            build_row(name, COLUMNS, values, None, printed, {"archived": _OVERLAP_NOTE, "anywhere": _OVERLAP_NOTE})
        )
    return ResultTable(
        "E2", "Caches of search engines, and the archive", "engine", COLUMNS, tuple(rows), (_OVERLAP_NOTE,)
    )


def _draw_shares(engine: EngineSample, urls: int, archived: float, chance: random.Random) -> Mapping[str, float]:
    kinds, weights = zip(*engine.indexed.items(), strict=True)
    counts: Counter[str] = Counter()
    for kind in chance.choices(kinds, weights, k=urls):
        is_live, is_cached = chance.random() < engine.live, chance.random() < engine.cached[kind]
        is_archived = chance.random() < archived
        counts[_url_state(is_live, is_cached).value] += 1
        counts["archived"] += is_archived
        counts["anywhere"] += is_cached or is_archived
    return {name: count / urls for name, count in counts.items()}


def _url_state(is_live: bool, is_cached: bool) -> CacheState:
    if is_live:
        return CacheState.REPLICATED if is_cached else CacheState.VULNERABLE
    return CacheState.ENDANGERED if is_cached else CacheState.UNRECOVERABLE

"""Experiment E5, second part: the recoverability score, drawn on and fitted again; how the traits of resources are
drawn, and how much of the variance they explain.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from webkeep.lab.recovery.report.published_figures import read_published
from webkeep.lab.recovery.report.statistics import fit_linear
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.recover.report import PUBLISHED_SCORE, ScoreInputs

_TRAIT_STEPS = {
    "external_links": 10_000.0,
    "internal_links": 100.0,
    "birth_rate": 0.05,
    "importance": 1.0,
    "site_size": 1.0,
    "hops": 1.0,
    "path_depth": 1.0,
    "query_parameters": 1.0,
    "size": 1.0,
    "age_days": 365.0,
}
"""A step that resources commonly differ by; of sizes it is that of their logarithm."""
_BEST_TRAITS = ("importance", "hops", "age_days")
"""The three traits that explain most by themselves."""
_RESOURCES_A_SITE = 40
"""Resources drawn for each site, which share what the site has in common."""
EFFECT_COLUMNS = (ResultColumn("effect", "effect of a step", 0.02, digits=2),)
EXPLAINED_COLUMNS = (
    ResultColumn("r_squared", "by ten traits", 0.05, is_share=False, digits=3),
    ResultColumn("best_three", "by the best three", 0.05, is_share=False, digits=3),
)
_NOTE = (
    "Every resource is recovered with the chance that the published weights give; the regression has to find the "
    "weights again, as far as chance and the bounds of a probability let it."
)


def score_blocks(observations: int = 12_000, seed: int = 1) -> list[ResultTable]:
    """The effects fitted to simulated resources, beside those that they were drawn with."""
    chance = random.Random(f"{seed}/score")
    drawn = [inputs for _ in range(observations // _RESOURCES_A_SITE) for inputs in _draw_site(chance)]
    told = [float(chance.random() < PUBLISHED_SCORE.score(score_inputs)) for score_inputs in drawn]
    terms = [standing.terms() for standing in drawn]
    fit = fit_linear([[each[name] for name in PUBLISHED_SCORE.weights] for each in terms], told)
    three = fit_linear([[each[name] for name in _BEST_TRAITS] for each in terms], told)
    effects = tuple(
        build_row(
            name,
            EFFECT_COLUMNS,
            {"effect": weight * _TRAIT_STEPS[name]},
            {"effect": PUBLISHED_SCORE.weights[name] * _TRAIT_STEPS[name]},
        )
        for name, weight in zip(PUBLISHED_SCORE.weights, fit.weights, strict=True)
    )
    shares = {"r_squared": fit.r_squared, "best_three": three.r_squared}
    explained = build_row("all resources", EXPLAINED_COLUMNS, shares, None, read_published()["weeks"]["regression"])
    return [
        ResultTable("E5", "The recoverability score, fitted again", "trait", EFFECT_COLUMNS, effects, (_NOTE,)),
        ResultTable("E5", "Variance that the score explains", "", EXPLAINED_COLUMNS, (explained,)),
    ]


def _draw_site(chance: random.Random) -> Iterator[ScoreInputs]:
    """Resources of one site; traits go together as far as they did: hops with the size, links with importance."""
    importance = min(max(chance.gauss(4, 1.8), 0), 9)
    size = max(round(chance.lognormvariate(5.6, 0.9)), 5)
    births = max(chance.gauss(-0.02, 0.08), 0.0)
    external = chance.lognormvariate(importance, 1.5)
    for _ in range(_RESOURCES_A_SITE):
        hops = 1 + min(round(chance.expovariate(1.2) * (size / 270) ** 0.4), 15)
        depth = min(max(round(hops * 0.3 + chance.expovariate(0.9)), 0), 15)
        yield ScoreInputs(
            external_links=external * chance.lognormvariate(0, 1),
            internal_links=chance.lognormvariate(2, 1.5),
            birth_rate=births,
            importance=max(importance - 0.6 * hops + chance.gauss(0, 0.5), 0),
            site_size=size,
            hops=hops,
            path_depth=depth,
            query_parameters=chance.choices((0, 1, 2), (0.9, 0.06, 0.04))[0],
            size=max(round(chance.lognormvariate(9, 1.3)), 1),
            age_days=chance.expovariate(1 / 400),
        )

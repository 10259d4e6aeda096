"""Scenario choice once more, by the product's whole crawl: what it fetched for a wanted moment, judged by the truth
beside the other rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from webkeep.lab.recovery.scenarios.product_recovery import recover_by_plan
from webkeep.lab.recovery.scenarios.version_choice import (
    CHOICE_RULES,
    COLUMNS,
    OUR_RULE,
    ChoiceCase,
    ChosenVersions,
    LabResource,
    choice_figures,
    draw_cases,
    mean_figures,
)
from webkeep.lab.recovery.simulation.repository_holdings import LOST_AT
from webkeep.lab.recovery.simulation.simulated_repository import SimulatedRepository
from webkeep.lab.recovery.simulation.site_content import draw_words, render_picture
from webkeep.lab.recovery.simulation.stored_versions import ShelfVersion, VersionShelf
from webkeep.lab.results.result_table import ResultTable, build_row
from webkeep.model import Moment
from webkeep.recover import RecoveryPlan
from webkeep.recover.judging import AvailableVersion
from webkeep.recover.repositories import FetchedVersion, RepositoryTraits

CHOICE_SITE = "http://versions.example/"
CRAWL_RULE = "the product's crawl"
_NOTE = "Of a part that was fetched in several versions, the one nearest to the page counts, as replay would show it."


def choice_crawl_block(count: int = 40, seed: int = 1) -> ResultTable:
    """What the crawl comes to, beside the choice by itself and the other rules."""
    made = list(draw_cases(count, seed))
    rows = [build_row(name, COLUMNS, mean_figures(made, rule)) for name, rule in CHOICE_RULES.items()]
    told = [choice_figures(case, choose_by_crawl(case)) for case in made]
    crawl = {column.name: fmean(each[column.name] for each in told) for column in COLUMNS}
    rows.insert(list(CHOICE_RULES).index(OUR_RULE) + 1, build_row(CRAWL_RULE, COLUMNS, crawl))
    return ResultTable("choice", "The same by the whole crawl", "rule", COLUMNS, tuple(rows), (_NOTE,))


def choose_by_crawl(case: ChoiceCase) -> ChosenVersions:
    """The page and the parts that a recovery for the wanted moment brings home."""
    archive = SimulatedRepository(RepositoryTraits("archive"), VersionShelf(_stored_versions(case)), LOST_AT)
    came = recover_by_plan(RecoveryPlan((CHOICE_SITE,), at=case.preference.at), [archive]).came
    page = _build_available(case.page, next(found for found in came if found.exchange.url == CHOICE_SITE))
    parts = {}
    for name, resource in case.parts.items():
        found = [_build_available(resource, each) for each in came if each.exchange.url == _part_url(name)]
        if found:
            parts[name] = min(found, key=lambda each: abs((each.micros or 0) - (page.micros or 0)))
    return page, parts


def _build_available(resource: LabResource, found: FetchedVersion) -> AvailableVersion:
    micros = found.exchange.moment.micros
    return next(version for version in resource.versions if version.micros == micros)


def _part_url(name: str) -> str:
    return f"{CHOICE_SITE}{name}.png"


def _stored_versions(case: ChoiceCase) -> Iterator[ShelfVersion]:
    shown = "".join(f'<img src="{_part_url(name)}">' for name in case.parts)
    for moment, state in _version_states(case.page):
        text = f"<title>{draw_words('title', 3)}</title><p>{draw_words(f'page {state}')}</p>{shown}"
        yield ShelfVersion(CHOICE_SITE, moment, text.encode())
    for place, (name, resource) in enumerate(case.parts.items()):
        for moment, state in _version_states(resource):
            yield ShelfVersion(_part_url(name), moment, render_picture(1000 * place + state), "image/png")


def _version_states(resource: LabResource) -> Sequence[tuple[Moment, int]]:
    return [(Moment(each.micros or 0), resource.state_at(each.micros or 0)) for each in resource.versions]

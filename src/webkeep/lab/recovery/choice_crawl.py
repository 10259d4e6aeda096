"""The choice of versions once more, by the product's whole crawl: what it fetched, judged by the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from webkeep.lab.recovery.choice import COLUMNS, OURS, RULES, Case, Resource, Shown, cases, figures, means
from webkeep.lab.recovery.figure import Block, row
from webkeep.lab.recovery.holdings import LOST_AT
from webkeep.lab.recovery.product import recover_by
from webkeep.lab.recovery.shelf import Shelf, Stored
from webkeep.lab.recovery.simulated import SimulatedRepository
from webkeep.lab.recovery.site_content import picture, words
from webkeep.model import Moment
from webkeep.recover.plan import Plan
from webkeep.recover.repository import Found
from webkeep.recover.repository_traits import Traits
from webkeep.recover.worth import Version

SITE = "http://versions.example/"
CRAWLED = "the product's crawl"
_NOTE = "Of a part that was fetched in several versions, the one nearest to the page counts, as replay would show it."


def choice_crawl_block(count: int = 40, seed: int = 1) -> Block:
    """What the crawl comes to, beside the choice by itself and the other rules."""
    made = list(cases(count, seed))
    rows = [row(name, COLUMNS, means(made, rule)) for name, rule in RULES.items()]
    told = [figures(case, crawled(case)) for case in made]
    crawl = {column.name: fmean(each[column.name] for each in told) for column in COLUMNS}
    rows.insert(list(RULES).index(OURS) + 1, row(CRAWLED, COLUMNS, crawl))
    return Block("choice", "The same by the whole crawl", "rule", COLUMNS, tuple(rows), (_NOTE,))


def crawled(case: Case) -> Shown:
    """The page and the parts that a recovery for the wanted moment brings home."""
    archive = SimulatedRepository(Traits("archive"), Shelf(_stored(case)), LOST_AT)
    came = recover_by(Plan((SITE,), at=case.wish.at), [archive]).came
    page = _version(case.page, next(found for found in came if found.exchange.url == SITE))
    parts = {}
    for name, resource in case.parts.items():
        found = [_version(resource, each) for each in came if each.exchange.url == _url(name)]
        if found:
            parts[name] = min(found, key=lambda each: abs((each.micros or 0) - (page.micros or 0)))
    return page, parts


def _version(resource: Resource, found: Found) -> Version:
    micros = found.exchange.moment.micros
    return next(version for version in resource.versions if version.micros == micros)


def _url(name: str) -> str:
    return f"{SITE}{name}.png"


def _stored(case: Case) -> Iterator[Stored]:
    shown = "".join(f'<img src="{_url(name)}">' for name in case.parts)
    for moment, state in _states(case.page):
        text = f"<title>{words('title', 3)}</title><p>{words(f'page {state}')}</p>{shown}"
        yield Stored(SITE, moment, text.encode())
    for place, (name, resource) in enumerate(case.parts.items()):
        for moment, state in _states(resource):
            yield Stored(_url(name), moment, picture(1000 * place + state), "image/png")


def _states(resource: Resource) -> Sequence[tuple[Moment, int]]:
    return [(Moment(each.micros or 0), resource.state(each.micros or 0)) for each in resource.versions]

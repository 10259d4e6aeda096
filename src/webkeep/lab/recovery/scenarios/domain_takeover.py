"""Scenario takeover: a domain that lapsed and was taken over, so that the newest copies show somebody else's pages; how
many of those each way of choosing accepts.

An archive has the site once a year for five years. Then the name changes hands: the root and some of the old URLs show
pages of the new owner, some are parked, some lead to the root, and the others are gone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from webkeep.lab.recovery.scenarios.product_recovery import ProductRun, recover_by_plan
from webkeep.lab.recovery.simulation.repository_holdings import LOST_AT
from webkeep.lab.recovery.simulation.simulated_repository import SimulatedRepository
from webkeep.lab.recovery.simulation.site_content import draw_words
from webkeep.lab.recovery.simulation.stored_versions import ShelfVersion, VersionShelf
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.model import Moment
from webkeep.recover import RecoveryPlan
from webkeep.recover.repositories import RepositoryTraits

TAKEOVER_SITE = "http://lapsed.example/"
_OWNED_YEARS = range(1999, 2004)
_TAKEN_OVER_AT = (Moment.parse("2004-08-01"), Moment.parse("2005-08-01"))
_OWNER_WORD = "rubafodico"
"""A word that is on every page of the first owner, and on none of the second."""
COLUMNS = (
    ResultColumn("recovered", "pages recovered"),
    ResultColumn("strange", "of them not the site's"),
)


def takeover_block(pages: int = 60, seed: int = 1) -> ResultTable:
    """Pages of somebody else that are accepted, by how one goes about it."""
    archive = SimulatedRepository(
        RepositoryTraits("archive"), VersionShelf(_draw_versions(pages, random.Random(f"{seed}/taken"))), LOST_AT
    )
    plan = RecoveryPlan((TAKEOVER_SITE,))
    ways = {
        "newest": replace(plan, suspicious=False),
        "newest, suspicious": plan,
        "until the name changed hands": replace(plan, until=_TAKEN_OVER_AT[0].plus(-1)),
    }
    rows = tuple(
        build_row(name, COLUMNS, _takeover_figures(recover_by_plan(each, [archive]), pages))
        for name, each in ways.items()
    )
    return ResultTable("takeover", "A domain that changed hands", "choice", COLUMNS, rows)


def _takeover_figures(run: ProductRun, pages: int) -> dict[str, float]:
    bodies = [b"".join(found.exchange.body.chunks()) for found in run.kept.values()]
    strange = sum(_OWNER_WORD.encode() not in body for body in bodies)
    return {"recovered": len(bodies) / pages, "strange": strange / max(len(bodies), 1)}


def _draw_versions(pages: int, chance: random.Random) -> Iterator[ShelfVersion]:
    for number in range(pages):
        url = f"{TAKEOVER_SITE}page{number}.html" if number else TAKEOVER_SITE
        first = chance.choice(_OWNED_YEARS)
        for year in range(first, _OWNED_YEARS.stop):
            yield ShelfVersion(
                url,
                Moment.parse(f"{year}-08-01"),
                _render_own_page(number, pages, year if chance.random() < 0.3 else first),
            )
        fate = chance.random() if number else 0.0
        for moment in _TAKEN_OVER_AT:
            if fate < 0.4:
                yield ShelfVersion(url, moment, _render_foreign_page(number, moment))
            elif fate < 0.6:
                yield ShelfVersion(
                    url, moment, b"<html><title>lapsed.example</title><p>This domain is for sale</p></html>"
                )
            elif fate < 0.8:
                yield ShelfVersion(url, moment, b"", status=302)


def _render_own_page(number: int, pages: int, year: int) -> bytes:
    links = "".join(f'<a href="/page{each}.html">{each}</a> ' for each in range(1, pages)) if not number else ""
    text = draw_words(f"own {number}")
    return f"<title>{_OWNER_WORD} {number}</title><p>{text} {_OWNER_WORD} {year}</p>{links}".encode()


def _render_foreign_page(number: int, moment: Moment) -> bytes:
    return (
        f"<title>casino poker bonus</title><p>{draw_words(f'other {number} {moment}')} casino poker bonus</p>".encode()
    )

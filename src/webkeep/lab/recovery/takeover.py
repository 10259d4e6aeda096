"""Scenario: a domain that lapsed and was taken over, so that the newest copies show somebody else's pages.

An archive has the site once a year for five years. Then the name changes hands: the root and some of the old URLs show
pages of the new owner, some are parked, some lead to the root, and the others are gone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.holdings import LOST_AT
from webkeep.lab.recovery.product import Run, recover_by
from webkeep.lab.recovery.shelf import Shelf, Stored
from webkeep.lab.recovery.simulated import SimulatedRepository
from webkeep.lab.recovery.site_content import words
from webkeep.model import Moment
from webkeep.recover.plan import Plan
from webkeep.recover.repository_traits import Traits

SITE = "http://lapsed.example/"
_YEARS = range(1999, 2004)
_TAKEN = (Moment.parse("2004-08-01"), Moment.parse("2005-08-01"))
_OWNERS_WORD = "rubafodico"
"""A word that is on every page of the first owner, and on none of the second."""
COLUMNS = (
    Column("recovered", "pages recovered"),
    Column("strange", "of them not the site's"),
)


def takeover_block(pages: int = 60, seed: int = 1) -> Block:
    """Pages of somebody else that are accepted, by how one goes about it."""
    archive = SimulatedRepository(Traits("archive"), Shelf(_versions(pages, random.Random(f"{seed}/taken"))), LOST_AT)
    plan = Plan((SITE,))
    ways = {
        "newest": replace(plan, suspicious=False),
        "newest, suspicious": plan,
        "until the name changed hands": replace(plan, until=_TAKEN[0].plus(-1)),
    }
    rows = tuple(row(name, COLUMNS, _figures(recover_by(each, [archive]), pages)) for name, each in ways.items())
    return Block("takeover", "A domain that changed hands", "choice", COLUMNS, rows)


def _figures(run: Run, pages: int) -> dict[str, float]:
    bodies = [b"".join(found.exchange.body.chunks()) for found in run.kept.values()]
    strange = sum(_OWNERS_WORD.encode() not in body for body in bodies)
    return {"recovered": len(bodies) / pages, "strange": strange / max(len(bodies), 1)}


def _versions(pages: int, chance: random.Random) -> Iterator[Stored]:
    for number in range(pages):
        url = f"{SITE}page{number}.html" if number else SITE
        first = chance.choice(_YEARS)
        for year in range(first, _YEARS.stop):
            yield Stored(
                url, Moment.parse(f"{year}-08-01"), _own(number, pages, year if chance.random() < 0.3 else first)
            )
        fate = chance.random() if number else 0.0
        for moment in _TAKEN:
            if fate < 0.4:
                yield Stored(url, moment, _anothers(number, moment))
            elif fate < 0.6:
                yield Stored(url, moment, b"<html><title>lapsed.example</title><p>This domain is for sale</p></html>")
            elif fate < 0.8:
                yield Stored(url, moment, b"", status=302)


def _own(number: int, pages: int, year: int) -> bytes:
    links = "".join(f'<a href="/page{each}.html">{each}</a> ' for each in range(1, pages)) if not number else ""
    text = words(f"own {number}")
    return f"<title>{_OWNERS_WORD} {number}</title><p>{text} {_OWNERS_WORD} {year}</p>{links}".encode()


def _anothers(number: int, moment: Moment) -> bytes:
    return f"<title>casino poker bonus</title><p>{words(f'other {number} {moment}')} casino poker bonus</p>".encode()

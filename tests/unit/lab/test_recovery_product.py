"""The product's own crawl over simulated repositories, in memory and on loopback."""

import asyncio
from functools import cache
from pathlib import Path

import pytest

from webkeep.lab.recovery.archive_server import ArchiveServer
from webkeep.lab.recovery.ceiling import ceiling
from webkeep.lab.recovery.figure26 import POLICIES, crawl
from webkeep.lab.recovery.holdings import shelf, traits_of
from webkeep.lab.recovery.product import product_block, product_outcome
from webkeep.lab.recovery.site_content import origin, url_of
from webkeep.lab.recovery.world import World, worlds
from webkeep.model import Moment
from webkeep.recover.plan import Policy
from webkeep.recover.repository import Found, Held, Repository
from webkeep.recover.repository_opening import Around, open_repositories
from webkeep.url import Match


@cache
def sites() -> list[World]:
    return [site for site in worlds(20) if site.size < 400][:4]


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_bring_home_what_the_published_ones_do(policy: Policy) -> None:
    for site in sites()[:2]:
        told = crawl(site, policy)
        made = product_outcome(site, policy)
        assert made.recovered_of_held == pytest.approx(len(told.recovered) / len(site.anywhere))


def test_ours_brings_home_everything_near_the_ceiling() -> None:
    block = product_block(sites())
    assert block.value("webkeep", "recovered_of_held") == 1
    assert block.value("webkeep", "of_ceiling") >= 0.95
    assert block.value("naive", "efficiency") < block.value("knowledgeable", "efficiency") < 0.6
    for site in sites():
        assert product_outcome(site).efficiency <= ceiling(site).efficiency + 1e-9


async def listed(repository: Repository, site: World) -> set[tuple[str, Moment | None]]:
    rows: set[tuple[str, Moment | None]] = set()
    async for batch in repository.listing(origin(site), Match.HOST):
        assert batch.miss is None
        rows |= {(row.url, row.moment) for row in batch.rows}
    return rows


async def told_by_timemap(repository: Repository, url: str) -> list[Held]:
    return [row async for batch in repository.versions(url) for row in batch.rows]


async def over_loopback(site: World, server: ArchiveServer, folder: Path) -> None:
    around = Around(folder, ledger=folder / "ledger.sqlite")
    async with open_repositories([server.as_index, server.as_memento], around) as (index, memento):
        kept = {
            (each.url, Moment(each.moment.micros // 1_000_000 * 1_000_000)) for each in shelf(site, site.holders[0])
        }
        assert await listed(index, site) == kept
        url = url_of(site, max(site.held["ia"]))
        (row,) = await told_by_timemap(memento, url)
        assert (row.url, row.moment) in kept
        answers = [await memento.version(row), await memento.resource(url), await index.resource(url)]
        bodies = {b"".join(each.exchange.body.chunks()) for each in answers if isinstance(each, Found)}
        assert len(bodies) == 1
        assert {each.exchange.moment for each in answers if isinstance(each, Found)} == {row.moment}
        assert len(answers) == sum(isinstance(each, Found) for each in answers)


def test_an_archive_on_loopback_holds_the_same(tmp_path: Path) -> None:
    site = sites()[0]
    archive = site.holders[0]
    with ArchiveServer(traits_of(archive), shelf(site, archive)) as server:
        asyncio.run(over_loopback(site, server, tmp_path))
        assert server.requests["cdx"] >= len(site.held["ia"]) // archive.listing_page

"""The product's own crawl over simulated repositories, in memory and on loopback."""

import asyncio
from functools import cache
from pathlib import Path

import pytest

from fetch_settings import settings as usual_settings
from webkeep.lab.recovery.scenarios.product_recovery import product_block, run_product
from webkeep.lab.recovery.simulation.archive_server import ArchiveServer
from webkeep.lab.recovery.simulation.efficiency_ceiling import efficiency_ceiling
from webkeep.lab.recovery.simulation.lost_site import LostSite, draw_lost_sites
from webkeep.lab.recovery.simulation.published_crawl import PUBLISHED_POLICIES, run_published_crawl
from webkeep.lab.recovery.simulation.repository_holdings import build_shelf, repository_traits
from webkeep.lab.recovery.simulation.site_content import resource_url, site_origin
from webkeep.model import Moment
from webkeep.recover import RecoveryPolicy
from webkeep.recover.repositories import FetchedVersion, ListedVersion, Repository
from webkeep.recover.sources import RepositoryContext, open_repositories
from webkeep.url import UrlMatch


@cache
def sites() -> list[LostSite]:
    return [site for site in draw_lost_sites(20) if site.size < 400][:4]


@pytest.mark.parametrize("policy", PUBLISHED_POLICIES)
def test_policies_bring_home_what_the_published_ones_do(policy: RecoveryPolicy) -> None:
    for site in sites()[:2]:
        told = run_published_crawl(site, policy)
        made = run_product(site, policy)
        assert made.recovered_of_held == pytest.approx(len(told.recovered) / len(site.held_anywhere))


def test_ours_brings_home_everything_near_the_ceiling() -> None:
    block = product_block(sites())
    assert block.value("webkeep", "recovered_of_held") == 1
    assert block.value("webkeep", "of_ceiling") >= 0.95
    assert block.value("naive", "efficiency") < block.value("knowledgeable", "efficiency") < 0.6
    for site in sites():
        assert run_product(site).efficiency <= efficiency_ceiling(site).efficiency + 1e-9


async def listed(repository: Repository, site: LostSite) -> set[tuple[str, Moment | None]]:
    rows: set[tuple[str, Moment | None]] = set()
    async for batch in repository.list_site(site_origin(site), UrlMatch.HOST):
        assert batch.miss is None
        rows |= {(row.url, row.moment) for row in batch.rows}
    return rows


async def told_by_timemap(repository: Repository, url: str) -> list[ListedVersion]:
    return [row async for batch in repository.list_versions(url) for row in batch.rows]


async def over_loopback(site: LostSite, server: ArchiveServer, folder: Path) -> None:
    around = RepositoryContext(folder, usual_settings(), ledger=folder / "ledger.sqlite")
    async with open_repositories([server.cdx_repository, server.memento_repository], around) as (index, memento):
        kept = {
            (each.url, Moment(each.moment.micros // 1_000_000 * 1_000_000))
            for each in build_shelf(site, site.holders[0])
        }
        assert await listed(index, site) == kept
        url = resource_url(site, max(site.held["ia"]))
        (row,) = await told_by_timemap(memento, url)
        assert (row.url, row.moment) in kept
        answers = [await memento.fetch_version(row), await memento.fetch_nearest(url), await index.fetch_nearest(url)]
        bodies = {b"".join(each.exchange.body.chunks()) for each in answers if isinstance(each, FetchedVersion)}
        assert len(bodies) == 1
        assert {each.exchange.moment for each in answers if isinstance(each, FetchedVersion)} == {row.moment}
        assert len(answers) == sum(isinstance(each, FetchedVersion) for each in answers)


def test_an_archive_on_loopback_holds_the_same(tmp_path: Path) -> None:
    site = sites()[0]
    archive = site.holders[0]
    with ArchiveServer(repository_traits(archive), build_shelf(site, archive)) as server:
        asyncio.run(over_loopback(site, server, tmp_path))
        assert server.requests["cdx"] >= len(site.held["ia"]) // archive.listing_page

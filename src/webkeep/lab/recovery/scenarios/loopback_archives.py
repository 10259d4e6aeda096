"""Scenario served: lost sites whose repositories are real servers on loopback: the same recovery with all its
protocols, beside the one in memory; how many sites, and how large.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean

from webkeep.fetch import FetchSettings
from webkeep.lab.recovery.experiments.policy_comparison import PolicyOutcome, build_outcome
from webkeep.lab.recovery.scenarios.product_recovery import gather_versions, run_product
from webkeep.lab.recovery.simulation.archive_server import ArchiveServer
from webkeep.lab.recovery.simulation.lost_site import LostSite
from webkeep.lab.recovery.simulation.repository_holdings import build_shelf, repository_traits
from webkeep.lab.recovery.simulation.site_content import resource_url, site_origin
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.recover import RecoveryPlan
from webkeep.recover.repositories import FetchedVersion
from webkeep.recover.sources import RepositoryContext, open_repositories

COLUMNS = (
    ResultColumn("recovered_of_held", "of all held"),
    ResultColumn("requests", "requests", is_share=False, digits=0),
    ResultColumn("efficiency", "efficiency", is_share=False, digits=2),
)
_SETTINGS = FetchSettings(connections=16, connections_per_host=16)
"""Archives on loopback need no more: what is counted is requests."""
_MAX_SITE_RESOURCES = 400
"""Real servers answer more slowly than simulated ones: small sites are enough."""
_SITE_COUNT = 3
"""Sites that are really recovered over loopback, the rest being simulated."""


@contextmanager
def serve_repositories(world: LostSite) -> Iterator[list[ArchiveServer]]:
    """The repositories of a lost site, each on a port of its own."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(ArchiveServer(repository_traits(holder), build_shelf(world, holder)))
            for holder in world.holders
        ]


def run_over_loopback(world: LostSite) -> PolicyOutcome:
    """What the product comes to on one lost site over loopback."""
    with serve_repositories(world) as servers, tempfile.TemporaryDirectory() as folder:
        kept = asyncio.run(_gather_versions(world, [server.cdx_repository for server in servers], Path(folder)))
        requests = sum(server.requests.total() for server in servers)
    numbers = {resource_url(world, number): number for number in world.held_anywhere}
    return build_outcome(world, frozenset(numbers[url] for url in kept), requests)


async def _gather_versions(world: LostSite, names: Sequence[str], folder: Path) -> dict[str, FetchedVersion]:
    async with open_repositories(
        names, RepositoryContext(folder, _SETTINGS, ledger=folder / "ledger.sqlite")
    ) as repositories:
        return (await gather_versions(RecoveryPlan((site_origin(world),)), repositories)).kept


def loopback_block(sites: Sequence[LostSite]) -> ResultTable:
    """The first small sites, in memory and over loopback."""
    small = [site for site in sites if site.size <= _MAX_SITE_RESOURCES][:_SITE_COUNT] or sorted(
        sites, key=lambda site: site.size
    )[:1]
    ways = {
        "in memory": [run_product(site) for site in small],
        "over loopback": [run_over_loopback(site) for site in small],
    }
    rows = tuple(
        build_row(
            name, COLUMNS, {column.name: fmean(getattr(each, column.name) for each in made) for column in COLUMNS}
        )
        for name, made in ways.items()
    )
    return ResultTable("served", "The same repositories as servers", "way", COLUMNS, rows)

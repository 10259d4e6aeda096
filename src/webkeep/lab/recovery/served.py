"""Lost sites whose repositories are real servers on loopback: the same recovery with all its protocols."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean

from webkeep.lab.recovery.archive_server import ArchiveServer
from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.holdings import shelf, traits_of
from webkeep.lab.recovery.policies import Outcome, outcome
from webkeep.lab.recovery.product import gather, product_outcome
from webkeep.lab.recovery.site_content import origin, url_of
from webkeep.lab.recovery.world import World
from webkeep.recover.plan import Plan
from webkeep.recover.repository import Found
from webkeep.recover.repository_opening import Around, open_repositories

COLUMNS = (
    Column("recovered_of_held", "of all held"),
    Column("requests", "requests", is_share=False, digits=0),
    Column("efficiency", "efficiency", is_share=False, digits=2),
)
_LARGEST = 400
_SITES = 3


@contextmanager
def served(world: World) -> Iterator[list[ArchiveServer]]:
    """The repositories of a lost site, each on a port of its own."""
    with ExitStack() as stack:
        yield [stack.enter_context(ArchiveServer(traits_of(holder), shelf(world, holder))) for holder in world.holders]


def served_outcome(world: World) -> Outcome:
    """What the product comes to on one lost site over loopback."""
    with served(world) as servers, tempfile.TemporaryDirectory() as folder:
        kept = asyncio.run(_gathered(world, [server.as_index for server in servers], Path(folder)))
        requests = sum(server.requests.total() for server in servers)
    numbers = {url_of(world, number): number for number in world.anywhere}
    return outcome(world, frozenset(numbers[url] for url in kept), requests)


async def _gathered(world: World, names: Sequence[str], folder: Path) -> dict[str, Found]:
    async with open_repositories(names, Around(folder, ledger=folder / "ledger.sqlite")) as repositories:
        return (await gather(Plan((origin(world),)), repositories)).kept


def served_block(sites: Sequence[World]) -> Block:
    """The first small sites, in memory and over loopback."""
    small = [site for site in sites if site.size <= _LARGEST][:_SITES] or sorted(sites, key=lambda site: site.size)[:1]
    ways = {
        "in memory": [product_outcome(site) for site in small],
        "over loopback": [served_outcome(site) for site in small],
    }
    rows = tuple(
        row(name, COLUMNS, {column.name: fmean(getattr(each, column.name) for each in made) for column in COLUMNS})
        for name, made in ways.items()
    )
    return Block("served", "The same repositories as servers", "way", COLUMNS, rows)

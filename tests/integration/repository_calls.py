"""Repositories opened by their names and asked, with a ledger of the test's own."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from fetch_settings import settings as usual_settings
from webkeep.fetch import FetchLimits, FetchSettings
from webkeep.model import Finding
from webkeep.recover.repositories import ListedVersion, ListingPage, Repository, RepositoryMiss, RepositoryTimeouts
from webkeep.recover.sources import RepositoryContext, open_repositories

T = TypeVar("T")

SHORT = RepositoryTimeouts(2, 0.01, 3, FetchLimits(seconds=20))


def asked(
    folder: Path,
    text: str,
    ask: Callable[[Repository], Awaitable[T]],
    patience: RepositoryTimeouts = SHORT,
    told: list[Finding] | None = None,
    door: FetchSettings | None = None,
    declarations: Path | None = None,
) -> T:
    """What a repository answers."""

    async def run() -> T:
        heard = told if told is not None else []
        around = RepositoryContext(
            folder,
            ledger=folder / "requests.sqlite",
            declarations=declarations,
            fetch_settings=door or usual_settings(),
            timeouts=patience,
            report_finding=heard.append,
        )
        async with open_repositories([text], around) as (repository,):
            return await ask(repository)

    return asyncio.run(run())


def rows(batches: list[ListingPage]) -> list[ListedVersion]:
    return [held for batch in batches for held in batch.rows]


def findings(batches: list[ListingPage]) -> list[Finding]:
    return [finding for batch in batches for finding in batch.findings]


def last_miss(batches: list[ListingPage]) -> RepositoryMiss:
    """Why a listing ends; it is said once, in one line."""
    miss = batches[-1].miss
    assert miss is not None
    assert all(batch.miss is None for batch in batches[:-1])
    assert miss.detail
    assert "\n" not in miss.detail
    return miss

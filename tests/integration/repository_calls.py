"""Repositories opened by their names and asked, with a ledger of the test's own."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from webkeep.fetch import DoorSettings, Limits
from webkeep.model import Finding
from webkeep.recover.repositories.client import Patience
from webkeep.recover.repository import Batch, Held, Miss, Repository
from webkeep.recover.repository_opening import Around, open_repositories

T = TypeVar("T")

SHORT = Patience(2, 0.01, 3, Limits(seconds=20))


def asked(
    folder: Path,
    text: str,
    ask: Callable[[Repository], Awaitable[T]],
    patience: Patience = SHORT,
    told: list[Finding] | None = None,
    door: DoorSettings | None = None,
    declarations: Path | None = None,
) -> T:
    """What a repository answers."""

    async def run() -> T:
        heard = told if told is not None else []
        around = Around(
            folder,
            ledger=folder / "requests.sqlite",
            declarations=declarations,
            door=door or DoorSettings(),
            patience=patience,
            tell=heard.append,
        )
        async with open_repositories([text], around) as (repository,):
            return await ask(repository)

    return asyncio.run(run())


def rows(batches: list[Batch]) -> list[Held]:
    return [held for batch in batches for held in batch.rows]


def findings(batches: list[Batch]) -> list[Finding]:
    return [finding for batch in batches for finding in batch.findings]


def last_miss(batches: list[Batch]) -> Miss:
    """Why a listing ends; it is said once, in one line."""
    miss = batches[-1].miss
    assert miss is not None
    assert all(batch.miss is None for batch in batches[:-1])
    assert miss.detail
    assert "\n" not in miss.detail
    return miss

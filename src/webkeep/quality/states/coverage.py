"""Which of an archive's resources another archive holds (`--coverage`): one on this machine, or one that answers with
TimeMaps; what counts as missing or unknown, and how many requests go at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webkeep.errors import RemoteError
from webkeep.fetch import FetchLimits, FetchRequest, FetchResult
from webkeep.fetch.client import Fetcher
from webkeep.formats.status import GONE_STATUSES, OK, status_of
from webkeep.store.archive import Archive

MAX_CONNECTIONS = 8
"""Requests to one source that are under way together, about as many as a browser makes."""
_TIMEMAP_LIMITS = FetchLimits(seconds=1800)
"""Half an hour for one: archives look through years of files for it, and some are slow."""


@dataclass(frozen=True, slots=True)
class ArchiveCoverage:
    """What another archive holds of some resources."""

    missing: frozenset[str]
    unknown: frozenset[str] = frozenset()
    """Those about which it gave no answer that says either."""


AskCoverage = Callable[[Sequence[str]], ArchiveCoverage]
"""Says what another archive holds of some resources."""


def coverage_by_archive(other: Archive) -> AskCoverage:
    """Ask another archive on this machine."""
    return lambda urls: ArchiveCoverage(frozenset(url for url in urls if other.lookup(url) is None))


async def coverage_by_timemaps(fetcher: Fetcher, prefix: str, urls: Sequence[str]) -> ArchiveCoverage:
    """Ask a Memento source for the time map of each; one that cannot be reached at all is a `RemoteError`."""
    turns = asyncio.Semaphore(MAX_CONNECTIONS)

    async def ask(url: str) -> FetchResult:
        async with turns:
            return await fetcher.fetch(FetchRequest(prefix + url, private=True, limits=_TIMEMAP_LIMITS))

    first = [await ask(url) for url in urls[:1]]
    for fetched in first:
        if fetched.exchange is None:
            raise RemoteError(f"{prefix} cannot be asked ({fetched.failure}: {fetched.detail}); check the address")
    answers = zip(urls, [*first, *await asyncio.gather(*map(ask, urls[1:]))], strict=True)
    statuses = {url: status_of(each.exchange.response) if each.exchange is not None else 0 for url, each in answers}
    missing = frozenset(url for url, status in statuses.items() if status in GONE_STATUSES)
    return ArchiveCoverage(missing, frozenset(url for url, status in statuses.items() if status != OK) - missing)

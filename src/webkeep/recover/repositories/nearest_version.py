"""The one version of a URL that is nearest to a moment, or the newest, out of a list of all; revisits do not count."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from webkeep.model import Moment
from webkeep.recover.repositories.repository import ListedVersion, ListingPage, MissReason, RepositoryMiss


async def find_nearest_version(
    listing: AsyncIterator[ListingPage], at: Moment | None, missing: str
) -> tuple[ListedVersion, int] | RepositoryMiss:
    """The version nearest to a moment, the newest where none is given, and the requests that the list took.

    A revisit shows nothing by itself. Where the list breaks off before there was any version, that is why there is
    none; where it ends, `missing` says so.
    """
    best: ListedVersion | None = None
    requests = 0
    async for page in listing:
        requests += page.requests
        for held in page.rows:
            if not held.is_revisit and (best is None or _moment_distance(held, at) < _moment_distance(best, at)):
                best = held
        if page.miss is not None and best is None:
            return replace(page.miss, requests=requests)
    return RepositoryMiss(MissReason.NOT_HELD, missing, requests=requests) if best is None else (best, requests)


def _moment_distance(held: ListedVersion, at: Moment | None) -> int:
    """How far a version is from a moment; less the newer it is, where none is given."""
    micros = held.moment.micros if held.moment is not None else 0
    return -micros if at is None else abs(micros - at.micros)

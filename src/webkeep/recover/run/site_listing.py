"""Gathering what repositories hold: their listings, row by row, into the recovery store; which rows are wanted, where a
broken listing goes on, and in which order what nothing led to is gone for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator

from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import (
    ALL_TIME,
    ListedVersion,
    ListingPage,
    MissReason,
    Repository,
    RepositoryMiss,
)
from webkeep.recover.run.recovery_observer import RecoveryObserver
from webkeep.recover.state.recovery_store import RecoveryState, RecoveryStore, RepositoryStatus
from webkeep.url import normalize_url

ORPHAN_PRIORITY = 1000
"""The priority from which on resources are those that nothing led to."""
_MAX_DEPTH = 99
"""Deeper paths share the last priority."""


async def collect_listings(
    plan: RecoveryPlan,
    repositories: Iterable[Repository],
    recovery_store: RecoveryStore,
    observer: RecoveryObserver,
    leave_out: Callable[[str, str], None] = lambda _name, _trouble: None,
) -> Moment | None:
    """Ask all repositories at once for all that they hold of the site, and go on where a listing broke off.

    `leave_out` is told who does not answer, and why.
    The answer is from when on those may be asked again that could not tell all of it; None where that is not known.
    """
    known = {status.name: status for status in recovery_store.repository_statuses()}
    pending = [each for each in repositories if each.traits.name not in known or not known[each.traits.name].is_listed]
    asked = [_list_safely(plan, each, recovery_store, observer) for each in pending]
    misses = await asyncio.gather(*asked)
    for repository, miss in zip(pending, misses, strict=True):
        if miss is not None and miss.reason is MissReason.UNREACHABLE:
            leave_out(repository.traits.name, miss.detail)
    recovery_store.commit(at_once=True)
    return max((miss.retry_at for miss in misses if miss is not None and miss.retry_at is not None), default=None)


async def _list_safely(
    plan: RecoveryPlan, repository: Repository, recovery_store: RecoveryStore, observer: RecoveryObserver
) -> RepositoryMiss | None:
    """The same of one of them; what goes wrong with it is not to end the others."""
    try:
        return await _list_one(plan, repository, recovery_store, observer)
    except StorageError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said, and the repository is asked page by page
        trouble = f"an error of webkeep ({type(error).__name__}: {error})"
        status = _status_of(recovery_store, repository.traits.name)
        observer.on_note(f"{status.name} could not be asked what it holds: {trouble}; please report this")
        recovery_store.save_listing_status(status._replace(is_open=True, trouble=trouble))
        return RepositoryMiss(MissReason.TROUBLE, trouble)


async def _list_one(
    plan: RecoveryPlan, repository: Repository, recovery_store: RecoveryStore, observer: RecoveryObserver
) -> RepositoryMiss | None:
    traits = repository.traits
    status = _status_of(recovery_store, traits.name)
    if not traits.lists or not plan.listing_queries():
        recovery_store.save_listing_status(status._replace(is_open=True, is_listed=True))
        return None
    period = plan.preference.period if traits.lists_periods else ALL_TIME
    is_capped, miss, odd = False, None, list[str]()
    first, resume = _resume_point(status)
    for number, (url, match) in enumerate(plan.listing_queries()):
        if number < first:
            continue
        async for batch in repository.list_site(url, match, period, resume if number == first else ""):
            recovery_store.add_versions(_wanted_rows(plan, batch), RecoveryState.LISTED)
            status = _advance_status(status, batch, number)
            recovery_store.save_listing_status(status)
            recovery_store.count_requests(traits.name, batch.requests)
            recovery_store.commit()
            if status.listed:
                observer.on_listed(status)
            is_capped = is_capped or batch.is_capped
            odd += [finding.message for finding in batch.findings[: not odd]]
            miss = batch.miss
        if miss is not None:
            break
    trouble = "" if miss is None else miss.detail or miss.reason.value
    is_silent = miss is not None and miss.reason is MissReason.UNREACHABLE
    is_open = not is_silent and (is_capped or bool(trouble))
    recovery_store.save_listing_status(status._replace(is_open=is_open, trouble=trouble, is_listed=miss is None))
    if trouble and not is_silent:
        observer.on_note(f"{traits.name} could not tell all that it holds ({trouble}); it is asked again later")
    elif odd:
        observer.on_note(f"{traits.name} lists something that cannot be read, which is passed over ({odd[0]})")
    return miss


def _resume_point(status: RepositoryStatus) -> tuple[int, str]:
    """Which of the listings broke off, and where to go on with it."""
    number, _, resume = status.resume.partition(" ")
    return (int(number), resume) if number else (0, "")


def _advance_status(status: RepositoryStatus, batch: ListingPage, number: int) -> RepositoryStatus:
    resume = f"{number} {batch.resume}" if batch.resume else status.resume
    return status._replace(is_open=True, listed=status.listed + len(batch.rows), resume=resume)


def _status_of(recovery_store: RecoveryStore, name: str) -> RepositoryStatus:
    recovery_store.repository_number(name)
    return next(status for status in recovery_store.repository_statuses() if status.name == name)


def _wanted_rows(plan: RecoveryPlan, batch: ListingPage) -> Iterator[tuple[str, int, ListedVersion]]:
    for held in batch.rows:
        url = normalize_url(held.url)
        if url is not None and _is_wanted(plan, url, held.moment):
            yield plan.identity.key(url), orphan_priority(url), held


def _is_wanted(plan: RecoveryPlan, url: str, moment: Moment | None) -> bool:
    return plan.url_scope.judge(url).is_allowed and plan.preference.period.covers(moment)


def orphan_priority(url: str) -> int:
    """When something is gone for that nothing led to: what lies high up first."""
    path = url.partition("?")[0]
    return ORPHAN_PRIORITY + 10 * min(path.count("/") - 3 + (not path.endswith("/")), _MAX_DEPTH) + ("?" in url)

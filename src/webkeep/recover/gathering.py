"""Gathering what repositories hold: their listings, row by row, into the book."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator

from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.recover.book import Book, Desk, State
from webkeep.recover.plan import Plan
from webkeep.recover.repository import ALWAYS, Batch, Held, Miss, Reason, Repository
from webkeep.recover.watching import Watcher
from webkeep.url import normal

ORPHANS = 1000
"""The priority from which on resources are those that nothing led to."""
_DEEPEST = 99


async def gather(
    plan: Plan,
    repositories: Iterable[Repository],
    book: Book,
    watcher: Watcher,
    leave_out: Callable[[str, str], None] = lambda _name, _trouble: None,
) -> Moment | None:
    """Ask all repositories at once for all that they hold of the site, and go on where a listing broke off.

    `leave_out` is told who does not answer, and why.
    The answer is from when on those may be asked again that could not tell all of it; None where that is not known.
    """
    known = {desk.name: desk for desk in book.desks()}
    pending = [each for each in repositories if each.traits.name not in known or not known[each.traits.name].is_listed]
    asked = [_gather_safely(plan, each, book, watcher) for each in pending]
    misses = await asyncio.gather(*asked)
    for repository, miss in zip(pending, misses, strict=True):
        if miss is not None and miss.reason is Reason.UNREACHABLE:
            leave_out(repository.traits.name, miss.detail)
    book.commit(at_once=True)
    return max((miss.again for miss in misses if miss is not None and miss.again is not None), default=None)


async def _gather_safely(plan: Plan, repository: Repository, book: Book, watcher: Watcher) -> Miss | None:
    """The same of one of them; what goes wrong with it is not to end the others."""
    try:
        return await _gather_one(plan, repository, book, watcher)
    except StorageError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said, and the repository is asked page by page
        trouble = f"an error of webkeep ({type(error).__name__}: {error})"
        desk = _desk(book, repository.traits.name)
        watcher.noted(f"{desk.name} could not be asked what it holds: {trouble}; please report this")
        book.note_listing(desk._replace(is_open=True, trouble=trouble))
        return Miss(Reason.TROUBLE, trouble)


async def _gather_one(plan: Plan, repository: Repository, book: Book, watcher: Watcher) -> Miss | None:
    traits = repository.traits
    desk = _desk(book, traits.name)
    if not traits.lists or not plan.listings():
        book.note_listing(desk._replace(is_open=True, is_listed=True))
        return None
    period = plan.wish.period if traits.lists_periods else ALWAYS
    is_capped, miss, odd = False, None, list[str]()
    first, resume = _resumption(desk)
    for number, (url, match) in enumerate(plan.listings()):
        if number < first:
            continue
        async for batch in repository.listing(url, match, period, resume if number == first else ""):
            book.add_held(_rows(plan, batch), State.LISTED)
            desk = _told(desk, batch, number)
            book.note_listing(desk)
            book.spend(traits.name, batch.requests)
            book.commit()
            if desk.listed:
                watcher.listed(desk)
            is_capped = is_capped or batch.capped
            odd += [finding.message for finding in batch.findings[: not odd]]
            miss = batch.miss
        if miss is not None:
            break
    trouble = "" if miss is None else miss.detail or miss.reason.value
    is_silent = miss is not None and miss.reason is Reason.UNREACHABLE
    is_open = not is_silent and (is_capped or bool(trouble))
    book.note_listing(desk._replace(is_open=is_open, trouble=trouble, is_listed=miss is None))
    if trouble and not is_silent:
        watcher.noted(f"{traits.name} could not tell all that it holds ({trouble}); it is asked again later")
    elif odd:
        watcher.noted(f"{traits.name} lists something that cannot be read, which is passed over ({odd[0]})")
    return miss


def _resumption(desk: Desk) -> tuple[int, str]:
    """Which of the listings broke off, and where to go on with it."""
    number, _, resume = desk.resume.partition(" ")
    return (int(number), resume) if number else (0, "")


def _told(desk: Desk, batch: Batch, number: int) -> Desk:
    resume = f"{number} {batch.resume}" if batch.resume else desk.resume
    return desk._replace(is_open=True, listed=desk.listed + len(batch.rows), resume=resume)


def _desk(book: Book, name: str) -> Desk:
    book.repository(name)
    return next(desk for desk in book.desks() if desk.name == name)


def _rows(plan: Plan, batch: Batch) -> Iterator[tuple[str, int, Held]]:
    for held in batch.rows:
        url = normal(held.url)
        if url is not None and _is_wanted(plan, url, held.moment):
            yield plan.identity.key(url), priority_of(url), held


def _is_wanted(plan: Plan, url: str, moment: Moment | None) -> bool:
    return plan.bounds.judge(url).allowed and plan.wish.period.covers(moment)


def priority_of(url: str) -> int:
    """When something is gone for that nothing led to: what lies high up first."""
    path = url.partition("?")[0]
    return ORPHANS + 10 * min(path.count("/") - 3 + (not path.endswith("/")), _DEEPEST) + ("?" in url)

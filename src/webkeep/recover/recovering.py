"""Recovering from beginning to end: begins or goes on, crawls, writes down every fate, ends the capture."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from webkeep.model import Capture, Fate, Outcome
from webkeep.process.garbage import seldom_collecting
from webkeep.process.interrupts import interrupts
from webkeep.recover.book import Book, Desk, Resource, State
from webkeep.recover.choices import overrule
from webkeep.recover.crawling import Crawl
from webkeep.recover.keeping import ArchiveKeeper
from webkeep.recover.merging import reopen
from webkeep.recover.parts import Tally
from webkeep.recover.plan import Plan
from webkeep.recover.recalling import recall
from webkeep.recover.recovery_job import KIND, PLAN_FACT, Job, book_of, earlier_of, job_of, to_go_on_with
from webkeep.recover.repository import Found, Repository
from webkeep.recover.spellings import redirects
from webkeep.recover.suspicion import suspicion_of
from webkeep.recover.watching import Watcher
from webkeep.store.writable import OpenCapture, WritableArchive

Opening = Callable[[Path], AbstractAsyncContextManager[Sequence[Repository]]]
"""Opens the repositories; it is given a folder for what is large while it comes."""

FACTS = "recovery"
"""The name under which a capture keeps what the recovery came to."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a recovery came to."""

    capture: str
    finished: bool
    """Whether it came to its end; if not, the same plan goes on with it."""
    resumed: bool
    counts: dict[State, int]
    bytes: int
    seconds: float
    desks: list[Desk]
    tally: Tally
    book: Path
    """Where its book lies."""
    choices: tuple[str, ...] = field(default=())
    """What could not be chosen as a person wanted it, and why."""
    unreached: tuple[str, ...] = ()
    """The repositories where nobody answered."""

    @property
    def requests(self) -> int:
        """How many requests were sent in all."""
        return sum(desk.requests for desk in self.desks)


def recover(
    plan: Plan,
    archive: WritableArchive,
    opening: Opening,
    watcher: Watcher,
    choices: Sequence[str] = (),
    anew: bool = False,
) -> Recovered:
    """Bring a lost site back into an archive, or go on with that where it was begun and not finished."""
    begun = archive.clock.now()
    known = None if anew else to_go_on_with(archive, plan)
    earlier = None if known is not None or anew else earlier_of(archive, plan.seeds)
    capture = archive.go_on(known) if known is not None else _open(archive, plan)
    job = job_of(archive, capture.capture)
    job.make(_book(archive, earlier))
    is_lost = not job.book.exists() and (known is not None or earlier is not None)
    watcher.begun(capture.id, known is not None)
    with Book(job.book) as book:
        if is_lost and recall(archive, book, plan):
            watcher.noted("what was recovered before is known from the archive alone")
        if earlier is not None:
            reopen(book)
        not_chosen = overrule(book, plan, choices)
        with seldom_collecting():
            crawl, keeper = asyncio.run(_run(plan, archive, capture, book, job, opening, watcher, known is not None))
        if crawl.drained:
            _end(archive, capture, book, keeper, crawl)
        recovered = Recovered(
            capture.id,
            crawl.drained,
            known is not None,
            book.counts(),
            keeper.bytes,
            archive.clock.now().seconds_since(begun),
            book.desks(),
            crawl.parts.tally,
            job.kept if crawl.drained else job.book,
            tuple(not_chosen),
            crawl.unreached,
        )
    if crawl.drained:
        job.finish()
    return recovered


def _open(archive: WritableArchive, plan: Plan) -> OpenCapture:
    return archive.begin(KIND, plan.seeds, {PLAN_FACT: plan.text()})


def _book(archive: WritableArchive, earlier: Capture | None) -> Path | None:
    return None if earlier is None else book_of(archive, earlier)


async def _run(
    plan: Plan,
    archive: WritableArchive,
    capture: OpenCapture,
    book: Book,
    job: Job,
    opening: Opening,
    watcher: Watcher,
    is_resumed: bool,
) -> tuple[Crawl, ArchiveKeeper]:
    keeper = ArchiveKeeper(archive, capture, is_resumed)
    async with opening(job.spool) as repositories:
        judge = partial(_against, frozenset(plan.identity.key(seed) for seed in plan.seeds if seed.endswith("/")))
        crawl = Crawl(plan, repositories, book, keeper, archive.clock, watcher, judge, lambda: keeper.bytes)
        with interrupts(crawl, watcher.noted):
            await crawl.run()
        watcher.glanced(crawl.glance())
    return crawl, keeper


def _against(roots: frozenset[str], resource: Resource, found: Found) -> str:
    suspicion = suspicion_of(found.exchange, is_root=resource.key in roots)
    return "" if suspicion is None else suspicion.value


def _end(archive: WritableArchive, capture: OpenCapture, book: Book, keeper: ArchiveKeeper, crawl: Crawl) -> None:
    """Write down what became of everything."""
    for exchange in redirects(book):
        seen = archive.lookup(exchange.url, exchange.moment)
        if seen is None or (seen.url, seen.moment) != (exchange.url, exchange.moment):
            keeper.alias(exchange)
    capture.note_fates(_fates(book))
    facts = {"requests": {desk.name: desk.requests for desk in book.desks()}, "fits": asdict(crawl.parts.tally)}
    book.keep(FACTS, json.dumps(facts))
    capture.end({FACTS: json.dumps(facts)})


def _fates(book: Book) -> Iterator[Fate]:
    for resource in book.resources(State.MISSING):
        yield Fate(resource.url, Outcome.FAILED, resource.note)

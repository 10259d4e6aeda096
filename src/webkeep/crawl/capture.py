"""Capturing from beginning to end: begins or goes on, runs the engine, writes down every fate, ends the capture."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webkeep.coherence.intent import MEDIA_TYPE, intent_urn
from webkeep.crawl.accounts import POLITENESS_FACT
from webkeep.crawl.answering import redirect_of
from webkeep.crawl.browsing.page_notes import PageNotes
from webkeep.crawl.browsing.standby import Standby
from webkeep.crawl.engine import Engine
from webkeep.crawl.jobs import PLAN_FACT, Job, job_of, tidy, to_go_on_with
from webkeep.crawl.login import read_login
from webkeep.crawl.login_pages import asks_for_password, leads_to_login
from webkeep.crawl.memory import Memory
from webkeep.crawl.plan import MOST_SEEDS, Browsing, Plan
from webkeep.crawl.policies import policy_of, reads_sitemaps, settings_of
from webkeep.crawl.redacting import redactor_of
from webkeep.crawl.requests import Requests
from webkeep.crawl.resuming import catch_up, enter_moved_rules, mark_read
from webkeep.crawl.secret_urls import SecretUrls
from webkeep.crawl.steering import Steering
from webkeep.crawl.strategies import coherent_strategy, plain_strategy
from webkeep.crawl.watching import Watcher
from webkeep.extract import well_known_links
from webkeep.fetch.door import Door
from webkeep.frontier.candidate import Role
from webkeep.frontier.frontier import Frontier
from webkeep.frontier.policy import Policy
from webkeep.frontier.suspicion import Kind as TrapKind
from webkeep.frontier.traps import Trap
from webkeep.model import Fate, Outcome
from webkeep.process.garbage import seldom_collecting
from webkeep.process.interrupts import interrupts
from webkeep.redaction import Redactor
from webkeep.redaction.rules import CREDENTIALS
from webkeep.store.graves import taken_down
from webkeep.store.job import JobBook
from webkeep.store.lineage import UPDATES_FACT
from webkeep.store.writable import OpenCapture, WritableArchive

if TYPE_CHECKING:
    from webkeep.crawl.browsing.explorer import Explorer
    from webkeep.crawl.browsing.report import Browsed
    from webkeep.crawl.planning import Planning

FAILURES_TOLD = 20
"""So many failures are told one by one."""
_MOST_REDIRECTS = 20
_CAME_TO_NOTHING = frozenset({Outcome.REFUSED, Outcome.FAILED, Outcome.TAKEN_DOWN})
REDACTS_FACT = "redacts"
"""The name under which a capture keeps what it leaves out of records."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What a capture came to."""

    capture: str
    finished: bool
    """Whether it came to its end; if not, the same plan goes on with it."""
    resumed: bool
    counts: dict[Outcome, int]
    bytes: int
    seconds: float
    missed: int = 0
    """URLs that should be there and are not."""
    hosts: dict[str, Any] = field(default_factory=dict)
    """The ledger of every host."""
    traps: list[Trap] = field(default_factory=list)
    seeds_missed: list[Fate] = field(default_factory=list)
    """The fates of seeds that came to nothing: refused, failed, or answered with an error."""
    failures: list[Fate] = field(default_factory=list)
    """Some of those that failed."""
    rules_failed: int = 0
    """How many of those that failed are robots.txt files, which nobody asked for."""
    not_seen_again: int = 0
    """How many revisits came to nothing."""
    browsed: Browsed | None = None
    """What came of running pages in a browser, where that was wanted."""


Certify = Callable[[WritableArchive, str], object]
"""Writes the certificate of a capture, all of whose records are on disk, into its archive."""


def capture(
    plan: Plan,
    archive: WritableArchive,
    watcher: Watcher,
    anew: bool = False,
    certify: Certify | None = None,
    updates: str = "",
) -> Captured:
    """Carry a plan out into an archive, or go on with it where it was begun and not finished.

    A capture that was to be coherent is certified at its end. One that `updates` an earlier one asks for all that it
    had, and only for what has changed.
    """
    begun = archive.clock.now()
    if plan.has_credentials and not archive.is_private:
        archive.make_private()
        watcher.noted(f"{archive.path} is readable by you alone, as it holds what your credentials show")
    tidy(archive)
    redactor = redactor_of(plan)
    urls = None if redactor is None else SecretUrls(redactor)
    known = None if anew else to_go_on_with(archive, plan, updates)
    open_capture = _open(archive, plan, updates) if known is None else archive.go_on(known)
    before = open_capture.capture.facts.get(UPDATES_FACT, "")
    memory = Memory(archive, before, plan.conditional) if before else None
    job = job_of(archive, open_capture.capture)
    job.make(plan)
    watcher.begun(open_capture.id, known is not None)
    with JobBook(job.book) as book:
        policy = policy_of(plan, taken_down(archive))
        planning = _planning(plan, policy, archive, open_capture.id)
        planned = None if planning is None else planning.book_over(book)
        naming = None if urls is None else urls.redact
        frontier = Frontier(policy, planned or book, plain_strategy(plan.strategy), naming)
        if known is not None:
            caught_up = catch_up(archive, open_capture.id, book, frontier)
            if caught_up:
                watcher.noted(f"the capture was cut short: the links of the last {caught_up:,} records are read first")
        if planning is not None and planned is not None:
            _foresee(plan, planning, frontier, archive)
        if memory is not None and plan.depth is None:
            lost = SecretUrls(Redactor()).is_lost
            frontier.suggest((url for url in memory.known() if not lost(url)), archive.clock.now())
        frontier.seed(_seeds(plan), archive.clock.now())
        if planning is not None and planned is not None:
            planning.begin(frontier, planned)
        with seldom_collecting():
            engine, browsed = asyncio.run(
                _run(
                    plan,
                    archive,
                    open_capture,
                    frontier,
                    book,
                    job,
                    watcher,
                    planning,
                    memory,
                    redactor,
                    urls,
                    known is not None,
                )
            )
        ledger = dict(frontier.ledger())
        if engine.is_settled and not engine.drained:
            mark_read(archive, open_capture.id, book)
        if engine.drained:
            engine.enter_onward()
            if known is not None:
                enter_moved_rules(archive, open_capture.id, book, frontier)
            open_capture.note_fates(book.fates())
            if planning is not None:
                _conclude(planning, archive, open_capture.id, certify)
            open_capture.end({POLITENESS_FACT: json.dumps(ledger, ensure_ascii=False)})
        counts = dict(book.counts())
        seeds_missed = list(_seeds_missed(plan, book, archive))
        refused = sum(fate.outcome is Outcome.REFUSED for fate in seeds_missed)
        captured = Captured(
            open_capture.id,
            engine.drained,
            known is not None,
            counts,
            frontier.totals.bytes,
            archive.clock.now().seconds_since(begun),
            counts[Outcome.FAILED] + counts[Outcome.TRAPPED] - _guesses_left_out(frontier) + refused,
            ledger,
            frontier.traps(),
            seeds_missed,
            list(islice(_failures(book), FAILURES_TOLD)),
            sum(candidate.role is Role.ROBOTS for candidate in book.candidates(Outcome.FAILED)),
            0 if planned is None else planned.not_seen_again,
            browsed,
        )
    if captured.finished:
        job.remove()
    return captured


def _guesses_left_out(frontier: Frontier) -> int:
    """How many URLs were left out that nothing named, and that only looked like some: nobody misses them."""
    return sum(trap.left_out for trap in frontier.traps() if trap.kind is TrapKind.GUESS)


def _open(archive: WritableArchive, plan: Plan, updates: str) -> OpenCapture:
    redacts = {REDACTS_FACT: json.dumps([CREDENTIALS])} if plan.redacts else {}
    facts = {PLAN_FACT: plan.text(), **redacts, **({UPDATES_FACT: updates} if updates else {})}
    return archive.begin("capture", plan.named_seeds[:MOST_SEEDS], facts)


def _planning(plan: Plan, policy: Policy, archive: WritableArchive, capture_id: str) -> Planning | None:
    strategy = coherent_strategy(plan.strategy)
    if strategy is None:
        return None
    from webkeep.crawl.planning import Planning  # predictors and much else are behind it, and few captures need it

    return Planning(plan, strategy, policy, archive, capture_id)


def _foresee(plan: Plan, planning: Planning, frontier: Frontier, archive: WritableArchive) -> None:
    """Give a plan its pages and their rates before the first request."""
    now = archive.clock.now()
    if reads_sitemaps(plan):
        frontier.look_for_sitemaps(plan.seeds, now)
    known = list(planning.recall())
    # Steps from a seed cannot be told of pages that nothing led to.
    if plan.depth is None:
        frontier.suggest(known, now)


def _conclude(planning: Planning, archive: WritableArchive, capture_id: str, certify: Certify | None) -> None:
    """Write down what the capture was to be, and what it came to be."""
    notes = [archive.note(capture_id, intent_urn(capture_id), MEDIA_TYPE, each) for each in planning.intent().blocks()]
    for note in notes:
        note.result()
    if certify is not None:
        certify(archive, capture_id)


def _seeds(plan: Plan) -> Iterator[str]:
    yield from plan.seeds
    if plan.probe:
        for seed in plan.seeds:
            yield from (link.url for link in well_known_links(seed))


def _seeds_missed(plan: Plan, book: JobBook, archive: WritableArchive) -> Iterator[Fate]:
    for seed in plan.named_seeds[:MOST_SEEDS]:
        for fate in book.trail(seed, 1):
            if fate.outcome in _CAME_TO_NOTHING or fate.reason.startswith("status "):
                yield fate
            elif (target := _left_for(seed, archive)) and (reason := _lost_on(target, plan, book, archive)):
                yield replace(fate, reason=f"leads to {target}, {reason}")


def _lost_on(target: str, plan: Plan, book: JobBook, archive: WritableArchive) -> str:
    """Why nothing is gained where a seed leads; empty where something is."""
    if plan.has_credentials and asks_for_password(target, archive):
        return "which asks for a password: nobody is logged in by the credentials that were given; get new ones"
    if not _is_outside(target, book):
        return ""
    if leads_to_login(target):
        return "which is out of scope and looks like a login: give --cookies, or use webkeep login"
    return "which is out of scope; capture that instead"


def _left_for(seed: str, archive: WritableArchive) -> str:
    """Where a seed redirects to, at last."""
    target, left = "", _MOST_REDIRECTS
    while left and (seen := archive.lookup(target or seed)) is not None and 300 <= (seen.status or 0) < 400:
        head = archive.read(seen).head
        onward = redirect_of(seen.url, head) if head is not None else ""
        if not onward or seen.url != (target or seed):
            break
        target, left = onward, left - 1
    return target


def _is_outside(url: str, book: JobBook) -> bool:
    return any(fate.outcome is Outcome.OUT_OF_SCOPE for fate in book.trail(url, 1))


def _failures(book: JobBook) -> Iterator[Fate]:
    for candidate in book.candidates(Outcome.FAILED):
        if candidate.role is not Role.ROBOTS:
            yield from book.trail(candidate.url, 1)


async def _run(
    plan: Plan,
    archive: WritableArchive,
    open_capture: OpenCapture,
    frontier: Frontier,
    book: JobBook,
    job: Job,
    watcher: Watcher,
    planning: Planning | None,
    memory: Memory | None,
    redactor: Redactor | None,
    urls: SecretUrls | None,
    resumed: bool,
) -> tuple[Engine, Browsed | None]:
    archive.writer.expect_much()
    requests = Requests(plan, urls)
    async with Door(settings_of(plan), job.spool, archive.clock) as door, AsyncExitStack() as stack:
        engine = Engine(
            open_capture,
            frontier,
            book,
            door,
            requests,
            archive.clock,
            plan.connections,
            watcher,
            planning,
            memory,
        )
        is_revisited = planning is not None and planning.is_revisited
        steering = Steering(plan, engine, frontier, job.desk, archive.clock, watcher, is_revisited)
        steering.begin()
        if plan.browser_profile:
            engine.login = read_login(Path(plan.browser_profile))
        engine.redactor, engine.urls = redactor, urls
        if plan.browser is not Browsing.OFF:
            notes = PageNotes(plan.takes_all_pages)
            opening = partial(
                _explorer, plan, archive, open_capture, frontier, book, job, engine, requests, watcher, notes, resumed
            )
            engine.explorer = Standby(stack, notes, opening, resumed)
        with interrupts(engine, watcher.noted):
            steered = asyncio.get_running_loop().create_task(steering.run())
            steered.add_done_callback(partial(_heed, engine))
            try:
                await engine.run()
            finally:
                steered.cancel()
                await asyncio.gather(steered, return_exceptions=True)
                steering.end()
        if engine.explorer is not None:
            await engine.explorer.finish(engine.drained)
    return engine, engine.explorer.browsed if engine.explorer is not None else None


def _explorer(*surroundings: Any) -> AbstractAsyncContextManager[Explorer]:
    from webkeep.crawl.browsing.composing import browsing  # few captures need what is behind it

    return browsing(*surroundings)


def _heed(engine: Engine, steered: asyncio.Task[None]) -> None:
    """A capture that can no longer be steered is to end, and not to go on deaf."""
    if not steered.cancelled() and (error := steered.exception()) is not None:
        engine.fail(error)

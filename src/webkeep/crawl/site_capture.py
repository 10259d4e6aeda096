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

from webkeep.coherence.certificates import MEDIA_TYPE, intent_urn
from webkeep.crawl.browsing.lazy_explorer import LazyExplorer
from webkeep.crawl.links.runnable_pages import RunnablePages
from webkeep.crawl.plan.capture_plan import MAX_SEEDS_KEPT, BrowserMode, CapturePlan
from webkeep.crawl.plan.login_pages import has_password_field, is_login_url
from webkeep.crawl.plan.policies import fetch_settings_from_plan, policy_from_plan, reads_sitemaps, redactor_from_plan
from webkeep.crawl.plan.saved_login import read_login
from webkeep.crawl.plan.strategies import coherent_strategy, ranking_strategy
from webkeep.crawl.requests.outcome_builder import redirect_target
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.requests.secret_urls import SecretUrls
from webkeep.crawl.run.capture_accounts import POLITENESS_FACT
from webkeep.crawl.run.capture_job import PLAN_FACT, CaptureJob, find_resumable, job_of, remove_finished_jobs
from webkeep.crawl.run.capture_observer import CaptureObserver
from webkeep.crawl.run.control_loop import ControlLoop
from webkeep.crawl.run.crash_resume import catch_up, mark_caught_up, store_robots_targets
from webkeep.crawl.run.engine import Engine
from webkeep.crawl.run.prior_capture import PriorCapture
from webkeep.extract import well_known_links
from webkeep.fetch.client import Fetcher
from webkeep.formats.status import is_redirection
from webkeep.frontier import Frontier
from webkeep.frontier.policy import CrawlPolicy
from webkeep.frontier.traps import Trap, TrapKind as TrapKind
from webkeep.frontier.urls import UrlRole
from webkeep.model import CaptureKind, Fate, UrlOutcome
from webkeep.process import rare_garbage_collection, stop_on_interrupt
from webkeep.redaction import CREDENTIALS_RULE, Redactor
from webkeep.store.archive import UPDATES_FACT, OpenCapture, WritableArchive
from webkeep.store.jobs import SqliteUrlStore
from webkeep.store.views import read_taken_down

if TYPE_CHECKING:
    from webkeep.crawl.browsing.browser_report import BrowserReport
    from webkeep.crawl.browsing.explorer import PageExplorer
    from webkeep.crawl.coherent.coherence_planner import CoherencePlanner

MAX_FAILURES_LISTED = 20
"""So many failures are told one by one."""
_MAX_REDIRECTS = 20
"""So many redirects of a seed are followed in the archive, to say where it leads."""
_MISSED_OUTCOMES = frozenset({UrlOutcome.REFUSED, UrlOutcome.FAILED, UrlOutcome.TAKEN_DOWN})
REDACTS_FACT = "redacts"
"""The name under which a capture keeps what it leaves out of records."""


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What a capture came to."""

    capture: str
    finished: bool
    """Whether it came to its end; if not, the same plan goes on with it."""
    resumed: bool
    counts: dict[UrlOutcome, int]
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
    browsed: BrowserReport | None = None
    """What came of running pages in a browser, where that was wanted."""


CertifyCapture = Callable[[WritableArchive, str], object]
"""Writes the certificate of a capture, all of whose records are on disk, into its archive."""


def capture(
    plan: CapturePlan,
    archive: WritableArchive,
    observer: CaptureObserver,
    anew: bool = False,
    certify: CertifyCapture | None = None,
    updates: str = "",
) -> CaptureResult:
    """Carry a plan out into an archive, or go on with it where it was begun and not finished.

    A capture that was to be coherent is certified at its end. One that `updates` an earlier one asks for all that it
    had, and only for what has changed.
    """
    begun = archive.clock.now()
    if plan.has_credentials and not archive.is_private:
        archive.make_private()
        observer.on_note(f"{archive.path} is readable by you alone, as it holds what your credentials show")
    remove_finished_jobs(archive)
    redactor = redactor_from_plan(plan)
    urls = None if redactor is None else SecretUrls(redactor)
    known = None if anew else find_resumable(archive, plan, updates)
    open_capture = _begin_capture(archive, plan, updates) if known is None else archive.resume_capture(known)
    before = open_capture.capture.facts.get(UPDATES_FACT, "")
    prior = PriorCapture(archive, before, plan.conditional) if before else None
    job = job_of(archive, open_capture.capture)
    job.create(plan)
    observer.on_started(open_capture.id, known is not None)
    with SqliteUrlStore(job.url_store_path) as url_store:
        policy = policy_from_plan(plan, read_taken_down(archive))
        planner = _build_planner(plan, policy, archive, open_capture.id)
        planned = None if planner is None else planner.build_url_store(url_store)
        naming = None if urls is None else urls.redact
        frontier = Frontier(policy, planned or url_store, ranking_strategy(plan.strategy), naming)
        if known is not None:
            caught_up = catch_up(archive, open_capture.id, url_store, frontier)
            if caught_up:
                observer.on_note(
                    f"the capture was cut short: the links of the last {caught_up:,} records are read first"
                )
        if planner is not None and planned is not None:
            _queue_known_pages(plan, planner, frontier, archive)
        if prior is not None and plan.depth is None:
            lost = SecretUrls(Redactor()).is_lost
            frontier.suggest((url for url in prior.known_urls() if not lost(url)), archive.clock.now())
        frontier.seed(_seed_urls(plan), archive.clock.now())
        if planner is not None and planned is not None:
            planner.begin_rounds(frontier, planned)
        with rare_garbage_collection():
            engine, browsed = asyncio.run(
                _run_engine(
                    plan,
                    archive,
                    open_capture,
                    frontier,
                    url_store,
                    job,
                    observer,
                    planner,
                    prior,
                    redactor,
                    urls,
                    known is not None,
                )
            )
        ledger = dict(frontier.host_ledgers())
        if engine.is_settled and not engine.is_drained:
            mark_caught_up(archive, open_capture.id, url_store)
        if engine.is_drained:
            engine.store_robots_targets()
            if known is not None:
                store_robots_targets(archive, open_capture.id, url_store, frontier)
            open_capture.submit_fates(url_store.fates())
            if planner is not None:
                _write_intent(planner, archive, open_capture.id, certify)
            open_capture.end({POLITENESS_FACT: json.dumps(ledger, ensure_ascii=False)})
        counts = dict(url_store.outcome_counts())
        seeds_missed = list(_seeds_missed(plan, url_store, archive))
        refused = sum(fate.outcome is UrlOutcome.REFUSED for fate in seeds_missed)
        captured = CaptureResult(
            open_capture.id,
            engine.is_drained,
            known is not None,
            counts,
            frontier.totals.bytes,
            archive.clock.now().seconds_since(begun),
            counts[UrlOutcome.FAILED] + counts[UrlOutcome.TRAPPED] - _guesses_left_out(frontier) + refused,
            ledger,
            frontier.trap_report(),
            seeds_missed,
            list(islice(_failed_fates(url_store), MAX_FAILURES_LISTED)),
            sum(candidate.role is UrlRole.ROBOTS for candidate in url_store.candidates_with(UrlOutcome.FAILED)),
            0 if planned is None else planned.not_seen_again,
            browsed,
        )
    if captured.finished:
        job.remove()
    return captured


def _guesses_left_out(frontier: Frontier) -> int:
    """How many URLs were left out that nothing named, and that only looked like some: nobody misses them."""
    return sum(trap.left_out for trap in frontier.trap_report() if trap.kind is TrapKind.GUESS)


def _begin_capture(archive: WritableArchive, plan: CapturePlan, updates: str) -> OpenCapture:
    redacts = {REDACTS_FACT: json.dumps([CREDENTIALS_RULE])} if plan.redacts else {}
    facts = {PLAN_FACT: plan.to_text(), **redacts, **({UPDATES_FACT: updates} if updates else {})}
    return archive.begin(CaptureKind.CAPTURE, plan.named_seeds[:MAX_SEEDS_KEPT], facts)


def _build_planner(
    plan: CapturePlan, policy: CrawlPolicy, archive: WritableArchive, capture_id: str
) -> CoherencePlanner | None:
    strategy = coherent_strategy(plan.strategy)
    if strategy is None:
        return None
    from webkeep.crawl.coherent.coherence_planner import (
        CoherencePlanner,  # predictors and much else are behind it, and few captures need it
    )

    return CoherencePlanner(plan, strategy, policy, archive, capture_id)


def _queue_known_pages(
    plan: CapturePlan, planner: CoherencePlanner, frontier: Frontier, archive: WritableArchive
) -> None:
    """Give a plan its pages and their rates before the first request."""
    now = archive.clock.now()
    if reads_sitemaps(plan):
        frontier.look_for_sitemaps(plan.seeds, now)
    known = list(planner.read_history())
    # Steps from a seed cannot be told of pages that nothing led to.
    if plan.depth is None:
        frontier.suggest(known, now)


def _write_intent(
    planner: CoherencePlanner, archive: WritableArchive, capture_id: str, certify: CertifyCapture | None
) -> None:
    """Write down what the capture was to be, and what it came to be."""
    notes = [
        archive.submit_metadata(capture_id, intent_urn(capture_id), MEDIA_TYPE, each)
        for each in planner.intent().render_notes()
    ]
    for note in notes:
        note.result()
    if certify is not None:
        certify(archive, capture_id)


def _seed_urls(plan: CapturePlan) -> Iterator[str]:
    yield from plan.seeds
    if plan.probe:
        for seed in plan.seeds:
            yield from (link.url for link in well_known_links(seed))


def _seeds_missed(plan: CapturePlan, url_store: SqliteUrlStore, archive: WritableArchive) -> Iterator[Fate]:
    for seed in plan.named_seeds[:MAX_SEEDS_KEPT]:
        for fate in url_store.trail(seed, 1):
            if fate.outcome in _MISSED_OUTCOMES or fate.reason.startswith("status "):
                yield fate
            elif (target := _redirect_end(seed, archive)) and (
                reason := _missed_reason(target, plan, url_store, archive)
            ):
                yield replace(fate, reason=f"leads to {target}, {reason}")


def _missed_reason(target: str, plan: CapturePlan, url_store: SqliteUrlStore, archive: WritableArchive) -> str:
    """Why nothing is gained where a seed leads; empty where something is."""
    if plan.has_credentials and has_password_field(target, archive):
        return "which asks for a password: nobody is logged in by the credentials that were given; get new ones"
    if not _is_out_of_scope(target, url_store):
        return ""
    if is_login_url(target):
        return "which is out of scope and looks like a login: give --cookies, or use webkeep login"
    return "which is out of scope; capture that instead"


def _redirect_end(seed: str, archive: WritableArchive) -> str:
    """Where a seed redirects to, at last."""
    target, left = "", _MAX_REDIRECTS
    while left and (seen := archive.lookup(target or seed)) is not None and is_redirection(seen.status):
        head = archive.read(seen).head
        onward = redirect_target(seen.url, head) if head is not None else ""
        if not onward or seen.url != (target or seed):
            break
        target, left = onward, left - 1
    return target


def _is_out_of_scope(url: str, url_store: SqliteUrlStore) -> bool:
    return any(fate.outcome is UrlOutcome.OUT_OF_SCOPE for fate in url_store.trail(url, 1))


def _failed_fates(url_store: SqliteUrlStore) -> Iterator[Fate]:
    for candidate in url_store.candidates_with(UrlOutcome.FAILED):
        if candidate.role is not UrlRole.ROBOTS:
            yield from url_store.trail(candidate.url, 1)


async def _run_engine(
    plan: CapturePlan,
    archive: WritableArchive,
    open_capture: OpenCapture,
    frontier: Frontier,
    url_store: SqliteUrlStore,
    job: CaptureJob,
    observer: CaptureObserver,
    planner: CoherencePlanner | None,
    prior: PriorCapture | None,
    redactor: Redactor | None,
    urls: SecretUrls | None,
    resumed: bool,
) -> tuple[Engine, BrowserReport | None]:
    archive.writer.expect_many_records()
    requests = RequestBuilder(plan, urls)
    async with Fetcher(fetch_settings_from_plan(plan), job.spool, archive.clock) as fetcher, AsyncExitStack() as stack:
        engine = Engine(
            open_capture,
            frontier,
            url_store,
            fetcher,
            requests,
            archive.clock,
            plan.connections,
            observer,
            planner,
            prior,
        )
        is_revisited = planner is not None and planner.has_revisits
        control_loop = ControlLoop(plan, engine, frontier, job.control, archive.clock, observer, is_revisited)
        control_loop.begin()
        if plan.browser_profile:
            engine.login = read_login(Path(plan.browser_profile))
        engine.redactor, engine.urls = redactor, urls
        if plan.browser is not BrowserMode.OFF:
            runnable_pages = RunnablePages(plan.takes_all_pages)
            opening = partial(
                _open_explorer,
                plan,
                archive,
                open_capture,
                frontier,
                url_store,
                job,
                engine,
                requests,
                observer,
                runnable_pages,
                resumed,
            )
            engine.explorer = LazyExplorer(stack, runnable_pages, opening, resumed)
        with stop_on_interrupt(engine, observer.on_note):
            steered = asyncio.get_running_loop().create_task(control_loop.run())
            steered.add_done_callback(partial(_fail_with_control, engine))
            try:
                await engine.run()
            finally:
                steered.cancel()
                await asyncio.gather(steered, return_exceptions=True)
                control_loop.end()
        if engine.explorer is not None:
            await engine.explorer.finish(engine.is_drained)
    return engine, engine.explorer.report if engine.explorer is not None else None


def _open_explorer(*surroundings: Any) -> AbstractAsyncContextManager[PageExplorer]:
    from webkeep.crawl.browsing.explorer_setup import open_explorer  # few captures need what is behind it

    return open_explorer(*surroundings)


def _fail_with_control(engine: Engine, steered: asyncio.Task[None]) -> None:
    """A capture that can no longer be steered is to end, and not to go on deaf."""
    if not steered.cancelled() and (error := steered.exception()) is not None:
        engine.fail(error)

"""Capturing from beginning to end: resumes or begins, queues seeds and known pages, runs the engine, writes down every
fate, has coherence certified, ends the capture.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from webkeep.coherence.certificates import MEDIA_TYPE, intent_urn
from webkeep.crawl.browsing.lazy_explorer import LazyExplorer
from webkeep.crawl.capture_result import CaptureResult, read_finished_result, read_result
from webkeep.crawl.links.runnable_pages import RunnablePages
from webkeep.crawl.plan.capture_plan import MAX_SEEDS_KEPT, BrowserMode, CapturePlan
from webkeep.crawl.plan.policies import policy_from_plan, reads_sitemaps, redactor_from_plan
from webkeep.crawl.plan.saved_login import read_login
from webkeep.crawl.plan.site_sources import parse_dumps
from webkeep.crawl.plan.strategies import coherent_strategy, ranking_strategy
from webkeep.crawl.requests.private_hosts import PRIVATE_PREFIX, PUBLIC_PREFIX, PrivateHosts
from webkeep.crawl.requests.request_builder import RequestBuilder
from webkeep.crawl.requests.secret_urls import SecretUrls
from webkeep.crawl.run.capture_accounts import POLITENESS_FACT
from webkeep.crawl.run.capture_context import CaptureContext, LargerCapture
from webkeep.crawl.run.capture_job import (
    JOB_FACT,
    CaptureJob,
    find_finished,
    find_resumable,
    job_of,
    remove_finished_jobs,
)
from webkeep.crawl.run.capture_observer import CaptureObserver
from webkeep.crawl.run.control_loop import ControlLoop
from webkeep.crawl.run.crash_resume import catch_up, mark_caught_up, store_robots_targets
from webkeep.crawl.run.engine import Engine
from webkeep.crawl.run.held_archives import HeldArchives
from webkeep.crawl.run.host_lease_opening import open_host_leases
from webkeep.crawl.run.host_turn_leases import HostTurnLeases
from webkeep.crawl.run.prior_capture import PriorCapture
from webkeep.extract import well_known_links
from webkeep.fetch import INDEX_NAME, LocalSite
from webkeep.fetch.client import Fetcher
from webkeep.frontier import Frontier
from webkeep.frontier.policy import CrawlPolicy
from webkeep.model import CaptureKind, Finding
from webkeep.process import RunLoop, rare_garbage_collection, watch_run
from webkeep.store.archive import UPDATES_FACT, OpenCapture, WritableArchive
from webkeep.store.jobs import PLAN_FACT, SqliteUrlStore
from webkeep.store.views import read_taken_down

if TYPE_CHECKING:
    from webkeep.crawl.application import DataComparison, SiteData
    from webkeep.crawl.browsing.browser_report import BrowserReport
    from webkeep.crawl.browsing.explorer import PageExplorer
    from webkeep.crawl.coherent.coherence_planner import CoherencePlanner
    from webkeep.redaction import Redactor

REDACTS_FACT = "redacts"
"""The name under which a capture keeps what it leaves out of records."""

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

    A capture that was to be coherent is certified at its end; of one whose job is done, only what came of it is told.
    One that `updates` an earlier one asks for all that it
    had, and only for what has changed.
    """
    return _capture(plan, archive, observer, _Beginning(anew, updates), certify, None)


def capture_part(
    plan: CapturePlan,
    archive: WritableArchive,
    observer: CaptureObserver,
    certify: CertifyCapture | None,
    larger: LargerCapture,
) -> CaptureResult:
    """Carry out, or go on with, a part of a capture of many machines, which stops where that does."""
    return _capture(plan, archive, observer, _Beginning(), certify, larger)


class _Beginning(NamedTuple):
    """How a capture is begun: always `anew`, or as one that `updates` an earlier one."""

    anew: bool = False
    updates: str = ""


def _capture(
    plan: CapturePlan,
    archive: WritableArchive,
    observer: CaptureObserver,
    beginning: _Beginning,
    certify: CertifyCapture | None,
    larger: LargerCapture | None,
) -> CaptureResult:
    begun = archive.clock.now()
    if plan.job and (finished := find_finished(archive, plan.job)) is not None:
        observer.on_note(f"job {plan.job} was captured before; nothing is asked for again")
        return read_finished_result(plan, archive, finished)
    _protect_archive(plan, archive, observer)
    redactor = redactor_from_plan(plan)
    with ExitStack() as stack:
        local = stack.enter_context(_open_site(plan))
        start = _start_capture(plan, archive, *beginning)
        if start.leases is not None:
            stack.callback(start.leases.close)
        if start.held is not None:
            stack.callback(start.held.close)
        observer.on_started(start.capture.id, start.is_resumed)
        url_store = stack.enter_context(SqliteUrlStore(start.job.url_store_path))
        context = replace(
            _build_context(plan, archive, start, url_store, observer, redactor), local=local, larger=larger
        )
        data = _site_data(context)
        if data is not None:
            data.keep_before()
        _queue_first_urls(context)
        with rare_garbage_collection():
            engine, browsed = asyncio.run(_run_engine(context))
        compared = data.keep_after() if data is not None and engine.is_drained else ()
        _end_run(context, engine, certify, compared)
        seconds = archive.clock.now().seconds_since(begun)
        result = read_result(context, engine.is_drained, seconds, browsed)
        result = replace(result, data=compared, login_ended=engine.login_ended)
    if result.finished:
        start.job.remove()
    return result


@dataclass(frozen=True, slots=True)
class CaptureStart:
    """A capture that was begun, or is gone on with."""

    capture: OpenCapture
    job: CaptureJob
    is_resumed: bool
    leases: HostTurnLeases | None
    """Turns at hosts among captures, where they are shared."""
    held: HeldArchives | None
    """Archives whose pages are left out."""


def _start_capture(plan: CapturePlan, archive: WritableArchive, anew: bool, updates: str) -> CaptureStart:
    """Go on with the newest unfinished capture of the same plan, or begin one; always begin one `anew`."""
    remove_finished_jobs(archive)
    known = None if anew else find_resumable(archive, plan, updates)
    capture = _begin_capture(archive, plan, updates) if known is None else archive.resume_capture(known)
    job = job_of(archive, capture.capture)
    job.create(plan)
    leases = open_host_leases(plan.share_hosts) if plan.share_hosts else None
    return CaptureStart(capture, job, known is not None, leases, HeldArchives(plan.held_in) if plan.held_in else None)


def _open_site(plan: CapturePlan) -> AbstractContextManager[LocalSite]:
    """What of the site is asked of this machine."""
    if not plan.is_local:
        return nullcontext(LocalSite())
    from webkeep.crawl.application import open_local_site  # few captures need what is behind it

    return open_local_site(plan)


def _site_data(context: CaptureContext) -> SiteData | None:
    """The databases that are kept beside the pages; None where there are none."""
    if not context.plan.dump:
        return None
    from webkeep.crawl.application import SiteData  # few captures need what is behind it

    return SiteData(parse_dumps(context.plan.dump), context.archive, context.capture, context.job.spool)


def _build_context(
    plan: CapturePlan,
    archive: WritableArchive,
    start: CaptureStart,
    url_store: SqliteUrlStore,
    observer: CaptureObserver,
    redactor: Redactor | None,
) -> CaptureContext:
    """Everything that takes part in a run."""
    secret_urls = None if redactor is None else SecretUrls(redactor)
    policy = policy_from_plan(plan, read_taken_down(archive), start.held)
    planner = _build_planner(plan, policy, archive, start.capture.id, url_store)
    return CaptureContext(
        plan=plan,
        archive=archive,
        capture=start.capture,
        job=start.job,
        url_store=url_store,
        frontier=Frontier(
            policy,
            url_store if planner is None else planner.url_store,
            ranking_strategy(plan.strategy),
            None if secret_urls is None else secret_urls.redact,
            start.leases,
        ),
        observer=observer,
        is_resumed=start.is_resumed,
        planner=planner,
        prior=_prior_of(start.capture, archive, plan),
        login=read_login(Path(plan.browser_profile)) if plan.browser_profile else None,
        redactor=redactor,
        secret_urls=secret_urls,
    )


def _protect_archive(plan: CapturePlan, archive: WritableArchive, observer: CaptureObserver) -> None:
    """Close an archive to others that is going to hold what only one person may see."""
    if plan.has_credentials and not archive.is_private:
        archive.make_private()
        observer.on_note(f"{archive.path} is readable by you alone, as it holds what your credentials show")
    if plan.dump and not archive.is_private:
        archive.make_private()
        observer.on_note(f"{archive.path} is readable by you alone, as it holds the data behind the site")


def _begin_capture(archive: WritableArchive, plan: CapturePlan, updates: str) -> OpenCapture:
    named = {JOB_FACT: plan.job} if plan.job else {}
    facts = {PLAN_FACT: plan.to_text(), **named, **({UPDATES_FACT: updates} if updates else {})}
    if plan.redacts:
        from webkeep.redaction import CREDENTIALS_RULE

        facts[REDACTS_FACT] = json.dumps([CREDENTIALS_RULE])
    return archive.begin(CaptureKind.CAPTURE, plan.named_seeds[:MAX_SEEDS_KEPT], facts)


def _build_planner(
    plan: CapturePlan, policy: CrawlPolicy, archive: WritableArchive, capture_id: str, url_store: SqliteUrlStore
) -> CoherencePlanner | None:
    strategy = coherent_strategy(plan.strategy)
    if strategy is None:
        return None
    from webkeep.crawl.coherent.coherence_planner import (
        CoherencePlanner,  # predictors and much else are behind it, and few captures need it
    )

    return CoherencePlanner(plan, strategy, policy, archive, capture_id, url_store)


def _prior_of(capture: OpenCapture, archive: WritableArchive, plan: CapturePlan) -> PriorCapture | None:
    """What is brought up to date, where that is what the capture is for."""
    before = capture.capture.facts.get(UPDATES_FACT, "")
    return PriorCapture(archive, before, plan.conditional) if before else None


def _queue_first_urls(context: CaptureContext) -> None:
    """Give the frontier what an earlier process left, what is known of the site, and the seeds."""
    plan, archive, frontier, planner = context.plan, context.archive, context.frontier, context.planner
    if context.is_resumed and (count := catch_up(archive, context.capture.id, context.url_store, frontier)):
        context.observer.on_note(f"the capture was cut short: the links of the last {count:,} records are read first")
    if planner is not None:
        _queue_known_pages(plan, planner, frontier, archive)
    if context.prior is not None and plan.depth is None:
        from webkeep.redaction import Redactor  # what hides credentials is loaded where there may be some

        is_lost = SecretUrls(Redactor()).is_lost
        frontier.suggest((url for url in context.prior.known_urls() if not is_lost(url)), archive.clock.now())
    if plan.files:
        frontier.suggest(_file_urls(context), archive.clock.now())
    frontier.seed(seed_urls(plan), archive.clock.now())
    if planner is not None:
        planner.begin_rounds(frontier)


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


def _file_urls(context: CaptureContext) -> Iterator[str]:
    """The URLs of all files that the site has on this machine, whether or not anything leads to them."""
    from webkeep.store.transfer import find_site_files  # few captures need what is behind it

    def report(finding: Finding) -> None:
        context.observer.on_note(f"{finding.source} {finding.message}")

    for each in context.local.folders:
        yield from (file.url for file in find_site_files(each.folder, each.prefix, INDEX_NAME, report))


def seed_urls(plan: CapturePlan) -> Iterator[str]:
    """Where a capture begins: what a person named, and the usual places where these are wanted."""
    yield from plan.seeds
    if plan.probe:
        for seed in plan.seeds:
            yield from (link.url for link in well_known_links(seed))


async def _run_engine(context: CaptureContext) -> tuple[Engine, BrowserReport | None]:
    """Have the engine run, with a browser on standby where one is wanted, watched and steered from outside."""
    plan, job = context.plan, context.job
    context.archive.writer.expect_many_records()
    kept = chain.from_iterable(map(context.url_store.load_texts, (PRIVATE_PREFIX, PUBLIC_PREFIX)))
    known = PrivateHosts(kept, context.url_store.save_text)
    requests = RequestBuilder(plan, context.secret_urls, context.local, known)
    async with Fetcher(context.fetch_settings, job.spool, context.clock) as fetcher, AsyncExitStack() as stack:
        loop = RunLoop()
        explorer = _standby_explorer(context, requests, loop, stack)
        engine = Engine(context, fetcher, requests, loop, explorer)
        control = ControlLoop(context, engine)
        control.begin()
        async with watch_run(loop, control.look, context.observer.on_note):
            try:
                await engine.run()
            finally:
                control.end()
        context.observer.on_progress(engine.read_progress())
        if explorer is not None:
            await explorer.finish(engine.is_drained)
    return engine, None if explorer is None else explorer.report


def _standby_explorer(
    context: CaptureContext, requests: RequestBuilder, loop: RunLoop, stack: AsyncExitStack
) -> LazyExplorer | None:
    """What takes pages to a browser, once there are any that may gain by it; None where none is wanted."""
    if context.plan.browser is BrowserMode.OFF:
        return None
    notes = RunnablePages(context.plan.takes_all_pages, context.plan.portraits)
    opening = partial(_open_explorer, context, requests, notes, loop.wake)
    return LazyExplorer(stack, notes, opening, context.is_resumed)


def _open_explorer(*surroundings: Any) -> AbstractAsyncContextManager[PageExplorer]:
    from webkeep.crawl.browsing.explorer_setup import open_explorer  # few captures need what is behind it

    return open_explorer(*surroundings)


def _end_run(
    context: CaptureContext, engine: Engine, certify: CertifyCapture | None, compared: tuple[DataComparison, ...]
) -> None:
    """Write down what became of everything, or how far it came."""
    archive, capture, url_store = context.archive, context.capture, context.url_store
    if engine.is_settled and not engine.is_drained:
        mark_caught_up(archive, capture.id, url_store)
    if not engine.is_drained:
        return
    engine.store_robots_targets()
    if context.is_resumed:
        store_robots_targets(archive, capture.id, url_store, context.frontier)
    capture.submit_fates(url_store.fates())
    if context.planner is not None:
        _write_intent(context.planner, archive, capture.id, certify)
    ledgers = json.dumps(dict(context.frontier.host_ledgers()), ensure_ascii=False)
    capture.end({POLITENESS_FACT: ledgers, **_data_facts(compared)})


def _data_facts(compared: tuple[DataComparison, ...]) -> dict[str, str]:
    if not compared:
        return {}
    from webkeep.crawl.application import data_facts

    return data_facts(compared)


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

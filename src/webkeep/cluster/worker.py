"""A worker: waits for the capture of a database, takes part in it session by session into an archive of its own, and
ends with it; by hosts, or by sites where the plan wants that.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from webkeep.browser.process import find_program
from webkeep.cluster.cluster_plan import plan_from_text, shares_hosts
from webkeep.cluster.courses.course_worker import CourseMember, CourseWorker
from webkeep.cluster.courses.site_courses import goes_by_sites
from webkeep.cluster.database_clock import DatabaseClock, steady_micros
from webkeep.cluster.group_leases import GroupLeases
from webkeep.cluster.leased_url_store import LeasedUrlStore
from webkeep.cluster.payload_sharing import ClusterPayloads
from webkeep.cluster.robots_targets import RobotsTargetTexts
from webkeep.cluster.session_terms import SessionTerms
from webkeep.cluster.shared_turns import SharedTurns
from webkeep.cluster.store.capture_joining import JoinedCapture, find_capture, join_capture
from webkeep.cluster.store.cluster_database import ClusterDatabase, ClusterGoneError, LeaseLostError, database_moment
from webkeep.cluster.store.cluster_rows import CaptureState
from webkeep.cluster.store.held_payloads import large_payloads
from webkeep.cluster.store.worker_exchange import WorkerExchange
from webkeep.cluster.worker_session import SessionEnd, WorkerSession
from webkeep.crawl.plan import policy_from_plan, ranking_strategy
from webkeep.crawl.requests import PrivateHosts, RequestBuilder
from webkeep.crawl.run import CaptureContext, Engine, job_of, open_host_leases, restore_changes
from webkeep.errors import UsageError
from webkeep.fetch.client import Fetcher
from webkeep.frontier import Frontier
from webkeep.model import Capture, CaptureKind, Moment, UrlOutcome
from webkeep.process import (
    RunLoop,
    current_stop_switch,
    rare_garbage_collection,
    stop_on_interrupt,
    use_stop_switch,
    watch_run,
)
from webkeep.store.jobs import SHARED_FACT
from webkeep.store.views import read_taken_down

if TYPE_CHECKING:
    from webkeep.crawl import CertifyCapture
    from webkeep.crawl.plan import CapturePlan
    from webkeep.crawl.run import CaptureObserver
    from webkeep.frontier.hosts import HostLeases
    from webkeep.store.archive import OpenCapture, WritableArchive

_POLL_SECONDS = 1.0
"""So often a worker looks whether there is a capture to take part in."""
_LOOK_SECONDS = 0.5
"""So often it says how it is doing."""
CLUSTER_FACT = "cluster-worker"
"""The name under which a worker's archive keeps by whom its part of a capture was fetched."""


@dataclass(frozen=True, slots=True)
class WorkerTerms:
    """How a worker takes part."""

    name: str
    max_hosts: int
    """That it has at once."""
    stays: bool
    """Whether it waits for a capture to begin, or to go on."""
    certify: CertifyCapture | None = None
    """What writes certificates of sites that are to be coherent."""


@dataclass(frozen=True, slots=True)
class WorkerResult:
    """What a worker came to."""

    capture: str
    """Empty where there was none."""
    is_over: bool
    """Whether the capture came to its end."""
    sessions: int
    lost_sessions: int
    """How often its lease was lost."""
    counts: dict[UrlOutcome, int] = field(default_factory=dict)
    """URLs that it settled, by outcome."""
    bytes: int = 0
    statements: int = 0
    """How many it asked of the database."""


def open_cluster_clock(address: str) -> DatabaseClock:
    """The clock of a cluster's database, by which everything in its archives is dated."""
    database = ClusterDatabase(address)
    try:
        asked_at = steady_micros()
        moment = database.transact(database_moment)
        return DatabaseClock(moment, asked_at, steady_micros())
    finally:
        database.close()


def _has_browser() -> bool:
    """Whether this machine has a browser that pages can be run in."""
    try:
        find_program()
    except UsageError:
        return False
    return True


class Worker:
    """Takes part in the capture of one database."""

    def __init__(self, address: str, archive: WritableArchive, observer: CaptureObserver, terms: WorkerTerms) -> None:
        """The archive goes by the database's clock."""
        self._address, self._database, self._terms = address, ClusterDatabase(address), terms
        self._archive, self._observer = archive, observer
        self._result = WorkerResult("", False, 0, 0)
        self._is_told_waiting = False
        self._is_told_to_stop = False
        self._statements_aside = 0

    def run(self) -> WorkerResult:
        """Take part until the capture is over, or somebody says stop."""
        try:
            # One switch for all sessions and the time between them, so that no signal is missed.
            with use_stop_switch(current_stop_switch()), rare_garbage_collection():
                while (joined := asyncio.run(self._run())) is not None:
                    # A course is a capture like any other, with a loop of its own.
                    if not self._take_part_by_sites(joined):
                        break
        finally:
            self._database.close()
        return self._result

    async def _run(self) -> JoinedCapture | None:
        """Take part by hosts until all is over; gives what was joined where that goes by sites."""
        while await self._await_capture():
            joined = await asyncio.to_thread(self._join)
            plan = plan_from_text(joined.plan)
            if goes_by_sites(plan):
                return joined
            shared = closing(open_host_leases(self._address)) if shares_hosts(joined.plan) else nullcontext()
            with shared as turns:
                end = await self._take_part(joined, plan, turns)
            if end.state is CaptureState.OVER:
                self._result = replace(self._result, is_over=True)
            if end.state is CaptureState.OVER or self._is_told_to_stop:
                break
        return None

    def _join(self) -> JoinedCapture:
        return join_capture(self._database, self._terms.name, _has_browser())

    def _take_part_by_sites(self, joined: JoinedCapture) -> bool:
        """One session, site by site; gives whether to look for more to take part in."""
        if self._result.capture != joined.capture:
            self._observer.on_started(joined.capture, self._result.sessions > 0)
        member = CourseMember(self._address, self._terms.name, _has_browser(), self._terms.certify)
        end = CourseWorker(self._database, self._archive, self._observer, member).run(
            joined, plan_from_text(joined.plan)
        )
        before = self._result
        self._result = WorkerResult(
            joined.capture,
            end.state is CaptureState.OVER,
            before.sessions + 1,
            before.lost_sessions + end.is_lost,
            dict(end.counts + Counter(before.counts)),
            before.bytes + end.bytes,
            self._database.statements,
        )
        return not (self._result.is_over or end.is_told_to_stop)

    async def _await_capture(self) -> bool:
        """Wait until there is something to take part in; gives whether there is."""
        loop = RunLoop()
        with stop_on_interrupt(loop, self._observer.on_note):
            return await self._await_with(loop)

    async def _await_with(self, loop: RunLoop) -> bool:
        while not loop.is_stopping:
            try:
                found = await asyncio.to_thread(find_capture, self._database)
            except ClusterGoneError as error:
                if not self._result.sessions:
                    raise
                self._tell_waiting(f"{error}; waiting for it")
                found = None
            if found is not None and found[1] in (CaptureState.RUNNING, CaptureState.PAUSED, CaptureState.ENDING):
                self._is_told_waiting = False
                return True
            is_over = found is not None and found[1] is CaptureState.OVER
            if found is not None and is_over and (self._end_part(found[0]) or found[0] == self._result.capture):
                self._result = replace(self._result, capture=found[0], is_over=True)
                return False
            if not self._terms.stays:
                raise UsageError(
                    "the database has no capture under way; begin one with webkeep capture --on, or --wait"
                )
            self._tell_waiting("waiting for a capture that is under way")
            await loop.wait(_POLL_SECONDS)
        return False

    def _tell_waiting(self, text: str) -> None:
        if not self._is_told_waiting:
            self._observer.on_note(text)
            self._is_told_waiting = True

    async def _take_part(self, joined: JoinedCapture, plan: CapturePlan, turns: HostLeases | None) -> SessionEnd:
        """One session, from joining to leaving; at hosts it takes turns with other captures, where these do."""
        capture = self._open_capture(joined)
        if self._result.capture != joined.capture:
            self._observer.on_started(joined.capture, self._result.sessions > 0)
        job = job_of(self._archive, capture.capture)
        job.create(plan)
        taken_down = {**json.loads(joined.taken_down), **read_taken_down(self._archive)}
        policy = policy_from_plan(plan, taken_down)
        store, leases = LeasedUrlStore(policy.pace_key), GroupLeases()
        held = leases if turns is None else SharedTurns(leases, turns)
        frontier = Frontier(policy, store, ranking_strategy(plan.strategy), leases=held)
        changed = restore_changes(plan, json.loads(joined.changes or "{}"))
        if changed != plan:
            # As a change, since what is queued was let in by the plan as it was.
            frontier.change_policy(policy_from_plan(changed, taken_down), self._archive.clock.now())
        targets = RobotsTargetTexts(store, policy.pace_key)
        session: list[WorkerSession] = []
        context = CaptureContext(
            plan=plan,
            archive=self._archive,
            capture=capture,
            job=job,
            url_store=store,
            frontier=frontier,
            observer=self._observer,
            awaits_more=lambda: session[0].awaits_more,
            robots_targets=targets,
        )
        exchange = WorkerExchange(self._database, joined.worker, policy.max_urls, policy.counts_ways)
        with self._sharing_payloads(joined, exchange, policy.counts_ways) as payloads:
            private_hosts = PrivateHosts(keep=store.save_text)
            terms = SessionTerms(self._terms.max_hosts, joined.changes, private_hosts, payloads)
            session.append(WorkerSession(context, store, leases, exchange, terms))
            end = await self._run_session(
                context, session[0], leases, RequestBuilder(plan, private_hosts=private_hosts)
            )
        self._count(joined, context, end)
        if end.state is CaptureState.OVER:
            capture.end()
            job.remove()
        return end

    @contextmanager
    def _sharing_payloads(
        self, joined: JoinedCapture, exchange: WorkerExchange, pages_stay: bool
    ) -> Iterator[ClusterPayloads | None]:
        """Have the archive refer to what other workers hold while the block lasts, where the capture is begun so."""
        if not joined.shares_payloads:
            yield None
            return
        # Where the lease is lost by then, the first batch is told so.
        with suppress(ClusterGoneError, LeaseLostError):
            exchange.tell_payloads(large_payloads(self._archive), anew=True)
        payloads, writer = ClusterPayloads(self._address, self._terms.name, pages_stay), self._archive.writer
        writer.share_payloads(payloads)
        try:
            yield payloads
        finally:
            writer.share_payloads(None)
            payloads.close()
            self._statements_aside += payloads.statements

    def _end_part(self, identity: str) -> bool:
        """Say in this worker's archive that the capture is over, where that was missed; gives whether it was."""
        known = next((each for each in self._archive.captures() if each.id == identity), None)
        if known is None or known.finished is not None:
            return False
        self._archive.resume_capture(known).end()
        job_of(self._archive, known).remove()
        return True

    def _open_capture(self, joined: JoinedCapture) -> OpenCapture:
        """The capture in this worker's archive: the same that it is in all others."""
        known = next((each for each in self._archive.captures() if each.id == joined.capture), None)
        started = Moment(joined.started_micros)
        facts = {CLUSTER_FACT: self._terms.name, **({SHARED_FACT: "yes"} if joined.shares_payloads else {})}
        own = Capture(joined.capture, CaptureKind.CAPTURE, started, None, (), facts)
        return self._archive.resume_capture(own if known is None else known)

    async def _run_session(
        self, context: CaptureContext, session: WorkerSession, leases: GroupLeases, requests: RequestBuilder
    ) -> SessionEnd:
        context.archive.writer.expect_many_records()
        settings = replace(context.fetch_settings, may_send=leases.may_send)
        async with Fetcher(settings, context.job.spool, context.clock) as fetcher:
            loop = RunLoop()
            engine = Engine(context, fetcher, requests, loop)

            def look() -> float:
                self._observer.on_progress(engine.read_progress())
                return _LOOK_SECONDS

            async with watch_run(loop, look, self._observer.on_note):
                end = await session.run(engine, loop)
            self._is_told_to_stop = loop.is_stopping and not session.was_let_go
            return end

    def _count(self, joined: JoinedCapture, context: CaptureContext, end: SessionEnd) -> None:
        counts = dict(self._result.counts)
        for outcome, count in context.url_store.outcome_counts().items():
            if outcome is not UrlOutcome.QUEUED:
                counts[outcome] = counts.get(outcome, 0) + count
        self._result = WorkerResult(
            joined.capture,
            False,
            self._result.sessions + 1,
            self._result.lost_sessions + end.is_lost,
            counts,
            self._result.bytes + context.frontier.totals.bytes,
            self._database.statements + self._statements_aside,
        )

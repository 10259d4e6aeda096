"""Looking after a capture that workers carry out: begun or gone on with, steered by `webkeep control`, ended by its
limits, and at the end every fate written into the archive that it was begun in.

Theory of operation. Whoever looks after a capture asks no host for anything. It enters the seeds, looks twice a second
how things stand, frees the hosts of workers that are lost, and says when it is over: when no URL is queued any more.
Workers go on without it, but for limits and for the end. What it writes into its archive is what a capture on one
machine writes: the plan, the fates, the ledgers of all hosts. The records are in the archives of the workers, under
the same capture.
"""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from webkeep.cluster.cluster_plan import check_cluster_plan, plan_text
from webkeep.cluster.courses.courses_result import read_courses_result
from webkeep.cluster.courses.site_courses import goes_by_sites, split_by_sites
from webkeep.cluster.leased_url_store import LeasedUrlStore
from webkeep.cluster.store.cluster_database import ClusterDatabase, ClusterGoneError
from webkeep.cluster.store.cluster_rows import CaptureState
from webkeep.cluster.store.cluster_state import ClusterCapture, ClusterState, ClusterTerms
from webkeep.crawl import MAX_FAILURES_LISTED, CaptureResult, seed_urls
from webkeep.crawl.plan import BrowserMode, policy_from_plan, ranking_strategy
from webkeep.crawl.run import (
    JOB_FACT,
    POLITENESS_FACT,
    CaptureProgress,
    ControlCommand,
    ControlMessage,
    apply_changes,
    find_resumable,
    job_of,
    plan_difference,
    restore_changes,
)
from webkeep.errors import UsageError
from webkeep.frontier import Frontier
from webkeep.frontier.traps import TrapDetector, TrapKind
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import CaptureKind, Fate, Moment, UrlOutcome
from webkeep.presentation import format_count, format_size
from webkeep.process import RunLoop, stop_on_interrupt
from webkeep.store.jobs import PLAN_FACT
from webkeep.store.views import read_taken_down
from webkeep.url import is_robots_url

if TYPE_CHECKING:
    from webkeep.crawl.plan import CapturePlan
    from webkeep.crawl.run import CaptureObserver
    from webkeep.frontier.policy import CrawlPolicy
    from webkeep.store.archive import OpenCapture, WritableArchive

_LOOK_SECONDS = 0.5
"""So often it is looked how things stand."""
_SHOWN_SECONDS = 2.0
"""So often what people see of hosts and of failures is read anew: it costs the database more than the counts."""
COURSES_FACT = "courses"
"""The name under which a capture that went by sites keeps of each which worker has it, and as which capture."""
_MISSED = frozenset({UrlOutcome.REFUSED, UrlOutcome.FAILED, UrlOutcome.TAKEN_DOWN})


class _JudgingStore(LeasedUrlStore):
    """The URL store of who leases nothing and enters what is found, or judges anew what was left out."""

    def __init__(self, policy: CrawlPolicy, cluster: ClusterCapture) -> None:
        super().__init__(policy.pace_key)
        self._cluster = cluster

    def candidates_with(self, outcome: UrlOutcome) -> Iterator[Candidate]:
        """The URLs of one outcome, out of the database."""
        return self._cluster.candidates_with(outcome)


@dataclass(frozen=True, slots=True)
class CoordinatorTerms:
    """How a capture is looked after."""

    has_pool: bool = False
    """Whether workers come by themselves."""
    readable_alone: bool = False
    """Whether no archive of a worker needs another one."""
    taken_down: Mapping[str, str] = field(default_factory=dict)
    """URLs that are not asked for, and why, beside those that were taken down in the archive of the capture."""


class Coordinator:
    """Looks after one capture."""

    def __init__(
        self,
        plan: CapturePlan,
        archive: WritableArchive,
        observer: CaptureObserver,
        address: str,
        terms: CoordinatorTerms,
    ) -> None:
        check_cluster_plan(plan, address)
        self._original_plan = self._plan = plan
        self._goes_by_sites = goes_by_sites(plan)
        # A course reads its own archive all the while: what browsers ask for is answered out of it.
        self._shares_payloads = not (terms.readable_alone or self._goes_by_sites)
        self._archive, self._observer = archive, observer
        self._address, self._database = address, ClusterDatabase(address)
        self._cluster = ClusterCapture(self._database)
        self._taken_down = {**terms.taken_down, **read_taken_down(archive)}
        self._is_told_alone = self._has_pool = terms.has_pool
        self._is_told_gone = self._is_told_browserless = False
        self._told_names: set[str] = set()
        self._shown: dict[str, Any] = {"hosts": [], "failures": []}
        self._shown_at: Moment | None = None

    def run(self, anew: bool = False, replaces: bool = False) -> CaptureResult:
        """Begin the capture, or go on with it, and look after it until it is over or somebody says stop.

        Another one that the database has under way is given up where it `replaces` that.
        """
        begun = self._archive.clock.now()
        try:
            capture, is_resumed = self._begin(anew, replaces)
            self._observer.on_started(capture.id, is_resumed)
            state = asyncio.run(self._look_after(capture))
            finished = state is not None and state.state is CaptureState.OVER
            if finished:
                self._end(capture)
            seconds = self._archive.clock.now().seconds_since(begun)
            return self._read_result(capture, finished, is_resumed, seconds)
        finally:
            self._database.close()

    # ---- beginning ----

    def _begin(self, anew: bool, replaces: bool) -> tuple[OpenCapture, bool]:
        known = None if anew else find_resumable(self._archive, self._plan)
        found = self._cluster.find()
        if known is not None and found is not None and found[0] == known.id:
            changes = self._cluster.resume()
            self._plan = restore_changes(self._original_plan, json.loads(changes or "{}"))
            capture = self._archive.resume_capture(known)
            self._tell_shared()
        else:
            capture = self._begin_new(anew or replaces)
        job = job_of(self._archive, capture.capture)
        job.create(self._original_plan)
        job.save_database(self._address)
        return capture, known is not None and capture.id == known.id

    def _tell_shared(self) -> None:
        """Say it where archives are to be readable alone, and the capture was begun otherwise."""
        if not self._shares_payloads and self._cluster.shares_payloads():
            self._observer.on_note(
                "the capture was begun without --alone, and archives of workers go on referring to each other; "
                "--new begins another one"
            )

    def _begin_new(self, anew: bool) -> OpenCapture:
        policy = policy_from_plan(self._plan, self._taken_down)
        store = _JudgingStore(policy, self._cluster)
        courses = split_by_sites(self._plan) if self._goes_by_sites else []
        if not self._goes_by_sites:
            frontier = Frontier(policy, store, ranking_strategy(self._plan.strategy))
            frontier.seed(seed_urls(self._plan), self._archive.clock.now())
        identity, started = str(uuid.uuid4()), self._archive.clock.now()
        taken_down = json.dumps(self._taken_down, ensure_ascii=False)
        needs_browser = self._plan.browser is not BrowserMode.OFF
        terms = ClusterTerms(plan_text(self._plan), taken_down, courses, needs_browser, self._shares_payloads)
        self._cluster.begin(identity, terms, started.micros, store.take_batch(), anew)
        named = {JOB_FACT: self._plan.job} if self._plan.job else {}
        facts = {PLAN_FACT: self._plan.to_text(), **named}
        return self._archive.begin(CaptureKind.CAPTURE, self._plan.named_seeds, facts, identity)

    # ---- looking after it ----

    async def _look_after(self, capture: OpenCapture) -> ClusterState | None:
        """Look after the capture; gives how it stood last, None where the database was never reached."""
        loop = RunLoop()
        channel = job_of(self._archive, capture.capture).control
        channel.receive()
        state: ClusterState | None = None
        with stop_on_interrupt(loop, self._observer.on_note):
            while not (loop.is_stopping or (state is not None and self._is_done(state))):
                try:
                    for message in channel.receive():
                        await asyncio.to_thread(self._execute, message)
                        if message.command is ControlCommand.STOP:
                            loop.stop()
                    state = await asyncio.to_thread(self._look)
                except ClusterGoneError as error:
                    self._tell_gone(error)
                else:
                    self._tell(state)
                    channel.write_state(self._state_facts(state, os.getpid()))
                await loop.wait(_LOOK_SECONDS)
            if loop.is_stopping:
                await self._stop()
        if state is not None:
            channel.write_state(self._state_facts(state, 0))
        return state

    @staticmethod
    def _is_done(state: ClusterState) -> bool:
        return state.state is CaptureState.OVER and state.workers == 0

    def _look(self) -> ClusterState:
        state = self._cluster.look()
        self._is_told_gone = False
        if state.asked_again:
            self._observer.on_note(
                f"{state.asked_again:,} pages are asked for once more: shorter ways lead to them, and the workers that "
                "have them are gone"
            )
        now = self._archive.clock.now()
        if self._shown_at is None or abs(now.seconds_since(self._shown_at)) >= _SHOWN_SECONDS:
            self._shown, self._shown_at = self._cluster.read_shown(), now
        limit = self._limit_reached(state)
        if limit and state.state in (CaptureState.RUNNING, CaptureState.PAUSED):
            self._cluster.set_state(CaptureState.ENDING, limit)
        return state

    def _limit_reached(self, state: ClusterState) -> str:
        plan = self._plan
        if plan.max_urls is not None and state.urls >= plan.max_urls:
            return f"max-urls: {plan.max_urls}"
        if plan.max_bytes is not None and state.bytes >= plan.max_bytes:
            return f"max-bytes: {plan.max_bytes}"
        if plan.max_seconds is not None and state.seconds >= plan.max_seconds:
            return f"max-seconds: {plan.max_seconds:g}"
        return ""

    async def _stop(self) -> None:
        try:
            await asyncio.to_thread(self._cluster.set_state, CaptureState.STOPPED)
        except ClusterGoneError as error:
            self._observer.on_note(f"{error}; workers that reach it go on until somebody stops the capture")

    def _tell_gone(self, error: ClusterGoneError) -> None:
        if not self._is_told_gone:
            self._observer.on_note(f"{error}; waiting for it")
            self._is_told_gone = True

    def _tell(self, state: ClusterState) -> None:
        if state.state is CaptureState.RUNNING and not state.workers and not self._is_told_alone:
            self._observer.on_note("no worker takes part for now; webkeep worker --join DATABASE --into ARCHIVE is one")
        self._is_told_alone = self._has_pool or not state.workers
        if state.lacks_browser and state.workers and not self._is_told_browserless:
            self._observer.on_note(
                "no worker that takes part has a browser, so sites wait for one; install Chromium there, or "
                "begin --new with --browser off"
            )
        self._is_told_browserless = state.lacks_browser and state.workers > 0
        if state.doubled_name and state.doubled_name not in self._told_names:
            self._told_names.add(state.doubled_name)
            self._observer.on_note(
                f"several workers are called {state.doubled_name} and taken for one; give each a --name of its own"
            )
        self._observer.on_progress(
            CaptureProgress(
                self._archive.clock.now(),
                state.counts,
                state.bytes,
                state.in_flight,
                state.state is CaptureState.PAUSED,
            )
        )

    def _state_facts(self, state: ClusterState, process: int) -> dict[str, Any]:
        return {
            "moment": self._archive.clock.now().iso(),
            "process": process,
            "paused": state.state is CaptureState.PAUSED,
            "counts": {outcome.value: count for outcome, count in state.counts.items()},
            "bytes": state.bytes,
            "in_flight": state.in_flight,
            "workers": state.workers,
            "lost_workers": state.lost_workers,
            "delay": self._plan.delay,
            "rules": list(self._plan.rules),
            **self._shown,
            "pages_run": None,
        }

    def _execute(self, message: ControlMessage) -> None:
        match message.command:
            case ControlCommand.PAUSE:
                self._cluster.set_state(CaptureState.PAUSED)
            case ControlCommand.RESUME:
                self._cluster.set_state(CaptureState.RUNNING)
            case ControlCommand.STOP:
                self._cluster.set_state(CaptureState.STOPPED)
            case ControlCommand.SET:
                self._change_plan(message.values)
        self._observer.on_note(f"told to {message.command}")

    def _change_plan(self, values: dict[str, Any]) -> None:
        try:
            plan = apply_changes(self._plan, values)
        except UsageError as error:  # a file that somebody wrote by hand must not end the capture
            self._observer.on_note(f"cannot be set: {error}")
            return
        policy = policy_from_plan(self._plan, self._taken_down)
        store = _JudgingStore(policy, self._cluster)
        frontier = Frontier(policy, store, ranking_strategy(plan.strategy))
        self._cluster.set_changes(json.dumps(plan_difference(self._original_plan, plan), ensure_ascii=False))
        if plan.rules != self._plan.rules and not self._goes_by_sites:
            frontier.change_policy(policy_from_plan(plan, self._taken_down), self._archive.clock.now())
            self._cluster.enter(store.take_batch())
        self._plan = plan

    # ---- ending ----

    def _end(self, capture: OpenCapture) -> None:
        """Write down what became of everything."""
        repeated = self._cluster.repeated_payloads()
        if repeated.payloads:
            self._observer.on_note(
                f"{format_count(repeated.payloads, 'payload')} of 16 kB or more held by several workers, "
                f"{format_size(repeated.spare_bytes)} beside the first of each"
            )
        self._cluster.enter_robots_targets()
        capture.submit_fates(self._cluster.fates())
        courses = [[each.site, each.keeper, each.capture] for each in self._cluster.courses()]
        told = {COURSES_FACT: json.dumps(courses, ensure_ascii=False)} if courses else {}
        capture.end({POLITENESS_FACT: json.dumps(self._cluster.ledgers(), ensure_ascii=False), **told})
        job_of(self._archive, capture.capture).remove()

    def _read_result(self, capture: OpenCapture, finished: bool, is_resumed: bool, seconds: float) -> CaptureResult:
        state, cluster = self._cluster.look(), self._cluster
        counts = cluster.count_fates() if finished and self._goes_by_sites else state.counts
        courses = read_courses_result(cluster.courses())
        if courses.begun_anew:
            self._observer.on_note(
                f"{courses.begun_anew:,} sites were begun anew by others, as the workers were lost that had begun them"
            )
        traps = TrapDetector()
        traps.restore(cluster.trap_texts())
        report = list(traps.report())
        guesses = sum(trap.left_out for trap in report if trap.kind is TrapKind.GUESS)
        seeds_missed = list(self._seeds_missed())
        refused = sum(fate.outcome is UrlOutcome.REFUSED for fate in seeds_missed)
        failed = list(cluster.candidates_with(UrlOutcome.FAILED))
        pages = (each for each in failed if each.role is not UrlRole.ROBOTS)
        if state.fenced:
            self._observer.on_note(f"{state.fenced:,} URLs were asked for once more, as their worker was lost")
        return CaptureResult(
            capture=capture.id,
            finished=finished,
            resumed=is_resumed,
            counts=counts,
            bytes=state.bytes,
            seconds=seconds,
            missed=counts[UrlOutcome.FAILED] + counts[UrlOutcome.TRAPPED] - guesses + refused,
            hosts=cluster.ledgers(),
            traps=report,
            seeds_missed=seeds_missed,
            failures=[fate for each in islice(pages, MAX_FAILURES_LISTED) for fate in cluster.trail(each.url, 1)],
            rules_failed=sum(each.role is UrlRole.ROBOTS or is_robots_url(each.url) for each in failed),
            not_seen_again=courses.not_seen_again,
            browsed=courses.browsed,
        )

    def _seeds_missed(self) -> Iterator[Fate]:
        for seed in self._plan.named_seeds:
            for fate in self._cluster.trail(seed, 1):
                if fate.outcome in _MISSED or fate.reason.startswith("status "):
                    yield fate

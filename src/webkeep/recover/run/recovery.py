"""Recovering from beginning to end: begins, goes on or builds upon an earlier recovery, crawls, writes down every fate,
and ends the capture with what it came to.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from webkeep.model import Capture, CaptureKind, Clock, Fate, UrlOutcome
from webkeep.process import RunLoop, rare_garbage_collection, watch_run
from webkeep.recover.judging.placeholder_detection import detect_placeholder
from webkeep.recover.plan import RecoveryPlan
from webkeep.recover.repositories.repository import FetchedVersion, Repository
from webkeep.recover.run.alias_redirects import build_alias_redirects
from webkeep.recover.run.embed_choice import FitCounts
from webkeep.recover.run.recovery_context import RecoveryContext
from webkeep.recover.run.recovery_job import (
    RecoveryJob,
    find_earlier,
    find_resumable,
    find_store,
    job_for,
)
from webkeep.recover.run.recovery_loop import RecoveryRun
from webkeep.recover.run.recovery_observer import RecoveryObserver
from webkeep.recover.run.rerun import prepare_rerun
from webkeep.recover.run.store_rebuild import rebuild_store
from webkeep.recover.run.version_overrides import apply_choices
from webkeep.recover.run.version_sink import ArchiveVersionSink
from webkeep.recover.state.recovery_store import RecoveredResource, RecoveryState, RecoveryStore, RepositoryStatus
from webkeep.store.archive import OpenCapture, WritableArchive
from webkeep.store.jobs import PLAN_FACT

RepositoryOpener = Callable[[Path], AbstractAsyncContextManager[Sequence[Repository]]]
"""Opens the repositories; it is given a folder for what is large while it comes."""

FACTS_NAME = "recovery"
"""The name under which a capture keeps what the recovery came to."""


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """What a recovery came to."""

    capture: str
    is_finished: bool
    """Whether it came to its end; if not, the same plan goes on with it."""
    is_resumed: bool
    counts: dict[RecoveryState, int]
    bytes: int
    seconds: float
    repositories: list[RepositoryStatus]
    fit_counts: FitCounts
    store_path: Path
    """Where its recovery store lies."""
    choices: tuple[str, ...] = field(default=())
    """What could not be chosen as a person wanted it, and why."""
    unreachable: tuple[str, ...] = ()
    """The repositories where nobody answered."""

    @property
    def requests(self) -> int:
        """How many requests were sent in all."""
        return sum(status.requests for status in self.repositories)


def recover(
    plan: RecoveryPlan,
    archive: WritableArchive,
    opening: RepositoryOpener,
    observer: RecoveryObserver,
    choices: Sequence[str] = (),
    anew: bool = False,
) -> RecoveryResult:
    """Bring a lost site back into an archive, or go on with that where it was begun and not finished."""
    begun = archive.clock.now()
    start = _start_recovery(plan, archive, anew)
    observer.on_started(start.capture.id, start.is_resumed)
    with RecoveryStore(start.job.store_path) as store:
        if start.is_store_lost and rebuild_store(archive, store, plan):
            observer.on_note("what was recovered before is known from the archive alone")
        if start.is_rerun:
            prepare_rerun(store)
        not_chosen = apply_choices(store, plan, choices)
        with rare_garbage_collection():
            open_sink = partial(ArchiveVersionSink, archive, start.capture, start.is_resumed)
            opened = opening(start.job.spool)
            run, sink = asyncio.run(_run_recovery(plan, store, open_sink, archive.clock, opened, observer))
        if run.is_drained:
            _finish_capture(archive, start.capture, store, sink, run)
        result = RecoveryResult(
            capture=start.capture.id,
            is_finished=run.is_drained,
            is_resumed=start.is_resumed,
            counts=store.count_by_state(),
            bytes=sink.bytes,
            seconds=archive.clock.now().seconds_since(begun),
            repositories=store.repository_statuses(),
            fit_counts=run.fit_counts,
            store_path=start.job.finished_path if run.is_drained else start.job.store_path,
            choices=tuple(not_chosen),
            unreachable=run.unreachable,
        )
    if run.is_drained:
        start.job.finish()
    return result


@dataclass(frozen=True, slots=True)
class RecoveryStart:
    """A recovery that was begun, or is gone on with."""

    capture: OpenCapture
    job: RecoveryJob
    is_resumed: bool
    is_rerun: bool
    """Whether the same site was recovered before."""
    is_store_lost: bool
    """Whether what was recovered before has to be read from the archive."""


def _start_recovery(plan: RecoveryPlan, archive: WritableArchive, anew: bool) -> RecoveryStart:
    """Go on with the newest unfinished recovery of the same plan, or begin one; always begin one `anew`."""
    known = None if anew else find_resumable(archive, plan)
    earlier = None if known is not None or anew else find_earlier(archive, plan.seeds)
    capture = archive.resume_capture(known) if known is not None else _begin_capture(archive, plan)
    job = job_for(archive, capture.capture)
    job.create(_earlier_store(archive, earlier))
    is_lost = not job.store_path.exists() and (known is not None or earlier is not None)
    return RecoveryStart(capture, job, known is not None, earlier is not None, is_lost)


def _begin_capture(archive: WritableArchive, plan: RecoveryPlan) -> OpenCapture:
    return archive.begin(CaptureKind.RECOVER, plan.seeds, {PLAN_FACT: plan.to_json()})


def _earlier_store(archive: WritableArchive, earlier: Capture | None) -> Path | None:
    return None if earlier is None else find_store(archive, earlier)


async def _run_recovery(
    plan: RecoveryPlan,
    store: RecoveryStore,
    open_sink: Callable[[], ArchiveVersionSink],
    clock: Clock,
    opening: AbstractAsyncContextManager[Sequence[Repository]],
    observer: RecoveryObserver,
) -> tuple[RecoveryRun, ArchiveVersionSink]:
    """Run over the repositories, watched from outside."""
    sink = open_sink()
    roots = frozenset(plan.identity.key(seed) for seed in plan.seeds if seed.endswith("/"))
    async with opening as repositories:
        context = RecoveryContext(
            plan, repositories, store, sink, clock, observer, judge=partial(_suspicion_reason, roots)
        )
        loop = RunLoop()
        run = RecoveryRun(context, loop)
        async with watch_run(loop, run.look, observer.on_note):
            await run.run()
        observer.on_progress(run.read_progress())
    return run, sink


def _suspicion_reason(roots: frozenset[str], resource: RecoveredResource, found: FetchedVersion) -> str:
    suspicion = detect_placeholder(found.exchange, is_root=resource.key in roots)
    return "" if suspicion is None else suspicion.value


def _finish_capture(
    archive: WritableArchive,
    capture: OpenCapture,
    recovery_store: RecoveryStore,
    sink: ArchiveVersionSink,
    crawl: RecoveryRun,
) -> None:
    """Write down what became of everything."""
    for exchange in build_alias_redirects(recovery_store):
        seen = archive.lookup(exchange.url, exchange.moment)
        if seen is None or (seen.url, seen.moment) != (exchange.url, exchange.moment):
            sink.store_alias(exchange)
    capture.submit_fates(_missing_fates(recovery_store))
    facts = {
        "requests": {status.name: status.requests for status in recovery_store.repository_statuses()},
        "fits": asdict(crawl.fit_counts),
    }
    recovery_store.set_fact(FACTS_NAME, json.dumps(facts))
    capture.end({FACTS_NAME: json.dumps(facts)})


def _missing_fates(recovery_store: RecoveryStore) -> Iterator[Fate]:
    for resource in recovery_store.resources(RecoveryState.MISSING):
        yield Fate(resource.url, UrlOutcome.FAILED, resource.note)

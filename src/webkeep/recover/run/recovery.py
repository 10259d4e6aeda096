"""Recovering from beginning to end: begins or goes on, crawls, writes down every fate, ends the capture."""

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
    """Where its book lies."""
    choices: tuple[str, ...] = field(default=())
    """What could not be chosen as a person wanted it, and why."""
    unreachable: tuple[str, ...] = ()
    """The repositories where nobody answered."""

    @property
    def requests(self) -> int:
        """How many requests were sent in all."""
        return sum(desk.requests for desk in self.repositories)


def recover(
    plan: RecoveryPlan,
    archive: WritableArchive,
    opening: RepositoryOpener,
    watcher: RecoveryObserver,
    choices: Sequence[str] = (),
    anew: bool = False,
) -> RecoveryResult:
    """Bring a lost site back into an archive, or go on with that where it was begun and not finished."""
    begun = archive.clock.now()
    known = None if anew else find_resumable(archive, plan)
    earlier = None if known is not None or anew else find_earlier(archive, plan.seeds)
    capture = archive.resume_capture(known) if known is not None else _begin_capture(archive, plan)
    job = job_for(archive, capture.capture)
    job.create(_earlier_store(archive, earlier))
    is_lost = not job.store_path.exists() and (known is not None or earlier is not None)
    watcher.on_started(capture.id, known is not None)
    with RecoveryStore(job.store_path) as book:
        if is_lost and rebuild_store(archive, book, plan):
            watcher.on_note("what was recovered before is known from the archive alone")
        if earlier is not None:
            prepare_rerun(book)
        not_chosen = apply_choices(book, plan, choices)
        with rare_garbage_collection():
            open_sink = partial(ArchiveVersionSink, archive, capture, known is not None)
            crawl, keeper = asyncio.run(
                _run_recovery(plan, book, open_sink, archive.clock, opening(job.spool), watcher)
            )
        if crawl.is_drained:
            _finish_capture(archive, capture, book, keeper, crawl)
        recovered = RecoveryResult(
            capture.id,
            crawl.is_drained,
            known is not None,
            book.count_by_state(),
            keeper.bytes,
            archive.clock.now().seconds_since(begun),
            book.repository_statuses(),
            crawl.fit_counts,
            job.finished_path if crawl.is_drained else job.store_path,
            tuple(not_chosen),
            crawl.unreachable,
        )
    if crawl.is_drained:
        job.finish()
    return recovered


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
    archive: WritableArchive, capture: OpenCapture, book: RecoveryStore, keeper: ArchiveVersionSink, crawl: RecoveryRun
) -> None:
    """Write down what became of everything."""
    for exchange in build_alias_redirects(book):
        seen = archive.lookup(exchange.url, exchange.moment)
        if seen is None or (seen.url, seen.moment) != (exchange.url, exchange.moment):
            keeper.store_alias(exchange)
    capture.submit_fates(_missing_fates(book))
    facts = {
        "requests": {desk.name: desk.requests for desk in book.repository_statuses()},
        "fits": asdict(crawl.fit_counts),
    }
    book.set_fact(FACTS_NAME, json.dumps(facts))
    capture.end({FACTS_NAME: json.dumps(facts)})


def _missing_fates(book: RecoveryStore) -> Iterator[Fate]:
    for resource in book.resources(RecoveryState.MISSING):
        yield Fate(resource.url, UrlOutcome.FAILED, resource.note)

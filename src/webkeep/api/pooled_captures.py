"""`cluster capture`: one capture on many machines whose workers are started and ended by its load, as Ray actors."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.api.arguments.call_values import check_archive_parent
from webkeep.api.captures import CaptureSummary
from webkeep.api.cluster_captures import (
    DEFAULT_WORKER_HOSTS,
    ClusterRequest,
    WorkerRequest,
    check_cluster_driver,
    run_cluster_capture,
    run_worker,
)
from webkeep.api.imports import ImportRequest, run_import
from webkeep.api.work_listener import CallbackListener
from webkeep.crawl.run import CaptureObserver, CaptureProgress, NullCaptureObserver
from webkeep.errors import UsageError
from webkeep.presentation import format_count
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive
from webkeep.store.views import read_taken_down

if TYPE_CHECKING:
    from webkeep.api.work_listener import WorkListener
    from webkeep.crawl.plan import CapturePlan
    from webkeep.frontier.urls import Candidate
    from webkeep.model import UrlOutcome

_MAIN_NAME = "main"
"""The archive of the capture itself, beside those of its workers."""
_TAKEN_DOWN_CODE = "taken-down"
"""Of what is left out on purpose."""


@dataclass(frozen=True, slots=True)
class PoolRequest:
    """How many machines and processes a capture is to have, and where its archives go."""

    address: str
    """Of the database."""
    folder: Path
    """In which the archives of the capture and of its workers lie."""
    ray: str = ""
    """Of a Ray cluster; empty for this machine."""
    workers: str = ""
    """How many, such as `4` or `2-8`; empty for one to as many as there are processors."""
    max_hosts: int = DEFAULT_WORKER_HOSTS
    """That each has at once."""
    whole: Path | None = None
    """The archive that is to have all of it, once workers have left."""
    replaces: bool = False
    """Whether another capture that the database has under way is given up for this one."""
    readable_alone: bool = False
    """Whether each worker stores what another one holds already, so that its archive needs no other."""


class _NotingObserver(NullCaptureObserver):
    """Hands on what is to be noted, and nothing else."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        self._note(text)


class _BeginningObserver:
    """Does something once the capture has begun, and hands all on."""

    def __init__(self, observer: CaptureObserver, begin: Callable[[], None]) -> None:
        self._observer, self._begin = observer, begin

    def on_started(self, capture: str, resumed: bool) -> None:
        """The capture was begun, or is gone on with."""
        self._observer.on_started(capture, resumed)
        self._begin()

    def on_settled(self, candidate: Candidate, outcome: UrlOutcome, reason: str, status: int) -> None:
        """A candidate has come to its end."""
        self._observer.on_settled(candidate, outcome, reason, status)

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        self._observer.on_note(text)

    def on_progress(self, progress: CaptureProgress) -> None:
        """How it is doing now."""
        self._observer.on_progress(progress)


def check_worker_pool(count: str) -> None:
    """Refuse a number of workers that is none, and workers where Ray or the driver of the database is missing."""
    missing = [name for name in ("ray", "psycopg") if find_spec(name) is None]
    if missing:
        raise UsageError(f"workers need {missing[0]}, which is not installed; pip install 'webkeep[cluster]' brings it")
    from webkeep.cluster import PoolBounds

    PoolBounds.parse(count, DEFAULT_WORKER_HOSTS)


def take_part_by_number(request: PoolRequest, number: int, note: Callable[[str], None]) -> None:
    """Be the worker of a number, in whatever process this is."""
    from webkeep.cluster import worker_name

    name = worker_name(number)
    one = WorkerRequest(request.address, request.folder / name, name, request.max_hosts, stays=True)
    run_worker(one, _NotingObserver(note), CallbackListener(on_note=note))


def run_pooled_capture(
    plan: CapturePlan, request: PoolRequest, observer: CaptureObserver, listener: WorkListener, new: bool
) -> CaptureSummary:
    """Begin a plan in a database, or go on with it, with workers as Ray actors until it is over."""
    check_cluster_driver(request.address)
    from webkeep.cluster import PoolBounds, RayLauncher, WorkerPool, check_cluster_plan, open_ray

    check_cluster_plan(plan, request.address)
    PoolBounds.parse(request.workers or "1", request.max_hosts)  # before Ray takes its time
    check_archive_parent(request.folder)
    if request.whole is not None:
        check_archive_parent(request.whole)
    request = replace(request, folder=request.folder.absolute())
    request.folder.mkdir(exist_ok=True)
    with open_ray(request.ray) as ray:
        processors = int(ray.cluster_resources().get("CPU", 0)) if request.ray else os.cpu_count() or 1
        bounds = PoolBounds.parse(request.workers or f"1-{max(1, processors)}", request.max_hosts)
        launcher = RayLauncher(ray, partial(take_part_by_number, request), not request.ray)
        pool = WorkerPool(request.address, launcher, bounds, listener.on_note)
        try:
            main = request.folder / _MAIN_NAME
            taken_down = _read_taken_down_there(request.whole)
            begun = ClusterRequest(
                request.address, main, new, True, request.replaces, request.readable_alone, taken_down
            )
            summary = run_cluster_capture(plan, begun, _BeginningObserver(observer, pool.begin), listener)
            pool.close()
        finally:
            pool.kill()
    return summary if request.whole is None else _bring_together(request, request.whole, summary, listener)


def _read_taken_down_there(whole: Path | None) -> Mapping[str, str]:
    """What is not to come back into the archive that is to have all of it."""
    if whole is None or not is_archive(whole):
        return {}
    with Archive(whole) as archive:
        return read_taken_down(archive)


def _bring_together(
    request: PoolRequest, whole: Path, summary: CaptureSummary, listener: WorkListener
) -> CaptureSummary:
    """Bring what all archives hold so far into one; what it has already is passed over."""
    archives = [each for each in sorted(request.folder.iterdir()) if is_archive(each)]
    # The first description of a capture stays, and that of its own archive has its plan and its seeds.
    archives.sort(key=lambda each: each.name != _MAIN_NAME)
    listener.on_note(f"bringing {format_count(len(archives), 'archive')} together; the same call goes on with that")
    brought = run_import(ImportRequest(tuple(archives), whole), listener)
    flaws = brought.findings - brought.codes.get(_TAKEN_DOWN_CODE, 0)
    if flaws:
        listener.on_note(
            f"{format_count(flaws, 'finding')} in what workers wrote, and not all of it may be in {whole}; "
            f"keep {request.folder}"
        )
    return replace(summary, archive=whole, flaws=flaws)

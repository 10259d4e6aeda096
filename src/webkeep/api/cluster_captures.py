"""`capture --on` and `worker`: one capture on many machines, looked after and taken part in; what is said where the
driver of the database is not installed.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.api.arguments.call_values import check_archive_parent
from webkeep.api.captures import CaptureSummary
from webkeep.api.logged_writing import open_to_write
from webkeep.api.work_summary import IF_GIVEN, WorkSummary
from webkeep.crawl import read_finished_result
from webkeep.crawl.run import find_finished
from webkeep.errors import UsageError
from webkeep.model import UrlOutcome

if TYPE_CHECKING:
    from webkeep.api.work_listener import WorkListener
    from webkeep.crawl.plan import CapturePlan
    from webkeep.crawl.run import CaptureObserver
    from webkeep.store.archive import WritableArchive

DEFAULT_WORKER_HOSTS = 200
"""Hosts that a worker has at once where nobody said: enough to keep it busy at a request a second of each."""


@dataclass(frozen=True, slots=True)
class WorkerSummary(WorkSummary):
    """What a worker came to."""

    archive: Path
    capture: str
    """Empty where there was none."""
    finished: bool
    """Whether the capture came to its end."""
    sessions: int
    lost_sessions: int
    """How often it was not heard of for so long that others got its hosts."""
    fates: Mapping[UrlOutcome, int] = field(default_factory=dict)
    """URLs that it settled, by outcome."""
    bytes: int = 0
    statements: int = 0
    """How many it asked of the database."""
    files_left: int | None = field(default=None, metadata=IF_GIVEN)
    """Of the files that were to move to the shared folder, how many it did not take; None where it took all."""


def check_cluster_driver(address: str) -> None:
    """Refuse what is no address of a database or has a password in it; say where the driver is missing."""
    try:
        from webkeep.store.postgres import check_database_address, is_database_address
    except ImportError as error:
        raise UsageError(
            "PostgreSQL needs psycopg, which is not installed; pip install 'webkeep[cluster]' brings it"
        ) from error
    if not is_database_address(address):
        raise UsageError("not the address of a database; write postgresql://USER@HOST/NAME, the password elsewhere")
    check_database_address(address)


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """Where a capture of many machines lies."""

    address: str
    """Of the database."""
    into: Path
    """The archive of the capture itself."""
    new: bool = False
    """Whether another one is begun in place of one that could be gone on with."""
    has_pool: bool = False
    """Whether workers are started by whoever calls."""
    replaces: bool = False
    """Whether another capture that the database has under way is given up for this one."""
    readable_alone: bool = False
    """Whether each worker stores what another one holds already, so that its archive needs no other."""
    taken_down: Mapping[str, str] = field(default_factory=dict)
    """URLs that were taken down in an archive that is to have all of it, and why: they are not asked for."""


def run_cluster_capture(
    plan: CapturePlan, request: ClusterRequest, observer: CaptureObserver, listener: WorkListener
) -> CaptureSummary:
    """Begin a plan in a database, or go on with it, and look after it until workers have carried it out."""
    check_cluster_driver(request.address)
    from webkeep.cluster import Coordinator, CoordinatorTerms, check_cluster_plan, open_cluster_clock

    check_cluster_plan(plan, request.address)
    into, clock = request.into, open_cluster_clock(request.address)
    with open_to_write(into, listener.on_note, clock=clock) as archive:
        for finding in archive.repair_findings:
            listener.on_finding(finding)
        if plan.job and (finished := find_finished(archive, plan.job)) is not None:
            listener.on_note(f"job {plan.job} was captured before; nothing is asked for again")
            result = read_finished_result(plan, archive, finished)
        else:
            terms = CoordinatorTerms(request.has_pool, request.readable_alone, request.taken_down)
            coordinator = Coordinator(plan, archive, observer, request.address, terms)
            result = coordinator.run(request.new, request.replaces)
    return CaptureSummary(**{each.name: getattr(result, each.name) for each in fields(result)}, archive=into)


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """How to take part in a capture of many machines."""

    address: str
    """Of the database."""
    into: Path
    """An archive of one's own."""
    name: str = ""
    max_hosts: int = DEFAULT_WORKER_HOSTS
    stays: bool = False
    """Whether it waits for a capture, where none is under way."""
    store: Path | None = None
    """A folder that machines share, to which WARC files move once they are full."""


def _keep_certificate(archive: WritableArchive, capture_id: str) -> None:
    from webkeep.quality.certificates import keep_certificate  # only captures that are to be coherent need it

    keep_certificate(archive, capture_id)


@contextmanager
def _moving_files(
    request: WorkerRequest, name: str, archive: WritableArchive, listener: WorkListener
) -> Iterator[None]:
    """Have full files moved while the block lasts, where a folder is named for them."""
    if request.store is None:
        yield
        return
    from webkeep.cluster import FolderStorage, FullFileMover

    storage = FolderStorage(request.store, name)
    with FullFileMover(archive.layout.warcs, storage, lambda: archive.lock.growing_file, listener.on_note):
        yield


def run_worker(request: WorkerRequest, observer: CaptureObserver, listener: WorkListener) -> WorkerSummary:
    """Take part in the capture of a database, into an archive of one's own, until it is over or somebody says stop."""
    into = request.into
    check_cluster_driver(request.address)
    check_archive_parent(into)
    from webkeep.cluster import FolderStorage, FullFileMover, Worker, WorkerTerms, open_cluster_clock

    clock = open_cluster_clock(request.address)
    name = request.name or f"{socket.gethostname()} {into.name}"
    if request.store is not None and not request.store.is_dir():
        raise UsageError(f"{request.store} is no folder; make it, or mount what --store names")
    with open_to_write(into, listener.on_note, clock=clock) as archive, _moving_files(request, name, archive, listener):
        for finding in archive.repair_findings:
            listener.on_finding(finding)
        terms = WorkerTerms(name, request.max_hosts, request.stays, _keep_certificate)
        done = Worker(request.address, archive, observer, terms).run()
    left = 0
    if request.store is not None and done.is_over:
        # The last file grows no more.
        FullFileMover(archive.layout.warcs, FolderStorage(request.store, name), str, listener.on_note).move_all()
        left = sum(not file.is_symlink() for file in archive.layout.warcs.iterdir())
    return WorkerSummary(
        into,
        done.capture,
        done.is_over,
        done.sessions,
        done.lost_sessions,
        done.counts,
        done.bytes,
        done.statements,
        left or None,
    )

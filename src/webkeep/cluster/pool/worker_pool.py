"""The workers of one capture, kept at as many as its load asks for: started, looked after, started again when they end
before the capture does, and ended with it.

Theory of operation. A thread looks once a second how much there is to do and how the workers are. Where they run is a
port. Each has a number, which is also that of its archive: one that is started in place of another goes on in its
archive. Who ends with an error, or is not heard of, is started again after a while that doubles each time. All that a
worker holds is leased, so that nothing is lost with one, however it ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.cluster.pool.worker_scaling import PoolBounds, WorkerScaling
from webkeep.cluster.store.cluster_database import ClusterDatabase, ClusterGoneError
from webkeep.cluster.store.cluster_load import ClusterLoad, read_load
from webkeep.errors import WebkeepError
from webkeep.presentation import format_count

_LOOK_SECONDS = 1.0
"""So often it is looked how much there is to do, and how the workers are."""
_SILENT_SECONDS = 30.0
"""A worker that runs and does not take part for so long hangs."""
_ROOM_SECONDS = 30.0
"""So long a worker may take to start before it is said that there is no room for it."""
_FIRST_REST_SECONDS, _MAX_REST_SECONDS = 1.0, 60.0
"""After so long a worker is started again that ended with an error; twice as long each time."""
_STEADY_SECONDS = 60.0
"""A worker that ran for so long has recovered from whatever was wrong before."""
_LEAVE_SECONDS = 90.0
"""So long workers may take to finish, hand over and leave; they wait for a database that is gone."""


@dataclass(frozen=True, slots=True)
class WorkerLook:
    """How a worker is."""

    is_ready: bool
    """Whether it has a place to run at."""
    has_ended: bool = False
    failure: str = ""
    """Why it ended, where that is nothing that it was told."""
    processor_seconds: float = 0.0
    """Of its main thread and those beside it, so far."""
    notes: tuple[str, ...] = ()
    """What it had to say since it was looked at last."""


class PooledWorker(Protocol):
    """A worker that runs somewhere."""

    def look(self) -> WorkerLook:
        """How it is; answers at once."""
        ...

    def stop(self) -> None:
        """Have it finish what is under way, hand over and leave."""
        ...

    def kill(self) -> None:
        """Have it end at once."""
        ...


class WorkerLauncher(Protocol):
    """Where workers run."""

    def launch(self, number: int) -> PooledWorker:
        """Start the worker of this number."""
        ...


@dataclass(slots=True)
class _Member:
    """One worker of the pool."""

    worker: PooledWorker
    since: float
    ready_at: float | None = None
    heard_at: float = 0.0
    looked_at: float = 0.0
    processor_seconds: float = 0.0
    busy_share: float = 0.0
    is_leaving: bool = False


@dataclass(slots=True)
class _Place:
    """The number of a worker, from one that had it to the next."""

    failures: int = 0
    free_at: float = 0.0


def worker_name(number: int) -> str:
    """By which name the worker of a number is known, and its archive."""
    return f"worker-{number}"


@dataclass(slots=True)
class WorkerCounts:
    """How many workers were started, and how many of these in place of one that had ended too early."""

    started: int = 0
    replaced: int = 0
    most: int = 0
    """So many took part at once."""


@dataclass(slots=True)
class WorkerPool:
    """Keeps workers going; entered by whoever looks after the capture, and ended by the same."""

    address: str
    launcher: WorkerLauncher
    bounds: PoolBounds
    note: Callable[[str], None]
    counts: WorkerCounts = field(default_factory=WorkerCounts)
    _scaling: WorkerScaling = field(init=False)
    _members: dict[int, _Member] = field(default_factory=dict)
    _places: dict[int, _Place] = field(default_factory=dict)
    _closing: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _failure: BaseException | None = None
    _is_cramped: bool = False

    def __post_init__(self) -> None:
        self._scaling = WorkerScaling(self.bounds)

    def begin(self) -> None:
        """Start workers for the capture that the database has from now on."""
        self._thread = threading.Thread(target=self._keep, name="worker-pool", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Have all workers leave, and see that they are gone; whoever takes too long is ended at once."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        try:
            for member in self._members.values():
                member.worker.stop()
            until = time.monotonic() + _LEAVE_SECONDS
            while self._running() and time.monotonic() < until:
                time.sleep(0.1)
        finally:
            self.kill()
        if self._failure is not None:
            raise self._failure

    def _running(self) -> list[_Member]:
        return [member for member in self._members.values() if not member.worker.look().has_ended]

    def kill(self) -> None:
        """Have all workers end at once."""
        for member in self._members.values():
            member.worker.kill()
        self._members.clear()

    def _keep(self) -> None:
        database = ClusterDatabase(self.address)
        try:
            while not self._closing.wait(_LOOK_SECONDS):
                now = time.monotonic()
                try:
                    load = read_load(database, self.bounds.room)
                except ClusterGoneError:  # told by whoever looks after the capture; workers wait for it, too
                    load = None
                self.step(load, now)
        except BaseException as error:  # noqa: BLE001 - raised where the pool is closed
            self._failure = error
        finally:
            database.close()

    def step(self, load: ClusterLoad | None, now: float) -> None:
        """Look after the workers, and have as many as there is work for; nothing is known of that without a load."""
        self._look(load, now)
        if load is not None and load.is_running:
            self._scale(load, now)

    # ---- looking after those that there are ----

    def _look(self, load: ClusterLoad | None, now: float) -> None:
        for number, member in list(self._members.items()):
            look = member.worker.look()
            for text in look.notes:
                self.note(f"{worker_name(number)}: {text}")
            if look.has_ended:
                self._note_end(number, member, look.failure, now)
            elif not look.is_ready:
                self._note_starting(member, now)
            else:
                self._note_running(number, member, look, load, now)
        taking_part = sum(member.ready_at is not None for member in self._members.values())
        self.counts.most = max(self.counts.most, taking_part)

    def _note_starting(self, member: _Member, now: float) -> None:
        if now - member.since > _ROOM_SECONDS and not self._is_cramped:
            self._is_cramped = True
            self.note("there is no room for another worker; add machines, or ask for fewer with --workers")

    def _note_running(
        self, number: int, member: _Member, look: WorkerLook, load: ClusterLoad | None, now: float
    ) -> None:
        if member.ready_at is None:
            member.ready_at = member.heard_at = now
        else:
            spent = look.processor_seconds - member.processor_seconds
            member.busy_share = min(1.0, spent / max(now - member.looked_at, 1e-3))
        member.processor_seconds, member.looked_at = look.processor_seconds, now
        if load is None or not load.is_running or worker_name(number) in load.workers:
            member.heard_at = now
        elif now - member.heard_at > _SILENT_SECONDS:
            member.worker.kill()
            self._note_end(number, member, "nothing was heard of it", now)

    def _note_end(self, number: int, member: _Member, failure: str, now: float) -> None:
        del self._members[number]
        place = self._places.setdefault(number, _Place())
        if not failure:
            place.failures = 0
            return
        is_steady = member.ready_at is not None and now - member.ready_at > _STEADY_SECONDS
        place.failures = 1 if is_steady else place.failures + 1
        rest = min(_MAX_REST_SECONDS, _FIRST_REST_SECONDS * 2 ** (place.failures - 1))
        place.free_at = now + rest
        self.counts.replaced += 1
        self.note(f"{worker_name(number)} ended: {failure}; it is started again where it is needed")

    # ---- how many there are ----

    def _scale(self, load: ClusterLoad, now: float) -> None:
        staying = {number: member for number, member in self._members.items() if not member.is_leaving}
        shares = [member.busy_share for member in staying.values()]
        busy = sum(shares) / len(shares) if shares else 0.0
        # A site is as much as one worker does at a time; nobody is told to leave, who may be in the middle of one.
        sites = max(load.courses, len(staying)) if load.courses else 0
        hosts = load.hosts + sites * self.bounds.hosts
        wanted = self._scaling.count_wanted(hosts, len(staying), busy, now)
        if wanted > len(staying):
            self._start(wanted - len(staying), now)
        elif wanted < len(staying):
            self._take_away(staying)

    def _start(self, count: int, now: float) -> None:
        numbers = (number for number in range(1, self.bounds.most + 1) if number not in self._members)
        free = [number for number in numbers if self._places.setdefault(number, _Place()).free_at <= now]
        for number in free[:count]:
            try:
                self._members[number] = _Member(self.launcher.launch(number), now)
            except WebkeepError as error:
                self._places[number].free_at = now + _MAX_REST_SECONDS
                self.note(f"{worker_name(number)} cannot be started: {error}")
            else:
                self.counts.started += 1

    def _take_away(self, staying: dict[int, _Member]) -> None:
        """Have the one leave that has least to do."""
        number = min(staying, key=lambda each: (staying[each].busy_share, -each))
        staying[number].is_leaving = True
        staying[number].worker.stop()
        self.note(f"{worker_name(number)} leaves, as {format_count(len(staying) - 1, 'worker')} can do what there is")

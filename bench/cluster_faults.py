"""What can go wrong with a capture of many machines, each as something that is done to a trial and undone after a
while: to its workers, their clocks and disks, the ways to the database, the database, and whoever looks after it.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psycopg

from bench.cluster_trial import Member, Trial, new_server_folder
from bench.postgres_server import PostgresServer

_HOUR_SECONDS = 3600
_LOCKS = (
    "LOCK TABLE webkeep_cluster.url IN ACCESS EXCLUSIVE MODE",
    "LOCK TABLE webkeep_cluster.host_group IN ACCESS EXCLUSIVE MODE",
    "LOCK TABLE webkeep_cluster.payload IN ACCESS EXCLUSIVE MODE",
    "SELECT * FROM webkeep_cluster.worker FOR UPDATE",
    "SELECT * FROM webkeep_cluster.capture FOR UPDATE",
    "SELECT * FROM webkeep_cluster.host_group FOR UPDATE",
)
Undo = Callable[[], None]


class Struck(NamedTuple):
    """What was done, for how long, and how it is undone."""

    whom: str
    seconds: float
    undo: Undo


def _nothing() -> None:
    """There is nothing to undo."""


# ---- workers ----


def _some_worker(trial: Trial, chance: random.Random) -> Member | None:
    awake = [each for each in trial.workers if each.pid is not None and not each.is_asleep]
    return chance.choice(awake) if awake else None


def kill_worker(trial: Trial, chance: random.Random) -> Struck | None:
    """A worker is gone from one moment to the next, and started again."""
    worker = _some_worker(trial, chance)
    if worker is None:
        return None
    worker.kill()
    return Struck(worker.name, 0, _nothing)


def freeze_worker(trial: Trial, chance: random.Random) -> Struck | None:
    """A worker stands still for longer than its lease lasts, and wakes up."""
    worker = _some_worker(trial, chance)
    if worker is None:
        return None
    worker.send(signal.SIGSTOP)
    seconds = 60.0 if chance.random() < 0.1 and trial.is_patient else chance.uniform(8.5, 13)
    return Struck(worker.name, seconds, lambda: worker.send(signal.SIGCONT))


def freeze_worker_for_a_while(trial: Trial, chance: random.Random) -> Struck | None:
    """A worker stands still for about as long as its lease lasts."""
    worker = _some_worker(trial, chance)
    if worker is None:
        return None
    worker.send(signal.SIGSTOP)
    return Struck(worker.name, chance.uniform(1, 8.5), lambda: worker.send(signal.SIGCONT))


def set_clock_wrong(trial: Trial, chance: random.Random) -> Struck | None:
    """A worker is started again on a machine whose clock is an hour off, or its clock jumps by an hour."""
    worker = _some_worker(trial, chance)
    if worker is None:
        return None
    if worker.takes_part and chance.random() < 0.5:
        worker.send(signal.SIGUSR2)
        return Struck(f"{worker.name} jumps", 0, _nothing)
    worker.skew_seconds = chance.choice((-_HOUR_SECONDS, _HOUR_SECONDS))
    worker.kill()
    return Struck(worker.name, 0, _nothing)


_OTHER_VERSION = """
import sys, webkeep.version
webkeep.version.__version__ = "0.0.0"
from webkeep.cli.main import main
sys.exit(main())
"""


def send_other_version(trial: Trial, chance: random.Random) -> Struck | None:
    """A worker of another version wants to take part; it is told which one it needs, or that the database is gone."""
    stranger = trial.folder / "stranger"
    words = ["worker", "--join", trial.workers[0].address, "--into", str(stranger)]
    return _send_guest(trial, "another version", [sys.executable, "-c", _OTHER_VERSION, *words], chance)


def send_other_cluster(trial: Trial, chance: random.Random) -> Struck | None:
    """Somebody has a second worker, or a second cluster, write into an archive that is written to."""
    worker = _some_worker(trial, chance)
    if worker is None or not worker.takes_part:
        return None
    words = ["worker", "--join", worker.address, "--into", str(trial.folder / worker.name), "--name", "guest"]
    return _send_guest(trial, f"into {worker.name}", [sys.executable, "-m", "webkeep", *words], chance)


def _send_guest(trial: Trial, whom: str, command: list[str], chance: random.Random) -> Struck:
    guest = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def see_off() -> None:
        guest.terminate()  # which ends a program without a word that is still being loaded
        try:
            _, said = guest.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            guest.kill()
            _, said = guest.communicate()
        # Where its archive was just free, it is a worker like any other, and takes part until it is sent away.
        if "Traceback" in said or (guest.returncode == 0 and whom == "another version"):
            trial.coordinator.wrong_ends.append(f"{whom} ended with {guest.returncode}: {said[-2000:]}")

    return Struck(whom, chance.uniform(3, 8), see_off)


def fill_disk(trial: Trial, chance: random.Random) -> Struck | None:
    """The files of a worker can grow no more."""
    worker = _some_worker(trial, chance)
    pid = None if worker is None else worker.pid
    archive = trial.folder / ("" if worker is None else worker.name)
    warcs = sorted(archive.glob("warcs/*"), key=lambda path: path.stat().st_mtime)
    if worker is None or pid is None or not warcs:
        return None
    most = warcs[-1].stat().st_size + chance.randrange(4000)
    with suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    def make_room() -> None:
        if worker.pid == pid:
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    return Struck(worker.name, 6, make_room)


def send_worker_away(trial: Trial, chance: random.Random) -> Struck | None:
    """A worker is told to leave, and comes back."""
    worker = _some_worker(trial, chance)
    if worker is None or not worker.takes_part:
        return None
    worker.send(signal.SIGINT)
    return Struck(worker.name, 0, _nothing)


def kill_coordinator(trial: Trial, chance: random.Random) -> Struck | None:  # noqa: ARG001
    """Whoever looks after the capture is gone, and comes back."""
    trial.coordinator.kill()
    return Struck(trial.coordinator.name, 0, _nothing)


# ---- ways to the database ----


def cut_way(trial: Trial, chance: random.Random) -> Struck | None:
    """One cannot reach the database any more, while the web answers."""
    member = chance.choice(trial.members)
    trial.ways.run(member.way.cut(True))
    return Struck(member.name, chance.uniform(1, 13), lambda: trial.ways.run(member.way.cut(False)))


def jam_way(trial: Trial, chance: random.Random) -> Struck | None:
    """What one says to the database gets stuck on the way, without an error."""
    member = chance.choice(trial.members)
    trial.ways.run(member.way.jam(True))
    return Struck(member.name, chance.uniform(1, 13), lambda: trial.ways.run(member.way.jam(False)))


def slow_way(trial: Trial, chance: random.Random) -> Struck | None:
    """The way of one is slow."""
    member = chance.choice(trial.members)
    member.way.delay_seconds = chance.uniform(0.05, 0.6)
    return Struck(member.name, chance.uniform(3, 12), lambda: setattr(member.way, "delay_seconds", 0.0))


def slow_all_ways(trial: Trial, chance: random.Random) -> Struck | None:
    """The database is slow for everybody."""
    delay = chance.uniform(0.02, 0.2)
    for member in trial.members:
        member.way.delay_seconds = delay

    def undo() -> None:
        for member in trial.members:
            member.way.delay_seconds = 0.0

    return Struck("all", chance.uniform(3, 8), undo)


def cut_all_ways(trial: Trial, chance: random.Random) -> Struck | None:
    """Nobody can reach the database."""
    for member in trial.members:
        trial.ways.run(member.way.cut(True))

    def undo() -> None:
        for member in trial.members:
            trial.ways.run(member.way.cut(False))

    return Struck("all", chance.uniform(1, 10), undo)


# ---- the database ----


def restart_database(trial: Trial, chance: random.Random) -> Struck | None:  # noqa: ARG001
    """The server ends in good order, and starts."""
    trial.server.stop("fast")
    trial.server.start()
    return Struck("database", 0, _nothing)


def kill_database(trial: Trial, chance: random.Random) -> Struck | None:
    """All processes of the server are killed, and it starts after a while."""
    server = trial.server
    server.kill()
    return Struck("database", chance.choice((0, 0, chance.uniform(1, 9))), server.start)


def freeze_database(trial: Trial, chance: random.Random) -> Struck | None:
    """The server stands still, with all that is connected."""
    processes = trial.server.processes()
    _signal_all(processes, signal.SIGSTOP)
    return Struck("database", chance.uniform(1, 10), lambda: _signal_all(processes, signal.SIGCONT))


def _signal_all(processes: list[int], number: signal.Signals) -> None:
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def take_connections(trial: Trial, chance: random.Random) -> Struck | None:
    """Others have all connections that the server gives; some of ours are closed."""
    taken: list[psycopg.Connection[tuple[object, ...]]] = []
    _terminate(trial, chance, 0.5)
    with suppress(psycopg.OperationalError):
        while True:
            taken.append(psycopg.connect(trial.server.address, autocommit=True))

    def give_back() -> None:
        for each in taken:
            each.close()

    return Struck(f"database ({len(taken)} taken)", chance.uniform(2, 10), give_back)


def terminate_backends(trial: Trial, chance: random.Random) -> Struck | None:
    """Some connections are ended by the server, whatever is going on in them."""
    _terminate(trial, chance, chance.uniform(0.2, 1))
    return Struck("database", 0, _nothing)


def _terminate(trial: Trial, chance: random.Random, share: float) -> None:
    rows = trial.server.ask("SELECT pid FROM pg_stat_activity WHERE application_name = 'webkeep'")
    for (pid,) in rows:
        if chance.random() < share:
            trial.server.ask(f"SELECT pg_terminate_backend({pid})")


def hold_lock(trial: Trial, chance: random.Random) -> Struck | None:
    """Somebody locks a table or rows of it, and does not let go for a while."""
    connection = psycopg.connect(trial.server.address)
    connection.execute("SET lock_timeout = '3s'")
    sql = chance.choice(_LOCKS)
    try:
        connection.execute(sql.encode())
    except psycopg.Error:
        connection.close()
        return None
    return Struck(sql, chance.uniform(1, 12), connection.close)


def fail_over(trial: Trial, chance: random.Random) -> Struck | None:
    """A server that follows, and did not hear the last, takes the place of the one that is gone."""
    trial.copies += 1
    first = trial.server
    second = PostgresServer(new_server_folder(trial.servers, trial.copies), first)
    heard_at = _wait_until_heard(first, second)
    receivers = [pid for pid in second.processes() if b"walreceiver" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    _signal_all(receivers, signal.SIGSTOP)
    time.sleep(chance.choice((0.0, chance.uniform(0.1, 2.5))))
    first.kill()
    _signal_all(receivers, signal.SIGCONT)
    second.promote()
    trial.server = second
    trial.ways.target = second.socket
    trial.losses.append((heard_at, time.time()))
    shutil.rmtree(first.data)
    return Struck(f"database (deaf for {trial.losses[-1][1] - heard_at:.1f} s)", 0, _nothing)


def _wait_until_heard(first: PostgresServer, second: PostgresServer) -> float:
    """Wait until a server that follows has heard of all that the other knew at a moment; gives that moment."""
    moment = time.time()
    ((reached,),) = first.ask("SELECT pg_current_wal_lsn()::TEXT")
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if second.ask(f"SELECT pg_last_wal_receive_lsn() >= '{reached}'::PG_LSN") == [(True,)]:
            break
        time.sleep(0.02)
    return moment


WORKER_FAULTS = (
    kill_worker,
    kill_worker,
    freeze_worker,
    freeze_worker,
    freeze_worker_for_a_while,
    set_clock_wrong,
    send_other_version,
    send_other_cluster,
    fill_disk,
    send_worker_away,
    kill_coordinator,
    cut_way,
    jam_way,
    slow_way,
)
DATABASE_FAULTS = (
    slow_all_ways,
    cut_all_ways,
    restart_database,
    kill_database,
    freeze_database,
    take_connections,
    terminate_backends,
    hold_lock,
    hold_lock,
    fail_over,
)
"""Of these there is one at a time: a server that is down cannot be frozen."""
DELAYING_FAULTS = frozenset(
    (freeze_worker, freeze_worker_for_a_while, jam_way, slow_way, slow_all_ways, freeze_database, hold_lock)
)
"""By these what is on its way to the database gets there late, and is not broken off."""

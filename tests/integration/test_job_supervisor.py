"""Jobs looked after: processes that die, ignore being told to stop, or finish unseen; full disks, quotas used up."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.service.collections import CollectionFacts
from webkeep.service.jobs import Job, JobEvent, JobOrder, JobState
from webkeep.service.logins import KEY_FILE, LoginKeyFile
from webkeep.service.run import DiskBudget, JobLimits, JobSupervisor, MachinePost, ServiceFolder, identify_process
from webkeep.service.run.disk_budget import folder_bytes
from webkeep.service.run.login_desk import LoginDesk
from webkeep.service.run.process_identity import is_running, send_signal
from webkeep.service.run.service_folder import MachineLock, ServiceLock
from webkeep.service.store import CollectionStore, JobStore, LoginStore, open_service_database

PROGRAM = """
import json, os, pathlib, signal, sys, time
from webkeep.service.run import JobWorkspace, LOCK_VARIABLE
space = JobWorkspace(pathlib.Path(sys.argv[1]))
what = next(line for line in space.plan_path.read_text().splitlines() if line.startswith("contact")).split('"')[1]
if what == "ignore":
    signal.signal(signal.SIGTERM, lambda *_: print("no", file=sys.stderr, flush=True))
elif what.startswith("end"):
    print(json.dumps({"event": "x"}), json.dumps({"stored": 3, "hosts": {}, "error": what}), sep="\\n", flush=True)
    print("said to people", file=sys.stderr, flush=True)
    space.write_result(int(what.removeprefix("end")))
    sys.exit()
elif what == "stop":
    def stop(*_):
        space.output_path.write_text('{"stored": 1}')
        space.write_result(3)
        sys.exit()
    signal.signal(signal.SIGTERM, stop)
elif what == "die":
    sys.exit(9)
print("ready", file=sys.stderr, flush=True)
while True:
    time.sleep(0.05)
"""


START = Moment.parse("2026-05-01")
NO_LIMIT = DiskBudget(0)


@dataclass
class HandClock:
    moment: Moment = START

    def now(self) -> Moment:
        return self.moment


@dataclass
class World:
    """A folder with a store, and supervisors that come and go."""

    root: Path
    budget: DiskBudget = NO_LIMIT

    def __post_init__(self) -> None:
        self.clock = HandClock()
        self.supervisors: list[JobSupervisor] = []
        self.folder = ServiceFolder(self.root)
        self.folder.create()
        (self.root / "program.py").write_text(PROGRAM)
        self.database = open_service_database(self.folder.database_path)
        self.jobs, self.collections = JobStore(self.database), CollectionStore(self.database)
        self.collections.create(CollectionFacts("town", "Town", quota=10_000), self.clock.now())
        self.restart()

    def restart(self, running: int = 4) -> None:
        limits = JobLimits(running, self.budget)
        keys = LoginKeyFile(self.root / KEY_FILE)
        desk = LoginDesk(LoginStore(self.database), self.jobs, self.collections, keys, self.clock)
        self.supervisor = JobSupervisor(self.folder, self.jobs, self.collections, MachinePost(limits), self.clock, desk)
        self.supervisors.append(self.supervisor)

    def look(self) -> int:
        return self.supervisor.look((sys.executable, str(self.root / "program.py")))

    def submit(self, what: str, archive: str = "archive-1") -> Job:
        self.clock.moment = self.clock.moment.plus(0.001)
        job = self.jobs.submit(JobOrder("town", archive, {"contact": what}), self.clock.now())
        assert job is not None
        return job

    def until_said(self, job: Job, words: str) -> None:
        self._wait(lambda: words in self.log(job))

    def until_gone(self, job: Job) -> None:
        self._wait(lambda: not self.folder.workspace(job.id).is_process_alive())

    def log(self, job: Job) -> str:
        path = self.folder.workspace(job.id).log_path
        return path.read_text() if path.exists() else ""

    def _wait(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "service")
    yield made
    for supervisor in made.supervisors:
        for child in supervisor._children.values():
            child.kill()
            child.wait()
    made.database.close()


@pytest.mark.parametrize(("code", "state"), [(0, JobState.DONE), (1, JobState.DONE), (2, JobState.FAILED)])
def test_a_result_is_recorded_with_what_the_command_said(world: World, code: int, state: JobState) -> None:
    job = world.submit(f"end{code}")
    assert world.look() == 1
    world.until_gone(job)
    assert world.look() == 0
    ended = world.jobs.get(job.id)
    assert (ended.state, ended.exit_code, ended.attempts) == (state, code, 1)
    assert ended.summary == {"stored": 3, "error": f"end{code}"}, (
        "what is as long as the site is large stays in the archive"
    )
    assert ended.message == ("end2" if code == 2 else "")
    world.look()
    assert world.jobs.get(job.id) == ended


def test_a_process_that_is_lost_is_started_again_ever_later_until_the_job_has_failed(world: World) -> None:
    job = world.submit("die")
    pauses = []
    while world.jobs.get(job.id).state in (JobState.QUEUED, JobState.RUNNING):
        world.look()
        world.until_gone(job)
        world.look()
        lost = world.jobs.get(job.id)
        if lost.not_before is not None:
            pauses.append(lost.not_before.seconds_since(world.clock.moment))
            assert world.look() == 0, "not before"
            world.clock.moment = lost.not_before
    assert pauses[:4] == [0.5, 1, 2, 4]
    assert max(pauses) == 300
    failed = world.jobs.get(job.id)
    assert (failed.state, failed.attempts) == (JobState.FAILED, 20)
    assert failed.message == "its process was lost, 20 times in a row; look into its log"


def test_a_job_that_ignores_being_told_to_stop_is_asked_twice_and_then_killed(world: World) -> None:
    job = world.submit("ignore")
    world.look()
    world.until_said(job, "ready")
    world.jobs.wish(world.jobs.get(job.id), JobEvent.CANCEL, world.clock.now())
    world.look()
    world.until_said(job, "no\n")
    world.look()
    assert world.log(job).count("no") == 1
    world.clock.moment = world.clock.moment.plus(20)
    world.look()
    world.until_said(job, "no\nno\n")
    world.clock.moment = world.clock.moment.plus(-86400)
    world.look()
    world.clock.moment = world.clock.moment.plus(40)
    world.look()
    world.until_gone(job)
    world.look()
    ended = world.jobs.get(job.id)
    assert (ended.state, ended.message) == (JobState.CANCELLED, "its process did not stop, and was killed")


def test_a_supervisor_that_died_before_it_noted_a_start_leaves_a_job_that_is_found(world: World) -> None:
    job = world.submit("stop")
    world.look()
    world.until_said(job, "ready")
    world.database.change("UPDATE job SET state = 'queued', attempts = 0, process = NULL WHERE id = ?", (job.id,))
    world.restart()
    assert world.look() == 1
    found = world.jobs.get(job.id)
    assert (found.state, found.attempts) == (JobState.RUNNING, 1)
    assert found.process is not None
    assert is_running(found.process)
    assert world.log(job).count("ready") == 1, "nothing was started beside it"


def test_a_job_whose_process_cannot_be_told_holds_up_its_own_archive_and_no_other(world: World) -> None:
    stuck, same, other = world.submit("stop"), world.submit("stop"), world.submit("stop", "archive-2")
    lock = world.folder.workspace(stuck.id).try_lock()
    assert lock is not None
    assert world.look() == 1
    states = [world.jobs.get(each.id).state for each in (stuck, same, other)]
    assert states == [JobState.QUEUED, JobState.QUEUED, JobState.RUNNING]
    os.close(lock)
    assert world.look() == 2
    assert world.jobs.get(stuck.id).state is JobState.RUNNING


def test_a_job_that_a_machine_began_and_did_not_live_to_say_so_is_found_by_another(world: World) -> None:
    job = world.submit("stop")
    world.look()
    world.until_said(job, "ready")
    world.folder.workspace(job.id).write_runner("second")
    world.database.change("UPDATE job SET state = 'queued', attempts = 0, process = NULL WHERE id = ?", (job.id,))
    lock = MachineLock(world.folder, "second")
    assert (world.look(), world.jobs.get(job.id).state) == (0, JobState.QUEUED), "it says so itself"
    lock.close()
    world.look()
    found = world.jobs.get(job.id)
    assert (found.state, found.runner) == (JobState.RUNNING, "second") and found.process is not None
    assert world.log(job).count("ready") == 1, "nothing was started beside it"


def test_captures_stop_before_the_disk_is_full_and_go_on_when_there_is_room(world: World) -> None:
    job = world.submit("stop")
    world.look()
    world.until_said(job, "ready")
    world.budget = DiskBudget(1 << 60)
    world.restart()
    assert world.look() == 1
    world.until_gone(job)
    world.look()
    waiting = world.jobs.get(job.id)
    assert (waiting.state, waiting.losses) == (JobState.QUEUED, 0)
    assert waiting.message == "stopped before the disk is full; it goes on when there is room"
    assert world.look() == 0
    assert world.supervisor.lack_of_room.endswith("make room, or say less with --keep-free")
    assert world.supervisor.count_waiting() == 0, "nobody need wait for it"
    world.budget = DiskBudget(0)
    world.restart()
    assert world.look() == 1


def test_a_collection_that_has_used_its_quota_up_waits_for_more(world: World) -> None:
    job = world.submit("stop")
    world.look()
    world.until_said(job, "ready")
    (world.folder.collection("town") / "large").write_bytes(b"x" * 20_000)
    assert folder_bytes(world.folder.collection("town")) == 20_000
    world.clock.moment = world.clock.moment.plus(10)
    world.look()
    world.until_gone(job)
    world.look()
    assert world.jobs.get(job.id).message == "the quota of town is used up; give it more"
    assert world.look() == 0
    assert world.supervisor.list_full_collections() == ["the quota of town is used up; give it more"]
    assert world.supervisor.count_waiting() == 0
    facts = world.collections.get("town")
    world.collections.update(replace(facts, quota=100_000))
    world.clock.moment = world.clock.moment.plus(10)
    assert world.look() == 1


def test_a_job_that_cannot_be_started_holds_no_other_up(world: World) -> None:
    first, second = world.submit("stop"), world.submit("stop", "archive-2")
    (world.root / "jobs").mkdir()
    (world.root / "jobs" / first.id).mkdir()
    (world.root / "jobs" / first.id / "plan.toml").mkdir()
    world.look()
    world.look()
    waiting = world.jobs.get(first.id)
    assert (waiting.state, waiting.attempts) == (JobState.QUEUED, 0)
    assert "it cannot be started (Is a directory" in waiting.message
    assert world.jobs.get(second.id).state is JobState.RUNNING
    (world.root / "jobs" / first.id / "plan.toml").rmdir()
    world.clock.moment = world.clock.moment.plus(61)
    world.look()
    assert world.jobs.get(first.id).state is JobState.RUNNING


def test_as_many_run_as_may_and_one_for_each_archive(world: World) -> None:
    first, second = world.submit("stop"), world.submit("stop")
    third, fourth = world.submit("stop", "archive-2"), world.submit("stop", "archive-3")
    world.restart(running=2)
    assert world.look() == 2
    states = {job.id: world.jobs.get(job.id).state for job in (first, second, third, fourth)}
    assert list(states.values()) == [JobState.RUNNING, JobState.QUEUED, JobState.RUNNING, JobState.QUEUED]


def test_a_process_is_told_from_another_with_its_number(world: World) -> None:
    own = identify_process(os.getpid())
    assert own is not None
    assert is_running(own)
    other = replace(own, started=own.started + 1)
    assert not is_running(other)
    assert not send_signal(other, signal.SIGKILL)
    assert identify_process(2**22 + 1) is None


def test_a_folder_has_one_service(world: World) -> None:
    lock = ServiceLock(world.folder)
    with pytest.raises(StorageError, match=f"has a service already \\(process {os.getpid()}\\)"):
        ServiceLock(world.folder)
    lock.close()
    ServiceLock(world.folder).close()

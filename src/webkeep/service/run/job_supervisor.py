"""Jobs looked after: started when it is their turn, found again after a restart, stopped when somebody asks, and what
they came to recorded once.

Theory of operation. Whether a process of a job lives is told by the lock in its folder and by nothing else; what it
came to by the result that lies there. A job that is said to run and has neither was lost, and is queued again.
Everything can be repeated: a service that is killed between any two steps does them again, and what was done is found
done.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.errors import UsageError, WebkeepError
from webkeep.model import Clock, Moment
from webkeep.service.collections import archive_name
from webkeep.service.jobs import Job, JobEvent, JobKind, JobState, ProcessIdentity
from webkeep.service.logins import LOGIN_OPTION, PASSPHRASE_VARIABLE, LoginLockedError
from webkeep.service.notices import PASSWORD_VARIABLE
from webkeep.service.run.archive_descriptions import describe_archives
from webkeep.service.run.capture_workers import CaptureWorkers, WorkersTurn, hide_database
from webkeep.service.run.disk_budget import folder_bytes
from webkeep.service.run.job_command import JobPlace, build_job_words
from webkeep.service.run.job_workspace import JobOutput, JobWorkspace
from webkeep.service.run.login_desk import LoginDesk
from webkeep.service.run.process_identity import identify_process, send_signal
from webkeep.service.run.service_folder import ServiceFolder, is_machine_there
from webkeep.service.run.service_settings import JobLimits
from webkeep.service.run.stopped_capture import describe_stopped_capture
from webkeep.service.store import MAX_WAIT_SECONDS, CollectionStore, JobResult, JobStore, MachineStore
from webkeep.store.folder import is_archive

LOCK_VARIABLE = "WEBKEEP_JOB_LOCK"
"""The variable by which a process is told which descriptor is its lock."""
_MAX_LOSSES = 20
"""A job whose process was lost so often in a row has failed."""
_FIRST_PAUSE_SECONDS = 0.5
"""How long a job waits that was lost for the first time, doubled each time."""
_POSTPONED_SECONDS = 60.0
"""A job that could not be started is tried again after so long, and others have their turn meanwhile."""
_GRACE_SECONDS = (0.0, 20.0, 40.0)
"""When a process that was asked to stop is asked, asked to let go of what is under way, and killed."""
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)
_WORKERS_GRACE_SECONDS = (0.0, 120.0, 900.0)
"""The same where workers leave first, and what they got is brought together."""
_KILLED = "its process did not stop, and was killed"
_FLAWED = "; some of what workers wrote is damaged, and kept in workers of its folder; its log says what"
_KEPT_APART = "; what workers had got by then is kept in workers of its folder, and webkeep import brings it in"
_MAX_TRIED_JOBS = 50
"""In the queue, of which none can be started as others have their locks: then it is looked again at the next look."""
_QUOTA_LOOK_SECONDS = 10.0
"""So often it is looked how much a collection takes, whose folder has many files."""
_ENDING_EVENTS = frozenset({JobEvent.FINISH, JobEvent.CANCEL, JobEvent.FAIL})
_FINISHED_CODES, _WRONG_CALL_CODE = (0, 1), 2
"""Exit codes: done, be it with findings; and what no further attempt would mend."""


_NO_ROOM = "no more than {:,} bytes of the disk are free, and no job may run; make room, or say less with --keep-free"


@dataclass(slots=True)
class _StopRequest:
    """A process that was asked to stop."""

    since: Moment
    level: int = 0


@dataclass(frozen=True, slots=True)
class MachinePost:
    """Which machine a supervisor is of, and what it may do there."""

    limits: JobLimits
    name: str = ""
    """As it joined; empty for the machine of the service itself."""
    machines: MachineStore | None = None
    """Where it says that it is there; None for the only one there ever is."""
    host_leases: str = ""
    """The database by which captures take turns at hosts; empty for a file, on one machine."""
    workers: CaptureWorkers | None = None
    """Who carries out captures for many machines, begun on this one; None where another one does, or none."""


class JobSupervisor:
    """Starts, watches and ends the processes of jobs."""

    def __init__(
        self,
        folder: ServiceFolder,
        jobs: JobStore,
        collections: CollectionStore,
        post: MachinePost,
        clock: Clock,
        logins: LoginDesk,
    ) -> None:
        self._folder, self._jobs, self._collections, self._logins = folder, jobs, collections, logins
        self._limits, self._clock, self._post, self._name = post.limits, clock, post, post.name
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping: dict[str, _StopRequest] = {}
        self._turn = WorkersTurn(folder.workers_turn, jobs)
        self._full: tuple[Moment, dict[str, str]] | None = None
        self.lack_of_room = ""
        """Why no job may run, where that is so."""

    def look(self, program: Sequence[str]) -> int:
        """Do what is to be done now; gives how many jobs run. Processes are started by a program and their folder."""
        self._reap_children()
        has_room = self._limits.budget.has_room(self._folder.root)
        self.lack_of_room = "" if has_room else _NO_ROOM.format(self._limits.budget.free_bytes)
        full = self._full_collections()
        running = [job for job in self._jobs.list_jobs([JobState.RUNNING]) if self._is_ours(job)]
        open_jobs = [job for job in running if not self._settle(job, self._reason_to_stop(job, has_room, full))]
        if not self._name:
            self._clear_workers()
        count = sum(job.runner == self._name for job in open_jobs)
        may_start = has_room and not self._is_locked()
        while may_start and count < self._limits.running and self._start_next(program, list(full)):
            count += 1
        return count

    def count_waiting(self) -> int:
        """How many queued jobs have their turn by and by, without anybody making room for them."""
        return 0 if self.lack_of_room else self._jobs.count_queued(list(self._full_collections()))

    @property
    def full_collections(self) -> dict[str, str]:
        """Collections that had used their quota up when that was looked at last, each with what is said of it."""
        return self._full[1] if self._full is not None else {}

    def list_full_collections(self) -> list[str]:
        """What is said of collections that have used their quota up and have jobs that wait."""
        full = self._full_collections().items()
        return [reason for name, reason in full if self._jobs.list_jobs([JobState.QUEUED], name, 1)]

    def _is_locked(self) -> bool:
        """Whether an administrator wants no job begun here; says that this machine is there, too."""
        if self._post.machines is None:
            return False
        self._post.machines.note(self._name, os.uname().nodename, self._limits.running, self._clock.now())
        return self._post.machines.is_locked(self._name)

    def _is_ours(self, job: Job) -> bool:
        """Whether a job runs here; or on a machine that is gone, so that whoever looks gives it back."""
        if job.runner == self._name:
            return True
        return not is_machine_there(self._folder, job.runner)

    def _reap_children(self) -> None:
        for job_id, child in list(self._children.items()):
            if child.poll() is not None:
                del self._children[job_id]

    # ---- ending ----

    def _reason_to_stop(self, job: Job, has_room: bool, full: dict[str, str]) -> str:
        if job.wish is not None:
            return f"asked to {job.wish.value}"
        if not has_room:
            return "stopped before the disk is full; it goes on when there is room"
        return full.get(job.order.collection, "")

    def _settle(self, job: Job, reason: str) -> bool:
        """Record what became of a job that is said to run; whether that is over."""
        workspace = self._folder.workspace(job.id)
        if workspace.is_process_alive():
            if reason:
                self._ask_to_stop(job, workspace)
            return False
        output = workspace.read_result()
        result = self._lost(job, reason, "its process was lost") if output is None else self._judge(job, output, reason)
        result = self._settle_workers(job, result, output)
        self._describe_archives(job)
        self._jobs.record(job, result, self._clock.now())
        workspace.clear_result()
        shutil.rmtree(self._folder.login_links(job.id), ignore_errors=True)
        self._stopping.pop(job.id, None)
        if job.order.kind is JobKind.IMPORT and result.event in (JobEvent.FINISH, JobEvent.CANCEL):
            shutil.rmtree(self._folder.uploads / str(job.order.plan.get("upload")), ignore_errors=True)
        return True

    def _settle_workers(self, job: Job, result: JobResult, output: JobOutput | None) -> JobResult:
        """Note that what workers got is in the collection; where it is not, and will not be, that is told."""
        result = replace(result, message=hide_database(result.message)) if job.order.wants_workers else result
        workspace = self._folder.workspace(job.id)
        if not job.order.wants_workers or not workspace.workers_path.exists():
            return result
        if output is not None and output.summary.get("flaws"):  # what was passed over is nowhere else
            return replace(result, message=f"{result.message}{_FLAWED}".removeprefix("; "))
        if output is not None and "capture" in output.summary:  # it says its numbers once all is brought together
            workspace.together_path.touch()
        elif result.event in _ENDING_EVENTS:
            return replace(result, message=f"{result.message}{_KEPT_APART}".removeprefix("; "))
        return result

    def _clear_workers(self) -> None:
        """Remove what workers got in a capture that has ended, once it is in the collection."""
        job = self._turn.find_ended()
        if job is not None and (workspace := self._folder.workspace(job.id)).together_path.exists():
            shutil.rmtree(workspace.workers_path, ignore_errors=True)
            workspace.together_path.unlink()
            self._folder.workers_turn.unlink(missing_ok=True)

    def _describe_archives(self, job: Job) -> None:
        """Have archives that the job made say what the collection is; no job is held up by that."""
        with suppress(WebkeepError, OSError):
            describe_archives(self._folder, self._collections.get(job.order.collection))

    def _judge(self, job: Job, output: JobOutput, reason: str) -> JobResult:
        if output.exit_code in _FINISHED_CODES:
            missed = self._folder.workspace(job.id).describe_missed_seeds(output)
            return JobResult(JobEvent.FINISH, output.exit_code, output.summary, missed)
        if (url := output.summary.get("login_ended")) and job.wish is None and LOGIN_OPTION in job.order.plan:
            message = self._logins.note_ended(job, str(url))
            return JobResult(JobEvent.NEED_LOGIN, output.exit_code, output.summary, message)
        said = str(output.summary.get("error", "")) or self._folder.workspace(job.id).last_words()
        if output.exit_code == _WRONG_CALL_CODE:
            return JobResult(JobEvent.FAIL, output.exit_code, output.summary, said)
        return self._lost(job, reason, said)

    def _lost(self, job: Job, reason: str, said: str) -> JobResult:
        """An attempt that came to no end: as it was asked, or to be tried again."""
        now = self._clock.now()
        if job.wish is not None:
            message = _KILLED if self._was_killed(job) else ""
            return JobResult(job.wish, summary=self._describe_stopped(job), message=message)
        if reason:
            return JobResult(JobEvent.LOSE, message=reason, is_mishap=False)
        if job.order.kind is JobKind.PATCH:  # whoever was shown the browser is gone
            return JobResult(JobEvent.FAIL, message=f"{said}; what was recorded before is kept")
        if job.losses + 1 >= _MAX_LOSSES:
            return JobResult(JobEvent.FAIL, message=f"{said}, {_MAX_LOSSES} times in a row; look into its log")
        pause = min(_FIRST_PAUSE_SECONDS * 2.0**job.losses, MAX_WAIT_SECONDS)
        return JobResult(JobEvent.LOSE, message=said, not_before=now.plus(pause))

    def _describe_stopped(self, job: Job) -> dict[str, object] | None:
        """What is there of a capture that was stopped; no job is held up by that."""
        if job.order.kind is JobKind.CAPTURE:
            with suppress(WebkeepError, OSError):
                return describe_stopped_capture(self._folder.archive(job.order.collection, job.order.archive), job.id)
        return None

    def _was_killed(self, job: Job) -> bool:
        request = self._stopping.get(job.id)
        return request is not None and request.level == len(_STOP_SIGNALS)

    def _ask_to_stop(self, job: Job, workspace: JobWorkspace) -> None:
        now = self._clock.now()
        request = self._stopping.setdefault(job.id, _StopRequest(now))
        process = workspace.read_holder()
        request.since = min(request.since, now)  # a clock that was set back spares nobody
        waited = now.seconds_since(request.since)
        grace = _WORKERS_GRACE_SECONDS if job.order.wants_workers else _GRACE_SECONDS
        while process and request.level < len(grace) and waited >= grace[request.level]:
            send_signal(process, _STOP_SIGNALS[request.level])
            request.level += 1

    # ---- starting ----

    def _full_collections(self) -> dict[str, str]:
        """The collections that have used their quota up, each with what is said of that."""
        now = self._clock.now()
        if self._full is None or abs(now.seconds_since(self._full[0])) >= _QUOTA_LOOK_SECONDS:
            limited = [each for each in self._collections.list_collections() if each.quota is not None]
            over = [each for each in limited if folder_bytes(self._folder.collection(each.name)) >= (each.quota or 0)]
            reasons = {each.name: f"the quota of {each.name} is used up; give it more" for each in over}
            self._full = (now, reasons)
        return self._full[1]

    def _start_next(self, program: Sequence[str], barred: Sequence[str]) -> bool:
        """Start the job whose turn it is; whether there was one that could be."""
        with self._jobs.transaction() if self._is_shared() else nullcontext():
            return self._start_one(program, barred)

    def _is_shared(self) -> bool:
        """Whether other machines start jobs as well: then one at a time does, that no archive has two writers."""
        return bool(self._post.host_leases)

    def _start_one(self, program: Sequence[str], barred: Sequence[str]) -> bool:
        now = self._clock.now()
        taken: set[tuple[str, str]] = set()
        for job in self._jobs.next_in_queue(now, _MAX_TRIED_JOBS, barred):
            archive = (job.order.collection, job.order.archive)
            if archive in taken and job.order.archive:
                continue
            if job.order.wants_workers and not self._may_use_workers(job):
                continue
            workspace = self._folder.workspace(job.id)
            handle = workspace.try_lock()
            if handle is None:  # a process was started for it, by one who did not live to say so
                if self._adopt(job, workspace, now):
                    return True
                taken.add(archive)
                continue
            try:
                process = self._spawn(job, workspace, handle, program)
            except (OSError, UsageError, LoginLockedError) as error:
                said = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else str(error)
                why = f"it cannot be started ({said}); mend that, and it is tried again"
                self._jobs.postpone(job, now.plus(_POSTPONED_SECONDS), why)
                return False
            finally:
                os.close(handle)
            if self._jobs.start(job, process, now, self._name) is None:
                send_signal(process, signal.SIGTERM)
            return True
        return False

    def _may_use_workers(self, job: Job) -> bool:
        """Whether a capture on many machines may be begun here now: one at a time is, and not by every machine."""
        return (self._post.workers is not None or not self._name) and self._turn.is_free_for(job)

    def _adopt(self, job: Job, workspace: JobWorkspace, now: Moment) -> bool:
        """Note that a queued job runs already; whether it counts here. Machines that are there say so themselves."""
        runner, holder = workspace.read_runner(), workspace.read_holder()
        if holder is None or (runner != self._name and is_machine_there(self._folder, runner)):
            return False
        return self._jobs.start(job, holder, now, runner) is not None and runner == self._name

    def _list_held(self, job: Job) -> tuple[Path, ...]:
        """The archives of the collections whose pages that of a job leaves out."""
        known = {each.name: each for each in self._collections.list_collections()}
        facts = known.get(job.order.collection)
        others = [known[name] for name in facts.left_out if name in known] if facts is not None else []
        numbered = ((each.name, archive_name(number + 1)) for each in others for number in range(each.archives))
        return tuple(path for path in (self._folder.archive(*each) for each in numbered) if is_archive(path))

    def _spawn(self, job: Job, workspace: JobWorkspace, handle: int, program: Sequence[str]) -> ProcessIdentity:
        """A process of the job, in a session of its own, so that it outlives this one; it has the lock from now on."""
        archive = self._folder.archive(job.order.collection, job.order.archive)
        archive.parent.mkdir(parents=True, exist_ok=True)
        leases = self._post.host_leases or self._folder.host_leases
        workspace.write_runner(self._name)
        place = JobPlace(
            workspace.plan_path,
            archive,
            leases,
            self._folder.ledger,
            self._folder.authority,
            workspace.viewer_path,
            workspace.results_path,
            self._folder.uploads,
            self._list_held(job),
            self._post.workers,
            workspace.workers_path,
        )
        with (
            self._logins.hand_over(job, self._folder.login_links(job.id)) as (login_words, descriptors),
            workspace.open_streams() as (output, log),
        ):
            workspace.prepare(job, [*build_job_words(job, place), *login_words])
            if job.order.wants_workers:
                workspace.together_path.unlink(missing_ok=True)
                self._turn.take(job)
            child = subprocess.Popen(
                [*program, str(workspace.folder)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                pass_fds=[handle, *descriptors],
                start_new_session=True,
                env={**_public_environment(), LOCK_VARIABLE: str(handle)},
                cwd=self._folder.root,
            )
        self._children[job.id] = child
        process = identify_process(child.pid)
        if process is None:
            raise UsageError(f"job {job.id} was started and cannot be found in /proc; the service needs it")
        workspace.write_holder(handle, process)
        return process


def _public_environment() -> dict[str, str]:
    """What processes of jobs are told of the service's own environment: all but its secrets."""
    return {name: value for name, value in os.environ.items() if name not in (PASSWORD_VARIABLE, PASSPHRASE_VARIABLE)}

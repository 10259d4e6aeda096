"""The job store: jobs as rows, every change of state by the table and in one transaction with its line in the journal.

Theory of operation. A change says which state and which attempt it starts from. Where the row has moved on meanwhile,
because a result was recorded before or a person was quicker, nothing is changed and the answer is None. So a result is
recorded once, however often and by whomever it is reported.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.jobs import (
    ENDED_STATES,
    OPEN_STATES,
    Job,
    JobEvent,
    JobKind,
    JobOrder,
    JobSelection,
    JobState,
    ProcessIdentity,
    new_job_id,
    next_state,
)
from webkeep.service.store.job_conditions import write_conditions
from webkeep.service.store.latest_jobs import (
    IS_CAPTURED,
    LatestOutcome,
    write_latest,
    write_latest_captures,
    write_latest_outcomes,
)
from webkeep.service.store.sql_database import ResultRow, SqlDatabase, SqlValue, make_keepable

_COLUMNS = (
    "id, collection, seed, archive, kind, plan, priority, schedule, due, state, wish, attempts, losses, "
    "created, queued, not_before, "
    "started, ended, exit_code, summary, message, machine, boot, process, process_started, runner"
)
_INSERT = (
    "INSERT INTO job (id, collection, seed, archive, kind, plan, priority, schedule, due, state, attempts, losses, "
    "created, queued, summary, message) VALUES (?,?,?,?,?,?,?,?,?,?,0,0,?,?,'{}','') ON CONFLICT DO NOTHING"
)
_WISHES = frozenset({JobEvent.PAUSE, JobEvent.CANCEL})
"""What can be asked of a job that runs."""
MAX_LISTED_JOBS = 1000
"""Jobs that are listed at once where nobody said how many: more nobody reads."""
MAX_WAIT_SECONDS = 300.0
"""No job is made to wait for longer: one that would have to has a clock that was set back meanwhile."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """What became of an attempt at a job."""

    event: JobEvent
    exit_code: int | None = None
    summary: Mapping[str, Any] | None = None
    message: str = ""
    not_before: Moment | None = None
    is_mishap: bool = True
    """Of a process that came to no end: whether nobody wanted that."""


@dataclass(frozen=True, slots=True)
class JobJournalLine:
    """Something that happened to a job."""

    at: Moment
    event: str
    state: JobState
    message: str


class JobStore:
    """All jobs there ever were."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def submit(self, order: JobOrder, now: Moment) -> Job | None:
        """Enter a job; None where the run of a schedule that it is for has one already."""
        job_id = new_job_id()
        state = JobState.QUEUED if order.is_confirmed else JobState.PENDING
        plan = json.dumps(dict(order.plan), sort_keys=True)
        due = None if order.due is None else order.due.micros
        named = (job_id, order.collection, order.seed, order.archive, order.kind.value, plan)
        turn = (order.priority, order.schedule, due, state.value, now.micros, now.micros)
        with self._sql.transaction():
            if not self._sql.change(_INSERT, (*named, *turn)):
                return None
            self._note(job_id, now, "submit", state, "")
        return self.get(job_id)

    def get(self, job_id: str) -> Job:
        """A job by its id."""
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (job_id,))
        if not rows:
            raise UsageError(f"there is no job {job_id[:40]!r}; list them with webkeep job list")
        return _job_from_row(rows[0])

    def find(self, prefix: str) -> Job:
        """The one job whose id begins so."""
        if not prefix or not prefix.isalnum():
            raise UsageError(f"not the id of a job: {prefix[:40]!r}; list them with webkeep job list")
        rows = self._sql.rows(
            f"SELECT {_COLUMNS} FROM job WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", (prefix, f"{prefix}~")
        )
        if len(rows) == 1:
            return _job_from_row(rows[0])
        what = "several jobs begin" if rows else "no job begins"
        raise UsageError(f"{what} with {prefix[:40]!r}; list them with webkeep job list")

    def list_jobs(
        self, states: Iterable[JobState] = (), collection: str = "", limit: int = MAX_LISTED_JOBS
    ) -> list[Job]:
        """The newest jobs first, of some states or all, of one collection or all."""
        selection = JobSelection(tuple(states), (collection,) if collection else None)
        return self.list_page(selection, limit)

    def list_page(self, selection: JobSelection, limit: int, after: tuple[Moment, str] | None = None) -> list[Job]:
        """The newest jobs of a selection first, so many; those behind the job of that moment and id."""
        if len(selection.states) > 1 and selection.collections is None and not selection.seed:
            # Each state is in order in its index; those of several together would all be sorted, however many.
            lists = (self.list_page(replace(selection, states=(each,)), limit, after) for each in selection.states)
            newest = heapq.merge(*lists, key=lambda job: (-job.created.micros, job.id))
            return list(itertools.islice(newest, limit))
        wheres, values = write_conditions(selection)
        if after is not None:
            wheres.append("created <= ? AND (created < ? OR id > ?)")
            values += [after[0].micros, after[0].micros, after[1]]
        where = f"WHERE {' AND '.join(wheres)}" if wheres else ""
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM job {where} ORDER BY created DESC, id LIMIT ?", [*values, limit])
        return [_job_from_row(row) for row in rows]

    def list_ended(self, selection: JobSelection, limit: int) -> list[Job]:
        """The jobs of a selection that ended last, so many, the latest end first."""
        wheres, values = write_conditions(selection)
        where = " AND ".join(["ended IS NOT NULL", *wheres])
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM job WHERE {where} ORDER BY ended DESC, id LIMIT ?",
                              [*values, limit])  # fmt: skip
        return [_job_from_row(row) for row in rows]

    def next_in_queue(self, now: Moment, limit: int, barred: Sequence[str] = ()) -> list[Job]:
        """Queued jobs whose turn has come: by priority, then first come first served.

        Those wait whose archive another job writes to, and those of collections that are barred.
        """
        latest = now.plus(MAX_WAIT_SECONDS).micros
        closed = f"AND collection NOT IN ({', '.join('?' * len(barred))})" if barred else ""
        rows = self._sql.rows(
            f"SELECT {_COLUMNS} FROM job WHERE state = ? AND (not_before IS NULL OR not_before <= ? OR not_before > ?) "
            f"{closed} "
            "AND (archive = '' OR NOT EXISTS (SELECT 1 FROM job busy WHERE busy.state = ? AND "
            "busy.collection = job.collection AND busy.archive = job.archive)) "
            "ORDER BY priority DESC, queued, id LIMIT ?",
            (JobState.QUEUED.value, now.micros, latest, *barred, JobState.RUNNING.value, limit),
        )
        return [_job_from_row(row) for row in rows]

    def postpone(self, job: Job, until: Moment, message: str) -> None:
        """Have a queued job that could not be started wait, and say why."""
        self._sql.change(
            "UPDATE job SET not_before = ?, message = ? WHERE id = ? AND state = ?",
            (until.micros, make_keepable(message), job.id, JobState.QUEUED.value),
        )

    def latest_of(self, seeds: Sequence[str]) -> dict[str, Job]:
        """The newest job of each of some seeds that has any, by the seed's id."""
        rows = self._sql.rows(write_latest(_COLUMNS, len(seeds)), tuple(seeds)) if seeds else []
        return {job.order.seed: job for job in map(_job_from_row, rows)}

    def latest_captures_of(self, seeds: Sequence[str]) -> dict[str, Job]:
        """The newest job of each of some seeds that captured it, whatever came after; by the seed's id."""
        rows = self._sql.rows(write_latest_captures(_COLUMNS, len(seeds)), (IS_CAPTURED, *seeds)) if seeds else []
        return {job.order.seed: job for job in map(_job_from_row, rows)}

    def latest_outcomes(self, collections: Sequence[str]) -> list[LatestOutcome]:
        """What the newest jobs that are over came to, of each seed of some collections that has any."""
        rows = self._sql.rows(write_latest_outcomes(len(collections)), tuple(collections)) if collections else []
        return [LatestOutcome(str(name), JobState(str(state)), json.loads(str(said))) for name, state, said in rows]

    def list_waiting(self, collection: str) -> list[Job]:
        """The jobs of seeds of a collection of which nothing was begun yet, the newest first."""
        rows = self._sql.rows(
            f"SELECT {_COLUMNS} FROM job WHERE state = ? AND collection = ? AND attempts = 0 AND seed <> '' "
            "ORDER BY created DESC, id",
            (JobState.QUEUED.value, collection),
        )
        return [_job_from_row(row) for row in rows]

    def jobs_of_seed(self, seed: str, limit: int = MAX_LISTED_JOBS) -> list[Job]:
        """The history of a seed, newest first."""
        return self.list_page(JobSelection(seed=seed), limit)

    def last_states(self, seeds: Sequence[str]) -> dict[str, JobState]:
        """The state of the newest job of each of some seeds that has any."""
        rows = (
            self._sql.rows(
                "SELECT id, (SELECT state FROM job WHERE job.seed = seed.id ORDER BY created DESC, id DESC LIMIT 1) "
                f"FROM seed WHERE id IN ({', '.join('?' * len(seeds))})",
                seeds,
            )
            if seeds
            else []
        )
        return {str(seed): JobState(str(state)) for seed, state in rows if state is not None}

    def counts(self) -> dict[JobState, int]:
        """How many jobs are in each state."""
        rows = self._sql.rows("SELECT state, count(*) FROM job GROUP BY state")
        found = {JobState(str(state)): int(count or 0) for state, count in rows}
        return {state: found.get(state, 0) for state in JobState}

    def count_queued(self, barred: Sequence[str] = ()) -> int:
        """How many jobs wait for their turn, those of collections that are barred left out."""
        closed = f"AND collection NOT IN ({', '.join('?' * len(barred))})" if barred else ""
        rows = self._sql.rows(f"SELECT count(*) FROM job WHERE state = ? {closed}", (JobState.QUEUED.value, *barred))
        return int(rows[0][0] or 0)

    def open_of_schedule(self, schedule: str) -> list[Job]:
        """The jobs that a schedule had begun and that are not over."""
        states = sorted(each.value for each in OPEN_STATES)
        rows = self._sql.rows(
            f"SELECT {_COLUMNS} FROM job WHERE schedule = ? AND due IS NOT NULL "
            f"AND state IN ({', '.join('?' * len(states))})",
            (schedule, *states),
        )
        return [_job_from_row(row) for row in rows]

    def start(self, job: Job, process: ProcessIdentity, now: Moment, runner: str = "") -> Job | None:
        """Note that a process was started for a job, and on which machine; None where it is queued no longer."""
        state = next_state(job.state, JobEvent.START)
        identity = (process.machine, process.boot, process.number, process.started)
        with self._sql.transaction():
            changed = self._sql.change(
                "UPDATE job SET state = ?, attempts = attempts + 1, started = coalesce(started, ?), not_before = NULL, "
                "message = '', machine = ?, boot = ?, process = ?, process_started = ?, runner = ? "
                "WHERE id = ? AND state = ? AND attempts = ?",
                (state.value, now.micros, *identity, runner, job.id, job.state.value, job.attempts),
            )
            if not changed:
                return None
            self._note(job.id, now, JobEvent.START.value, state, f"process {process.number}")
        return self.get(job.id)

    def transaction(self) -> AbstractContextManager[None]:
        """Have nobody else change anything while a block lasts."""
        return self._sql.transaction()

    def wish(self, job: Job, event: JobEvent, now: Moment) -> Job:
        """Have something happen to a job: at once, or for one that runs as soon as its process has done it."""
        state = next_state(job.state, event)
        with self._sql.transaction():
            if job.state is JobState.RUNNING:
                self._leave_wish(job, event, now)
            else:
                self._change_state(job, event, state, now)
        return self.get(job.id)

    def wish_if_possible(self, job: Job, event: JobEvent, now: Moment) -> bool:
        """Have something happen to a job, unless it has come to its end meanwhile; whether it will."""
        try:
            self.wish(job, event, now)
        except UsageError:
            return False
        return True

    def _leave_wish(self, job: Job, event: JobEvent, now: Moment) -> None:
        if event not in _WISHES:
            raise UsageError(f"job {job.id} runs, and ends by itself; pause or cancel it")
        changed = self._sql.change(
            "UPDATE job SET wish = ? WHERE id = ? AND state = ? AND (wish IS NULL OR wish <> ?)",
            (event.value, job.id, job.state.value, JobEvent.CANCEL.value),
        )
        if changed:
            self._note(job.id, now, f"asked to {event.value}", job.state, "")

    def _change_state(self, job: Job, event: JobEvent, state: JobState, now: Moment) -> None:
        ended = now.micros if state in ENDED_STATES else None
        queued = now.micros if event is JobEvent.CONFIRM else job.queued.micros
        changed = self._sql.change(
            "UPDATE job SET state = ?, queued = ?, not_before = NULL, message = '', ended = coalesce(?, ended) "
            "WHERE id = ? AND state = ?",
            (state.value, queued, ended, job.id, job.state.value),
        )
        if not changed:
            raise UsageError(f"job {job.id} is {job.state.value} no longer; look at it again with webkeep job show")
        self._note(job.id, now, event.value, state, "")

    def change_priority(self, job: Job, priority: int) -> Job:
        """Have a job go before or behind others."""
        self._sql.change("UPDATE job SET priority = ? WHERE id = ?", (priority, job.id))
        return self.get(job.id)

    def record(self, job: Job, result: JobResult, now: Moment) -> Job | None:
        """Record what became of the attempt that a job was read in; None where that was recorded before."""
        state = next_state(job.state, result.event)
        ended = now.micros if state in ENDED_STATES else None
        summary = None if result.summary is None else json.dumps(dict(result.summary))
        not_before = None if result.not_before is None else result.not_before.micros
        losses = job.losses + result.is_mishap if result.event is JobEvent.LOSE else 0
        message = make_keepable(result.message)
        outcome = (state.value, ended, result.exit_code, summary, message, not_before, losses)
        with self._sql.transaction():
            changed = self._sql.change(
                "UPDATE job SET state = ?, wish = NULL, ended = ?, exit_code = ?, summary = coalesce(?, summary), "
                "message = ?, not_before = ?, losses = ?, machine = NULL, boot = NULL, process = NULL, "
                "process_started = NULL WHERE id = ? AND state = ? AND attempts = ?",
                (*outcome, job.id, job.state.value, job.attempts),
            )
            if not changed:
                return None
            self._note(job.id, now, result.event.value, state, message)
        return self.get(job.id)

    def forget(self, job: Job, now: Moment) -> None:
        """Have a job that is over say no more of what it was about; that there was one stays."""
        with self._sql.transaction():
            self._change_state(job, JobEvent.EXPIRE, next_state(job.state, JobEvent.EXPIRE), now)
            self._sql.change("UPDATE job SET plan = '{}', summary = '{}', message = '' WHERE id = ?", (job.id,))
            self._sql.change("UPDATE job_event SET message = '' WHERE job = ?", (job.id,))

    def journal(self, job_id: str) -> list[JobJournalLine]:
        """What happened to a job, in order."""
        rows = self._sql.rows(
            "SELECT at, event, state, message FROM job_event WHERE job = ? ORDER BY number", (job_id,)
        )
        return [
            JobJournalLine(Moment(int(at or 0)), str(event), JobState(str(state)), str(message))
            for at, event, state, message in rows
        ]

    def _note(self, job_id: str, now: Moment, event: str, state: JobState, message: str) -> None:
        self._sql.change(
            "INSERT INTO job_event (number, job, at, event, state, message) "
            "SELECT coalesce(max(number), 0) + 1, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT), "
            "CAST(? AS TEXT), CAST(? AS TEXT) FROM job_event WHERE job = ?",
            (job_id, now.micros, event, state.value, message, job_id),
        )


def forget_processes(database: SqlDatabase) -> None:
    """Have no job be said to have a process, in a store that was brought back: whoever finds them looks for himself."""
    database.change("UPDATE job SET machine = NULL, boot = NULL, process = NULL, process_started = NULL")


def _job_from_row(row: ResultRow) -> Job:
    named = dict(zip(_COLUMNS.split(", "), row, strict=True))
    order = JobOrder(
        collection=str(named["collection"]),
        seed=str(named["seed"]),
        archive=str(named["archive"]),
        plan=json.loads(str(named["plan"])),
        kind=JobKind(str(named["kind"])),
        priority=int(named["priority"] or 0),
        schedule=str(named["schedule"]),
        due=_moment(named["due"]),
    )
    return Job(
        id=str(named["id"]),
        order=order,
        state=JobState(str(named["state"])),
        created=Moment(int(named["created"] or 0)),
        queued=Moment(int(named["queued"] or 0)),
        attempts=int(named["attempts"] or 0),
        losses=int(named["losses"] or 0),
        wish=None if named["wish"] is None else JobEvent(str(named["wish"])),
        process=_process_from_row(named),
        not_before=_moment(named["not_before"]),
        started=_moment(named["started"]),
        ended=_moment(named["ended"]),
        exit_code=None if named["exit_code"] is None else int(named["exit_code"]),
        summary=json.loads(str(named["summary"])),
        message=str(named["message"]),
        runner=str(named["runner"]),
    )


def _process_from_row(named: Mapping[str, SqlValue]) -> ProcessIdentity | None:
    if named["process"] is None:
        return None
    started = int(named["process_started"] or 0)
    return ProcessIdentity(str(named["machine"]), str(named["boot"]), int(named["process"]), started)


def _moment(value: SqlValue) -> Moment | None:
    return None if value is None else Moment(int(value))

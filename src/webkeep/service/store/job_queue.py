"""The queue of jobs, read: what stands between one that waits and its start."""

from __future__ import annotations

from collections.abc import Collection

from webkeep.service.jobs import OPEN_STATES, Job, JobSelection, JobState
from webkeep.service.store.job_conditions import write_conditions
from webkeep.service.store.sql_database import SqlDatabase


class JobQueue:
    """Jobs that wait for their turn, and those that run, as they are now."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def find_writer(self, job: Job) -> str | None:
        """The id of the job that writes to the archive of another; None where none does, or it needs none."""
        order = job.order
        rows = self._sql.rows(
            "SELECT id FROM job WHERE state = ? AND collection = ? AND archive = ? AND archive <> '' AND id <> ? "
            "LIMIT 1",
            (JobState.RUNNING.value, order.collection, order.archive, job.id),
        )
        return str(rows[0][0]) if rows else None

    def count_running(self) -> int:
        """How many run, on all machines."""
        rows = self._sql.rows("SELECT count(*) FROM job WHERE state = ?", (JobState.RUNNING.value,))
        return int(rows[0][0] or 0)

    def count_open(self, collections: Collection[str] | None = None) -> dict[JobState, int]:
        """How many are in each state that is no end, of some collections or all; none where there are none."""
        wheres, values = write_conditions(JobSelection(tuple(OPEN_STATES), collections))
        rows = self._sql.rows(f"SELECT state, count(*) FROM job WHERE {' AND '.join(wheres)} GROUP BY state", values)
        found = {JobState(str(state)): int(count or 0) for state, count in rows}
        return {state: found[state] for state in JobState if state in found}

    def count_before(self, job: Job) -> int:
        """How many queued jobs have their turn before one: of higher priority, or of its own and sooner."""
        priority, queued = job.order.priority, job.queued.micros
        rows = self._sql.rows(
            "SELECT count(*) FROM job WHERE state = ? AND (priority > ? OR (priority = ? AND (queued < ? OR "
            "(queued = ? AND id < ?))))",
            (JobState.QUEUED.value, priority, priority, queued, queued, job.id),
        )
        return int(rows[0][0] or 0)

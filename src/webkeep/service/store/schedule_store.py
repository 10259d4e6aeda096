"""Schedules as rows: what they are for, when they were due last, and when they are next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.service.schedules import Schedule, ScheduledRun, schedule_from_text, schedule_to_text
from webkeep.service.store.sql_database import ResultRow, SqlDatabase, SqlValue

_COLUMNS = "id, collection, seed, times, last_due, last_begun, next_due, next_begins, is_off"


@dataclass(frozen=True, slots=True)
class StoredSchedule:
    """A schedule, and how far it has come."""

    schedule: Schedule
    collection: str
    seed: str
    """The seed that is captured, by its id; empty for all of the collection."""
    last: ScheduledRun | None = None
    next: ScheduledRun | None = None
    """None where it is over, or off."""
    is_off: bool = False
    """Whether somebody had it begin nothing for now."""


class ScheduleStore:
    """All schedules of a service."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def add(self, stored: StoredSchedule) -> None:
        """Enter a schedule, or put it in the place of the one with its id."""
        self.add_all([stored])

    def add_all(self, schedules: Iterable[StoredSchedule]) -> None:
        """Enter several, all or none."""
        with self._sql.transaction():
            for stored in schedules:
                self._sql.change("DELETE FROM schedule WHERE id = ?", (stored.schedule.id,))
                named = (stored.schedule.id, stored.collection, stored.seed, schedule_to_text(stored.schedule))
                self._sql.change(
                    f"INSERT INTO schedule ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)",
                    (*named, *_run_values(stored.last), *_run_values(stored.next), int(stored.is_off)),
                )

    def take_due(self, now: Moment, limit: int) -> list[StoredSchedule]:
        """The schedules whose next run is to begin, those that wait for longest first."""
        rows = self._sql.rows(
            f"SELECT {_COLUMNS} FROM schedule WHERE next_begins <= ? ORDER BY next_begins, id LIMIT ?",
            (now.micros, limit),
        )
        return [_schedule_from_row(row) for row in rows]

    def move_on(self, stored: StoredSchedule, last: ScheduledRun | None, following: ScheduledRun | None) -> None:
        """Note which run was last and which is next."""
        self._sql.change(
            "UPDATE schedule SET last_due = ?, last_begun = ?, next_due = ?, next_begins = ? "
            "WHERE id = ? AND is_off = 0",
            (*_run_values(last), *_run_values(following), stored.schedule.id),
        )

    def ahead_of(self, now: Moment) -> list[StoredSchedule]:
        """The schedules that had a run after a moment: the clock was set back since."""
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM schedule WHERE last_due > ? AND is_off = 0", (now.micros,))
        return [_schedule_from_row(row) for row in rows]

    def list_schedules(self, collection: str = "") -> list[StoredSchedule]:
        """The schedules of a collection, or all; by id."""
        where, values = ("WHERE collection = ?", (collection,)) if collection else ("", ())
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM schedule {where} ORDER BY id", values)
        return [_schedule_from_row(row) for row in rows]

    def get(self, schedule_id: str) -> StoredSchedule | None:
        """A schedule by its id; None where there is none."""
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM schedule WHERE id = ?", (schedule_id,))
        return _schedule_from_row(rows[0]) if rows else None

    def list_of_seed(self, seed: str) -> list[StoredSchedule]:
        """The schedules of one seed, by id."""
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM schedule WHERE seed = ? ORDER BY id", (seed,))
        return [_schedule_from_row(row) for row in rows]

    def switch(self, schedule_id: str, following: ScheduledRun | None) -> None:
        """Have a schedule begin its next run then, or nothing for now where there is none."""
        self._sql.change(
            "UPDATE schedule SET is_off = ?, next_due = ?, next_begins = ? WHERE id = ?",
            (int(following is None), *_run_values(following), schedule_id),
        )

    def delete(self, schedule_id: str) -> bool:
        """Have nothing begun by a schedule any more; whether it was there."""
        return self._sql.change("DELETE FROM schedule WHERE id = ?", (schedule_id,)) > 0


def _run_values(run: ScheduledRun | None) -> tuple[SqlValue, SqlValue]:
    return (None, None) if run is None else (run.due.micros, run.begins.micros)


def _schedule_from_row(row: ResultRow) -> StoredSchedule:
    schedule_id, collection, seed, times, *runs, is_off = row
    schedule = schedule_from_text(str(schedule_id), str(times))
    last, following = _run_from(*runs[:2]), _run_from(*runs[2:])
    return StoredSchedule(schedule, str(collection), str(seed), last, following, bool(is_off))


def _run_from(due: SqlValue, begins: SqlValue) -> ScheduledRun | None:
    return None if due is None else ScheduledRun(Moment(int(due)), Moment(int(begins or 0)))

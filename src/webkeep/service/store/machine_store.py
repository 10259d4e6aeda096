"""The machines that jobs run on, as rows: when each was there last, and whether an administrator locked it."""

from __future__ import annotations

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.jobs import JobMachine, JobState
from webkeep.service.store.sql_database import ResultRow, SqlDatabase

_COLUMNS = "name, host, running, joined, seen, is_locked"


class MachineStore:
    """All machines of a service, its own among them."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def note(self, name: str, host: str, running: int, now: Moment) -> None:
        """Note that a machine is there, and how many jobs it runs at a time at most."""
        self._sql.change(
            f"INSERT INTO machine ({_COLUMNS}) VALUES (?,?,?,?,?,0) ON CONFLICT (name) DO UPDATE "
            "SET host = EXCLUDED.host, running = EXCLUDED.running, seen = EXCLUDED.seen",
            (name, host, running, now.micros, now.micros),
        )

    def list_machines(self) -> list[JobMachine]:
        """All of them, by name, with how many jobs run on each."""
        rows = self._sql.rows(
            "SELECT runner, count(*) FROM job WHERE state = ? GROUP BY runner", (JobState.RUNNING.value,)
        )
        counts = {str(name): int(count or 0) for name, count in rows}
        listed = self._sql.rows(f"SELECT {_COLUMNS} FROM machine ORDER BY name")
        return [_machine_from_row(row, counts) for row in listed]

    def is_locked(self, name: str) -> bool:
        """Whether no job may be begun on a machine."""
        return bool(self._sql.rows("SELECT 1 FROM machine WHERE name = ? AND is_locked = 1", (name,)))

    def set_locked(self, name: str, is_locked: bool) -> None:
        """Have no job begun on a machine any more, or again."""
        if not self._sql.change("UPDATE machine SET is_locked = ? WHERE name = ?", (int(is_locked), name)):
            raise UsageError(f"there is no machine {name[:80]!r}; look at the list")

    def forget(self, name: str) -> None:
        """Have a machine listed no more, until it joins again; refused while jobs run on it."""
        condition = "AND NOT EXISTS (SELECT 1 FROM job WHERE runner = ? AND state = ?)"
        values = (name, name, JobState.RUNNING.value)
        if not self._sql.change(f"DELETE FROM machine WHERE name = ? {condition}", values):
            raise UsageError(f"{name[:80]!r} is no machine that can be forgotten; jobs that run on it must end first")


def _machine_from_row(row: ResultRow, counts: dict[str, int]) -> JobMachine:
    name, host, running, joined, seen, is_locked = row
    moments = Moment(int(joined or 0)), Moment(int(seen or 0))
    return JobMachine(str(name), str(host), int(running or 0), *moments, bool(is_locked), counts.get(str(name), 0))

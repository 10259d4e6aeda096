"""The audit log as rows that are only ever added; no statement here changes or deletes one."""

from __future__ import annotations

from webkeep.model import Moment
from webkeep.service.accounts import AuditEntry
from webkeep.service.store.sql_database import ResultRow, SqlDatabase, SqlValue, escape_pattern, make_keepable

_ENTRY = "number, at, who, address, action, subject, outcome"
_FIELDS = "who || ' ' || address || ' ' || action || ' ' || subject || ' ' || outcome"
_MAX_WORDS = 8
"""Of a search: each reads the log once more."""


class AuditStore:
    """Who did what."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def append(self, entry: AuditEntry) -> None:
        """Keep one more entry."""
        said = entry.shorten()
        words = (said.who, said.address, said.action, said.subject, said.outcome)
        with self._sql.transaction():
            last = int(self._sql.rows("SELECT coalesce(max(number), 0) FROM audit_entry")[0][0] or 0)
            values: list[int | str | None] = [last + 1, said.at.micros, *map(make_keepable, words)]
            self._sql.change(f"INSERT INTO audit_entry ({_ENTRY}) VALUES (?,?,?,?,?,?,?)", values)

    def list_entries(self, count: int, before: int | None = None, words: str = "") -> list[AuditEntry]:
        """So many entries, the newest first, those before a number; with each of some words in one of their fields."""
        wheres: list[str] = []
        values: list[SqlValue] = []
        if before is not None:
            wheres, values = ["number < ?"], [before]
        for word in words.lower().split()[:_MAX_WORDS]:
            wheres.append(f"lower({_FIELDS}) LIKE ? ESCAPE '!'")
            values.append(f"%{escape_pattern(make_keepable(word))}%")
        where = f" WHERE {' AND '.join(wheres)}" if wheres else ""
        query = f"SELECT {_ENTRY} FROM audit_entry{where} ORDER BY number DESC LIMIT ?"
        return [_entry_from_row(row) for row in self._sql.rows(query, [*values, count])]


def _entry_from_row(row: ResultRow) -> AuditEntry:
    number, at, who, address, action, subject, outcome = row
    words = (str(who), str(address), str(action), str(subject), str(outcome))
    return AuditEntry(Moment(int(at or 0)), *words, number=int(number or 0))

"""The captures an archive knows of, as a table of its catalog: kind, start, end, seeds, facts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from webkeep.model import Capture, Moment
from webkeep.store.index.cache_database import CacheDatabase, SqlRow, as_integer

SCHEMA = """
CREATE TABLE IF NOT EXISTS capture (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    started INTEGER NOT NULL,
    finished INTEGER,
    seeds TEXT NOT NULL,
    facts TEXT NOT NULL
) STRICT;
"""


class CaptureTable:
    """Captures, each with a number that stands for it in other tables."""

    def __init__(self, database: CacheDatabase) -> None:
        self._database = database
        self._numbers: dict[str, int] = {}
        self._ids: dict[int, str] = {}

    def add(self, capture: Capture) -> None:
        """Add a capture, inside a transaction; the first description stays."""
        self._database.connection.execute(
            "INSERT OR IGNORE INTO capture (id, kind, started, finished, seeds, facts) VALUES (?,?,?,?,?,?)",
            (
                capture.id,
                capture.kind,
                capture.started.micros,
                capture.finished.micros if capture.finished else None,
                json.dumps(capture.seeds),
                json.dumps(dict(capture.facts)),
            ),
        )

    def finish(self, capture_id: str, finished: Moment, facts: Mapping[str, str]) -> None:
        """Note a capture's end, inside a transaction."""
        row = self._database.query_one("SELECT facts FROM capture WHERE id = ?", (capture_id,))
        if row is not None:
            merged = {**json.loads(str(row[0])), **facts}
            self._database.connection.execute(
                "UPDATE capture SET finished = ?, facts = ? WHERE id = ?",
                (finished.micros, json.dumps(merged), capture_id),
            )

    def all(self) -> Iterator[Capture]:
        """All captures, oldest first."""
        rows = self._database.query(
            "SELECT id, kind, started, finished, seeds, facts FROM capture ORDER BY started, id"
        )
        return map(_capture_from_row, rows)

    def number_of(self, capture_id: str) -> int | None:
        """The number that stands for a capture; None when it is not known."""
        number = self._numbers.get(capture_id)
        if number is None and capture_id:
            row = self._database.query_one("SELECT number FROM capture WHERE id = ?", (capture_id,))
            if row is None:
                return None
            number = self._numbers[capture_id] = as_integer(row[0])
        return number

    def id_of(self, number: int) -> str:
        """The identifier of the capture a number stands for."""
        found = self._ids.get(number)
        if found is None:
            row = self._database.query_one("SELECT id FROM capture WHERE number = ?", (number,))
            found = self._ids[number] = str(row[0]) if row else ""
        return found


def _capture_from_row(row: SqlRow) -> Capture:
    finished = None if row[3] is None else Moment(as_integer(row[3]))
    seeds = tuple(json.loads(str(row[4])))
    return Capture(str(row[0]), str(row[1]), Moment(as_integer(row[2])), finished, seeds, json.loads(str(row[5])))

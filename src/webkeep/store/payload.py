"""Payloads: which record holds the bytes that revisits refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.model import Digest, Moment, Place
from webkeep.store.database import Database, Row, integer

SCHEMA = """
CREATE TABLE IF NOT EXISTS payload (
    digest TEXT PRIMARY KEY,
    check_hash BLOB NOT NULL,
    content TEXT,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    record TEXT NOT NULL,
    url TEXT NOT NULL,
    moment INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""
COLUMNS = "digest, check_hash, content, offset, length, record, url, moment, file"
_SELECT = f"SELECT {COLUMNS} FROM payload"
_FIRST_STAYS = (
    "ON CONFLICT DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS.split(", "))
    + " WHERE (SELECT name FROM file WHERE number = excluded.file)"
    + " < (SELECT name FROM file WHERE number = payload.file)"
)


@dataclass(frozen=True, slots=True)
class Payload:
    """The record that holds a payload."""

    digest: str
    check: bytes
    """A second, quick hash of the payload; b"" where it is not known."""
    content: str | None
    """The digest of the decoded content; "" where that is the payload, None where it is not known."""
    place: Place
    record: str
    url: str
    moment: Moment


class Payloads:
    """The payloads an archive holds, by digest; the first record in the first file that holds one is referred to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, rows: Sequence[Row]) -> None:
        """Note which records hold payloads, inside a transaction."""
        self._database.insert("payload", COLUMNS, rows, _FIRST_STAYS)

    def get(self, digest: str) -> Payload | None:
        """The record that holds a payload."""
        row = self._database.one(f"{_SELECT} WHERE digest = ?", (canonical(digest),))
        return self._payload(row) if row else None

    def among(self, digests: Sequence[str]) -> list[Payload]:
        """The records that hold any of these payloads."""
        marks = ",".join("?" * len(digests))
        rows = self._database.query(f"{_SELECT} WHERE digest IN ({marks})", digests) if digests else ()
        return [self._payload(row) for row in rows]

    def _payload(self, row: Row) -> Payload:
        digest, check, content, offset, length, record, url, micros, file = row
        return Payload(
            str(digest),
            check if isinstance(check, bytes) else b"",
            None if content is None else str(content),
            Place(self._database.file_name(integer(file)), integer(offset), integer(length)),
            str(record),
            str(url),
            Moment(integer(micros)),
        )


def canonical(digest: str) -> str:
    """The one spelling under which payloads are filed; a digest of no known kind stays as it is."""
    if len(digest) == 37 and digest.startswith("sha1:") and digest[5:].isupper():
        return digest
    parsed = Digest.parse(digest)
    return str(parsed) if parsed else digest

"""Payloads: which record holds the bytes that revisits refer to, by digest; of several, the first record in the first
file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.model import Digest, Moment, RecordPlace
from webkeep.store.index.cache_database import CacheDatabase, SqlRow, as_integer

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
_KEEP_FIRST = (
    "ON CONFLICT DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS.split(", "))
    + " WHERE (SELECT name FROM file WHERE number = excluded.file)"
    + " < (SELECT name FROM file WHERE number = payload.file)"
)


@dataclass(frozen=True, slots=True)
class StoredPayload:
    """The record that holds a payload."""

    digest: str
    check: bytes
    """A second, quick hash of the payload; b"" where it is not known."""
    content: str | None
    """The digest of the decoded content; "" where that is the payload, None where it is not known."""
    place: RecordPlace
    record: str
    url: str
    moment: Moment
    holder: str = ""
    """Whose archive has the record, where that is another one."""


class PayloadTable:
    """The payloads an archive holds, by digest; the first record in the first file that holds one is referred to."""

    def __init__(self, database: CacheDatabase) -> None:
        self._database = database

    def add(self, rows: Sequence[SqlRow]) -> None:
        """Note which records hold payloads, inside a transaction."""
        self._database.insert("payload", COLUMNS, rows, _KEEP_FIRST)

    def get(self, digest: str) -> StoredPayload | None:
        """The record that holds a payload."""
        row = self._database.query_one(f"{_SELECT} WHERE digest = ?", (canonical_digest(digest),))
        return self._payload_from_row(row) if row else None

    def find_all(self, digests: Sequence[str]) -> list[StoredPayload]:
        """The records that hold any of these payloads."""
        marks = ",".join("?" * len(digests))
        rows = self._database.query(f"{_SELECT} WHERE digest IN ({marks})", digests) if digests else ()
        return [self._payload_from_row(row) for row in rows]

    def large(self, least_bytes: int) -> Iterator[StoredPayload]:
        """Payloads whose records take so many bytes at least, by digest."""
        return map(
            self._payload_from_row, self._database.query(f"{_SELECT} WHERE length >= ? ORDER BY digest", (least_bytes,))
        )

    def _payload_from_row(self, row: SqlRow) -> StoredPayload:
        digest, check, content, offset, length, record, url, micros, file = row
        return StoredPayload(
            str(digest),
            check if isinstance(check, bytes) else b"",
            None if content is None else str(content),
            RecordPlace(self._database.file_name(as_integer(file)), as_integer(offset), as_integer(length)),
            str(record),
            str(url),
            Moment(as_integer(micros)),
        )


def canonical_digest(digest: str) -> str:
    """The one spelling under which payloads are filed; a digest of no known kind stays as it is."""
    if len(digest) == 37 and digest.startswith("sha1:") and digest[5:].isupper():
        return digest
    parsed = Digest.parse(digest)
    return str(parsed) if parsed else digest

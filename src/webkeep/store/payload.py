"""Payloads: which record holds the bytes that revisits refer to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webkeep.model import Digest, Moment, Place
from webkeep.store.database import Database, Row, integer

SCHEMA = """
CREATE TABLE IF NOT EXISTS payload (
    digest TEXT PRIMARY KEY,
    content BLOB,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    record TEXT NOT NULL,
    url TEXT NOT NULL,
    moment INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""
_COLUMNS = "digest, content, file, offset, length, record, url, moment"
_SELECT = f"SELECT {_COLUMNS} FROM payload"


@dataclass(frozen=True, slots=True)
class Payload:
    """The record that holds a payload."""

    digest: str
    content: bytes | None
    """The SHA-256 of the decoded content, where it is known."""
    place: Place
    record: str
    url: str
    moment: Moment


class Payloads:
    """The payloads an archive holds, by digest; the first record that holds one stays the one referred to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, payloads: Iterable[Payload]) -> None:
        """Note which records hold payloads, inside a transaction."""
        number = self._database.file_number
        self._database.insert(
            "payload",
            _COLUMNS,
            [
                (
                    payload.digest,
                    payload.content,
                    number(payload.place.file),
                    payload.place.offset,
                    payload.place.length,
                    payload.record,
                    payload.url,
                    payload.moment.micros,
                )
                for payload in payloads
            ],
        )

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
        content = row[1] if isinstance(row[1], bytes) else None
        place = Place(self._database.file_name(integer(row[2])), integer(row[3]), integer(row[4]))
        return Payload(str(row[0]), content, place, str(row[5]), str(row[6]), Moment(integer(row[7])))


def canonical(digest: str) -> str:
    """The one spelling under which payloads are filed; a digest of no known kind stays as it is."""
    if len(digest) == 37 and digest.startswith("sha1:") and digest[5:].isupper():
        return digest
    parsed = Digest.parse(digest)
    return str(parsed) if parsed else digest

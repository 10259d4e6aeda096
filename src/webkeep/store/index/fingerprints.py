"""Fingerprints of pages, as a table of the catalog by the place of the record that holds the page.

A revisit has the fingerprint of the payload that it refers to. In a catalog of a version of webkeep that made none the
table is missing or has gaps: those who ask are told of none and that it `is_outdated`, and `webkeep rebuild` fills it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import cast

from webkeep.change.detection import PageFingerprint
from webkeep.model import Observation, RecordPlace
from webkeep.store.index.cache_database import CacheDatabase, SqlRow
from webkeep.store.index.payloads import canonical_digest

FINGERPRINT_TABLE = "page_fingerprint"
_FORMER_TABLE = "fingerprint"
"""That of earlier versions, whose hashes are of another kind: none of them is compared with those of today."""
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS {FINGERPRINT_TABLE} (
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (file, offset)
) STRICT, WITHOUT ROWID;
"""
_COLUMNS = "offset, packed, file"
FINGERPRINT_COLUMNS = "f.packed"
_SELECT = f"SELECT {FINGERPRINT_COLUMNS} FROM {FINGERPRINT_TABLE} f"
_AT_PLACE = f"{_SELECT} WHERE file = (SELECT number FROM file WHERE name = ?) AND offset = ?"
_OF_PAYLOAD = f"{_SELECT} WHERE (file, offset) = (SELECT p.file, p.offset FROM payload p WHERE p.digest = ?)"


class FingerprintTable:
    """Fingerprints of what the archive holds."""

    def __init__(self, database: CacheDatabase) -> None:
        self._database = database

    @cached_property
    def is_there(self) -> bool:
        """Whether there is such a table; not so in a catalog that was made before there were fingerprints."""
        return self._database.has_table(FINGERPRINT_TABLE)

    @cached_property
    def is_outdated(self) -> bool:
        """Whether records were taken in by a version of webkeep that made no fingerprints, or other ones."""
        return not self.is_there or self._database.has_table(_FORMER_TABLE)

    def add(self, rows: Sequence[SqlRow], file: int) -> None:
        """Add the fingerprints of pages in a file, inside a transaction."""
        self._database.insert(FINGERPRINT_TABLE, _COLUMNS, [(*row, file) for row in rows])

    def find(self, observation: Observation) -> PageFingerprint | None:
        """The fingerprint of what was observed; None where it is no page, or none was made."""
        return self.find_at(observation.place, str(observation.payload_digest or ""))

    def find_at(self, place: RecordPlace, payload: str) -> PageFingerprint | None:
        """The fingerprint of the record at a place, or of the payload that it refers to by its digest."""
        if not self.is_there:
            return None
        row = self._database.query_one(_AT_PLACE, (place.file, place.offset))
        if row is None and payload:
            row = self._database.query_one(_OF_PAYLOAD, (canonical_digest(payload),))
        return fingerprint_from_row(row) if row is not None else None


def fingerprint_from_row(row: SqlRow) -> PageFingerprint | None:
    """The fingerprint whose column this is; None where it is empty."""
    return None if row[0] is None else PageFingerprint.unpack(cast("bytes", row[0]))

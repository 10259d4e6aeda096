"""The catalog: captures, observations, payloads and the log of fates, findings and tombstones, in one SQLite file."""

from __future__ import annotations

from pathlib import Path

from webkeep.store.index import archive_log as ledger, captures, fingerprints, observations, payloads as payload
from webkeep.store.index.cache_database import CacheDatabase


class Catalog:
    """What an archive knows of itself beyond look-up by URL and time."""

    def __init__(self, path: Path, writable: bool = False) -> None:
        schema = captures.SCHEMA + observations.SCHEMA + payload.SCHEMA + ledger.SCHEMA
        self.database = CacheDatabase(path, schema, writable, later_tables=fingerprints.SCHEMA)
        self.captures = captures.CaptureTable(self.database)
        self.observations = observations.ObservationTable(self.database, self.captures)
        self.fingerprints = fingerprints.FingerprintTable(self.database)
        self.payloads = payload.PayloadTable(self.database)
        self.log = ledger.ArchiveLog(self.database)

    def drop_file(self, file: str) -> None:
        """Drop what one WARC file gave, inside a transaction; that it lost something stays known."""
        number = self.database.file_number(file)
        for table in ("observation", fingerprints.FINGERPRINT_TABLE, "payload", "fate", "tombstone"):
            self.database.connection.execute(f"DELETE FROM {table} WHERE file = ?", (number,))
        self.log.drop_findings(file)
        # Of a payload held twice only one holder is on file: the others take over.
        self.database.connection.execute(
            f"INSERT OR IGNORE INTO payload ({payload.COLUMNS}) "
            "SELECT payload, x'', content, offset, length, '', url, moment, file FROM observation "
            "WHERE type IN ('response', 'resource') AND size > 0 ORDER BY file, offset"
        )
        self.database.set_covered(file, 0)

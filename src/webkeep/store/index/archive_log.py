"""The log of an archive, in tables of its catalog: fates of URLs, findings and losses in files, tombstones of what was
taken down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from webkeep.model import Fate, Finding, Moment, UrlOutcome
from webkeep.store.index.cache_database import CacheDatabase, as_integer

SCHEMA = """
CREATE TABLE IF NOT EXISTS fate (
    capture TEXT NOT NULL,
    url TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    via TEXT NOT NULL,
    file INTEGER NOT NULL,
    PRIMARY KEY (capture, url)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS finding (
    source TEXT NOT NULL,
    offset INTEGER NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (source, offset, code)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tombstone (
    record TEXT NOT NULL,
    url TEXT NOT NULL,
    moment INTEGER NOT NULL,
    digest TEXT NOT NULL,
    removed INTEGER NOT NULL,
    reason TEXT NOT NULL,
    file INTEGER NOT NULL,
    PRIMARY KEY (record, removed, url, moment)
) STRICT, WITHOUT ROWID;
"""
_KEEP_LAST = """
ON CONFLICT DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason, via = excluded.via, file = excluded.file
WHERE (SELECT name FROM file WHERE number = excluded.file) >= (SELECT name FROM file WHERE number = fate.file)
"""
_IS_LOSS = "code IN ('file-gone', 'file-shrunk')"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What was taken down, when and why."""

    record: str
    url: str
    moment: Moment
    digest: str
    removed: Moment
    reason: str


class ArchiveLog:
    """What else an archive keeps about itself."""

    def __init__(self, database: CacheDatabase) -> None:
        self._database = database

    def add_fates(self, capture: str, fates: Iterable[Fate], file: str) -> None:
        """Note what became of URLs in a capture, inside a transaction; the latest word in the last file holds."""
        number = self._database.file_number(file)
        rows = [(capture, fate.url, fate.outcome.value, fate.reason, fate.via, number) for fate in fates]
        self._database.insert("fate", "capture, url, outcome, reason, via, file", rows, _KEEP_LAST)

    def fates(self, capture: str | None = None) -> Iterator[tuple[str, Fate]]:
        """The capture and the fate of every URL, by URL."""
        where, values = ("WHERE capture = ?", (capture,)) if capture else ("", ())
        sql = f"SELECT capture, url, outcome, reason, via FROM fate {where} ORDER BY url, capture"
        for row in self._database.query(sql, values):
            of, url, outcome, reason, via = map(str, row)
            yield of, Fate(url, UrlOutcome(outcome), reason, via)

    def fate(self, capture: str, url: str) -> Fate | None:
        """What became of one URL in a capture."""
        row = self._database.query_one(
            "SELECT outcome, reason, via FROM fate WHERE capture = ? AND url = ?", (capture, url)
        )
        return Fate(url, UrlOutcome(str(row[0])), str(row[1]), str(row[2])) if row else None

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Keep findings, inside a transaction."""
        self._database.connection.executemany(
            "INSERT OR REPLACE INTO finding (source, offset, code, message) VALUES (?,?,?,?)",
            [(finding.source, finding.offset, finding.code, finding.message) for finding in findings],
        )

    def findings(self) -> Iterator[Finding]:
        """The findings kept, by file and offset."""
        return self._select_findings("")

    def drop_findings(self, file: str) -> None:
        """Drop the findings in one file but for what it lost, inside a transaction."""
        self._database.connection.execute(f"DELETE FROM finding WHERE source = ? AND NOT {_IS_LOSS}", (file,))

    def set_loss(self, file: str, loss: Finding | None) -> None:
        """Keep what a file lost, or that nothing of it is missing any more, inside a transaction."""
        self._database.connection.execute(f"DELETE FROM finding WHERE source = ? AND {_IS_LOSS}", (file,))
        self.add_findings([loss] if loss else [])

    def losses(self) -> Iterator[Finding]:
        """The files that are gone or shorter than they were; the offset of each is where the file ended."""
        return self._select_findings(f"WHERE {_IS_LOSS}")

    def _select_findings(self, where: str) -> Iterator[Finding]:
        sql = f"SELECT source, offset, code, message FROM finding {where} ORDER BY source, offset"
        for source, offset, code, message in self._database.query(sql):
            yield Finding(str(code), str(source), as_integer(offset), str(message))

    def add_tombstones(self, tombstones: Iterable[Tombstone], file: str) -> None:
        """Keep tombstones, inside a transaction."""
        number = self._database.file_number(file)
        self._database.connection.executemany(
            "INSERT OR REPLACE INTO tombstone VALUES (?,?,?,?,?,?,?)",
            [(t.record, t.url, t.moment.micros, t.digest, t.removed.micros, t.reason, number) for t in tombstones],
        )

    def tombstone_count(self) -> int:
        """How much was taken down."""
        row = self._database.query_one("SELECT count(*) FROM tombstone")
        return as_integer(row[0]) if row else 0

    def tombstones(self, urls: Sequence[str] = ()) -> Iterator[Tombstone]:
        """What was taken down, oldest first; with URLs, only of these."""
        where = f"WHERE url IN ({', '.join('?' * len(urls))})" if urls else ""
        sql = (
            f"SELECT record, url, moment, digest, removed, reason FROM tombstone {where} ORDER BY removed, url, record"
        )
        for record, url, moment, digest, removed, reason in self._database.query(sql, tuple(urls)):
            seen, gone = Moment(as_integer(moment)), Moment(as_integer(removed))
            yield Tombstone(str(record), str(url), seen, str(digest), gone, str(reason))

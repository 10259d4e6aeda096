"""What a job's file tells of URLs: its tables, candidates, fates, the trails that led to them, texts kept beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from webkeep.frontier.urls import MAX_TRAIL_STEPS, Candidate, LruMap
from webkeep.model import Fate, UrlOutcome
from webkeep.store.jobs import job_database as job_texts
from webkeep.store.jobs.candidate_rows import CODES_BY_OUTCOME, OUTCOMES_BY_CODE, hash_url, unpack_candidate
from webkeep.store.jobs.job_database import JobDatabase

SCHEMA = f"""
CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    url TEXT NOT NULL,
    host INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    via INTEGER NOT NULL,
    facts INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    reason INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX known ON url (key);
CREATE INDEX queue ON url (host, rank) WHERE outcome = 0;
CREATE TABLE kept (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
{job_texts.TEXT_SCHEMA}
"""

_ROWS_PER_READ = 1000
"""Long lists are read in parts of so many rows, and never held whole."""
_BEYOND_ALL_IDS = 1 << 62
"""More than there are ever URLs."""
_MAX_CACHED_URLS = 5000
"""Pages lead to many URLs each, and their own is asked for with every one of them."""


class StoredUrls:
    """Reads the file of a capture's URLs; use it as a context manager, in one thread."""

    def __init__(self, path: Path) -> None:
        self._database = JobDatabase(path, SCHEMA)
        self._texts = job_texts.TextTable(self._database)
        self._urls: LruMap[int, str] = LruMap(_MAX_CACHED_URLS)

    def _read_integers(self, sql: str, values: Sequence[object] = ()) -> list[tuple[int, ...]]:
        return cast("list[tuple[int, ...]]", self._database.rows(sql, values))

    def candidates_with(self, outcome: UrlOutcome) -> Iterator[Candidate]:
        """The URLs of one outcome, in the order in which they were found."""
        sql = "SELECT id, url, host, rank, via, facts FROM url WHERE id > ? AND outcome = ? ORDER BY id LIMIT ?"
        last = 0
        while rows := self._read_rows(sql, (last, CODES_BY_OUTCOME[outcome], _ROWS_PER_READ)):
            for number, url, host, rank, via, facts in rows:
                yield unpack_candidate(number, url, self._texts.text_of(host), rank, via, facts)
                last = number

    def newest_first(self) -> Iterator[tuple[Candidate, UrlOutcome]]:
        """All URLs with what became of them by now, those that were found last first."""
        sql = "SELECT id, url, host, rank, via, facts, outcome FROM url WHERE id < ? ORDER BY id DESC LIMIT ?"
        last = _BEYOND_ALL_IDS
        while rows := self._read_rows(sql, (last, _ROWS_PER_READ)):
            for number, url, host, rank, via, facts, code in rows:
                name = self._texts.text_of(host)
                yield unpack_candidate(number, url, name, rank, via, facts), OUTCOMES_BY_CODE[code]
                last = number

    def fates(self) -> Iterator[Fate]:
        """What became of every URL, in the order in which they were found."""
        sql = """
        SELECT url.id, url.url, url.outcome, url.reason, source.url FROM url LEFT JOIN url source ON source.id = url.via
        WHERE url.id > ? ORDER BY url.id LIMIT ?
        """
        last = 0
        while rows := self._read_rows(sql, (last, _ROWS_PER_READ)):
            for number, url, code, reason, source in rows:
                yield Fate(url, OUTCOMES_BY_CODE[code], self._texts.text_of(reason), source or "")
                last = number

    def _read_rows(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        return self._database.rows(sql, values)

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL."""
        sql = "SELECT id, url, host, rank, via, facts FROM url WHERE key = ?"
        for number, known, host, rank, via, facts in self._read_rows(sql, (hash_url(url),)):
            return unpack_candidate(number, known, self._texts.text_of(host), rank, via, facts)
        return None

    def source_of(self, host: str) -> str:
        """The URL that led to one of a host's queued URLs; empty where none did."""
        sql = "SELECT via FROM url WHERE host = ? AND outcome = 0 AND via > 0 LIMIT 1"
        rows = self._read_integers(sql, (self._texts.number_of(host),))
        return self.url_of(rows[0][0]) if rows else ""

    def url_of(self, number: int) -> str:
        """The URL of a candidate by its number; empty for 0."""
        if not number:
            return ""
        url = self._urls.get(number)
        if url is None:
            rows = self._database.rows("SELECT url FROM url WHERE id = ?", (number,))
            url = str(rows[0][0]) if rows else ""
            self._urls[number] = url
        return url

    def trail(self, url: str, most: int = MAX_TRAIL_STEPS) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed."""
        return list(islice(self._walk_trail(url), most))

    def _walk_trail(self, url: str) -> Iterator[Fate]:
        where: str = "key = ?"
        value: bytes | int = hash_url(url)
        while True:
            rows = self._read_rows(f"SELECT via, url, outcome, reason FROM url WHERE {where}", (value,))
            if not rows:
                return
            via, known, code, reason = rows[0]
            yield Fate(known, OUTCOMES_BY_CODE[code], self._texts.text_of(reason), self.url_of(via))
            where, value = "id = ?", via

    def load_text(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        rows = self._database.rows("SELECT text FROM kept WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    def load_texts(self, prefix: str) -> list[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        sql = "SELECT name, text FROM kept WHERE substr(name, 1, ?) = ? ORDER BY name"
        return [(str(name), str(text)) for name, text in self._database.rows(sql, (len(prefix), prefix))]

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

"""The book of a capture on disk: every URL it came across, what is still to be asked for, and what became of the rest.

Millions of URLs have one small row each. A URL is known by a key of 16 bytes; hosts and reasons are numbers. What is
queued is a partial index by host and rank, and the beginnings of the queues are held in memory (`job_queue`). That a
candidate was taken is held in memory alone: after a crash it is queued again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

from webkeep.frontier import Candidate, Note, Settlement
from webkeep.frontier.book import LONGEST_TRAIL, due_micros, is_better, is_turned, late_rank
from webkeep.frontier.candidate import numbered
from webkeep.frontier.lately import Lately
from webkeep.model import Fate, Moment, Outcome
from webkeep.store import job_texts
from webkeep.store.job_database import JobDatabase
from webkeep.store.job_queue import Window, Windows
from webkeep.store.job_rows import CODES, OUTCOMES, key_of, packed, role_of, tries_of, unpacked

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
{job_texts.SCHEMA}
"""

_LOOKED_UP = 500
_SETTLED = 1000
_READ = 1000
_REMEMBERED = 5000

_INSERT = "INSERT INTO url (id, key, url, rank, via, facts, outcome, host, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_QUEUE = "UPDATE url SET rank = ?, via = ?, facts = ?, outcome = 0, reason = 0 WHERE id = ?"
_SETTLE = "UPDATE url SET outcome = ?, reason = ? WHERE id = ?"
_NEXT = """
SELECT id, url, rank, via, facts FROM url
WHERE host = ? AND outcome = 0 AND (rank, id) > (?, ?) ORDER BY rank, id LIMIT ?
"""


class _Known(NamedTuple):
    """What matters of a URL that is noted again."""

    id: int
    code: int
    rank: int
    facts: int


class JobBook:
    """A book in one file; use it as a context manager, in one thread."""

    def __init__(self, path: Path) -> None:
        self._database = JobDatabase(path, SCHEMA)
        self._texts = job_texts.Texts(self._database)
        self._windows = Windows()
        self._taken: set[int] = set()
        self._settled: list[tuple[int, int, int]] = []
        self._urls: Lately[int, str] = Lately(_REMEMBERED)
        self._counts: Counter[Outcome] = Counter()
        self._queued: Counter[str] = Counter()
        self._last = 0
        self._count()

    def _count(self) -> None:
        for code, count, last in self._ints("SELECT outcome, COUNT(*), MAX(id) FROM url GROUP BY outcome"):
            self._counts[OUTCOMES[code]] = count
            self._last = max(self._last, last)
        for host, count in self._ints("SELECT host, COUNT(*) FROM url WHERE outcome = 0 GROUP BY host"):
            self._queued[self._texts.text(host)] = count

    def _ints(self, sql: str, values: Sequence[object] = ()) -> list[tuple[int, ...]]:
        return cast("list[tuple[int, ...]]", self._database.rows(sql, values))

    # ---- entering ----

    def add(self, notes: Sequence[Note]) -> list[Candidate]:
        """Enter URLs; the answer is those that are queued now and were not before."""
        queued: list[Candidate] = []
        for first in range(0, len(notes), _LOOKED_UP):
            self._add(notes[first : first + _LOOKED_UP], queued)
        return queued

    def _add(self, notes: Sequence[Note], queued: list[Candidate]) -> None:
        keys = [key_of(note.candidate.url) for note in notes]
        known = self._known(keys)
        fresh: dict[bytes, Note] = {}
        later: list[tuple[bytes, Note]] = []
        for key, note in zip(keys, notes, strict=True):
            if key in known or key in fresh:
                # Most of what is known has nothing to say that could change it.
                if note.outcome is Outcome.QUEUED:
                    later.append((key, note))
            else:
                fresh[key] = note
        queued += self._insert(fresh, known)
        for key, note in later:
            candidate = self._reconsider(known, key, note)
            if candidate is not None:
                queued.append(candidate)

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, _Known]:
        # Few different lengths, so that the statement is mostly one that was prepared before.
        length = 1 << (len(keys) - 1).bit_length()
        asked = [*keys, *[keys[-1]] * (length - len(keys))]
        sql = f"SELECT key, id, outcome, rank, facts FROM url WHERE key IN ({','.join('?' * length)})"
        return {key: _Known(*known) for key, *known in self._read(sql, asked)}

    def _insert(self, fresh: Mapping[bytes, Note], known: dict[bytes, _Known]) -> list[Candidate]:
        """Enter URLs that are new; the answer is those that are queued."""
        rows: list[tuple[object, ...]] = []
        queued: list[Candidate] = []
        for key, (proposed, outcome, reason) in fresh.items():
            self._last += 1
            candidate = numbered(proposed, self._last)
            facts, code = packed(candidate), CODES[outcome]
            numbers = self._texts.number(candidate.host), self._texts.number(reason)
            rows.append((candidate.id, key, candidate.url, candidate.rank, candidate.via, facts, code, *numbers))
            known[key] = _Known(candidate.id, code, candidate.rank, facts)
            self._counts[outcome] += 1
            if outcome is Outcome.QUEUED:
                queued.append(candidate)
        self._database.write_many(_INSERT, rows)
        for candidate in queued:
            self._enqueue(candidate)
        return queued

    def _reconsider(self, known: dict[bytes, _Known], key: bytes, note: Note) -> Candidate | None:
        """Note a URL again that is known; the answer is the candidate if it is queued because of that."""
        number, code, rank, facts = known[key]
        outcome = OUTCOMES[code]
        turned = is_turned(outcome, role_of(facts), note)
        if turned:
            candidate = note.candidate._replace(id=number)
            self._counts[outcome] -= 1
            self._counts[Outcome.QUEUED] += 1
        elif outcome is Outcome.QUEUED and number not in self._taken and is_better(rank, note):
            candidate = note.candidate._replace(id=number, tries=tries_of(facts))
            self._unqueue(candidate)
        else:
            return None
        known[key] = _Known(number, CODES[Outcome.QUEUED], candidate.rank, packed(candidate))
        self._write_queued(candidate)
        return candidate if turned else None

    def _write_queued(self, candidate: Candidate) -> None:
        self._database.write(_QUEUE, (candidate.rank, candidate.via, packed(candidate), candidate.id))
        self._enqueue(candidate)

    def _enqueue(self, candidate: Candidate) -> None:
        """Count a candidate as queued, and hold it if its turn is near."""
        host = candidate.host
        if not self._queued[host]:
            self._windows.window(host).horizon = None
        self._queued[host] += 1
        self._windows.put(candidate)

    def _unqueue(self, candidate: Candidate) -> None:
        self._queued[candidate.host] -= 1
        self._windows.drop(candidate.host, candidate.id)

    def renew(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it."""
        known = self._known([key_of(candidate.url)])
        if not known:
            return self.add([Note(candidate)])[0]
        ((number, code, _, _),) = known.values()
        renewed = candidate._replace(id=number)
        if OUTCOMES[code] is Outcome.QUEUED and number not in self._taken:
            self._unqueue(renewed)
        self._taken.discard(number)
        self._counts[OUTCOMES[code]] -= 1
        self._counts[Outcome.QUEUED] += 1
        self._write_queued(renewed)
        return renewed

    # ---- taking ----

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now."""
        taken: list[Candidate] = []
        while len(taken) < count and (window := self._filled(host)) is not None:
            first = window.first()
            if first is None or due_micros(first.rank) > now.micros:
                break
            self._windows.pop(window)
            self._queued[host] -= 1
            self._taken.add(first.id)
            taken.append(first)
        return taken

    def claim(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued."""
        sql = "SELECT url, host, rank, via, facts FROM url WHERE id = ? AND outcome = 0"
        if number in self._taken or not (rows := self._read(sql, (number,))):
            return None
        url, host, rank, via, facts = rows[0]
        candidate = unpacked(number, url, self._texts.text(host), rank, via, facts)
        self._unqueue(candidate)
        self._taken.add(number)
        return candidate

    def due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for."""
        window = self._filled(host)
        first = None if window is None else window.first()
        return None if first is None else Moment(due_micros(first.rank))

    def _filled(self, host: str) -> Window | None:
        """The window of a host, holding at least its next candidate; None where it has none."""
        if not self._queued[host]:
            del self._queued[host]
            self._windows.close(host)
            return None
        window = self._windows.window(host)
        while window.first() is None and window.horizon is not None:
            self._fill(host, window.horizon)
        return window

    def _fill(self, host: str, horizon: tuple[int, int]) -> None:
        self._flush()
        number, count = self._texts.number(host), self._windows.share
        rows = cast("list[tuple[int, str, int, int, int]]", self._database.rows(_NEXT, (number, *horizon, count)))
        candidates = [
            unpacked(number, url, host, rank, via, facts)
            for number, url, rank, via, facts in rows
            if number not in self._taken
        ]
        self._windows.fill(host, candidates, (rows[-1][2], rows[-1][0]) if len(rows) == count else None)

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again."""
        self._taken.discard(candidate.id)
        self._write_queued(candidate if not_before is None else candidate._replace(rank=late_rank(not_before)))

    # ---- settling ----

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Write down what became of candidates."""
        for number, outcome, reason in settlements:
            if number in self._taken:
                self._taken.remove(number)
                self._counts[Outcome.QUEUED] -= 1
            else:
                self._leave(number)
            self._counts[outcome] += 1
            self._settled.append((CODES[outcome], self._texts.number(reason), number))
        if len(self._settled) >= _SETTLED:
            self._flush()

    def _leave(self, number: int) -> None:
        """Count a URL that was not taken as what it was no longer."""
        self._flush()
        for code, host in self._ints("SELECT outcome, host FROM url WHERE id = ?", (number,)):
            self._counts[OUTCOMES[code]] -= 1
            if OUTCOMES[code] is Outcome.QUEUED:
                self._queued[self._texts.text(host)] -= 1
                self._windows.drop(self._texts.text(host), number)

    def settle_queued(self, outcome: Outcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued and not taken, of one host or of all."""
        self._flush()
        values: list[object] = [CODES[outcome], self._texts.number(reason), json.dumps(sorted(self._taken))]
        where = "outcome = 0 AND id NOT IN (SELECT value FROM json_each(?))"
        if host:
            where += " AND host = ?"
            values.append(self._texts.number(host))
            self._windows.close(host)
            del self._queued[host]
        else:
            self._windows.clear()
            self._queued.clear()
        settled = self._database.write(f"UPDATE url SET outcome = ?, reason = ? WHERE {where}", values)
        self._counts[Outcome.QUEUED] -= settled
        self._counts[outcome] += settled
        return settled

    def _flush(self) -> None:
        """Write the settlements, which are gathered because one by one they would cost more."""
        if self._settled:
            self._database.write_many(_SETTLE, self._settled)
            self._settled.clear()

    # ---- telling ----

    def hosts(self) -> list[str]:
        """The hosts that have something queued."""
        return [host for host, count in self._queued.items() if count]

    def queued(self, host: str) -> int:
        """How many candidates of a host are queued and not taken."""
        return self._queued[host]

    def counts(self) -> Mapping[Outcome, int]:
        """How many URLs there are of each outcome."""
        return {outcome: self._counts[outcome] for outcome in Outcome}

    def candidates(self, outcome: Outcome) -> Iterator[Candidate]:
        """The URLs of one outcome, in the order in which they were found."""
        sql = "SELECT id, url, host, rank, via, facts FROM url WHERE id > ? AND outcome = ? ORDER BY id LIMIT ?"
        last = 0
        while rows := self._read(sql, (last, CODES[outcome], _READ)):
            for number, url, host, rank, via, facts in rows:
                yield unpacked(number, url, self._texts.text(host), rank, via, facts)
                last = number

    def fates(self) -> Iterator[Fate]:
        """What became of every URL, in the order in which they were found."""
        sql = """
        SELECT url.id, url.url, url.outcome, url.reason, source.url FROM url LEFT JOIN url source ON source.id = url.via
        WHERE url.id > ? ORDER BY url.id LIMIT ?
        """
        last = 0
        while rows := self._read(sql, (last, _READ)):
            for number, url, code, reason, source in rows:
                yield Fate(url, OUTCOMES[code], self._texts.text(reason), source or "")
                last = number

    def _read(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        self._flush()
        return self._database.rows(sql, values)

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL."""
        sql = "SELECT id, url, host, rank, via, facts FROM url WHERE key = ?"
        for number, known, host, rank, via, facts in self._read(sql, (key_of(url),)):
            return unpacked(number, known, self._texts.text(host), rank, via, facts)
        return None

    def source_of(self, host: str) -> str:
        """The URL that led to one of a host's queued URLs; empty where none did."""
        sql = "SELECT via FROM url WHERE host = ? AND outcome = 0 AND via > 0 LIMIT 1"
        rows = self._ints(sql, (self._texts.number(host),))
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

    def trail(self, url: str, most: int = LONGEST_TRAIL) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed."""
        return list(islice(self._trail(url), most))

    def _trail(self, url: str) -> Iterator[Fate]:
        where: str = "key = ?"
        value: bytes | int = key_of(url)
        while True:
            rows = self._read(f"SELECT via, url, outcome, reason FROM url WHERE {where}", (value,))
            if not rows:
                return
            via, known, code, reason = rows[0]
            yield Fate(known, OUTCOMES[code], self._texts.text(reason), self.url_of(via))
            where, value = "id = ?", via

    # ---- keeping ----

    def keep(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        self._database.write("INSERT OR REPLACE INTO kept (name, text) VALUES (?, ?)", (name, text))

    def kept(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        rows = self._database.rows("SELECT text FROM kept WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    def kept_beginning(self, prefix: str) -> list[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        sql = "SELECT name, text FROM kept WHERE substr(name, 1, ?) = ? ORDER BY name"
        return [(str(name), str(text)) for name, text in self._database.rows(sql, (len(prefix), prefix))]

    @property
    def is_due(self) -> bool:
        """Whether it is time to put things on disk."""
        return self._database.is_due

    def commit(self, at_once: bool = False) -> None:
        """Put what was entered and settled on disk, where it is much or some time has passed."""
        self._flush()
        self._database.commit(at_once)

    def close(self) -> None:
        """Put everything on disk."""
        try:
            self._flush()
        finally:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

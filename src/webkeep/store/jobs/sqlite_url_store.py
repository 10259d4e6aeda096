"""The frontier's URL store on disk: every URL that a capture came across, what is still to be asked for, by host and
rank, and what became of the rest.

Millions of URLs have one small row each. A URL is known by a key of 16 bytes; hosts and reasons are numbers. What is
queued is a partial index by host and rank, and the beginnings of the queues are held in memory (`queue_heads`). That a
candidate was taken is held in memory alone: after a crash it is queued again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from webkeep.frontier.urls import (
    Admission,
    Candidate,
    Settlement,
    deferred_rank,
    due_micros,
    is_shorter_way,
    may_promote,
    may_requeue,
    with_id,
)
from webkeep.model import STORED_OUTCOMES, Moment, UrlOutcome
from webkeep.store.jobs.candidate_rows import (
    CODES_BY_OUTCOME,
    OUTCOMES_BY_CODE,
    hash_url,
    pack_candidate,
    unpack_candidate,
    unpack_role,
    unpack_tries,
)
from webkeep.store.jobs.queue_heads import QueueHead, QueueHeads
from webkeep.store.jobs.stored_urls import StoredUrls

_URLS_PER_LOOKUP = 500
"""SQLite bounds the values of one statement; these are rounded up to 512."""
_OUTCOMES_PER_WRITE = 1000
"""Outcomes are gathered, because one by one they would cost more."""
_INSERT_URL = (
    "INSERT INTO url (id, key, url, rank, via, facts, outcome, host, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE_QUEUED = "UPDATE url SET rank = ?, via = ?, facts = ?, outcome = 0, reason = 0 WHERE id = ?"
_UPDATE_FACTS = "UPDATE url SET facts = ? WHERE id = ?"
_UPDATE_OUTCOME = "UPDATE url SET outcome = ?, reason = ? WHERE id = ?"
_SELECT_NEXT = """
SELECT id, url, rank, via, facts FROM url
WHERE host = ? AND outcome = 0 AND (rank, id) > (?, ?) ORDER BY rank, id LIMIT ?
"""


class _KnownUrl(NamedTuple):
    """What matters of a URL that is noted again."""

    id: int
    code: int
    rank: int
    facts: int


class SqliteUrlStore(StoredUrls):
    """A URL store in one file; use it as a context manager, in one thread."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._heads = QueueHeads()
        self._taken: set[int] = set()
        self._unwritten_outcomes: list[tuple[int, int, int]] = []
        self._counts: Counter[UrlOutcome] = Counter()
        self._queued: Counter[str] = Counter()
        self._last_id = 0
        self._load_counts()

    def _load_counts(self) -> None:
        for code, count, last in self._read_integers("SELECT outcome, COUNT(*), MAX(id) FROM url GROUP BY outcome"):
            self._counts[OUTCOMES_BY_CODE[code]] = count
            self._last_id = max(self._last_id, last)
        for host, count in self._read_integers("SELECT host, COUNT(*) FROM url WHERE outcome = 0 GROUP BY host"):
            self._queued[self._texts.text_of(host)] = count

    # ---- entering ----

    def add(self, admissions: Sequence[Admission]) -> list[Candidate]:
        """Enter URLs; the answer is those that are queued now and were not before."""
        queued: list[Candidate] = []
        for first in range(0, len(admissions), _URLS_PER_LOOKUP):
            self._add_batch(admissions[first : first + _URLS_PER_LOOKUP], queued)
        return queued

    def _add_batch(self, admissions: Sequence[Admission], queued: list[Candidate]) -> None:
        keys = [hash_url(admission.candidate.url) for admission in admissions]
        known = self._find_known(keys)
        fresh: dict[bytes, Admission] = {}
        later: list[tuple[int, bytes, Admission]] = []
        places: dict[str, int] = {}
        for place, (key, note) in enumerate(zip(keys, admissions, strict=True)):
            if key in known or key in fresh:
                # Most of what is known has nothing to say that could change it.
                if note.outcome is UrlOutcome.QUEUED:
                    later.append((place, key, note))
            else:
                fresh[key] = note
                places[note.candidate.url] = place
        turned = [(places[candidate.url], candidate) for candidate in self._insert_new(fresh, known)]
        for place, key, note in later:
            candidate = self._reconsider(known, key, note)
            if candidate is not None:
                turned.append((place, candidate))
        # Hosts take turns in the order of what was noted, whether it was known or new.
        queued += [candidate for _, candidate in sorted(turned)]

    def _find_known(self, keys: Sequence[bytes]) -> dict[bytes, _KnownUrl]:
        # Few different lengths, so that the statement is mostly one that was prepared before.
        length = 1 << (len(keys) - 1).bit_length()
        asked = [*keys, *[keys[-1]] * (length - len(keys))]
        sql = f"SELECT key, id, outcome, rank, facts FROM url WHERE key IN ({','.join('?' * length)})"
        return {key: _KnownUrl(*known) for key, *known in self._read_rows(sql, asked)}

    def _insert_new(self, fresh: Mapping[bytes, Admission], known: dict[bytes, _KnownUrl]) -> list[Candidate]:
        """Enter URLs that are new; the answer is those that are queued."""
        rows: list[tuple[object, ...]] = []
        queued: list[Candidate] = []
        for key, (proposed, outcome, reason) in fresh.items():
            self._last_id += 1
            candidate = with_id(proposed, self._last_id)
            facts, code = pack_candidate(candidate), CODES_BY_OUTCOME[outcome]
            numbers = self._texts.number_of(candidate.host), self._texts.number_of(reason)
            rows.append((candidate.id, key, candidate.url, candidate.rank, candidate.via, facts, code, *numbers))
            known[key] = _KnownUrl(candidate.id, code, candidate.rank, facts)
            self._counts[outcome] += 1
            if outcome is UrlOutcome.QUEUED:
                queued.append(candidate)
        self._database.write_many(_INSERT_URL, rows)
        for candidate in queued:
            self._enqueue(candidate)
        return queued

    def _reconsider(self, known: dict[bytes, _KnownUrl], key: bytes, admission: Admission) -> Candidate | None:
        """Note a URL again that is known; the answer is the candidate if it is queued because of that."""
        number, code, rank, facts = known[key]
        outcome = OUTCOMES_BY_CODE[code]
        turned = may_requeue(outcome, unpack_role(facts), admission)
        if turned:
            candidate = admission.candidate._replace(id=number)
            self._counts[outcome] -= 1
            self._counts[UrlOutcome.QUEUED] += 1
        elif outcome is UrlOutcome.QUEUED and number not in self._taken and may_promote(rank, admission):
            candidate = admission.candidate._replace(id=number, tries=unpack_tries(facts))
            self._dequeue(candidate)
        else:
            return None
        known[key] = _KnownUrl(number, CODES_BY_OUTCOME[UrlOutcome.QUEUED], candidate.rank, pack_candidate(candidate))
        self._write_queued(candidate)
        return candidate if turned else None

    def _write_queued(self, candidate: Candidate) -> None:
        self._database.write(_UPDATE_QUEUED, (candidate.rank, candidate.via, pack_candidate(candidate), candidate.id))
        self._enqueue(candidate)

    def _enqueue(self, candidate: Candidate) -> None:
        """Count a candidate as queued, and hold it if its turn is near."""
        host = candidate.host
        if not self._queued[host]:
            self._heads.head_of(host).cover_all()
        self._queued[host] += 1
        self._heads.put(candidate)

    def _dequeue(self, candidate: Candidate) -> None:
        self._queued[candidate.host] -= 1
        self._heads.drop(candidate.host, candidate.id)

    def requeue(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it."""
        known = self._find_known([hash_url(candidate.url)])
        if not known:
            return self.add([Admission(candidate)])[0]
        ((number, code, _, _),) = known.values()
        renewed = candidate._replace(id=number)
        if OUTCOMES_BY_CODE[code] is UrlOutcome.QUEUED and number not in self._taken:
            self._dequeue(renewed)
        self._taken.discard(number)
        self._counts[OUTCOMES_BY_CODE[code]] -= 1
        self._counts[UrlOutcome.QUEUED] += 1
        self._write_queued(renewed)
        return renewed

    def shorten(self, ways: Sequence[Candidate]) -> list[str]:
        """Write down ways to known URLs; the answer is those that were taken or answered on a longer one."""
        shortened: list[str] = []
        for first in range(0, len(ways), _URLS_PER_LOOKUP):
            batch = ways[first : first + _URLS_PER_LOOKUP]
            keys = [hash_url(way.url) for way in batch]
            known = self._find_known(keys)
            for key, way in zip(keys, batch, strict=True):
                number, code, rank, facts = known[key]
                longer = unpack_candidate(number, way.url, way.host, rank, way.via, facts)
                if is_shorter_way(way, longer):
                    shorter = longer._replace(depth=way.depth, outside=way.outside)
                    known[key] = _KnownUrl(number, code, rank, pack_candidate(shorter))
                    if self._write_shorter_way(shorter, OUTCOMES_BY_CODE[code]):
                        shortened.append(way.url)
        return shortened

    def _write_shorter_way(self, candidate: Candidate, outcome: UrlOutcome) -> bool:
        """Write down where a URL stands now; the answer is whether it was asked for on a longer way."""
        if outcome is UrlOutcome.QUEUED and candidate.id not in self._taken:
            self._dequeue(candidate)
            self._write_queued(candidate)
            return False
        self._database.write(_UPDATE_FACTS, (pack_candidate(candidate), candidate.id))
        return outcome is UrlOutcome.QUEUED or outcome in STORED_OUTCOMES

    # ---- taking ----

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now."""
        taken: list[Candidate] = []
        while len(taken) < count and (window := self._next_head(host)) is not None:
            first = window.first()
            if first is None or due_micros(first.rank) > now.micros:
                break
            self._heads.pop(window)
            self._queued[host] -= 1
            self._taken.add(first.id)
            taken.append(first)
        return taken

    def take_by_id(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued."""
        sql = "SELECT url, host, rank, via, facts FROM url WHERE id = ? AND outcome = 0"
        if number in self._taken or not (rows := self._read_rows(sql, (number,))):
            return None
        url, host, rank, via, facts = rows[0]
        candidate = unpack_candidate(number, url, self._texts.text_of(host), rank, via, facts)
        self._dequeue(candidate)
        self._taken.add(number)
        return candidate

    def next_due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for."""
        window = self._next_head(host)
        first = None if window is None else window.first()
        return None if first is None else Moment(due_micros(first.rank))

    def _next_head(self, host: str) -> QueueHead | None:
        """The queue head of a host, holding at least its next candidate; None where it has none."""
        if not self._queued[host]:
            del self._queued[host]
            self._heads.close(host)
            return None
        window = self._heads.head_of(host)
        while window.first() is None and window.horizon is not None:
            self._fill_head(host, window.horizon)
        return window

    def _fill_head(self, host: str, horizon: tuple[int, int]) -> None:
        self._flush_outcomes()
        number, count = self._texts.number_of(host), self._heads.fair_share
        rows = cast(
            "list[tuple[int, str, int, int, int]]", self._database.rows(_SELECT_NEXT, (number, *horizon, count))
        )
        candidates = [
            unpack_candidate(number, url, host, rank, via, facts)
            for number, url, rank, via, facts in rows
            if number not in self._taken
        ]
        self._heads.fill(host, candidates, (rows[-1][2], rows[-1][0]) if len(rows) == count else None)

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again."""
        self._taken.discard(candidate.id)
        known = self.find(candidate.url)
        if known is not None and is_shorter_way(known, candidate):
            candidate = candidate._replace(depth=known.depth, outside=known.outside)
        self._write_queued(candidate if not_before is None else candidate._replace(rank=deferred_rank(not_before)))

    # ---- settling ----

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Write down what became of candidates."""
        for number, outcome, reason in settlements:
            if number in self._taken:
                self._taken.remove(number)
                self._counts[UrlOutcome.QUEUED] -= 1
            else:
                self._uncount(number)
            self._counts[outcome] += 1
            self._unwritten_outcomes.append((CODES_BY_OUTCOME[outcome], self._texts.number_of(reason), number))
        if len(self._unwritten_outcomes) >= _OUTCOMES_PER_WRITE:
            self._flush_outcomes()

    def _uncount(self, number: int) -> None:
        """Count a URL that was not taken as what it was no longer."""
        self._flush_outcomes()
        for code, host in self._read_integers("SELECT outcome, host FROM url WHERE id = ?", (number,)):
            self._counts[OUTCOMES_BY_CODE[code]] -= 1
            if OUTCOMES_BY_CODE[code] is UrlOutcome.QUEUED:
                self._queued[self._texts.text_of(host)] -= 1
                self._heads.drop(self._texts.text_of(host), number)

    def settle_queued(self, outcome: UrlOutcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued and not taken, of one host or of all."""
        self._flush_outcomes()
        values: list[object] = [
            CODES_BY_OUTCOME[outcome],
            self._texts.number_of(reason),
            json.dumps(sorted(self._taken)),
        ]
        where = "outcome = 0 AND id NOT IN (SELECT value FROM json_each(?))"
        if host:
            where += " AND host = ?"
            values.append(self._texts.number_of(host))
            self._heads.close(host)
            del self._queued[host]
        else:
            self._heads.clear()
            self._queued.clear()
        settled = self._database.write(f"UPDATE url SET outcome = ?, reason = ? WHERE {where}", values)
        self._counts[UrlOutcome.QUEUED] -= settled
        self._counts[outcome] += settled
        return settled

    def _read_rows(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        self._flush_outcomes()
        return super()._read_rows(sql, values)

    def _flush_outcomes(self) -> None:
        """Write the settlements, which are gathered because one by one they would cost more."""
        if self._unwritten_outcomes:
            self._database.write_many(_UPDATE_OUTCOME, self._unwritten_outcomes)
            self._unwritten_outcomes.clear()

    # ---- telling ----

    def queued_hosts(self) -> list[str]:
        """The hosts that have something queued."""
        return [host for host, count in self._queued.items() if count]

    def queued_count(self, host: str) -> int:
        """How many candidates of a host are queued and not taken."""
        return self._queued[host]

    def outcome_counts(self) -> Mapping[UrlOutcome, int]:
        """How many URLs there are of each outcome."""
        return {outcome: self._counts[outcome] for outcome in UrlOutcome}

    # ---- keeping ----

    def save_text(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        self._database.write("INSERT OR REPLACE INTO kept (name, text) VALUES (?, ?)", (name, text))

    @property
    def is_commit_due(self) -> bool:
        """Whether it is time to put things on disk."""
        return self._database.is_commit_due

    def commit(self, at_once: bool = False) -> None:
        """Put what was entered and settled on disk, where it is much or some time has passed."""
        self._flush_outcomes()
        self._database.commit(at_once)

    def close(self) -> None:
        """Put everything on disk."""
        try:
            self._flush_outcomes()
        finally:
            super().close()

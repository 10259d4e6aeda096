"""The URL store in memory, for crawls of the laboratory and of tests: queues by host, outcomes and trails, with nothing
kept on disk.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from webkeep.frontier.urls import (
    MAX_TRAIL_STEPS,
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
from webkeep.model import STORED_OUTCOMES, Fate, Moment, UrlOutcome


@dataclass(slots=True)
class _UrlEntry:
    candidate: Candidate
    outcome: UrlOutcome
    reason: str
    taken: bool = False


class MemoryUrlStore:
    """A URL store for captures that fit into memory and are not resumed."""

    def __init__(self) -> None:
        self._entries: list[_UrlEntry] = []
        self._ids: dict[str, int] = {}
        self._queues: dict[str, list[tuple[int, int]]] = {}
        self._queued: Counter[str] = Counter()
        self._counts: Counter[UrlOutcome] = Counter()
        self._texts: dict[str, str] = {}

    def add(self, admissions: Sequence[Admission]) -> list[Candidate]:
        """Enter URLs; the answer is those that are queued now and were not before."""
        return [queued for admission in admissions if (queued := self._add(admission)) is not None]

    def _add(self, admission: Admission) -> Candidate | None:
        number = self._ids.get(admission.candidate.url)
        if number is None:
            return self._insert(admission)
        entry = self._entries[number - 1]
        if may_requeue(entry.outcome, entry.candidate.role, admission):
            return self._queue(entry, admission.candidate._replace(id=number))
        if self._may_promote(entry, admission):
            self._queued[entry.candidate.host] -= 1
            self._queue(entry, admission.candidate._replace(id=number, tries=entry.candidate.tries))
        return None

    @staticmethod
    def _may_promote(entry: _UrlEntry, admission: Admission) -> bool:
        still = entry.outcome is UrlOutcome.QUEUED and not entry.taken
        return still and may_promote(entry.candidate.rank, admission)

    def _insert(self, admission: Admission) -> Candidate | None:
        number = len(self._entries) + 1
        candidate = with_id(admission.candidate, number)
        entry = _UrlEntry(candidate, admission.outcome, admission.reason)
        self._entries.append(entry)
        self._ids[candidate.url] = number
        self._counts[admission.outcome] += 1
        return self._queue(entry, candidate) if admission.outcome is UrlOutcome.QUEUED else None

    def _queue(self, entry: _UrlEntry, candidate: Candidate) -> Candidate:
        self._counts[entry.outcome] -= 1
        self._counts[UrlOutcome.QUEUED] += 1
        entry.candidate, entry.outcome, entry.reason, entry.taken = candidate, UrlOutcome.QUEUED, "", False
        heapq.heappush(self._queues.setdefault(candidate.host, []), (candidate.rank, candidate.id))
        self._queued[candidate.host] += 1
        return candidate

    def requeue(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it."""
        number = self._ids.get(candidate.url)
        if number is None:
            self._insert(Admission(candidate))
            return self._entries[-1].candidate
        entry = self._entries[number - 1]
        if entry.outcome is UrlOutcome.QUEUED and not entry.taken:
            self._queued[entry.candidate.host] -= 1
        return self._queue(entry, candidate._replace(id=number))

    def shorten(self, ways: Sequence[Candidate]) -> list[str]:
        """Write down ways to known URLs; the answer is those that were taken or answered on a longer one."""
        shortened = []
        for way in ways:
            entry = self._entries[self._ids[way.url] - 1]
            if is_shorter_way(way, entry.candidate):
                is_waiting = entry.outcome is UrlOutcome.QUEUED and not entry.taken
                via = way.via if is_waiting else entry.candidate.via
                entry.candidate = entry.candidate._replace(depth=way.depth, outside=way.outside, via=via)
                if entry.taken or entry.outcome in STORED_OUTCOMES:
                    shortened.append(way.url)
        return shortened

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now."""
        taken: list[Candidate] = []
        queue = self._queues.get(host, [])
        while (
            len(taken) < count
            and (entry := self._first_queued(host))
            and due_micros(entry.candidate.rank) <= now.micros
        ):
            heapq.heappop(queue)
            entry.taken = True
            self._queued[host] -= 1
            taken.append(entry.candidate)
        return taken

    def take_by_id(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued."""
        entry = self._entries[number - 1]
        if entry.outcome is not UrlOutcome.QUEUED or entry.taken:
            return None
        entry.taken = True
        self._queued[entry.candidate.host] -= 1
        return entry.candidate

    def _first_queued(self, host: str) -> _UrlEntry | None:
        """The first of a host's queue, after what is there no longer was dropped from its beginning."""
        queue = self._queues.get(host)
        while queue:
            rank, number = queue[0]
            entry = self._entries[number - 1]
            if entry.outcome is UrlOutcome.QUEUED and not entry.taken and entry.candidate.rank == rank:
                return entry
            heapq.heappop(queue)
        self._queues.pop(host, None)
        return None

    def next_due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for."""
        entry = self._first_queued(host)
        return None if entry is None else Moment(due_micros(entry.candidate.rank))

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again."""
        entry = self._entries[candidate.id - 1]
        if is_shorter_way(entry.candidate, candidate):
            candidate = candidate._replace(depth=entry.candidate.depth, outside=entry.candidate.outside)
        self._queue(entry, candidate if not_before is None else candidate._replace(rank=deferred_rank(not_before)))

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Write down what became of candidates."""
        for number, outcome, reason in settlements:
            self._settle(self._entries[number - 1], outcome, reason)

    def _settle(self, entry: _UrlEntry, outcome: UrlOutcome, reason: str) -> None:
        if entry.outcome is UrlOutcome.QUEUED and not entry.taken:
            self._queued[entry.candidate.host] -= 1
        self._counts[entry.outcome] -= 1
        self._counts[outcome] += 1
        entry.outcome, entry.reason, entry.taken = outcome, reason, False

    def settle_queued(self, outcome: UrlOutcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued and not taken, of one host or of all."""
        settled = 0
        for each in [host] if host else list(self._queues):
            while (entry := self._first_queued(each)) is not None:
                self._settle(entry, outcome, reason)
                settled += 1
        return settled

    def queued_hosts(self) -> list[str]:
        """The hosts that have something queued."""
        return [host for host in list(self._queues) if self._first_queued(host) is not None]

    def queued_count(self, host: str) -> int:
        """How many candidates of a host are queued and not taken."""
        return self._queued[host]

    def outcome_counts(self) -> Mapping[UrlOutcome, int]:
        """How many URLs there are of each outcome."""
        return {outcome: self._counts[outcome] for outcome in UrlOutcome}

    def candidates_with(self, outcome: UrlOutcome) -> Iterator[Candidate]:
        """The URLs of one outcome."""
        for entry in self._entries:
            if entry.outcome is outcome:
                yield entry.candidate

    def fates(self) -> Iterator[Fate]:
        """What became of every URL."""
        return map(self._fate, self._entries)

    def _fate(self, entry: _UrlEntry) -> Fate:
        via = entry.candidate.via
        return Fate(
            entry.candidate.url, entry.outcome, entry.reason, self._entries[via - 1].candidate.url if via else ""
        )

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL."""
        number = self._ids.get(url)
        return None if number is None else self._entries[number - 1].candidate

    def trail(self, url: str, most: int = MAX_TRAIL_STEPS) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed."""
        trail: list[Fate] = []
        number = self._ids.get(url, 0)
        while number and len(trail) < most:
            entry = self._entries[number - 1]
            trail.append(self._fate(entry))
            number = entry.candidate.via
        return trail

    def save_text(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        self._texts[name] = text

    def load_text(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        return self._texts.get(name, "")

    def load_texts(self, prefix: str) -> list[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        return sorted(each for each in self._texts.items() if each[0].startswith(prefix))

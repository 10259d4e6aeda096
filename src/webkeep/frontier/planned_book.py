"""A book whose URLs are taken in the order of a strategy for coherent captures, and asked for again at the end.

Theory of operation. Whatever book lies beneath keeps every URL; those that the strategy is to order are put so far
behind all others that their turn would never come, and are claimed one by one as the course says. A host's sitemaps
come first: while one is awaited none of the others has its turn, because what it tells belongs into the plan. Revisits
are in memory alone: they are of URLs whose fates stand, and can be told again from what was stored.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from webkeep.frontier.book import LATE, LONGEST_TRAIL, Book, Note, Settlement
from webkeep.frontier.candidate import Candidate, Role, ranked
from webkeep.frontier.course import Course
from webkeep.model import Fate, Moment, Outcome

_NEVER = 1 << 55
"""Later than any moment that something could be put back for, in microseconds."""
_HELD = LATE + _NEVER
"""From here on ranks are of what is held back; what is above this is the rank it would have, folded."""
_BAND, _WITHIN = 56, (1 << 41) - 1
_NOW = Moment(0)
_ORDERED = frozenset({Role.SEED, Role.EMBED, Role.NAVIGATE})
_KEPT = frozenset({Outcome.STORED, Outcome.DUPLICATE})


class PlannedBook:
    """A book over another one, with a course."""

    def __init__(self, book: Book, course: Course, seeds_first: bool = False) -> None:
        """`seeds_first` is for captures that may end before all is visited: what a person named is to be in them."""
        self._book = book
        self.course = course
        self._ordered = _ORDERED - {Role.SEED} if seeds_first else _ORDERED
        self._sitemaps: dict[int, str] = {}
        """The hosts of sitemaps that are awaited."""
        self._awaiting: Counter[str] = Counter()
        """How many sitemaps of each host are."""
        self.is_revisiting = False
        """Whether no visit has its turn, because revisits are made."""
        self.not_seen_again = 0
        """How many revisits came to nothing."""
        self._revisits: dict[str, deque[Candidate]] = {}
        self._later: dict[str, list[tuple[int, int, Candidate]]] = {}
        self._under_way: dict[int, Candidate] = {}
        for candidate in book.candidates(Outcome.QUEUED):
            self._entered(candidate)

    # ---- entering ----

    def add(self, notes: Sequence[Note]) -> list[Candidate]:
        """Enter URLs; the answer is those that are queued now and were not before."""
        queued = self._book.add([self._held(note) for note in notes if not self._is_known_better(note)])
        for candidate in queued:
            self._entered(candidate)
        for note in notes:
            if note.candidate.role is Role.SITEMAP:
                self._await(note.candidate.url)
        return queued

    def _held(self, note: Note) -> Note:
        """A note whose URL, if the course orders it, is put behind all others."""
        if note.outcome is not Outcome.QUEUED or note.candidate.role not in self._ordered:
            return note
        rank = note.candidate.rank
        return note._replace(candidate=ranked(note.candidate, _HELD + (rank >> _BAND << 41 | rank & _WITHIN)))

    def _is_known_better(self, note: Note) -> bool:
        """Whether a URL said to be a sitemap is one that a person named as a page."""
        if note.candidate.role is not Role.SITEMAP:
            return False
        known = self._book.find(note.candidate.url)
        return known is not None and known.role is Role.SEED

    def _await(self, url: str) -> None:
        """Wait for a sitemap, also if it was known as something else before."""
        known = self._book.find(url)
        fate = self._book.trail(url, 1)
        if known is not None and known.role is Role.SITEMAP and fate and fate[0].outcome is Outcome.QUEUED:
            self._entered(known)

    def _entered(self, candidate: Candidate) -> None:
        if candidate.rank >= _HELD:
            self.course.found(candidate)
        elif candidate.role is Role.SITEMAP and candidate.id not in self._sitemaps:
            self._sitemaps[candidate.id] = candidate.host
            self._awaiting[candidate.host] += 1

    def renew(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it."""
        return self._book.renew(candidate)

    def revisit(self, candidates: Iterable[Candidate]) -> None:
        """Have URLs asked for again, in this order on each host."""
        for candidate in candidates:
            again = candidate._replace(revisit=True, tries=0, rank=0)
            self._revisits.setdefault(candidate.host, deque()).append(again)

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again."""
        if not candidate.revisit:
            self._book.put_back(candidate, not_before)
            return
        self._under_way.pop(candidate.id, None)
        due = 0 if not_before is None else not_before.micros
        heapq.heappush(self._later.setdefault(candidate.host, []), (due, candidate.id, candidate))

    # ---- taking ----

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now."""
        taken = self._book.take(host, count, now)
        while len(taken) < count and (candidate := self._planned(host) or self._revisited(host, now)) is not None:
            taken.append(candidate)
        return taken

    def _planned(self, host: str) -> Candidate | None:
        while self._is_open(host) and (number := self.course.next(host)) is not None:
            candidate = self._book.claim(number)
            if candidate is not None:
                return candidate
        return None

    def _revisited(self, host: str, now: Moment) -> Candidate | None:
        later, queue = self._later.get(host), self._revisits.get(host)
        if later and later[0][0] <= now.micros:
            candidate = heapq.heappop(later)[2]
        elif queue:
            candidate = queue.popleft()
        else:
            return None
        self._under_way[candidate.id] = candidate
        return candidate

    def claim(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued."""
        return self._book.claim(number)

    def due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for."""
        if self._revisits.get(host) or (self._is_open(host) and self.course.waiting(host)):
            return _NOW
        due = self._book.due(host)
        moments = [] if due is None or due.micros >= _NEVER else [due]
        if later := self._later.get(host):
            moments.append(Moment(later[0][0]))
        return min(moments, default=None)

    def _is_open(self, host: str) -> bool:
        return not self.is_revisiting and not self._awaiting[host]

    # ---- settling ----

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Write down what became of candidates; what was stored stays so, whatever asking again came to."""
        self._book.settle(map(self._settlement, settlements))

    def _settlement(self, settlement: Settlement) -> Settlement:
        if (host := self._sitemaps.pop(settlement.id, None)) is not None:
            self._awaiting[host] -= 1
        candidate = self._under_way.pop(settlement.id, None)
        if candidate is None:
            return settlement
        former = self._book.trail(candidate.url, 1)[0]
        is_seen = settlement.outcome in _KEPT
        self.not_seen_again += not is_seen
        trouble = "" if is_seen else f"not seen again: {settlement.reason}"
        reason = "; ".join(filter(None, (former.reason, trouble)))
        return Settlement(settlement.id, former.outcome, reason)

    def settle_queued(self, outcome: Outcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued and not taken, of one host or of all; revisits are let go of."""
        self.course.drop(host)
        self._sitemaps = {number: each for number, each in self._sitemaps.items() if host and each != host}
        self._awaiting = Counter(self._sitemaps.values())
        self.not_seen_again += self.revisits_left(host)
        for key in [host] if host else list({**self._revisits, **self._later}):
            self._revisits.pop(key, None)
            self._later.pop(key, None)
        return self._book.settle_queued(outcome, reason, host)

    # ---- telling ----

    def hosts(self) -> list[str]:
        """The hosts that have something queued."""
        return list(dict.fromkeys((*self._book.hosts(), *(host for host, queue in self._revisits.items() if queue))))

    def queued(self, host: str) -> int:
        """How many candidates of a host are queued and not taken."""
        return self._book.queued(host) + self.revisits_left(host)

    def revisits_left(self, host: str = "") -> int:
        """How many revisits of a host, or of all, are still to be made."""
        return sum(
            len(queue)
            for queues in (self._revisits, self._later)
            for key, queue in queues.items()
            if not host or key == host
        )

    def counts(self) -> Mapping[Outcome, int]:
        """How many URLs there are of each outcome."""
        return self._book.counts()

    def candidates(self, outcome: Outcome) -> Iterator[Candidate]:
        """The URLs of one outcome, in the order in which they were found."""
        return self._book.candidates(outcome)

    def fates(self) -> Iterator[Fate]:
        """What became of every URL, in the order in which they were found."""
        return self._book.fates()

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL."""
        return self._book.find(url)

    def trail(self, url: str, most: int = LONGEST_TRAIL) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed."""
        return self._book.trail(url, most)

    def keep(self, name: str, text: str) -> None:
        """Keep a text under a name, in place of an earlier one."""
        self._book.keep(name, text)

    def kept(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        return self._book.kept(name)

    def kept_beginning(self, prefix: str) -> Iterable[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        return self._book.kept_beginning(prefix)

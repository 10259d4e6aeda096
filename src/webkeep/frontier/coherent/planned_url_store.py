"""A URL store whose URLs are taken in the order of a strategy for coherent captures, after a host's sitemaps, and asked
for again at the end (revisits).

Theory of operation. Whatever URL store lies beneath keeps every URL; those that the strategy is to order are put so far
behind all others that their turn would never come, and are claimed one by one as the visit plan says. A host's sitemaps
come first: while one is awaited none of the others has its turn, because what it tells belongs into the plan. Revisits
are in memory alone: they are of URLs whose fates stand, and can be told again from what was stored.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from webkeep.frontier.coherent.visit_plan import VisitPlan
from webkeep.frontier.urls.candidate import Candidate, UrlRole, with_rank
from webkeep.frontier.urls.url_store import DEFERRED_RANK_BASE, MAX_TRAIL_STEPS, Admission, Settlement, UrlStore
from webkeep.model import STORED_OUTCOMES, Fate, Moment, UrlOutcome

_NEVER_MICROS = 1 << 55
"""Later than any moment that something could be put back for, in microseconds."""
_HELD_RANK_BASE = DEFERRED_RANK_BASE + _NEVER_MICROS
"""From here on ranks are of what is held back; what is above this is the rank it would have, folded."""
_BAND_SHIFT, _RANK_MASK = 56, (1 << 41) - 1
"""Where in a rank its band stands, and the bits below it that are kept."""
_LONG_AGO = Moment(0)
_ORDERED_ROLES = frozenset({UrlRole.SEED, UrlRole.EMBED, UrlRole.NAVIGATE})
"""Roles whose URLs the plan orders; robots.txt files and sitemaps come when they are found."""


class PlannedUrlStore:
    """A URL store over another one, with a visit plan."""

    def __init__(self, url_store: UrlStore, visit_plan: VisitPlan, seeds_first: bool = False) -> None:
        """`seeds_first` is for captures that may end before all is visited: what a person named is to be in them."""
        self._url_store = url_store
        self.plan = visit_plan
        self._ordered = _ORDERED_ROLES - {UrlRole.SEED} if seeds_first else _ORDERED_ROLES
        self._sitemaps: dict[int, str] = {}
        """The hosts of sitemaps that are awaited."""
        self._awaiting: Counter[str] = Counter()
        """How many sitemaps of each host are."""
        self._is_revisiting = False
        """Whether no visit has its turn, because revisits are made."""
        self.not_seen_again = 0
        """How many revisits came to nothing."""
        self._revisits: dict[str, deque[Candidate]] = {}
        self._later: dict[str, list[tuple[int, int, Candidate]]] = {}
        self._under_way: dict[int, Candidate] = {}
        for candidate in url_store.candidates_with(UrlOutcome.QUEUED):
            self._track_queued(candidate)

    # ---- entering ----

    def add(self, admissions: Sequence[Admission]) -> list[Candidate]:
        """Enter URLs; the answer is those that are queued now and were not before."""
        queued = self._url_store.add(
            [self._hold_back(admission) for admission in admissions if not self._is_known_seed(admission)]
        )
        for candidate in queued:
            self._track_queued(candidate)
        for note in admissions:
            if note.candidate.role is UrlRole.SITEMAP:
                self._await_sitemap(note.candidate.url)
        return queued

    def _hold_back(self, admission: Admission) -> Admission:
        """An admission whose URL, if the visit plan orders it, is put behind all others."""
        if admission.outcome is not UrlOutcome.QUEUED or admission.candidate.role not in self._ordered:
            return admission
        rank = admission.candidate.rank
        return admission._replace(
            candidate=with_rank(admission.candidate, _HELD_RANK_BASE + (rank >> _BAND_SHIFT << 41 | rank & _RANK_MASK))
        )

    def _is_known_seed(self, admission: Admission) -> bool:
        """Whether a URL said to be a sitemap is one that a person named as a page."""
        if admission.candidate.role is not UrlRole.SITEMAP:
            return False
        known = self._url_store.find(admission.candidate.url)
        return known is not None and known.role is UrlRole.SEED

    def _await_sitemap(self, url: str) -> None:
        """Wait for a sitemap, also if it was known as something else before."""
        known = self._url_store.find(url)
        fate = self._url_store.trail(url, 1)
        if known is not None and known.role is UrlRole.SITEMAP and fate and fate[0].outcome is UrlOutcome.QUEUED:
            self._track_queued(known)

    def _track_queued(self, candidate: Candidate) -> None:
        if candidate.rank >= _HELD_RANK_BASE:
            self.plan.add_candidate(candidate)
        elif candidate.role is UrlRole.SITEMAP and candidate.id not in self._sitemaps:
            self._sitemaps[candidate.id] = candidate.host
            self._awaiting[candidate.host] += 1

    def requeue(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it."""
        return self._url_store.requeue(candidate)

    def shorten(self, ways: Sequence[Candidate]) -> list[str]:
        """Write down ways to known URLs; the answer is those that were taken or answered on a longer one."""
        return self._url_store.shorten(ways)

    def hold_visits(self, is_revisiting: bool) -> None:
        """Give no visit its turn while revisits are made."""
        self._is_revisiting = is_revisiting

    def queue_revisits(self, candidates: Iterable[Candidate]) -> None:
        """Have URLs asked for again, in this order on each host."""
        for candidate in candidates:
            again = candidate._replace(revisit=True, tries=0, rank=0)
            self._revisits.setdefault(candidate.host, deque()).append(again)

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again."""
        if not candidate.revisit:
            self._url_store.put_back(candidate, not_before)
            return
        self._under_way.pop(candidate.id, None)
        due = 0 if not_before is None else not_before.micros
        heapq.heappush(self._later.setdefault(candidate.host, []), (due, candidate.id, candidate))

    # ---- taking ----

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now."""
        taken = self._url_store.take(host, count, now)
        while (
            len(taken) < count and (candidate := self._take_planned(host) or self._take_revisit(host, now)) is not None
        ):
            taken.append(candidate)
        return taken

    def _take_planned(self, host: str) -> Candidate | None:
        while self._may_visit(host) and (number := self.plan.next_id(host)) is not None:
            candidate = self._url_store.take_by_id(number)
            if candidate is not None:
                return candidate
        return None

    def _take_revisit(self, host: str, now: Moment) -> Candidate | None:
        later, queue = self._later.get(host), self._revisits.get(host)
        if later and later[0][0] <= now.micros:
            candidate = heapq.heappop(later)[2]
        elif queue:
            candidate = queue.popleft()
        else:
            return None
        self._under_way[candidate.id] = candidate
        return candidate

    def take_by_id(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued."""
        return self._url_store.take_by_id(number)

    def next_due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for."""
        if self._revisits.get(host) or (self._may_visit(host) and self.plan.waiting_count(host)):
            return _LONG_AGO
        due = self._url_store.next_due(host)
        moments = [] if due is None or due.micros >= _NEVER_MICROS else [due]
        if later := self._later.get(host):
            moments.append(Moment(later[0][0]))
        return min(moments, default=None)

    def _may_visit(self, host: str) -> bool:
        return not self._is_revisiting and not self._awaiting[host]

    # ---- settling ----

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Write down what became of candidates; what was stored stays so, whatever asking again came to."""
        self._url_store.settle(map(self._keep_first_outcome, settlements))

    def _keep_first_outcome(self, settlement: Settlement) -> Settlement:
        if (host := self._sitemaps.pop(settlement.id, None)) is not None:
            self._awaiting[host] -= 1
        candidate = self._under_way.pop(settlement.id, None)
        if candidate is None:
            return settlement
        former = self._url_store.trail(candidate.url, 1)[0]
        is_seen = settlement.outcome in STORED_OUTCOMES
        self.not_seen_again += not is_seen
        trouble = "" if is_seen else f"not seen again: {settlement.reason}"
        reason = "; ".join(filter(None, (former.reason, trouble)))
        return Settlement(settlement.id, former.outcome, reason)

    def settle_queued(self, outcome: UrlOutcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued and not taken, of one host or of all; revisits are let go of."""
        self.plan.drop(host)
        self._sitemaps = {number: each for number, each in self._sitemaps.items() if host and each != host}
        self._awaiting = Counter(self._sitemaps.values())
        self.not_seen_again += self.revisits_left(host)
        for key in [host] if host else list({**self._revisits, **self._later}):
            self._revisits.pop(key, None)
            self._later.pop(key, None)
        return self._url_store.settle_queued(outcome, reason, host)

    # ---- telling ----

    def queued_hosts(self) -> list[str]:
        """The hosts that have something queued."""
        return list(
            dict.fromkeys((*self._url_store.queued_hosts(), *(host for host, queue in self._revisits.items() if queue)))
        )

    def queued_count(self, host: str) -> int:
        """How many candidates of a host are queued and not taken."""
        return self._url_store.queued_count(host) + self.revisits_left(host)

    def revisits_left(self, host: str = "") -> int:
        """How many revisits of a host, or of all, are still to be made."""
        return sum(
            len(queue)
            for queues in (self._revisits, self._later)
            for key, queue in queues.items()
            if not host or key == host
        )

    def outcome_counts(self) -> Mapping[UrlOutcome, int]:
        """How many URLs there are of each outcome."""
        return self._url_store.outcome_counts()

    def candidates_with(self, outcome: UrlOutcome) -> Iterator[Candidate]:
        """The URLs of one outcome, in the order in which they were found."""
        return self._url_store.candidates_with(outcome)

    def fates(self) -> Iterator[Fate]:
        """What became of every URL, in the order in which they were found."""
        return self._url_store.fates()

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL."""
        return self._url_store.find(url)

    def trail(self, url: str, most: int = MAX_TRAIL_STEPS) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed."""
        return self._url_store.trail(url, most)

    def save_text(self, name: str, text: str) -> None:
        """Keep a text under a name, in place of an earlier one."""
        self._url_store.save_text(name, text)

    def load_text(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        return self._url_store.load_text(name)

    def load_texts(self, prefix: str) -> Iterable[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        return self._url_store.load_texts(prefix)

"""The URL store, the frontier's port to wherever its URLs are kept: every URL that a capture came across, the queues of
those to be asked for, the fates of the others; and when one is queued again.

A frontier decides over this port and calls it in batches. `SqliteUrlStore` in `store.jobs` keeps it on disk, for
captures of millions of URLs; the laboratory has one in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.model import Fate, Moment, UrlOutcome

DEFERRED_RANK_BASE = 7 << 56
"""Ranks from here on are of candidates put back for later: what is above this is the moment, in microseconds."""


MAX_TRAIL_STEPS = 1000
"""How many steps back to a seed are shown; a longer way is a trap, and none is read to its end."""


class Admission(NamedTuple):
    """A URL to be entered, and what becomes of it."""

    candidate: Candidate
    outcome: UrlOutcome = UrlOutcome.QUEUED
    reason: str = ""


class Settlement(NamedTuple):
    """What became of a candidate."""

    id: int
    outcome: UrlOutcome
    reason: str = ""


class UrlStore(Protocol):
    """Where a frontier keeps its URLs."""

    def add(self, admissions: Sequence[Admission]) -> list[Candidate]:
        """Enter URLs; the answer is those that are queued now and were not before, with their numbers.

        A URL has one entry. What is known already stays as it is, but for two cases: a URL that was left aside is
        queued after all if a later admission would have it so (see `may_requeue`), and one still queued takes the place
        of an admission with a smaller rank.
        """
        ...

    def requeue(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it; the answer has its number."""
        ...

    def shorten(self, ways: Sequence[Candidate]) -> list[str]:
        """Write down ways to known URLs; the answer is those that were taken or answered on a longer one."""
        ...

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now, first those of the smallest ranks."""
        ...

    def take_by_id(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued, whoever else's turn it is."""
        ...

    def next_due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for (long ago for most); None where it has none."""
        ...

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again, as it is now; with a moment, behind all that has none."""
        ...

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Write down what became of candidates, taken or not."""
        ...

    def settle_queued(self, outcome: UrlOutcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued and not taken, of one host or of all; the answer is how many."""
        ...

    def queued_hosts(self) -> list[str]:
        """The hosts that have something queued."""
        ...

    def queued_count(self, host: str) -> int:
        """How many candidates of a host are queued and not taken."""
        ...

    def outcome_counts(self) -> Mapping[UrlOutcome, int]:
        """How many URLs there are of each outcome."""
        ...

    def candidates_with(self, outcome: UrlOutcome) -> Iterator[Candidate]:
        """The URLs of one outcome, in the order in which they were found."""
        ...

    def fates(self) -> Iterator[Fate]:
        """What became of every URL, in the order in which they were found."""
        ...

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL."""
        ...

    def trail(self, url: str, most: int = MAX_TRAIL_STEPS) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed; empty where it is unknown."""
        ...

    def save_text(self, name: str, text: str) -> None:
        """Keep a text under a name, in place of an earlier one."""
        ...

    def load_text(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        ...

    def load_texts(self, prefix: str) -> Iterable[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        ...


_REQUEUABLE_OUTCOMES = frozenset({UrlOutcome.OUT_OF_SCOPE, UrlOutcome.CUT})
"""A URL settled so may still be queued when another page has a better claim to it."""


def may_requeue(outcome: UrlOutcome, role: UrlRole, admission: Admission) -> bool:
    """Whether a URL that was settled like this, in this role, is to be queued because of a later admission.

    A link on another page may have a shorter way, or need as part of a page what was no page of its own.
    """
    if admission.outcome is not UrlOutcome.QUEUED or admission.candidate.role is UrlRole.ROBOTS:
        return False
    return outcome in _REQUEUABLE_OUTCOMES or (
        outcome is UrlOutcome.REFUSED and admission.candidate.role is UrlRole.EMBED and role is not UrlRole.EMBED
    )


def is_shorter_way(way: Candidate, known: Candidate) -> bool:
    """Whether fewer links lead to a URL, in all or beyond the scope, than by the way that is known."""
    is_no_longer = way.depth <= known.depth and way.outside <= known.outside
    return is_no_longer and (way.depth, way.outside) != (known.depth, known.outside)


def may_promote(rank: int, admission: Admission) -> bool:
    """Whether a URL that is queued at this rank takes the place of a later admission.

    It never becomes a robots.txt, for which no checks and limits hold, by an admission: only `requeue` makes one.
    """
    is_queued = admission.outcome is UrlOutcome.QUEUED and admission.candidate.role is not UrlRole.ROBOTS
    return is_queued and admission.candidate.rank < rank


def deferred_rank(moment: Moment) -> int:
    """The rank of a candidate that waits for a moment."""
    return DEFERRED_RANK_BASE + max(0, min(moment.micros, DEFERRED_RANK_BASE // 7 - 1))


def due_micros(rank: int) -> int:
    """From when on a candidate of this rank may be asked for, in microseconds."""
    return max(0, rank - DEFERRED_RANK_BASE)

"""The book: every URL a capture came across, the queues of those still to be asked for, and the fates of the others.

A frontier decides over this port and calls it in batches. `MemoryBook` keeps it in memory, for the laboratory;
the store has one on disk, for captures of millions of URLs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from webkeep.frontier.candidate import Candidate, Role
from webkeep.model import Fate, Moment, Outcome

LATE = 7 << 56
"""Ranks from here on are of candidates put back for later: what is above this is the moment, in microseconds."""


LONGEST_TRAIL = 1000
"""How many steps back to a seed are shown."""


class Note(NamedTuple):
    """A URL to be entered, and what becomes of it."""

    candidate: Candidate
    outcome: Outcome = Outcome.QUEUED
    reason: str = ""


class Settlement(NamedTuple):
    """What became of a candidate."""

    id: int
    outcome: Outcome
    reason: str = ""


class Book(Protocol):
    """Where a frontier keeps its URLs."""

    def add(self, notes: Sequence[Note]) -> list[Candidate]:
        """Enter URLs; the answer is those that are queued now and were not before, with their numbers.

        A URL has one entry. What is known already stays as it is, but for two cases: a URL that was left aside is
        queued after all if a later note would have it so (see `is_turned`), and one still queued takes the place of
        a note with a smaller rank.
        """
        ...

    def renew(self, candidate: Candidate) -> Candidate:
        """Queue a URL again, whatever became of it; the answer has its number."""
        ...

    def take(self, host: str, count: int, now: Moment) -> list[Candidate]:
        """Up to so many candidates of a host that may be asked for now, first those of the smallest ranks."""
        ...

    def claim(self, number: int) -> Candidate | None:
        """Take the candidate of this number, if it is queued, whoever else's turn it is."""
        ...

    def due(self, host: str) -> Moment | None:
        """From when on the host's next candidate may be asked for (long ago for most); None where it has none."""
        ...

    def put_back(self, candidate: Candidate, not_before: Moment | None = None) -> None:
        """Queue a taken candidate again, as it is now; with a moment, behind all that has none."""
        ...

    def settle(self, settlements: Iterable[Settlement]) -> None:
        """Write down what became of candidates, taken or not."""
        ...

    def settle_queued(self, outcome: Outcome, reason: str, host: str = "") -> int:
        """Settle alike everything that is queued and not taken, of one host or of all; the answer is how many."""
        ...

    def hosts(self) -> list[str]:
        """The hosts that have something queued."""
        ...

    def queued(self, host: str) -> int:
        """How many candidates of a host are queued and not taken."""
        ...

    def counts(self) -> Mapping[Outcome, int]:
        """How many URLs there are of each outcome."""
        ...

    def candidates(self, outcome: Outcome) -> Iterator[Candidate]:
        """The URLs of one outcome, in the order in which they were found."""
        ...

    def fates(self) -> Iterator[Fate]:
        """What became of every URL, in the order in which they were found."""
        ...

    def find(self, url: str) -> Candidate | None:
        """The candidate of a URL."""
        ...

    def trail(self, url: str, most: int = LONGEST_TRAIL) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed; empty where it is unknown."""
        ...

    def keep(self, name: str, text: str) -> None:
        """Keep a text under a name, in place of an earlier one."""
        ...

    def kept(self, name: str) -> str:
        """The text kept under a name, or nothing."""
        ...

    def kept_beginning(self, prefix: str) -> Iterable[tuple[str, str]]:
        """The names that begin so, and the texts kept under them."""
        ...


_LEFT_ASIDE = frozenset({Outcome.OUT_OF_SCOPE, Outcome.CUT})


def is_turned(outcome: Outcome, role: Role, note: Note) -> bool:
    """Whether a URL that was settled like this, in this role, is to be queued because of a later note.

    A link on another page may have a shorter way, or need as part of a page what was no page of its own.
    """
    if note.outcome is not Outcome.QUEUED or note.candidate.role is Role.ROBOTS:
        return False
    return outcome in _LEFT_ASIDE or (
        outcome is Outcome.REFUSED and note.candidate.role is Role.EMBED and role is not Role.EMBED
    )


def is_better(rank: int, note: Note) -> bool:
    """Whether a URL that is queued at this rank takes the place of a later note.

    It never becomes a robots.txt, for which no checks and limits hold, by a note: only `renew` makes one.
    """
    is_queued = note.outcome is Outcome.QUEUED and note.candidate.role is not Role.ROBOTS
    return is_queued and note.candidate.rank < rank


def late_rank(moment: Moment) -> int:
    """The rank of a candidate that waits for a moment."""
    return LATE + max(0, min(moment.micros, LATE // 7 - 1))


def due_micros(rank: int) -> int:
    """From when on a candidate of this rank may be asked for, in microseconds."""
    return max(0, rank - LATE)

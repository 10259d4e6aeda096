"""Leases of politeness groups as the frontier of a worker knows them: which it has, from when on each may be asked,
and until when any of them may be asked at all.

Theory of operation. A worker has one lease in the database, with an end; all groups that it owns hang on it. Each time
it hands something over the lease is prolonged. By the steady clock of this machine it ends here a good while before it
ends in the database, counted from before the database was asked: so whoever gets the groups next asks their hosts
after the last request of this worker, also where the two cannot tell each other anything. Who wakes up from a long
sleep looks at that clock before every request, and sees that the time is over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from webkeep.cluster.database_clock import steady_micros
from webkeep.cluster.store.cluster_rows import ClaimedGroup, GroupRelease
from webkeep.model import Moment

LOAN_SECONDS = 30.0
"""So long somebody else may have a host for one request; a robots.txt that takes longer is not waited for."""
LEASE_SECONDS = 8.0
"""A worker that nothing was heard of for so long has lost its hosts."""
_SAFETY_SECONDS = 2.0
"""So much earlier its lease ends for itself: time for what is on its way to a host, and for uneven clocks."""
_POLL_SECONDS = 0.25
"""After so long it is worth asking again for what may not be asked now."""
_CLOCK_SLACK_SECONDS = 0.1
"""So much longer a host is left in peace that comes from another worker: by so much may their clocks differ."""


class _Lease(NamedTuple):
    free_at: int
    """In microseconds by the steady clock."""
    lost_at: int | None
    """When the lease of a worker ended that had it before."""


class _Loan(NamedTuple):
    free_at: int
    until: int
    is_used: bool = False


class GroupLeases:
    """What one worker has leased."""

    def __init__(self, clock: Callable[[], int] = steady_micros) -> None:
        self._clock = clock
        self._leases: dict[str, _Lease] = {}
        self._until = 0
        self._wanted: dict[str, None] = {}
        self._leaving: set[str] = set()
        self._borrowed: dict[str, _Loan] = {}
        self._returns: list[GroupRelease] = []
        self._asked_for: set[str] = set()
        self._lent: set[str] = set()
        self.has_withheld = False
        """Whether a request did not go out because the lease had ended."""

    # ---- what whoever talks with the database says ----

    def prolong(self, asked_at: int) -> None:
        """The lease was prolonged by a request that was made at this moment of the steady clock."""
        self._until = asked_at + round((LEASE_SECONDS - _SAFETY_SECONDS) * 1e6)

    @property
    def is_valid(self) -> bool:
        """Whether anything may be asked of any host."""
        return self._clock() < self._until

    def may_send(self) -> bool:
        """Whether a request may go out that is about to; asked at the last moment, which may be long after a sleep."""
        self.has_withheld = self.has_withheld or not self.is_valid
        return self.is_valid

    def grant(self, claimed: ClaimedGroup) -> None:
        """Have a group from now on."""
        now = self._clock()
        lost = claimed.lost_seconds_ago
        self._leases[claimed.host_group] = _Lease(
            now + round(max(0.0, claimed.free_in_seconds) * 1e6),
            None if lost is None else now - round(lost * 1e6),
        )
        self._wanted.pop(claimed.host_group, None)

    def begin_release(self, group: str) -> None:
        """Ask nothing more of a group, which is about to be given back."""
        self._leaving.add(group)

    def end_release(self, group: str) -> None:
        """A group was given back."""
        self._leaving.discard(group)
        self._asked_for.discard(group)
        self._leases.pop(group, None)

    def groups(self) -> list[str]:
        """The groups that are leased, and not about to be given back."""
        return [group for group in self._leases if group not in self._leaving and group not in self._lent]

    def held_groups(self) -> tuple[str, ...]:
        """All groups that are leased, those too that are lent or about to be given back."""
        return tuple(self._leases)

    @property
    def count(self) -> int:
        """How many groups are leased."""
        return len(self._leases)

    def take_wanted(self) -> tuple[str, ...]:
        """The groups that somebody here asked for in vain since this was asked last."""
        wanted = tuple(self._wanted)
        self._wanted.clear()
        return wanted

    # ---- loans: one request of somebody else to a host, such as where a robots.txt moved to ----

    def borrow(self, borrowed: ClaimedGroup) -> None:
        """Somebody else's group may be asked once."""
        now = self._clock()
        if borrowed.host_group not in self._borrowed and borrowed.host_group not in self._leases:
            until = now + round((LOAN_SECONDS - _SAFETY_SECONDS) * 1e6)
            self._borrowed[borrowed.host_group] = _Loan(now + round(max(0.0, borrowed.free_in_seconds) * 1e6), until)

    def forget_loans(self) -> None:
        """Give back what was borrowed and not asked: the database may have forgotten who has it."""
        for group in [group for group, loan in self._borrowed.items() if not loan.is_used]:
            del self._borrowed[group]
            self._returns.append(GroupRelease(group, _CLOCK_SLACK_SECONDS))

    def note_asked_for(self, group: str) -> None:
        """Somebody else would ask something of a group: nothing more is asked of it here before that is done."""
        if group in self._leases and group not in self._lent:
            self._asked_for.add(group)

    def begin_loans(self, is_idle: Callable[[str], bool]) -> list[str]:
        """Lend the groups that others asked for and to which nothing is under way."""
        ready = [group for group in sorted(self._asked_for - self._leaving) if is_idle(group)]
        self._asked_for.difference_update(ready)
        self._lent.update(ready)
        return ready

    @property
    def lent(self) -> tuple[str, ...]:
        """The groups that were lent."""
        return tuple(sorted(self._lent))

    def end_loan(self, returned: ClaimedGroup) -> None:
        """A group that was lent is back."""
        lease = self._leases.get(returned.host_group)
        if returned.host_group in self._lent and lease is not None:
            free_at = self._clock() + round(max(0.0, returned.free_in_seconds) * 1e6)
            self._leases[returned.host_group] = lease._replace(free_at=free_at)
        self._lent.discard(returned.host_group)

    def take_returns(self) -> list[GroupRelease]:
        """The groups that were borrowed and are given back, as they were asked or their time is over."""
        now = self._clock()
        for group in [group for group, loan in self._borrowed.items() if not loan.is_used and loan.until < now]:
            del self._borrowed[group]
            self._returns.append(GroupRelease(group, _CLOCK_SLACK_SECONDS))
        returns, self._returns = self._returns, []
        return returns

    # ---- the frontier's port ----

    def acquire(self, name: str, delay_seconds: float, now: Moment) -> Moment:
        """From when on the hosts of a name may be asked; if that is now, nobody else may."""
        if not self.is_valid:
            return now.plus(_POLL_SECONDS)
        lease = self._leases.get(name)
        if lease is None or name in self._leaving:
            return self._acquire_loan(name, now)
        if name in self._asked_for or name in self._lent:
            return now.plus(_POLL_SECONDS)
        if lease.lost_at is not None:
            # Nobody knows when whoever had it asked last: it may have been at the very end.
            rested = lease.lost_at + round((delay_seconds + _CLOCK_SLACK_SECONDS) * 1e6)
            lease = self._leases[name] = _Lease(max(lease.free_at, rested), None)
        wait = lease.free_at - self._clock()
        return now if wait <= 0 else now.plus(wait / 1e6)

    def _acquire_loan(self, name: str, now: Moment) -> Moment:
        loan = self._borrowed.get(name)
        if loan is None or loan.is_used or loan.until < self._clock():
            self._wanted[name] = None
            return now.plus(_POLL_SECONDS)
        wait = loan.free_at - self._clock()
        if wait <= 0:
            self._borrowed[name] = loan._replace(is_used=True)
        return now if wait <= 0 else now.plus(wait / 1e6)

    def keep_loan(self, name: str) -> None:
        """A name that might have been asked was not: where it is borrowed, the one request is still to come."""
        loan = self._borrowed.get(name)
        if loan is not None and loan.is_used:
            self._borrowed[name] = loan._replace(is_used=False)

    def release(self, name: str, free_at: Moment, now: Moment) -> None:
        """Nothing is under way to a name: one that was borrowed is given back, others stay while anything is queued."""
        loan = self._borrowed.get(name)
        if loan is not None and loan.is_used:
            del self._borrowed[name]
            self._returns.append(GroupRelease(name, handover_seconds(free_at.seconds_since(now))))


def handover_seconds(rest_seconds: float) -> float:
    """For how long a host is left in peace by whoever gets it next, where we would leave it so long."""
    return max(0.0, rest_seconds) + _CLOCK_SLACK_SECONDS

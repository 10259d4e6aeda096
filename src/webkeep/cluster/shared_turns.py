"""Hosts that a worker has leased, and takes turns at with captures beside its own: those of one service.

A host is asked where both say so. The worker's own leases are asked first: so nobody waits for a turn at a host that
the worker may not ask itself.
"""

from __future__ import annotations

from webkeep.cluster.group_leases import GroupLeases
from webkeep.frontier.hosts import HostLeases
from webkeep.model import Moment


class SharedTurns:
    """The leases of a worker, and turns at the same hosts."""

    def __init__(self, leases: GroupLeases, turns: HostLeases) -> None:
        self._leases, self._turns = leases, turns

    def acquire(self, name: str, delay_seconds: float, now: Moment) -> Moment:
        """From when on the hosts of a name may be asked; if that is now, nobody else may."""
        free_at = self._leases.acquire(name, delay_seconds, now)
        if free_at > now:
            return free_at
        free_at = self._turns.acquire(name, delay_seconds, now)
        if free_at > now:
            self._leases.keep_loan(name)
        return free_at

    def release(self, name: str, free_at: Moment, now: Moment) -> None:
        """Nothing is under way to a name: others may have their turn."""
        self._turns.release(name, free_at, now)
        self._leases.release(name, free_at, now)

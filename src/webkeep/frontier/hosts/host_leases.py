"""Leases of hosts as a port: how captures that run side by side come to ask no host faster than one of them would."""

from __future__ import annotations

from typing import Protocol

from webkeep.model import Moment


class HostLeases(Protocol):
    """Lends names of hosts to one capture at a time."""

    def acquire(self, name: str, delay_seconds: float, now: Moment) -> Moment:
        """From when on the hosts of a name may be asked, which they may by nobody else if that is now.

        Who has a lease asks again before every request: later than now means that it has had it long enough.
        """
        ...

    def release(self, name: str, free_at: Moment, now: Moment) -> None:
        """Give a name back that nothing is under way to any more, and say from when on it may be asked."""
        ...


class NoLeases:
    """Every name is ours, always."""

    def acquire(self, name: str, delay_seconds: float, now: Moment) -> Moment:  # noqa: ARG002
        """At once."""
        return now

    def release(self, name: str, free_at: Moment, now: Moment) -> None:
        """Nobody waits for it."""

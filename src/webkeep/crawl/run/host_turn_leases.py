"""Turns at hosts between captures that run side by side: how long one has a host, and when it is looked for again.

Whoever may ask a host holds a lock on its slot, which is let go of with the process, however that ends. In the slot
stands from when on the host may be asked again: it is written before the first request, in case nobody can write it
after the last, and anew when nothing is under way any more. A host without a delay is given back after a while for
others, who look for it at short intervals. Where slots lie is another matter: a file, or a database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from webkeep.model import Moment

_POLL_SECONDS = 0.05
"""So often it is looked whether a host has come free that another capture has."""
_TURN_SECONDS = 2.0
"""For so long a capture may keep a host that needs no delay."""
_REST_SECONDS = 0.2
"""So long it leaves the host to others then: several of their looks."""


class LeaseSlots(Protocol):
    """Where it stands who may ask a host, and from when on."""

    def try_lock(self, name: str) -> bool:
        """Whether the slot of a name is ours now."""
        ...

    def unlock(self, name: str) -> None:
        """Let others have it."""
        ...

    def read_wait(self, name: str) -> float:
        """In how many seconds the host may be asked."""
        ...

    def write_wait(self, name: str, seconds: float) -> None:
        """Say in how many seconds it may."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


@dataclass(slots=True)
class _HostTurn:
    """A turn at one host, also between its requests."""

    began: Moment
    held: bool = True
    let_go: Moment | None = None


class HostTurnLeases:
    """Leases that hold for all captures that share slots; for one capture in a process."""

    def __init__(self, slots: LeaseSlots) -> None:
        self._slots = slots
        self._turns: dict[str, _HostTurn] = {}

    def acquire(self, name: str, delay_seconds: float, now: Moment) -> Moment:
        """From when on the hosts of a name may be asked; if that is now, nobody else may."""
        turn = self._turns.get(name)
        if turn is not None and not turn.held and now.seconds_since(turn.let_go or now) >= _REST_SECONDS:
            turn = None
        if turn is not None and now.seconds_since(turn.began) >= _TURN_SECONDS:
            return self._rest(name, turn, now)
        if turn is not None and turn.held:
            return now
        return self._lock(name, delay_seconds, now, turn)

    def _rest(self, name: str, turn: _HostTurn, now: Moment) -> Moment:
        """A turn that is over ends when nothing is under way, and another begins a little later."""
        if turn.held:
            return now.plus(_POLL_SECONDS)
        turn.let_go = turn.let_go or now
        left = _REST_SECONDS - now.seconds_since(turn.let_go)
        if left > 0:
            return now.plus(left)
        del self._turns[name]
        return now.plus(_POLL_SECONDS)

    def _lock(self, name: str, delay_seconds: float, now: Moment, turn: _HostTurn | None) -> Moment:
        if not self._slots.try_lock(name):
            return now.plus(_POLL_SECONDS)
        wait = self._slots.read_wait(name)
        if wait > 0:
            self._slots.unlock(name)
            return now.plus(wait)
        self._slots.write_wait(name, delay_seconds)
        self._turns[name] = _HostTurn(now if turn is None else turn.began)
        return now

    def release(self, name: str, free_at: Moment, now: Moment) -> None:
        """Give a name back, and say from when on it may be asked."""
        turn = self._turns.get(name)
        if turn is None or not turn.held:
            return
        wait = free_at.seconds_since(now)
        self._slots.write_wait(name, wait)
        self._slots.unlock(name)
        turn.held, turn.let_go = False, now
        if wait > 0:  # others have as good a chance as we have, once it is free
            del self._turns[name]

    def close(self) -> None:
        """Give everything back."""
        self._slots.close()

"""Turns at hosts between captures on one machine: leases by locks on a file that they all name (`--share-hosts`).

Theory of operation. Every name of a host has a slot of the file, by its hash. Who may ask the host holds the kernel's
lock on that slot, which is let go of with the process, however that ends. In the slot stands from when on the host may
be asked again, by a clock that starts with the machine and cannot be set: it is written before the first request, in
case nobody can write it after the last, and anew when nothing is under way any more. A host without a delay is given
back after a while for others, who look for it at short intervals.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.model import Moment

_SLOT = struct.Struct("<QQ")
_SLOTS = 1 << 22
"""Hosts rarely share one, which would only make them wait for each other; 64 MB at most, sparse."""
_POLL_SECONDS = 0.05
"""So often it is looked whether a host has come free that another capture has."""
_TURN_SECONDS = 2.0
"""For so long a capture may keep a host that needs no delay."""
_REST_SECONDS = 0.2
"""So long it leaves the host to others then: several of their looks."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(slots=True)
class _HostTurn:
    """A turn at one host, also between its requests."""

    began: Moment
    held: bool = True
    let_go: Moment | None = None


class HostLeaseFile:
    """Leases that hold for all captures that name the same file; for one capture in a process."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageError(
                f"cannot open {path} ({error.strerror}), by which captures take turns; make it writable"
            ) from error
        self._path = path
        self._boot = _read_boot_number()
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
        place = _place_of(name)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SLOT.size, place)
        except (BlockingIOError, PermissionError):
            return now.plus(_POLL_SECONDS)
        except OSError as error:
            raise StorageError(f"cannot lock {self._path} ({error.strerror}); keep it on a local disk") from error
        wait = self._read_wait(place)
        if wait > 0:
            fcntl.lockf(self._file, fcntl.LOCK_UN, _SLOT.size, place)
            return now.plus(wait)
        self._write_wait(place, delay_seconds)
        self._turns[name] = _HostTurn(now if turn is None else turn.began)
        return now

    def release(self, name: str, free_at: Moment, now: Moment) -> None:
        """Give a name back, and say from when on it may be asked."""
        turn = self._turns.get(name)
        if turn is None or not turn.held:
            return
        place = _place_of(name)
        wait = free_at.seconds_since(now)
        self._write_wait(place, wait)
        fcntl.lockf(self._file, fcntl.LOCK_UN, _SLOT.size, place)
        turn.held, turn.let_go = False, now
        if wait > 0:  # others have as good a chance as we have, once it is free
            del self._turns[name]

    def close(self) -> None:
        """Give everything back."""
        os.close(self._file)

    def _read_wait(self, place: int) -> float:
        data = os.pread(self._file, _SLOT.size, place)
        if len(data) < _SLOT.size:
            return 0.0
        boot, free_at = _SLOT.unpack(data)
        return (free_at - _steady_micros()) / 1e6 if boot == self._boot else 0.0

    def _write_wait(self, place: int, seconds: float) -> None:
        try:
            os.pwrite(self._file, _SLOT.pack(self._boot, _steady_micros() + max(0, round(seconds * 1e6))), place)
        except OSError as error:
            raise StorageError(f"cannot write {self._path} ({error.strerror}); make room on its disk") from error


def _place_of(name: str) -> int:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8]) % _SLOTS * _SLOT.size


def _steady_micros() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def _read_boot_number() -> int:
    try:
        text = _BOOT_ID.read_text("ascii").strip()
    except OSError:  # then a restart is not noticed, and the steady clock begins again
        return 0
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])

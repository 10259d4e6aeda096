"""The time that a ledger goes by: one that no change of the clock on the wall can move."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Instant:
    """One moment by two clocks, in microseconds."""

    boot: str
    """Which start of the machine the steady clock counts from."""
    steady: int
    """Since that start, sleep included; the same for all processes."""
    wall: int
    """Since 1970, by a clock that may be set."""


class LedgerClock(Protocol):
    """Tells the present instant."""

    def now(self) -> Instant:
        """The present instant."""
        ...


class MachineClock:
    """The clocks of this machine."""

    def now(self) -> Instant:
        """The present instant."""
        return Instant(_boot(), time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000, time.time_ns() // 1000)


@lru_cache(1)
def _boot() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:  # then a restart is not noticed, and the steady clock begins again
        return ""

"""Processes told apart for ever: by machine, start of the machine, number and start; found again by a later service."""

from __future__ import annotations

import os
import signal
from functools import lru_cache
from pathlib import Path

from webkeep.service.jobs import ProcessIdentity

_START_FIELD = 19
"""Of the fields of a process's stat behind its name, which may have spaces in it: when it started."""


def identify_process(number: int) -> ProcessIdentity | None:
    """Which process has a number now; None where none has."""
    try:
        text = Path(f"/proc/{number}/stat").read_text("ascii", "replace")
        fields = text.rpartition(")")[2].split()
        return ProcessIdentity(os.uname().nodename, _read_boot_id(), number, int(fields[_START_FIELD]))
    except (OSError, IndexError, ValueError):
        return None


def is_running(process: ProcessIdentity) -> bool:
    """Whether a process of this machine is still there."""
    return identify_process(process.number) == process


def send_signal(process: ProcessIdentity, number: signal.Signals) -> bool:
    """Send a signal to a process and to no other that has its number since; whether it was there."""
    try:
        # The handle stays with the process, so that the number cannot be given out between the look and the signal.
        handle = os.pidfd_open(process.number)
    except OSError:
        return False
    try:
        if not is_running(process):
            return False
        signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


@lru_cache(1)
def _read_boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""

"""Machines that jobs run on, as values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}")


@dataclass(frozen=True, slots=True)
class JobMachine:
    """A machine that jobs run on."""

    name: str
    """As it joined; empty for that of the service itself."""
    host: str
    """What it calls itself."""
    running: int
    """Jobs that it runs at a time at most."""
    joined: Moment
    seen: Moment
    """When it said last that it is there, by its own clock."""
    is_locked: bool = False
    """Whether no job is begun on it."""
    jobs: int = 0
    """Jobs that run on it now."""


def check_machine_name(name: str) -> str:
    """A name that a machine may join by."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"not a name for a machine: {name[:80]!r}; write small letters, digits, dots and dashes")
    return name

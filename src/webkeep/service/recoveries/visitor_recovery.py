"""A recovery of a visitor as a value: what was asked for, where it is, what was found before, and what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.model import Moment
from webkeep.service.recoveries.visitor_order import VisitorOrder
from webkeep.service.recoveries.visitor_state import VisitorRecoveryState

VISITOR_COLLECTION = "_visitors"
"""Where results lie, beside the collections; none can be called so."""


@dataclass(frozen=True, slots=True)
class RecoveryYield:
    """What a recovery came to, in numbers."""

    recovered: int = 0
    missing: int = 0
    bytes: int = 0
    contributions: Mapping[str, int] = field(default_factory=dict)
    """How many resources each repository gave."""
    requests: Mapping[str, int] = field(default_factory=dict)
    """How often each was asked."""

    @property
    def discovered(self) -> int:
        """Resources that are known to have been there."""
        return self.recovered + self.missing

    @property
    def share(self) -> float:
        """How much of what was discovered is back; nothing of nothing is none."""
        return self.recovered / self.discovered if self.discovered else 0.0


@dataclass(frozen=True, slots=True)
class VisitorRecovery:
    """One recovery."""

    id: str
    order: VisitorOrder
    state: VisitorRecoveryState
    created: Moment
    mail: str = field(default="", repr=False)
    """Whom it is for; empty where mail is not configured, and once it is deleted."""
    link: str = field(default="", repr=False)
    """What cannot be guessed in the address of its page; empty once it is deleted."""
    code: str = field(default="", repr=False)
    """By which it is confirmed: whoever read the mail knows it."""
    confirmed: Moment | None = None
    started: Moment | None = None
    ended: Moment | None = None
    picked_up: Moment | None = None
    reminders: int = 0
    last_reminder: Moment | None = None
    job: str = ""
    survey: Mapping[str, Any] | None = None
    """What repositories said before it was confirmed; None while they are asked."""
    outcome: RecoveryYield | None = None
    message: str = ""


def yield_from_summary(summary: Mapping[str, Any]) -> RecoveryYield:
    """The numbers in what the command said at its end."""
    recovered, missing, size = (_count(summary.get(name)) for name in ("recovered", "missing", "bytes"))
    given, asked = _count_all(summary.get("repositories")), _count_all(summary.get("requests"))
    return RecoveryYield(recovered, missing, size, given, asked)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _count_all(value: object) -> dict[str, int]:
    return {str(name): _count(count) for name, count in value.items()} if isinstance(value, dict) else {}

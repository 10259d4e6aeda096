"""The states of a visitor's recovery, what can happen to it, and the one table of what follows from what.

They only ever go forward. What its job does meanwhile, which may be lost and started again, is the job's own state.
"""

from __future__ import annotations

import enum

from webkeep.errors import UsageError


class VisitorRecoveryState(enum.StrEnum):
    """Where the recovery of a visitor is in its life."""

    PENDING = "pending"
    """Asked for, and not confirmed."""
    QUEUED = "queued"
    """Confirmed; waits for its turn."""
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    DELETED = "deleted"
    """Never confirmed, withdrawn, or kept for its term; what is left are figures."""


class VisitorRecoveryEvent(enum.StrEnum):
    """What can happen to it."""

    CONFIRM = "confirm"
    START = "start"
    FINISH = "finish"
    FAIL = "fail"
    DELETE = "delete"


_PENDING, _QUEUED, _PROCESSING, _COMPLETED, _FAILED, _DELETED = VisitorRecoveryState

VISITOR_TRANSITIONS: dict[tuple[VisitorRecoveryState, VisitorRecoveryEvent], VisitorRecoveryState] = {
    (_PENDING, VisitorRecoveryEvent.CONFIRM): _QUEUED,
    (_PENDING, VisitorRecoveryEvent.DELETE): _DELETED,
    (_QUEUED, VisitorRecoveryEvent.START): _PROCESSING,
    (_QUEUED, VisitorRecoveryEvent.DELETE): _DELETED,
    (_PROCESSING, VisitorRecoveryEvent.FINISH): _COMPLETED,
    (_PROCESSING, VisitorRecoveryEvent.FAIL): _FAILED,
    (_PROCESSING, VisitorRecoveryEvent.DELETE): _DELETED,
    (_COMPLETED, VisitorRecoveryEvent.DELETE): _DELETED,
    (_FAILED, VisitorRecoveryEvent.DELETE): _DELETED,
}
"""What follows from what."""

OPEN_RECOVERY_STATES = (_PENDING, _QUEUED, _PROCESSING)
"""Those in which something is still to be done."""


def next_recovery_state(state: VisitorRecoveryState, event: VisitorRecoveryEvent) -> VisitorRecoveryState:
    """The state after an event; raises UsageError where that cannot happen in this one."""
    following = VISITOR_TRANSITIONS.get((state, event))
    if following is None:
        raise UsageError(f"a recovery that is {state.value} cannot {event.value}; look at it again")
    return following

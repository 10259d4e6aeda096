"""The state machine of a job: its states, what can happen to it, and the one table of what follows from what.

Whatever is not in the table cannot happen: who asks for it is told so. A job that is paused has no process: its
capture was stopped in good order, and goes on from there once it is queued and has its turn again.
"""

from __future__ import annotations

import enum

from webkeep.errors import UsageError


class JobState(enum.StrEnum):
    """Where a job is in its life."""

    PENDING = "pending"
    """Submitted, and not confirmed by whoever did that."""
    QUEUED = "queued"
    """Waits for its turn."""
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting for a login"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    """Never confirmed, or its result was deleted after its term."""


class JobEvent(enum.StrEnum):
    """What can happen to a job."""

    CONFIRM = "confirm"
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    NEED_LOGIN = "need a login"
    LOG_IN = "log in"
    LOSE = "lose its process"
    FINISH = "finish"
    FAIL = "fail"
    RETRY = "retry"
    CANCEL = "cancel"
    EXPIRE = "expire"


TRANSITIONS: dict[tuple[JobState, JobEvent], JobState] = {
    (JobState.PENDING, JobEvent.CONFIRM): JobState.QUEUED,
    (JobState.PENDING, JobEvent.CANCEL): JobState.CANCELLED,
    (JobState.PENDING, JobEvent.EXPIRE): JobState.EXPIRED,
    (JobState.QUEUED, JobEvent.START): JobState.RUNNING,
    (JobState.QUEUED, JobEvent.PAUSE): JobState.PAUSED,
    (JobState.QUEUED, JobEvent.CANCEL): JobState.CANCELLED,
    (JobState.RUNNING, JobEvent.FINISH): JobState.DONE,
    (JobState.RUNNING, JobEvent.FAIL): JobState.FAILED,
    (JobState.RUNNING, JobEvent.PAUSE): JobState.PAUSED,
    (JobState.RUNNING, JobEvent.CANCEL): JobState.CANCELLED,
    (JobState.RUNNING, JobEvent.NEED_LOGIN): JobState.WAITING,
    (JobState.RUNNING, JobEvent.LOSE): JobState.QUEUED,
    (JobState.PAUSED, JobEvent.RESUME): JobState.QUEUED,
    (JobState.PAUSED, JobEvent.CANCEL): JobState.CANCELLED,
    (JobState.WAITING, JobEvent.LOG_IN): JobState.QUEUED,
    (JobState.WAITING, JobEvent.CANCEL): JobState.CANCELLED,
    (JobState.WAITING, JobEvent.EXPIRE): JobState.EXPIRED,
    (JobState.FAILED, JobEvent.RETRY): JobState.QUEUED,
    (JobState.FAILED, JobEvent.EXPIRE): JobState.EXPIRED,
    (JobState.DONE, JobEvent.EXPIRE): JobState.EXPIRED,
    (JobState.CANCELLED, JobEvent.EXPIRE): JobState.EXPIRED,
}
"""What follows from what."""

ENDED_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.EXPIRED})
"""States in which nothing more is done by itself."""
OPEN_STATES = frozenset(JobState) - ENDED_STATES
MOVING_STATES = frozenset({JobState.QUEUED, JobState.RUNNING})
"""Those that a job leaves without anybody asking."""


_ASKED_BY_PEOPLE = (JobEvent.CONFIRM, JobEvent.PAUSE, JobEvent.RESUME, JobEvent.RETRY, JobEvent.CANCEL)
"""What somebody may ask of a job; all else happens to it."""


def next_state(state: JobState, event: JobEvent) -> JobState:
    """The state after an event; raises UsageError where that cannot happen to a job in this state."""
    following = TRANSITIONS.get((state, event))
    if following is None:
        possible = possible_events(state)
        asked = ", ".join(each.value for each in _ASKED_BY_PEOPLE if each in possible) or "nothing"
        raise UsageError(f"a job that is {state.value} cannot {event.value}; what can be asked of it is: {asked}")
    return following


def possible_events(state: JobState) -> frozenset[JobEvent]:
    """What can happen to a job in a state."""
    return frozenset(event for start, event in TRANSITIONS if start is state)

"""What is due for a recovery as time goes by: a reminder, or its end."""

from __future__ import annotations

import enum

from webkeep.model import Moment
from webkeep.service.recoveries.visitor_recovery import VisitorRecovery
from webkeep.service.recoveries.visitor_settings import VisitorTerms
from webkeep.service.recoveries.visitor_state import VisitorRecoveryState

_DAY_SECONDS = 86400.0


class TermStep(enum.Enum):
    """What is due."""

    NOTHING = enum.auto()
    REMIND_TO_CONFIRM = enum.auto()
    REMIND_TO_PICK_UP = enum.auto()
    DELETE = enum.auto()


def end_of_term(recovery: VisitorRecovery, terms: VisitorTerms) -> Moment | None:
    """When it is deleted, if nothing happens to it before; None where that is open."""
    match recovery.state:
        case VisitorRecoveryState.PENDING:
            return recovery.created.plus(terms.confirm_days * _DAY_SECONDS)
        case VisitorRecoveryState.COMPLETED | VisitorRecoveryState.FAILED:
            return (recovery.ended or recovery.created).plus(terms.keep_days * _DAY_SECONDS)
        case _:
            return None


def due_step(recovery: VisitorRecovery, terms: VisitorTerms, now: Moment) -> TermStep:
    """What is due now."""
    end = end_of_term(recovery, terms)
    if end is None:
        return TermStep.NOTHING
    if now >= end:
        return TermStep.DELETE
    if recovery.state is VisitorRecoveryState.PENDING:
        is_due = now.seconds_since(recovery.created) >= terms.confirm_reminder_days * _DAY_SECONDS
        return TermStep.REMIND_TO_CONFIRM if is_due and not recovery.reminders else TermStep.NOTHING
    if recovery.state is not VisitorRecoveryState.COMPLETED or recovery.picked_up or not _has_result(recovery):
        return TermStep.NOTHING
    since = recovery.last_reminder or recovery.ended or recovery.created
    is_due = now.seconds_since(since) >= terms.pickup_reminder_days * _DAY_SECONDS
    return TermStep.REMIND_TO_PICK_UP if is_due else TermStep.NOTHING


def _has_result(recovery: VisitorRecovery) -> bool:
    return recovery.outcome is not None and recovery.outcome.recovered > 0

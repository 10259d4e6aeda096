"""What visitors are written: to confirm, that a result is there, that it waits, that nothing could be done.

The address that a visitor named stands in the text and never in a header, so that nobody can write to others in the
name of the service.
"""

from __future__ import annotations

from webkeep.model import Moment
from webkeep.presentation import format_count
from webkeep.service.notices import MailDraft
from webkeep.service.recoveries.visitor_recovery import VisitorRecovery

_UNASKED = "If you did not ask for this, do nothing: it is deleted by itself."


def draft_confirmation(
    recovery: VisitorRecovery, root: str, end: Moment | None, is_reminder: bool = False
) -> MailDraft:
    """Ask whoever has the mail address whether it was they."""
    subject = "A recovery waits for your confirmation" if is_reminder else "Confirm your recovery"
    text = (
        f"Somebody, probably you, asked that this be recovered from web archives:\n\n{recovery.order.url}\n\n"
        f"See what archives hold of it, and confirm:\n\n{root}/recover/{recovery.link}/confirm/{recovery.code}\n\n"
        f"{_until(end, 'Without your confirmation it is deleted')}{_UNASKED}\n"
    )
    return MailDraft(recovery.mail, subject, text)


def draft_result(recovery: VisitorRecovery, root: str, end: Moment | None, is_reminder: bool = False) -> MailDraft:
    """Say that it is over."""
    outcome = recovery.outcome
    if outcome is None or not outcome.recovered:
        said = "nothing could be recovered" if not recovery.message else "the recovery did not work"
        text = f"Of {recovery.order.url} {said}. {recovery.message}\n\n{root}/recover/{recovery.link}\n"
        return MailDraft(recovery.mail, "Your recovery is over", text)
    subject = "Your recovered site still waits for you" if is_reminder else "Your recovered site is ready"
    text = (
        f"Of {recovery.order.url} {format_count(outcome.recovered, 'resource')} of {outcome.discovered:,} "
        f"are back. Fetch them:\n\n{root}/recover/{recovery.link}\n\n{_until(end, 'They are deleted')}"
    )
    return MailDraft(recovery.mail, subject, text)


def _until(end: Moment | None, what: str) -> str:
    return "" if end is None else f"{what} on {end.datetime.date().isoformat()}.\n"

"""The audit log of the pages: a line for everything that was sent, and an end to what strangers can fill it with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from webkeep.dashboard.page_context import Visitor, noted_subject, subject_of_path
from webkeep.dashboard.sent_forms import text_of
from webkeep.errors import UsageError
from webkeep.formats.status import is_client_error, is_error
from webkeep.model import Moment
from webkeep.redaction import Redactor
from webkeep.service.accounts import AuditEntry
from webkeep.service.run import Service

_MAX_STRANGER_LINES = 1000
"""In an hour, of those who are not signed in: enough to see what they try, and never a full disk."""
DONE_OUTCOME = "done"
_TOLD_FIELDS = (
    "name", "role", "collection", "action", "event", "preset", "url", "kind", "times", "priority", "delay", "exclude",
    "drop", "target", "step",
)  # fmt: skip
"""Of forms, beside what stands in their paths: what was asked for. None of them is for a password or a text; what
addresses have of either is left out.
"""
_HOUR_SECONDS = 3600
"""After which strangers' lines are counted anew."""


class AuditWriter:
    """Writes down who sent what, and what became of it; it writes to the store, so it is called in a thread."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._hour_began: Moment | None = None
        self._stranger_lines = 0

    def write(self, request: Request, path: str, visitor: Visitor, outcome: str) -> None:
        """Keep a line; `path` is that of the endpoint, with the names of its parameters."""
        now, noted = self._service.clock.now(), noted_subject(request)
        if not visitor.is_signed_in:
            if not self._count_stranger(now):
                return
            if self._stranger_lines == _MAX_STRANGER_LINES:
                outcome += "; more of this hour is left out"
        action = f"{request.method} {path}"
        subject = subject_of_path(request) if noted is None else noted
        if noted is None and visitor.is_signed_in and outcome == DONE_OUTCOME:
            subject = " ".join(each for each in (subject, *_list_said(request)) if each)
        self._service.audit.append(AuditEntry(now, visitor.label, visitor.address, action, subject, outcome))

    def _count_stranger(self, now: Moment) -> bool:
        if self._hour_began is None or not 0 <= now.seconds_since(self._hour_began) < _HOUR_SECONDS:
            self._hour_began, self._stranger_lines = now, 0
        self._stranger_lines += 1
        return self._stranger_lines <= _MAX_STRANGER_LINES


def _list_said(request: Request) -> Iterator[str]:
    """What a form said in fields that have no secret. What was refused is not repeated: anything may stand there."""
    form: FormData | None = getattr(request.state, "form", None)
    if form is None:
        return
    for name in _TOLD_FIELDS:
        if value := text_of(form, name):
            yield f"{name}={_leave_secrets_out(value)}"


def _leave_secrets_out(value: str) -> str:
    """An address without the passwords and keys in it, with a scheme or as people type it; all else as it is."""
    if "://" in value or "@" not in value:
        return _load_redactor().redact_url(value)[0]
    return _load_redactor().redact_url(f"https://{value}")[0].removeprefix("https://")


@cache
def _load_redactor() -> Redactor:
    return Redactor()


def outcome_of_status(status: int) -> str:
    """What became of a request, by the status of its answer."""
    if not is_error(status):
        return DONE_OUTCOME
    return f"refused ({status})" if is_client_error(status) else f"failed ({status})"


def outcome_of_error(error: BaseException) -> str:
    """What became of a request whose handler raised an error."""
    if isinstance(error, HTTPException):
        return outcome_of_status(error.status_code)
    return outcome_of_status(400 if isinstance(error, UsageError) else 500)

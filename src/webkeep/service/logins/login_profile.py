"""Login profiles as values: what everybody who may use one is told of it, which is nothing that it holds."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.errors import UsageError
from webkeep.model import Moment

LOGIN_OPTION = "login"
"""What a plan calls the login profile, by its id, that a job of the service is to use; captures never see it."""
_MAX_NAME_CHARS = 100
"""Of what people call one."""


class LoginState(enum.StrEnum):
    """What is known of whether a login still holds."""

    UNKNOWN = "not known"
    HOLDS = "logged in"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class LoginProfile:
    """A login of one collection, without what it holds."""

    id: str
    collection: str
    name: str
    url: str
    """Where a person logged in; whoever is sent there again is logged in no more."""
    start: str
    """Where the browser was opened; a renewal begins there."""
    page: str
    """The page that was shown when it was saved, by which it is checked."""
    created: Moment
    renewed: Moment
    checked: Moment | None = None
    state: LoginState = LoginState.UNKNOWN
    message: str = ""
    """What the last check, or a capture, came to in one line."""
    is_local_allowed: bool = False
    """Whether an administrator made it, so that it may lead to private addresses."""


def check_profile_name(text: str) -> str:
    """What people call a login."""
    name = " ".join(text.split())
    if not name or len(name) > _MAX_NAME_CHARS:
        raise UsageError(f"a login needs a name of up to {_MAX_NAME_CHARS} characters; write what you call it")
    return name

"""How people are let in: by which cookie, and how passwords are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from webkeep.dashboard.access.password_desk import PasswordDesk
from webkeep.dashboard.access.session_cookie import SessionCookie


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """What the gatekeeper and the pages of accounts share."""

    cookie: SessionCookie = field(default_factory=SessionCookie)
    passwords: PasswordDesk = field(default_factory=PasswordDesk)
    is_exposed: bool = False
    """Whether others than people at this machine can reach the service: there is no link then, only accounts."""

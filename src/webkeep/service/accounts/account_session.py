"""Sessions: who is logged in, for how long."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.model import Moment

_HOUR_SECONDS = 3600
"""In an hour."""
_LOCAL_ACCOUNT = ""


@dataclass(frozen=True, slots=True)
class SessionTerm:
    """How long a session lasts."""

    idle_seconds: int = 12 * _HOUR_SECONDS
    """Without a request: over lunch, and not over a weekend."""
    absolute_seconds: int = 7 * 24 * _HOUR_SECONDS
    """Whatever is done in it."""


DEFAULT_TERM = SessionTerm()


@dataclass(frozen=True, slots=True)
class AccountSession:
    """A session as the store has it: never the secret in the cookie, only its hash."""

    key: str
    """The hash of the secret."""
    account: str
    """Empty for whoever came by the one-time link."""
    created: Moment
    seen: Moment
    """When it was last used, as far as that was noted."""
    address: str = ""
    """From where it was begun."""

    @property
    def is_local(self) -> bool:
        """Whether it came of the one-time link, and is good only where there are no accounts."""
        return self.account == _LOCAL_ACCOUNT


def is_session_live(session: AccountSession, now: Moment, term: SessionTerm = DEFAULT_TERM) -> bool:
    """Whether it still holds; a clock that was set back makes no session older or younger than it can be."""
    age, idle = now.seconds_since(session.created), now.seconds_since(session.seen)
    return age < term.absolute_seconds and idle < term.idle_seconds

"""The link that the service prints when it starts, as notebooks have it: who opens it is whoever started the service.

It is good for once. When it was used, another one is printed, for another browser.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable

_TOKEN_BYTES = 24
"""Of chance in a link, a session and what proves a form: nobody guesses them."""


class EntryLink:
    """The one link that lets in, and the sessions of those who used it."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._sessions: dict[str, str] = {}

    @property
    def path(self) -> str:
        """Where it leads, behind the address of the service."""
        return f"/?token={self._token}"

    def redeem(self, token: str) -> str | None:
        """A session for the link; None where it is another one, or was used before."""
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        self._token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._tell(self.path)
        session = secrets.token_urlsafe(_TOKEN_BYTES)
        self._sessions[session] = secrets.token_urlsafe(_TOKEN_BYTES)
        return session

    def form_token(self, session: str) -> str | None:
        """What forms of a session carry; None where there is no such session."""
        return self._sessions.get(session)

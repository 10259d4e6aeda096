"""The link that the service prints when it starts, as notebooks have it: who opens it is whoever started the service.

It is good for once. When it was used, another one is printed, for another browser.
"""

from __future__ import annotations

from collections.abc import Callable

from webkeep.service.accounts import is_same_secret, new_secret


class EntryLink:
    """The one link that lets in."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._token = new_secret()

    @property
    def path(self) -> str:
        """Where it leads, behind the address of the service."""
        return f"/?token={self._token}"

    def redeem(self, token: str) -> bool:
        """Whether it is the link, which is used up then."""
        if not is_same_secret(token, self._token):
            return False
        self._token = new_secret()
        self._tell(self.path)
        return True

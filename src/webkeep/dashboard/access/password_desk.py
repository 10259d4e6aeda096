"""Passwords looked at beside the event loop, few at a time: each takes 64 MiB, and anybody may send one."""

from __future__ import annotations

import asyncio

from webkeep.service.accounts import AccountPasswords

_AT_A_TIME = 2
"""Passwords that are hashed at the same moment; others wait for them."""


class PasswordDesk:
    """Hashes and checks passwords for handlers."""

    def __init__(self, passwords: AccountPasswords | None = None) -> None:
        self._passwords = passwords or AccountPasswords()
        self._turns = asyncio.Semaphore(_AT_A_TIME)

    async def hash(self, password: str) -> str:
        """What is kept of a password."""
        async with self._turns:
            return await asyncio.to_thread(self._passwords.hash, password)

    async def is_right(self, kept: str | None, password: str) -> bool:
        """Whether a password fits what is kept; it takes as long where nothing is."""
        async with self._turns:
            return await asyncio.to_thread(self._passwords.is_right, kept, password)

    def is_outdated(self, kept: str) -> bool:
        """Whether it was hashed by other parameters."""
        return self._passwords.is_outdated(kept)

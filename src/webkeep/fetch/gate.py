"""How many requests may be under way at a time, in all and to one host.

libcurl could hold back transfers itself, but it would count the waiting against their time limits.
"""

from __future__ import annotations

import asyncio


class Gate:
    """Lets requests through, and makes those that would be too many wait in the order they came."""

    def __init__(self, total: int, per_host: int) -> None:
        self._total = asyncio.Semaphore(total)
        self._per_host = per_host
        self._hosts: dict[str, tuple[asyncio.Semaphore, list[int]]] = {}

    async def enter(self, host: str) -> None:
        """Wait for a place; it must be left again."""
        entry = self._hosts.get(host)
        if entry is None:
            entry = self._hosts[host] = (asyncio.Semaphore(self._per_host), [0])
        semaphore, users = entry
        users[0] += 1
        try:
            await semaphore.acquire()
        except BaseException:
            self._forget(host)
            raise
        try:
            # The host's place comes first: nobody holds one of all places while waiting for another.
            await self._total.acquire()
        except BaseException:
            semaphore.release()
            self._forget(host)
            raise

    def leave(self, host: str) -> None:
        """Give the place back."""
        self._total.release()
        self._hosts[host][0].release()
        self._forget(host)

    def _forget(self, host: str) -> None:
        users = self._hosts[host][1]
        users[0] -= 1
        if not users[0]:
            del self._hosts[host]

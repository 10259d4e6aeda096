"""Connection limits: how many requests may be under way at a time, in all and to one host; the others wait, for one
host in the order they came.

libcurl could hold back transfers itself, but it would count the waiting against their time limits.
"""

from __future__ import annotations

import asyncio
from collections import deque


class RequestSlots:
    """Lets requests through; those that would be too many wait, for one host in the order they came."""

    def __init__(self, total: int, per_host: int) -> None:
        self._free = total
        self._per_host = per_host
        self._inside: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def try_acquire(self, host: str) -> bool:
        """Take a place if there is one."""
        inside = self._inside.get(host, 0)
        if not self._free or inside >= self._per_host:
            return False
        self._free -= 1
        self._inside[host] = inside + 1
        return True

    async def acquire(self, host: str) -> None:
        """Wait for a place and take it."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(host, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # it was given just before
                self.release(host)
            raise

    def release(self, host: str) -> None:
        """Give a place back, to someone who waits."""
        self._free += 1
        self._inside[host] -= 1
        if not self._inside[host]:
            del self._inside[host]
        if self._waiting:
            self._admit_waiting()

    def _admit_waiting(self) -> None:
        emptied: list[str] = []
        for host, places in self._waiting.items():
            while places and places[0].done():
                places.popleft()  # who waited there has gone away
            if not places:
                emptied.append(host)
            elif self.try_acquire(host):
                places.popleft().set_result(None)
                break
        for host in emptied:
            del self._waiting[host]

"""Service workers that a page has installed: it may wait for them, and no request of its own tells that it does; how
long they are waited for.

A worker is installed and activated by the browser, in real time, while the page's own clock has nothing left to wait
for. Only then does it answer the page's requests, and many pages go on only then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

_UNDER_WAY = frozenset({"new", "installing", "activating"})
_CLAIM_SECONDS = 0.5
"""How long a page is given to learn that a worker is now in charge of it; most workers never take charge of a page
that is open."""
_LOOK_SECONDS = 0.02
"""Between two questions to the page whether a worker is in charge of it; a page waits half of it in vain on average."""


class ServiceWorkers:
    """The service workers of one tab, as the browser tells of them."""

    def __init__(self) -> None:
        self._statuses: dict[str, dict[str, str]] = {}
        self._has_news = False
        self._changed = asyncio.Event()

    def update(self, params: dict[str, Any]) -> None:
        """Take note of an event `ServiceWorker.workerVersionUpdated`."""
        for version in params["versions"]:
            workers = self._statuses.setdefault(version["registrationId"], {})
            status = str(version["status"])
            if workers.get(version["versionId"]) != status:
                self._has_news = self._has_news or status != "redundant"
            workers[version["versionId"]] = status
        self._changed.set()

    def take_news(self) -> bool:
        """Whether a worker has come nearer to its work since this was last asked."""
        has_news, self._has_news = self._has_news, False
        return has_news

    async def wait(self, is_controlled: Callable[[], Awaitable[bool]], seconds: float) -> None:
        """Wait until no worker is on its way, and for a moment until the page knows of it."""
        try:
            async with asyncio.timeout(seconds):
                while self._are_under_way():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return
        clock = asyncio.get_running_loop().time
        deadline = clock() + min(_CLAIM_SECONDS, seconds)
        while not await is_controlled() and clock() < deadline:
            await asyncio.sleep(_LOOK_SECONDS)

    def _are_under_way(self) -> bool:
        return any(_is_under_way(set(workers.values())) for workers in self._statuses.values())


def _is_under_way(statuses: set[str]) -> bool:
    """Whether a worker becomes active by itself; one that is installed waits for as long as another is active."""
    return bool(statuses & _UNDER_WAY) or ("installed" in statuses and "activated" not in statuses)

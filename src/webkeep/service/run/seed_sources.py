"""Servers that tell of seeds, asked for people who wait at a page: a few at a time, in threads of their own, so that a
server that is slow holds up nobody but them; and ended at once when the service ends.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.errors import StorageError
from webkeep.service.watches import WatchKind

if TYPE_CHECKING:
    from webkeep.service.run.seed_fetching import FetchedSeeds

_READERS = 4
"""Servers that are asked at a time; who comes later waits for one of them."""
_ENDS = "the service ends; try again when it runs"


class SeedSources:
    """All that are asked now."""

    def __init__(self, spool: Path) -> None:
        self._spool = spool
        self._threads = ThreadPoolExecutor(_READERS, "webkeep-seeds")
        self._lock = threading.Lock()
        self._running: dict[asyncio.Task[FetchedSeeds], asyncio.AbstractEventLoop] = {}
        self._is_closed = False

    async def fetch(self, kind: WatchKind, url: str, is_local_allowed: bool) -> FetchedSeeds:
        """The pages that a sitemap, a feed or a repository tells of now."""
        if self._is_closed:
            raise StorageError(_ENDS)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._fetch, kind, url, is_local_allowed)

    def close(self) -> None:
        """Ask nobody any more."""
        self._is_closed = True
        with self._lock:
            for task, loop in self._running.items():
                loop.call_soon_threadsafe(task.cancel)
        self._threads.shutdown()

    # ---- in a thread of its own ----

    def _fetch(self, kind: WatchKind, url: str, is_local_allowed: bool) -> FetchedSeeds:
        from webkeep.service.run.seed_fetching import fetch_seeds  # it loads what goes to the web

        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            task = loop.create_task(fetch_seeds(self._spool, kind, url, is_local_allowed))
            with self._lock:
                self._running[task] = loop
                if self._is_closed:  # while it waited for its turn
                    task.cancel()
            try:
                return loop.run_until_complete(task)
            except asyncio.CancelledError as error:
                raise StorageError(_ENDS) from error
            finally:
                with self._lock:
                    del self._running[task]

"""Watches carried out: those that are due look, several at a time, and what is new in them becomes jobs, once.

Theory of operation. A look goes on for as long as any watch is being looked at, and begins with whatever falls due
meanwhile: a server that is slow holds up its own watch and no other. What goes wrong with one watch is said of that
one, which looks again at its next time; a job store that is gone ends the look for all. What looks is loaded once
something is due: a service starts in half the time without.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.errors import StorageError
from webkeep.model import Clock
from webkeep.service.sent_values import is_item_allowed
from webkeep.service.store import CollectionStore, JobStore, WatchStore
from webkeep.service.watches import StoredWatch, WatchedItem, WatchKind, WatchState

if TYPE_CHECKING:
    from webkeep.fetch.client import Fetcher

_BATCH_WATCHES = 16
"""So many look at one time."""
_ROUND_SECONDS = 0.5
"""So often it is looked what fell due while others are being looked at."""
_MAX_LOOK_SECONDS = 60.0
"""After so long no further answer of a list is asked for; it goes on at the next look."""
_MAX_PAGES_A_LOOK = 20
"""Of a list of OAI-PMH, which then goes on at the next look; each has some hundred records."""


class WatchRunner:
    """Has watches look when it is time."""

    def __init__(
        self, spool: Path, watches: WatchStore, collections: CollectionStore, jobs: JobStore, clock: Clock
    ) -> None:
        self._spool, self._watches, self._collections = spool, watches, collections
        self._jobs, self._clock = jobs, clock
        self._is_closed = False

    def look(self, note_round: Callable[[], None] = lambda: None) -> int:
        """Let those look that are due, until none is; gives how many pages are new.

        It is noted about twice a second that this goes on.
        """
        if self._is_closed or not self._watches.take_due(self._clock.now(), 1):
            return 0
        return asyncio.run(self._look_at_all(note_round))

    def close(self) -> None:
        """Have a look that goes on in another thread end within moments; what it left looks again later."""
        self._is_closed = True

    async def _look_at_all(self, note_round: Callable[[], None]) -> int:
        from webkeep.service.run.watch_fetch import open_watch_fetcher

        new, running = 0, dict[str, asyncio.Task[int]]()
        async with open_watch_fetcher(self._spool) as fetcher:
            try:
                while self._begin_due(fetcher, running):
                    await asyncio.wait(running.values(), timeout=_ROUND_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                    new += sum(running.pop(name).result() for name, task in list(running.items()) if task.done())
                    note_round()
            finally:
                for task in running.values():
                    task.cancel()
                await asyncio.gather(*running.values(), return_exceptions=True)
        return new

    def _begin_due(self, fetcher: Fetcher, running: dict[str, asyncio.Task[int]]) -> bool:
        """Have those looked at that fell due, as far as there is room; whether any is being looked at."""
        if self._is_closed:
            return False
        if len(running) < _BATCH_WATCHES:
            for stored in self._watches.take_due(self._clock.now(), _BATCH_WATCHES):
                if stored.watch.id not in running and len(running) < _BATCH_WATCHES:
                    running[stored.watch.id] = asyncio.create_task(self._look_safely(fetcher, stored))
        return bool(running)

    async def _look_safely(self, fetcher: Fetcher, stored: StoredWatch) -> int:
        """Look at one; whatever its server sent that nobody thought of, the others look as ever."""
        try:
            return await self._look_at(fetcher, stored)
        except (StorageError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - else it would look twice a second, and no other would look any more
            message = f"it could not be looked at ({type(error).__name__}: {error})"
            now = self._clock.now()
            state = replace(stored.state, message=message, looked=now.micros)
            self._watches.move_on(stored.watch.id, state, now.plus(stored.watch.poll_seconds))
            return 0

    async def _look_at(self, fetcher: Fetcher, stored: StoredWatch) -> int:
        from webkeep.service.run.watch_fetch import fetch_watched
        from webkeep.service.watches import build_watch_url, read_watched

        watch = stored.watch
        seed = self._collections.seed(watch.seed)
        if seed is None:  # deleted meanwhile, and the watch with it
            self._watches.delete(watch.id)
            return 0
        found: list[WatchedItem] = []
        state = self._prepare_state(stored)
        loop = asyncio.get_running_loop()
        latest = loop.time() + _MAX_LOOK_SECONDS
        for _ in range(_MAX_PAGES_A_LOOK):
            url = build_watch_url(watch, state)
            answer = await fetch_watched(fetcher, url, state.validators, watch.is_local_allowed)
            state = replace(state, message=answer.trouble)
            if answer.is_unchanged or not answer.content:
                break
            # Megabytes that are no markup take half a minute: the other watches go on meanwhile.
            items, state = await asyncio.to_thread(read_watched, watch, state, answer.content, answer.url)
            found += [item for item in items if is_item_allowed(watch, item)]
            validators = () if watch.kind is WatchKind.OAI_PMH or answer.trouble else answer.validators
            state = replace(state, validators=validators, message=state.message or answer.trouble)
            if not state.token or loop.time() > latest:
                break
        now = self._clock.now()
        is_first = not (state.has_looked or watch.takes_present)
        new = self._watches.record_look(watch, found, None if is_first else self._jobs, seed.archive, now)
        state = replace(state, has_looked=state.has_looked or not state.message, looked=now.micros)
        if new:
            state = replace(state, told=state.told + len(new), newest=new[0], newest_at=now.micros)
        self._watches.move_on(watch.id, state, now.plus(watch.poll_seconds))
        return len(new)

    def _prepare_state(self, stored: StoredWatch) -> WatchState:
        """The state to begin with: the records of a repository that are there at first need not be listed."""
        state, watch = stored.state, stored.watch
        if watch.kind is not WatchKind.OAI_PMH or state.has_looked or watch.takes_present or state.since:
            return state
        return replace(state, since=self._clock.now().datetime.date().isoformat(), has_looked=True)

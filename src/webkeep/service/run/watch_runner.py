"""Watches carried out: those that are due look, several at a time, and what is new in them becomes jobs, once.

What looks is loaded once something is due: a service starts in half the time without.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from webkeep.model import Clock
from webkeep.service.sent_values import is_item_allowed
from webkeep.service.store import CollectionStore, JobStore, WatchStore
from webkeep.service.watches import StoredWatch, WatchedItem, WatchKind, WatchState

if TYPE_CHECKING:
    from webkeep.fetch.client import Fetcher

_BATCH_WATCHES = 16
"""So many look at one time."""
_MAX_PAGES_A_LOOK = 20
"""Of a list of OAI-PMH, which then goes on at the next look; each has some hundred records."""


class WatchRunner:
    """Has watches look when it is time."""

    def __init__(
        self, spool: Path, watches: WatchStore, collections: CollectionStore, jobs: JobStore, clock: Clock
    ) -> None:
        self._spool, self._watches, self._collections = spool, watches, collections
        self._jobs, self._clock = jobs, clock

    def look(self) -> int:
        """Let those look that are due; gives how many pages are new."""
        due = self._watches.take_due(self._clock.now(), _BATCH_WATCHES)
        return asyncio.run(self._look_at_all(due)) if due else 0

    async def _look_at_all(self, due: list[StoredWatch]) -> int:
        from webkeep.service.run.watch_fetch import open_watch_fetcher

        async with open_watch_fetcher(self._spool) as fetcher:
            return sum(await asyncio.gather(*(self._look_at(fetcher, each) for each in due)))

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
        for _ in range(_MAX_PAGES_A_LOOK):
            url = build_watch_url(watch, state)
            answer = await fetch_watched(fetcher, url, state.validators, watch.is_local_allowed)
            state = replace(state, message=answer.trouble)
            if answer.is_unchanged or not answer.content:
                break
            items, state = read_watched(watch, state, answer.content, answer.url)
            found += [item for item in items if is_item_allowed(watch, item)]
            validators = () if watch.kind is WatchKind.OAI_PMH or answer.trouble else answer.validators
            state = replace(state, validators=validators, message=state.message or answer.trouble)
            if not state.token:
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

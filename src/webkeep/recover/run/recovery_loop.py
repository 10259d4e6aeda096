"""The crawl over archives: takes what is most important, and ends when nothing is left to be had. Here are decided how
long listings are waited for and asked again, and how many pages alike are suspicious.

One thread runs it all on asyncio, in a `RunLoop`; each resource is a task. The store is committed after what it says is
on disk. What nothing led to is gone for only when all that something led to is done, so that the site as it was last is
known apart from its older parts.
"""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path

from webkeep.model import Moment
from webkeep.process import MAX_WAIT_SECONDS, RunLoop
from webkeep.recover.plan import RecoveryPolicy
from webkeep.recover.run.domain_takeover import refuse_later_owners
from webkeep.recover.run.embed_choice import FitCounts
from webkeep.recover.run.recovery_context import RecoveryContext
from webkeep.recover.run.recovery_observer import RecoveryProgress
from webkeep.recover.run.repository_pool import RepositoryPool
from webkeep.recover.run.rerun import request_better_versions
from webkeep.recover.run.resource_recovery import ResourceRecovery
from webkeep.recover.run.site_listing import ORPHAN_PRIORITY, collect_listings
from webkeep.recover.run.version_search import VersionFinder
from webkeep.recover.state.recovery_store import DiscoveredUrl, HeldVersion, RecoveredResource, RecoveryState
from webkeep.recover.state.version_doubts import mark_repeated_doubtful

_SNAPSHOT_SECONDS = 0.4
"""The observer is told at most this often; less often where a snapshot takes long."""
_LISTING_WAIT_SECONDS = 20.0
"""Seconds that listings are waited for before the first page is asked for without them."""
_MAX_LISTING_RETRIES = 4
"""How often a repository that could not tell all that it holds is asked to go on with that."""
_MIN_REPEATED_PAGES = 12
"""How many pages with the very same content are suspicious."""


class RecoveryRun:
    """One run over the repositories; `run` returns when all is done, or it was told to stop."""

    def __init__(self, context: RecoveryContext, loop: RunLoop) -> None:
        self._context, self._loop = context, loop
        self._plan, self._store, self._observer = context.plan, context.store, context.observer
        self._client = RepositoryPool(
            context.plan, context.repositories, context.store, context.clock, context.observer.on_note
        )
        self._finder = VersionFinder(context.plan, self._client, context.store, context.judge)
        self._recovery = ResourceRecovery(context, self._client, self._finder, loop.stop)
        self._ready: deque[tuple[RecoveredResource, list[HeldVersion]]] = deque()
        self._tasks = loop.open_task_set()
        """Resources under way, by their ids."""
        self._listing = loop.open_task_set()
        self._has_all = False
        self._listings_left = _MAX_LISTING_RETRIES
        self._next_listing: Moment | None = None
        self.is_drained = False
        """Whether nothing is left to be had."""

    async def run(self) -> None:
        """Recover all that there is."""
        await self._loop.run(self, self._begin())

    async def _begin(self) -> None:
        """Wait until all have told what they hold, though not for ever, and begin with the seeds."""
        clock = asyncio.get_running_loop()
        self._listing.begin(self._run_listings())
        deadline = clock.time() + _LISTING_WAIT_SECONDS
        while self._listing and not self._loop.is_stopping and clock.time() < deadline:
            await self._loop.wait()
        self._client.refresh_statuses()
        self._store.enqueue([DiscoveredUrl(self._plan.identity.key(seed), seed, 0) for seed in self._plan.seeds])
        if self._client.are_all_unreachable:
            self._loop.stop()

    async def settle(self) -> None:
        """Put on disk what was recovered, where that is due."""
        if self._store.is_commit_due:
            self._context.sink.write_pending()
            self._store.commit()

    async def finish(self) -> None:
        """Put everything on disk."""
        await self._context.sink.flush()
        self._store.commit(at_once=True)

    @property
    def fit_counts(self) -> FitCounts:
        """How the parts of pages fit, all in all."""
        return self._recovery.embeds.fit_counts

    async def _run_listings(self) -> None:
        before = self._store.newest_version_number()
        self._next_listing = await collect_listings(
            self._plan, self._context.repositories, self._store, self._observer, self._client.exclude
        )
        is_news = self._store.newest_version_number() > before
        if is_news and self._plan.suspicious and self._plan.policy is RecoveryPolicy.SPARING:
            await self._mark_doubtful()
        self._recovery.forget_aliases()
        self._client.refresh_statuses()
        better = request_better_versions(self._store, self._finder)
        if better:
            self._observer.on_note(f"of {better:,} recovered before, a better version is held now")

    async def _mark_doubtful(self) -> None:
        """Doubt what many URLs show alike, and refuse what is of whoever had the name later."""
        mark_repeated_doubtful(self._store, _MIN_REPEATED_PAGES)
        for words in await refuse_later_owners(self._plan, self._store, self._client):
            self._observer.on_note(words)

    @property
    def unreachable(self) -> tuple[str, ...]:
        """The repositories where nobody answered."""
        return self._client.unreachable

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be had, or nothing more is to be."""
        return self.is_drained or (self._loop.is_stopping and not self._tasks)

    def begin_tasks(self) -> float:
        """Begin with what may be begun."""
        if not self._loop.is_stopping and self._is_limit_reached():
            self._loop.stop()
        while not self._loop.is_stopping and len(self._tasks) < self._plan.connections:
            ready = self._next_resource()
            if ready is None:
                self._check_drained()
                break
            self._tasks.begin(self._recovery.recover(*ready), ready[0].id)
        return MAX_WAIT_SECONDS

    def _is_limit_reached(self) -> bool:
        if self._plan.most is not None and self._recovery.stored_count >= self._plan.most:
            return True
        return bool(self._plan.until_file) and Path(self._plan.until_file).exists()

    def _next_resource(self) -> tuple[RecoveredResource, list[HeldVersion]] | None:
        """What is to be gone for next, and what is held of it; None where nothing may be now."""
        wanting = self._recovery.embeds.wanting
        if not self._ready:
            self._refill_ready()
        while self._ready:
            resource, versions = self._ready[0]
            is_early = resource.priority >= ORPHAN_PRIORITY and not self._has_all
            if is_early and (self._tasks or self._listing):
                return None  # what is under way may lead to it
            self._ready.popleft()
            self._has_all = self._has_all or resource.priority >= ORPHAN_PRIORITY
            if resource.id not in self._tasks:
                if resource.id in wanting:
                    wanting.discard(resource.id)
                    versions = self._store.held_versions(resource.id)
                return resource, versions
        return None

    def _refill_ready(self) -> None:
        resources = self._store.next_resources(2 * self._plan.connections, self._context.clock.now(), self._tasks)
        if resources:
            held = self._store.held_versions_by_resource([each.id for each in resources])
            self._ready.extend((each, held[each.id]) for each in resources)

    def _check_drained(self) -> None:
        if self._tasks or self._ready or self._listing:
            return
        if self._listings_left and any(not status.is_listed for status in self._store.repository_statuses()):
            if self._next_listing is not None and self._context.clock.now() < self._next_listing:
                return
            # Whoever does not say when to come again is asked once more.
            self._listings_left = 0 if self._next_listing is None else self._listings_left - 1
            self._listing.begin(self._run_listings())
        elif self._plan.includes_orphans and self._store.count_by_state().get(RecoveryState.LISTED, 0):
            self._store.enqueue_listed()
            self._loop.wake()
        elif self._store.next_due() is None:
            self.is_drained = True

    def look(self) -> float:
        """Tell how it is doing; gives the seconds until the next time."""
        clock = asyncio.get_running_loop()
        began = clock.time()
        self._observer.on_progress(self.read_progress())
        return max(_SNAPSHOT_SECONDS, 50 * (clock.time() - began))  # counting takes longer the more there is

    def read_progress(self) -> RecoveryProgress:
        """How it is doing."""
        counts = self._store.count_by_state()
        return RecoveryProgress(
            counts.get(RecoveryState.RECOVERED, 0),
            counts.get(RecoveryState.MISSING, 0),
            counts.get(RecoveryState.QUEUED, 0),
            counts.get(RecoveryState.LISTED, 0),
            self._context.sink.bytes,
            tuple(self._store.repository_statuses()),
        )

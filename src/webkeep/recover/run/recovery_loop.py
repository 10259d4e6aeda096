"""The crawl over archives: takes what is most important, finds its best version, keeps it, and follows where it leads.

One thread runs it all on asyncio; each resource is a task. The recovery store is committed after what it says is on
disk. What nothing led to is gone for only when all that something led to is done, so that the site as it was last is
known apart
from its older parts.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.model import Clock, Moment
from webkeep.recover.judging.placeholder_detection import PlaceholderSuspicion
from webkeep.recover.judging.url_aliases import UrlAliasRule, find_alias_rules
from webkeep.recover.judging.url_identity import toggle_slash
from webkeep.recover.judging.version_ranking import rank_versions
from webkeep.recover.plan import RecoveryPlan, RecoveryPolicy
from webkeep.recover.repositories.repository import FetchedVersion, Repository
from webkeep.recover.run.domain_takeover import refuse_later_owners
from webkeep.recover.run.embed_choice import EmbedChooser
from webkeep.recover.run.page_refit import PageRefits, version_from_fetched
from webkeep.recover.run.recovered_links import RecoveredLinks
from webkeep.recover.run.recovery_observer import RecoveryObserver, RecoveryProgress
from webkeep.recover.run.repository_pool import RepositoryPool
from webkeep.recover.run.rerun import request_better_versions
from webkeep.recover.run.site_listing import ORPHAN_PRIORITY, collect_listings, orphan_priority
from webkeep.recover.run.version_search import SOFT_404, VersionFinder, VersionJudge, VersionSearch
from webkeep.recover.run.version_sink import VersionSink
from webkeep.recover.state.provenance import build_provenance
from webkeep.recover.state.recovery_store import (
    DiscoveredUrl,
    HeldVersion,
    RecoveredResource,
    RecoveryState,
    RecoveryStore,
    VersionState,
)
from webkeep.url import normalize_url

_IDLE_SECONDS = 0.5
"""How long the loop waits where nothing wakes it."""
_SNAPSHOT_SECONDS = 0.4
"""The observer is told at most this often; less often where a snapshot takes long."""
_LISTING_WAIT_SECONDS = 20.0
"""Seconds that listings are waited for before the first page is asked for without them."""
_RETRY_PRIORITY = 1_000_000
"""What failed once waits with this priority, behind everything that was not tried yet."""
_MAX_TRIES = 2
"""How often a resource that had trouble is tried again before it counts as missing."""
_MAX_LISTING_RETRIES = 4
"""How often a repository that could not tell all that it holds is asked to go on with that."""
_MIN_REPEATED_PAGES = 12
"""How many pages with the very same content are suspicious."""


def _accept_all(_resource: RecoveredResource, _found: FetchedVersion) -> str:
    return ""


class RecoveryRun:
    """One run over the repositories; `run` returns when all is done, or it was told to stop."""

    def __init__(
        self,
        plan: RecoveryPlan,
        repositories: Iterable[Repository],
        recovery_store: RecoveryStore,
        sink: VersionSink,
        clock: Clock,
        observer: RecoveryObserver,
        judge: VersionJudge = _accept_all,
        kept_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        self._plan = plan
        self._repositories = list(repositories)
        self._store = recovery_store
        self._sink = sink
        self._clock = clock
        self._observer = observer
        self._stored_bytes = kept_bytes
        self._client = RepositoryPool(plan, self._repositories, recovery_store, clock, observer.on_note)
        self._finder = VersionFinder(plan, self._client, recovery_store, judge)
        self.parts = EmbedChooser(recovery_store, self._finder, plan.preference)
        self._pages = PageRefits(plan, recovery_store, self._client, self._finder, self.parts)
        self._ready: deque[tuple[RecoveredResource, list[HeldVersion]]] = deque()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        self._listing_task: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._stopping = False
        self._has_all = False
        self._listings_left = _MAX_LISTING_RETRIES
        self._next_listing: Moment | None = None
        self._count = 0
        self._alias_rules: list[UrlAliasRule] | None = None
        """None until something is missing that may be held by another name."""
        self.is_drained = False
        """Whether nothing is left to be had."""

    async def run(self) -> None:
        """Recover all that there is."""
        self._listing_task = asyncio.get_running_loop().create_task(self._run_listings())
        glancing = asyncio.get_running_loop().create_task(self._report_progress())
        try:
            await self._wait_for_listings()
            self._client.refresh_statuses()
            self._enqueue_seeds()
            self._stopping = self._stopping or self._client.are_all_unreachable
            while not self._is_over:
                self._dispatch()
                if not self._is_over:
                    await self._wait()
                self._commit_if_due()
                if self._failure is not None:
                    raise self._failure
        finally:
            await self._shut_down(glancing)

    async def _wait_for_listings(self) -> None:
        """Wait until all have told what they hold, though not for ever."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _LISTING_WAIT_SECONDS
        while self._is_listing and not self._stopping and loop.time() < deadline:
            await self._wait()

    async def _shut_down(self, *others: asyncio.Task[None]) -> None:
        tasks = [*self._tasks.values(), *others, *([self._listing_task] if self._listing_task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._sink.flush()
        self._store.commit(at_once=True)

    def stop(self) -> None:
        """Ask for nothing more; what is under way is finished."""
        self._stopping = True
        self._changed.set()

    def abandon(self) -> None:
        """Let go of what is under way."""
        self._stopping = True
        for task in self._tasks.values():
            task.cancel()

    async def _run_listings(self) -> None:
        before = self._store.newest_version_number()
        try:
            self._next_listing = await collect_listings(
                self._plan, self._repositories, self._store, self._observer, self._client.exclude
            )
            is_news = self._store.newest_version_number() > before
            if is_news and self._plan.suspicious and self._plan.policy is RecoveryPolicy.SPARING:
                await self._mark_doubtful()
        except Exception as error:  # noqa: BLE001 - told by the loop, which would wait for ever
            self._failure = error
        self._alias_rules = None
        self._client.refresh_statuses()
        better = request_better_versions(self._store, self._finder)
        if better:
            self._observer.on_note(f"of {better:,} recovered before, a better version is held now")
        self._changed.set()

    async def _mark_doubtful(self) -> None:
        """Doubt what many URLs show alike, and refuse what is of whoever had the name later."""
        self._store.mark_repeated_doubtful(_MIN_REPEATED_PAGES)
        for words in await refuse_later_owners(self._plan, self._store, self._client):
            self._observer.on_note(words)

    @property
    def unreachable(self) -> tuple[str, ...]:
        """The repositories where nobody answered."""
        return self._client.unreachable

    @property
    def _is_over(self) -> bool:
        return self.is_drained or (self._stopping and not self._tasks)

    @property
    def _is_listing(self) -> bool:
        return self._listing_task is not None and not self._listing_task.done()

    def _enqueue_seeds(self) -> None:
        self._store.enqueue([DiscoveredUrl(self._plan.identity.key(seed), seed, 0) for seed in self._plan.seeds])

    def _dispatch(self) -> None:
        """Begin with what may be begun."""
        self._stopping = self._stopping or self._is_limit_reached()
        while not self._stopping and len(self._tasks) < self._plan.connections:
            ready = self._next_resource()
            if ready is None:
                self._check_drained()
                return
            resource = ready[0]
            task = asyncio.get_running_loop().create_task(self._recover_resource(*ready))
            self._tasks[resource.id] = task
            task.add_done_callback(partial(self._on_task_done, resource.id))

    def _is_limit_reached(self) -> bool:
        if self._plan.most is not None and self._count >= self._plan.most:
            return True
        return bool(self._plan.until_file) and Path(self._plan.until_file).exists()

    def _next_resource(self) -> tuple[RecoveredResource, list[HeldVersion]] | None:
        """What is to be gone for next, and what is held of it; None where nothing may be now."""
        if not self._ready:
            self._refill_ready()
        while self._ready:
            resource, versions = self._ready[0]
            is_early = resource.priority >= ORPHAN_PRIORITY and not self._has_all
            if is_early and (self._tasks or self._is_listing):
                return None  # what is under way may lead to it
            self._ready.popleft()
            self._has_all = self._has_all or resource.priority >= ORPHAN_PRIORITY
            if resource.id not in self._tasks:
                if resource.id in self.parts.wanting:
                    self.parts.wanting.discard(resource.id)
                    versions = self._store.held_versions(resource.id)
                return resource, versions
        return None

    def _refill_ready(self) -> None:
        resources = self._store.next_resources(2 * self._plan.connections, self._clock.now(), self._tasks)
        if resources:
            held = self._store.held_versions_by_resource([each.id for each in resources])
            self._ready.extend((each, held[each.id]) for each in resources)

    def _check_drained(self) -> None:
        if self._tasks or self._ready or self._is_listing:
            return
        if self._listings_left and any(not status.is_listed for status in self._store.repository_statuses()):
            if self._next_listing is not None and self._clock.now() < self._next_listing:
                return
            # Whoever does not say when to come again is asked once more.
            self._listings_left = 0 if self._next_listing is None else self._listings_left - 1
            self._listing_task = asyncio.get_running_loop().create_task(self._run_listings())
        elif self._plan.includes_orphans and self._store.count_by_state().get(RecoveryState.LISTED, 0):
            self._store.enqueue_listed()
            self._changed.set()
        elif self._store.next_due() is None:
            self.is_drained = True

    async def _wait(self) -> None:
        timer = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._changed.set)
        await self._changed.wait()
        timer.cancel()
        self._changed.clear()

    def _on_task_done(self, number: int, task: asyncio.Task[None]) -> None:
        self._tasks.pop(number, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = self._failure or error
        self._changed.set()

    def _commit_if_due(self) -> None:
        if self._store.is_commit_due:
            self._sink.write_pending()
            self._store.commit()

    async def _report_progress(self) -> None:
        loop, pause = asyncio.get_running_loop(), _SNAPSHOT_SECONDS
        while True:
            await asyncio.sleep(pause)
            began = loop.time()
            self._observer.on_progress(self.read_progress())
            pause = max(_SNAPSHOT_SECONDS, 50 * (loop.time() - began))  # counting takes longer the more there is

    def read_progress(self) -> RecoveryProgress:
        """How it is doing."""
        counts = self._store.count_by_state()
        return RecoveryProgress(
            counts.get(RecoveryState.RECOVERED, 0),
            counts.get(RecoveryState.MISSING, 0),
            counts.get(RecoveryState.QUEUED, 0),
            counts.get(RecoveryState.LISTED, 0),
            self._stored_bytes(),
            tuple(self._store.repository_statuses()),
        )

    async def _recover_resource(self, resource: RecoveredResource, versions: Sequence[HeldVersion]) -> None:
        try:
            search = await self._finder.find(resource, versions)
            if search.accepted and self._plan.policy is RecoveryPolicy.SPARING:
                await self._pages.refit_page(search)
            if search.accepted:
                await self._store_versions(search)
            else:
                self._record_miss(search)
            if resource.id in self.parts.wanting:  # since it was begun, a page came to need another version
                self._store.requeue(resource.id)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one URL brings about, the others are not to suffer from it
            note = f"an error of webkeep ({type(error).__name__}: {error})"
            self._observer.on_note(f"{resource.url}: {note}; please report this")
            self._store.finish_resource(resource.id, RecoveryState.MISSING, note=note)

    def _record_miss(self, search: VersionSearch) -> None:
        resource, again = search.resource, search.retry_at
        self._stopping = self._stopping or self._client.are_all_unreachable
        if self._client.are_all_unreachable:
            return  # it stays to be asked for when somebody answers
        if resource.chosen is not None:
            self._store.finish_resource(
                resource.id, RecoveryState.RECOVERED
            )  # another version was wanted, and cannot be had
        elif again is not None:
            self._store.postpone(resource.id, again, search.miss_note)
        elif search.has_trouble and resource.tries < _MAX_TRIES:
            self._store.postpone(resource.id, self._clock.now(), search.miss_note, _RETRY_PRIORITY)
        elif not self._merge_with_alias(resource):
            self._store.finish_resource(resource.id, RecoveryState.MISSING, note=search.miss_note)
            self._observer.on_missing(resource, search.miss_note)

    def _merge_with_alias(self, resource: RecoveredResource) -> bool:
        """Whether the same is held with or without a slash at its end, or by another name that the site had for it."""
        for key in (toggle_slash(resource.key), *self._alias_keys(resource.key)):
            other = self._store.find_resource(key) if key != resource.key else None
            if other is not None and (other.state is RecoveryState.RECOVERED or self._store.held_versions(other.id)):
                self._store.merge_resources(resource, other)
                return True
        return False

    def _alias_keys(self, key: str) -> Iterator[str]:
        if self._alias_rules is None:
            self._alias_rules = find_alias_rules(self._store)
        return (rule.apply(key) for rule in self._alias_rules)

    async def _store_versions(self, search: VersionSearch) -> None:
        resource = search.resource
        is_known = len(search.held_versions) < 2 and not search.misses and not search.refused
        versions = list(search.held_versions.values()) if is_known else self._store.held_versions(resource.id)
        for number, found in search.accepted:
            others = [(each.listed, each.remark) for each in versions if each.id != number]
            why = "asked for" if len(versions) < 2 else f"the best of {len(versions)}"
            provenance = build_provenance(resource.key, found, others, why, resource.is_current)
            extracted = await self._sink.store_version(resource, found, provenance)
            self._store.mark_version(number, VersionState.STORED, facts=_version_facts(found))
            self._follow_links(resource, found, extracted)
            self._count += 1
        self._store.finish_resource(resource.id, RecoveryState.RECOVERED, self._choose_shown(search, versions))
        found = search.accepted[0][1]
        self._observer.on_recovered(resource, found.listed.repository)
        if found.is_truncated:
            self._observer.on_truncated(resource, found.listed.repository)
        if any(finding.code == SOFT_404 for finding in found.findings):
            self._observer.on_note(f"{resource.url} is back as {PlaceholderSuspicion.SOFT_404}; no other version came")

    def _choose_shown(self, search: VersionSearch, versions: Sequence[HeldVersion]) -> int | None:
        """The version to be shown of a resource by itself; None where that stays what it was."""
        resource, number = search.resource, search.accepted[0][0]
        if resource.chosen is None:
            return number
        order = rank_versions(self._finder.rate_versions(versions), self._finder.preference_for(resource))
        places = {version.number: place for place, version in enumerate(order)}
        last = len(order)
        return number if places.get(number, last) <= places.get(resource.chosen, last) else None

    def _follow_links(self, resource: RecoveredResource, found: FetchedVersion, extracted: RecoveredLinks) -> None:
        """Enter where something leads, and choose the versions of what it needs."""
        sure: list[DiscoveredUrl] = []
        guesses: list[DiscoveredUrl] = []
        embeds: list[str] = []
        moment = found.exchange.moment.micros
        for url, is_embed, is_guess in extracted.links:
            if url == extracted.redirect or not self._plan.url_scope.judge(url, embedded=is_embed).is_allowed:
                continue
            entry = self._build_discovered_url(resource, url, is_embed, moment)
            (guesses if is_guess else sure).append(entry)
            if is_embed and not is_guess:
                embeds.append(entry.key)
        if extracted.redirect and self._plan.url_scope.judge(extracted.redirect, embedded=resource.is_embed).is_allowed:
            sure.append(self._build_discovered_url(resource, extracted.redirect, resource.is_embed, moment))
        if sure:
            self._store.enqueue(sure)
        if guesses:
            self._store.promote_listed(guesses)
        if embeds and self._plan.policy is RecoveryPolicy.SPARING:
            self.parts.choose_embeds(version_from_fetched(found), embeds)

    def _build_discovered_url(
        self, resource: RecoveredResource, url: str, is_embed: bool, moment: int
    ) -> DiscoveredUrl:
        if resource.is_current:
            level = resource.priority - resource.priority % 10
            priority = min(level + (1 if is_embed else 10), ORPHAN_PRIORITY - 1)
        else:
            priority = resource.priority + 1 if is_embed else orphan_priority(normalize_url(url) or url)
        wanted = (resource.wanted or moment) if is_embed else None
        return DiscoveredUrl(
            self._plan.identity.key(url), url, priority, resource.id, is_embed, resource.is_current, wanted
        )


def _version_facts(found: FetchedVersion) -> str:
    """What is kept in the recovery store of something that came."""
    facts = {
        "fidelity": found.fidelity.value,
        "truncated": found.is_truncated or bool(found.exchange.truncated),
        "url": found.exchange.url,
        "moment": found.exchange.moment.micros,
        "retrieved": found.retrieved.micros,
        "bytes": found.exchange.body.size,
        "status": found.listed.status,
    }
    return json.dumps(facts, separators=(",", ":"))

"""The crawl over archives: takes what is most important, finds its best version, keeps it, and follows where it leads.

One thread runs it all on asyncio; each resource is a task. The book is committed after what it says is on disk. What
nothing led to is gone for only when all that something led to is done, so that the site as it was last is known apart
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
from webkeep.recover.asking import Asker
from webkeep.recover.book import Book, Entry, Holding, Resource, State, Taken
from webkeep.recover.duplicates import Renaming
from webkeep.recover.finding import SOFT_404, Finder, Judge, Search
from webkeep.recover.gathering import ORPHANS, gather, priority_of
from webkeep.recover.identity import with_other_slash
from webkeep.recover.keeping import Keeper
from webkeep.recover.merging import want_better
from webkeep.recover.name_pairs import renamings_in
from webkeep.recover.pages import Pages, came
from webkeep.recover.parts import Parts
from webkeep.recover.plan import Plan, Policy
from webkeep.recover.provenance import provenance_of
from webkeep.recover.repository import Found, Repository
from webkeep.recover.study import Studied
from webkeep.recover.suspicion import Suspicion
from webkeep.recover.takeover import refuse_later_owners
from webkeep.recover.watching import Glance, Watcher
from webkeep.recover.worth import ranked
from webkeep.url import normal

_IDLE = 0.5
_GLANCE = 0.4
_LISTING_PATIENCE = 20.0
"""Seconds that listings are waited for before the first page is asked for without them."""
_LAST_ROUND = 1_000_000
_MOST_TRIES = 2
_MORE_LISTINGS = 4
"""How often a repository that could not tell all that it holds is asked to go on with that."""
_ALIKE = 12
"""How many pages with the very same content are suspicious."""


def _unsuspecting(_resource: Resource, _found: Found) -> str:
    return ""


class Crawl:
    """One run over the repositories; `run` returns when all is done, or it was told to stop."""

    def __init__(
        self,
        plan: Plan,
        repositories: Iterable[Repository],
        book: Book,
        keeper: Keeper,
        clock: Clock,
        watcher: Watcher,
        judge: Judge = _unsuspecting,
        kept_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        self._plan = plan
        self._repositories = list(repositories)
        self._book = book
        self._keeper = keeper
        self._clock = clock
        self._watcher = watcher
        self._kept_bytes = kept_bytes
        self._asker = Asker(plan, self._repositories, book, clock, watcher.noted)
        self._finder = Finder(plan, self._asker, book, judge)
        self.parts = Parts(book, self._finder, plan.wish)
        self._pages = Pages(plan, book, self._asker, self._finder, self.parts)
        self._ready: deque[tuple[Resource, list[Holding]]] = deque()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        self._gathering: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._stopping = False
        self._has_all = False
        self._listings_left = _MORE_LISTINGS
        self._listing_again: Moment | None = None
        self._count = 0
        self._renamings: list[Renaming] | None = None
        """None until something is missing that may be held by another name."""
        self.drained = False
        """Whether nothing is left to be had."""

    async def run(self) -> None:
        """Recover all that there is."""
        self._gathering = asyncio.get_running_loop().create_task(self._gather())
        glancing = asyncio.get_running_loop().create_task(self._glance_again())
        try:
            await self._wait_for_lists()
            self._asker.look_again()
            self._enter_seeds()
            self._stopping = self._stopping or self._asker.is_alone
            while not self._is_over:
                self._dispatch()
                if not self._is_over:
                    await self._wait()
                self._save()
                if self._failure is not None:
                    raise self._failure
        finally:
            await self._end(glancing)

    async def _wait_for_lists(self) -> None:
        """Wait until all have told what they hold, though not for ever."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _LISTING_PATIENCE
        while self._is_gathering and not self._stopping and loop.time() < deadline:
            await self._wait()

    async def _end(self, *others: asyncio.Task[None]) -> None:
        tasks = [*self._tasks.values(), *others, *([self._gathering] if self._gathering else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._keeper.settle()
        self._book.commit(at_once=True)

    def stop(self) -> None:
        """Ask for nothing more; what is under way is finished."""
        self._stopping = True
        self._changed.set()

    def abandon(self) -> None:
        """Let go of what is under way."""
        self._stopping = True
        for task in self._tasks.values():
            task.cancel()

    async def _gather(self) -> None:
        before = self._book.newest_held()
        try:
            self._listing_again = await gather(
                self._plan, self._repositories, self._book, self._watcher, self._asker.leave_out
            )
            is_news = self._book.newest_held() > before
            if is_news and self._plan.suspicious and self._plan.policy is Policy.SPARING:
                await self._doubt()
        except Exception as error:  # noqa: BLE001 - told by the loop, which would wait for ever
            self._failure = error
        self._renamings = None
        self._asker.look_again()
        better = want_better(self._book, self._finder)
        if better:
            self._watcher.noted(f"of {better:,} recovered before, a better version is held now")
        self._changed.set()

    async def _doubt(self) -> None:
        """Doubt what many URLs show alike, and refuse what is of whoever had the name later."""
        self._book.doubt_repeated(_ALIKE)
        for words in await refuse_later_owners(self._plan, self._book, self._asker):
            self._watcher.noted(words)

    @property
    def unreached(self) -> tuple[str, ...]:
        """The repositories where nobody answered."""
        return self._asker.unreached

    @property
    def _is_over(self) -> bool:
        return self.drained or (self._stopping and not self._tasks)

    @property
    def _is_gathering(self) -> bool:
        return self._gathering is not None and not self._gathering.done()

    def _enter_seeds(self) -> None:
        self._book.enter([Entry(self._plan.identity.key(seed), seed, 0) for seed in self._plan.seeds])

    def _dispatch(self) -> None:
        """Begin with what may be begun."""
        self._stopping = self._stopping or self._is_enough()
        while not self._stopping and len(self._tasks) < self._plan.connections:
            ready = self._next()
            if ready is None:
                self._look_for_the_end()
                return
            resource = ready[0]
            task = asyncio.get_running_loop().create_task(self._recover(*ready))
            self._tasks[resource.id] = task
            task.add_done_callback(partial(self._ended, resource.id))

    def _is_enough(self) -> bool:
        if self._plan.most is not None and self._count >= self._plan.most:
            return True
        return bool(self._plan.until_file) and Path(self._plan.until_file).exists()

    def _next(self) -> tuple[Resource, list[Holding]] | None:
        """What is to be gone for next, and what is held of it; None where nothing may be now."""
        if not self._ready:
            self._make_ready()
        while self._ready:
            resource, holdings = self._ready[0]
            is_early = resource.priority >= ORPHANS and not self._has_all
            if is_early and (self._tasks or self._is_gathering):
                return None  # what is under way may lead to it
            self._ready.popleft()
            self._has_all = self._has_all or resource.priority >= ORPHANS
            if resource.id not in self._tasks:
                if resource.id in self.parts.wanting:
                    self.parts.wanting.discard(resource.id)
                    holdings = self._book.holdings(resource.id)
                return resource, holdings
        return None

    def _make_ready(self) -> None:
        resources = self._book.next(2 * self._plan.connections, self._clock.now(), self._tasks)
        if resources:
            held = self._book.holdings_of([each.id for each in resources])
            self._ready.extend((each, held[each.id]) for each in resources)

    def _look_for_the_end(self) -> None:
        if self._tasks or self._ready or self._is_gathering:
            return
        if self._listings_left and any(not desk.is_listed for desk in self._book.desks()):
            if self._listing_again is not None and self._clock.now() < self._listing_again:
                return
            # Whoever does not say when to come again is asked once more.
            self._listings_left = 0 if self._listing_again is None else self._listings_left - 1
            self._gathering = asyncio.get_running_loop().create_task(self._gather())
        elif self._plan.takes_all and self._book.counts().get(State.LISTED, 0):
            self._book.queue_listed()
            self._changed.set()
        elif self._book.next_turn() is None:
            self.drained = True

    async def _wait(self) -> None:
        timer = asyncio.get_running_loop().call_later(_IDLE, self._changed.set)
        await self._changed.wait()
        timer.cancel()
        self._changed.clear()

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        self._tasks.pop(number, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = self._failure or error
        self._changed.set()

    def _save(self) -> None:
        if self._book.is_due:
            self._keeper.tell()
            self._book.commit()

    async def _glance_again(self) -> None:
        loop, pause = asyncio.get_running_loop(), _GLANCE
        while True:
            await asyncio.sleep(pause)
            began = loop.time()
            self._watcher.glanced(self.glance())
            pause = max(_GLANCE, 50 * (loop.time() - began))  # counting takes longer the more there is

    def glance(self) -> Glance:
        """How it is doing."""
        counts = self._book.counts()
        return Glance(
            counts.get(State.RECOVERED, 0),
            counts.get(State.MISSING, 0),
            counts.get(State.QUEUED, 0),
            counts.get(State.LISTED, 0),
            self._kept_bytes(),
            tuple(self._book.desks()),
        )

    async def _recover(self, resource: Resource, holdings: Sequence[Holding]) -> None:
        try:
            search = await self._finder.find(resource, holdings)
            if search.kept and self._plan.policy is Policy.SPARING:
                await self._pages.compose(search)
            if search.kept:
                await self._keep(search)
            else:
                self._give_up(search)
            if resource.id in self.parts.wanting:  # since it was begun, a page came to need another version
                self._book.requeue(resource.id)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one URL brings about, the others are not to suffer from it
            note = f"an error of webkeep ({type(error).__name__}: {error})"
            self._watcher.noted(f"{resource.url}: {note}; please report this")
            self._book.settle(resource.id, State.MISSING, note=note)

    def _give_up(self, search: Search) -> None:
        resource, again = search.resource, search.again
        self._stopping = self._stopping or self._asker.is_alone
        if self._asker.is_alone:
            return  # it stays to be asked for when somebody answers
        if resource.chosen is not None:
            self._book.settle(resource.id, State.RECOVERED)  # another version was wanted, and cannot be had
        elif again is not None:
            self._book.postpone(resource.id, again, search.note)
        elif search.had_trouble and resource.tries < _MOST_TRIES:
            self._book.postpone(resource.id, self._clock.now(), search.note, _LAST_ROUND)
        elif not self._is_another_spelling(resource):
            self._book.settle(resource.id, State.MISSING, note=search.note)
            self._watcher.missed(resource, search.note)

    def _is_another_spelling(self, resource: Resource) -> bool:
        """Whether the same is held with or without a slash at its end, or by another name that the site had for it."""
        for key in (with_other_slash(resource.key), *self._other_names(resource.key)):
            other = self._book.resource(key) if key != resource.key else None
            if other is not None and (other.state is State.RECOVERED or self._book.holdings(other.id)):
                self._book.merge(resource, other)
                return True
        return False

    def _other_names(self, key: str) -> Iterator[str]:
        if self._renamings is None:
            self._renamings = renamings_in(self._book)
        return (rule.applied(key) for rule in self._renamings)

    async def _keep(self, search: Search) -> None:
        resource = search.resource
        is_known = len(search.holdings) < 2 and not search.misses and not search.refused
        holdings = list(search.holdings.values()) if is_known else self._book.holdings(resource.id)
        for number, found in search.kept:
            others = [(each.held, each.remark) for each in holdings if each.id != number]
            why = "asked for" if len(holdings) < 2 else f"the best of {len(holdings)}"
            provenance = provenance_of(resource.key, found, others, why, resource.is_current)
            studied = await self._keeper.keep(resource, found, provenance)
            self._book.mark(number, Taken.STORED, facts=_facts(found))
            self._follow(resource, found, studied)
            self._count += 1
        self._book.settle(resource.id, State.RECOVERED, self._chosen(search, holdings))
        found = search.kept[0][1]
        self._watcher.recovered(resource, found.held.repository)
        if found.truncated:
            self._watcher.cut_off(resource, found.held.repository)
        if any(finding.code == SOFT_404 for finding in found.findings):
            self._watcher.noted(f"{resource.url} is back as {Suspicion.SOFT_404}; no other version came")

    def _chosen(self, search: Search, holdings: Sequence[Holding]) -> int | None:
        """The version to be shown of a resource by itself; None where that stays what it was."""
        resource, number = search.resource, search.kept[0][0]
        if resource.chosen is None:
            return number
        order = ranked(self._finder.versions(holdings), self._finder.wish_for(resource))
        places = {version.number: place for place, version in enumerate(order)}
        last = len(order)
        return number if places.get(number, last) <= places.get(resource.chosen, last) else None

    def _follow(self, resource: Resource, found: Found, studied: Studied) -> None:
        """Enter where something leads, and choose the versions of what it needs."""
        sure: list[Entry] = []
        guesses: list[Entry] = []
        embeds: list[str] = []
        moment = found.exchange.moment.micros
        for url, is_embed, is_guess in studied.links:
            if url == studied.redirect or not self._plan.bounds.judge(url, embedded=is_embed).allowed:
                continue
            entry = self._entry(resource, url, is_embed, moment)
            (guesses if is_guess else sure).append(entry)
            if is_embed and not is_guess:
                embeds.append(entry.key)
        if studied.redirect and self._plan.bounds.judge(studied.redirect, embedded=resource.is_embed).allowed:
            sure.append(self._entry(resource, studied.redirect, resource.is_embed, moment))
        if sure:
            self._book.enter(sure)
        if guesses:
            self._book.promote(guesses)
        if embeds and self._plan.policy is Policy.SPARING:
            self.parts.choose(came(found), embeds)

    def _entry(self, resource: Resource, url: str, is_embed: bool, moment: int) -> Entry:
        if resource.is_current:
            level = resource.priority - resource.priority % 10
            priority = min(level + (1 if is_embed else 10), ORPHANS - 1)
        else:
            priority = resource.priority + 1 if is_embed else priority_of(normal(url) or url)
        wanted = (resource.wanted or moment) if is_embed else None
        return Entry(self._plan.identity.key(url), url, priority, resource.id, is_embed, resource.is_current, wanted)


def _facts(found: Found) -> str:
    """What is kept in the book of something that came."""
    facts = {
        "fidelity": found.fidelity.value,
        "truncated": found.truncated or bool(found.exchange.truncated),
        "url": found.exchange.url,
        "moment": found.exchange.moment.micros,
        "retrieved": found.retrieved.micros,
        "bytes": found.exchange.body.size,
        "status": found.held.status,
    }
    return json.dumps(facts, separators=(",", ":"))

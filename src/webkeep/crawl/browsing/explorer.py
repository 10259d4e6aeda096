"""The explorer: takes pages of a capture to a browser, walks their states, and stores what was found.

Theory of operation. It is asked for more to do whenever the fast tier has nothing left. First it surveys what was
stored since; then it hands out pages, one for each free tab. All that a page asks for passes its lane. When its walk
has ended and everything is on disk, links join the frontier and the notes of its views are written, that of the root
last: a page without one is walked again when the capture goes on. If Chromium dies it is started again, and the pages
that were open are put back. It is not started before the first page is to be run.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from webkeep.browser.account import NO_SANDBOX
from webkeep.browser.chromium import Chromium
from webkeep.browser.command import BrowserSettings, find_program
from webkeep.browser.failures import BrowserGone, PageGone
from webkeep.browser.storage import Stores
from webkeep.browser.values import Limits, Walk
from webkeep.browser.walking import walk
from webkeep.crawl.browsing.keeping import Keeper
from webkeep.crawl.browsing.lane import ProxyLane
from webkeep.crawl.browsing.lanes import opened
from webkeep.crawl.browsing.notes import fresh_on_load
from webkeep.crawl.browsing.passages import SOURCE, Passages
from webkeep.crawl.browsing.redacted_walk import redact_walk
from webkeep.crawl.browsing.report import Browsed
from webkeep.crawl.browsing.seats import Seat, Seats, started
from webkeep.crawl.browsing.survey import Survey
from webkeep.crawl.secret_urls import LOST
from webkeep.errors import StorageError
from webkeep.extract import Link
from webkeep.extract import Role as LinkRole
from webkeep.fetch.settings import DoorSettings
from webkeep.frontier.tiers import Found, Teller, Tiers
from webkeep.model import Clock

_TRIES = 5
_BUDGET = "the budget was spent"
_LIMIT = "a limit of the capture was reached before"


@dataclass(frozen=True, slots=True)
class Budget:
    """How far a browser may go in one capture; None for no limit."""

    seconds: float | None = None
    states: int | None = None
    requests: int | None = None

    @property
    def is_set(self) -> bool:
        """Whether there is a limit."""
        return any(each is not None for each in (self.seconds, self.states, self.requests))


@dataclass(frozen=True, slots=True)
class Exploring:
    """What is to be explored, and how."""

    limits: Limits
    tabs: int
    budget: Budget = Budget()
    settings: BrowserSettings = field(default_factory=BrowserSettings)
    decides: bool = True
    """Whether only pages that need it are run."""
    cookies: Sequence[Mapping[str, Any]] = ()
    """Those that every tab begins with."""
    stores: Stores = field(default_factory=dict, repr=False)
    """The local storage that every tab begins with."""

    @property
    def is_ordered(self) -> bool:
        """Whether pages are taken in the order of what they can be expected to bring."""
        return self.decides or self.budget.is_set


@dataclass(slots=True)
class Explorer:
    """Runs pages in a browser; opened by `exploring`."""

    plan: Exploring
    seats: Seats
    passages: Passages
    survey: Survey
    keeper: Keeper
    clock: Clock
    browsed: Browsed = field(default_factory=Browsed)
    _tiers: Tiers = field(init=False)
    _waiting: deque[str] = field(default_factory=deque)
    _waiting_seeds: deque[str] = field(default_factory=deque)
    """Where all pages are run those that were named, which come first."""
    _tries: Counter[str] = field(default_factory=Counter)
    _ahead: str | None = None
    """A page that was looked at and is next."""
    _running: int = 0
    _seeds: set[str] = field(default_factory=set)
    _withheld: set[str] = field(default_factory=set)
    _fresh: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """What pages led to that have to be run again."""
    _is_surveyed: bool = False
    _is_surveying: bool = False

    def __post_init__(self) -> None:
        self._tiers = Tiers(leaves_out=self.plan.decides)

    def look_again(self) -> None:
        """Something was stored: there may be more pages."""
        self._is_surveyed = False

    def next(self, seeds_alone: bool = False) -> Coroutine[Any, Any, None] | None:
        """More to do at this moment; None where all is done, or has to wait for what is under way.

        Where a limit was reached seeds are still run, with what is held: nothing more is asked for.
        """
        if not self._is_surveyed and not self._is_surveying:
            self._is_surveyed = self._is_surveying = True
            return self._look_around()
        if not self.seats.free or self._is_surveying or self.browsed.trouble:
            return None
        page = self._next_page()
        if page is None:
            return self._tell() if self.plan.decides and not self._running and not seeds_alone else None
        if self._is_spent or (seeds_alone and page not in self._seeds):
            self._ahead = page
            return None
        self._running += 1
        if self.passages.urls.is_lost(page):
            return self._give_up(page)
        return self._run(page, self._taken_seats())

    async def _give_up(self, page: str) -> None:
        """Leave a page that cannot be asked for any more."""
        self._running -= 1
        self.browsed.failures[page] = LOST
        self.keeper.failed(page, LOST)
        self._report_run(page, Found(is_odd=True))

    def _taken_seats(self) -> list[Seat]:
        """A seat for the next page; all that are free where no other page waits and there is much to try on it."""
        free = self.seats.free
        if self.plan.limits.depth and len(free) > 1:
            self._ahead = self._next_page()
            if self._ahead is None:
                taken, self.seats.free = free, []
                return taken
        return [free.pop()]

    async def _look_around(self) -> None:
        try:
            found = await asyncio.to_thread(self.survey.templates, self.survey.pages())
        finally:
            self._is_surveying = False
        for page, template, is_seed in found:
            if is_seed:
                self._seeds.add(page)
            if self.plan.is_ordered:
                self._tiers.enter(page, template, is_seed)
            else:
                self._queue(page)

    def _tell(self) -> Coroutine[Any, Any, None] | None:
        """Have fetched what pages that are left out will ask for, where that can be told."""
        told = self._tiers.to_be_told()
        if not told:
            return None
        self._running += 1
        return self._foretell(told)

    async def _foretell(self, told: list[tuple[str, Teller]]) -> None:
        try:
            for page, teller in told:
                values = await asyncio.to_thread(self.survey.values, page)
                urls = {url for url in teller(values) if not self.passages.urls.is_lost(url)}
                self.browsed.foretold += len(urls)
                self.passages.discovered(page, [Link(url, LinkRole.EMBED, SOURCE) for url in sorted(urls)])
        finally:
            self._running -= 1

    def _next_page(self) -> str | None:
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            return ahead
        if not self.plan.is_ordered:
            waiting = self._waiting_seeds or self._waiting
            return waiting.popleft() if waiting else None
        return self._tiers.next()

    @property
    def _is_spent(self) -> bool:
        budget, browsed = self.plan.budget, self.browsed
        spent = (
            (budget.seconds, browsed.seconds),
            (budget.states, browsed.states),
            (budget.requests, self.passages.sent),
        )
        return any(most is not None and used >= most for most, used in spent)

    def _limits(self) -> Limits:
        """How far the next page may go: not beyond what is left for all of them."""
        limits, budget, browsed = self.plan.limits, self.plan.budget, self.browsed
        if budget.seconds is not None:
            limits = replace(limits, seconds=min(limits.seconds, budget.seconds - browsed.seconds))
        if budget.states is not None:
            limits = replace(limits, views=min(limits.views, budget.states - browsed.states))
        if budget.requests is not None:
            limits = replace(limits, requests=min(limits.requests, budget.requests - self.passages.sent))
        return limits

    def _report_run(self, page: str, found: Found) -> None:
        if self.plan.is_ordered:
            self._tiers.ran(page, found)

    async def _run(self, page: str, seats: list[Seat]) -> None:
        began = self.clock.now()
        try:
            for seat in seats:
                seat.lane.fresh.clear()
                seat.lane.asked.clear()
            tabs = [await self.seats.tab(seat) for seat in seats]
            await self.passages.await_host(page)
            address, now = self.passages.urls.restore(page), self.clock.now().micros // 1000
            found = await walk(address, tabs, self._limits(), now, None, self.passages.is_ended)
            await self._take_in(page, found, [seat.lane for seat in seats])
        except BrowserGone as error:
            self.seats.lost(seats)
            self._put_back(page, str(error), seats)
            self._see_trouble()
        except PageGone as error:
            self.seats.clear(seats)
            self._put_back(page, str(error), seats)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one page brings about, the others are not to suffer from it
            self.passages.noted(f"{page}: an error of webkeep ({type(error).__name__}: {error}); please report this")
            self.seats.clear(seats)
            self._put_back(page, f"{type(error).__name__}: {error}", seats)
        finally:
            self.seats.free += seats
            self._running -= 1
            self.browsed.restarts = self.seats.restarts
            self.browsed.seconds += self.clock.now().seconds_since(began)

    def _see_trouble(self) -> None:
        self.browsed.trouble = self.browsed.trouble or self.seats.trouble

    def _put_back(self, page: str, reason: str, seats: list[Seat]) -> None:
        """Have a page run again, unless it brought the browser down too often."""
        self._tries[page] += 1
        self._fresh[page].update(*(seat.lane.fresh for seat in seats))
        if self._tries[page] >= _TRIES:
            self.browsed.failures[page] = reason
            self.keeper.failed(page, reason)
            self._report_run(page, Found(is_odd=True))
        elif self.plan.is_ordered:
            self._tiers.again(page)
        else:
            self._queue(page)

    def _queue(self, page: str) -> None:
        (self._waiting_seeds if page in self._seeds else self._waiting).append(page)

    async def _take_in(self, page: str, found: Walk, lanes: list[ProxyLane]) -> None:
        """Store a walk and have its links followed."""
        await self.passages.settled(page)
        self.seats.served()
        # What an earlier run led to that did not come to its end is held by now, and is new all the same.
        fresh = frozenset(self._fresh.pop(page, ())).union(*(lane.fresh for lane in lanes))
        new_links = self.keeper.enter_links(page, found, self.passages)
        found = await asyncio.to_thread(redact_walk, found, self.passages.redactor)
        # What the browser has kept from another page passes no lane.
        asked = frozenset(each.url for each in found.loading.requests).union(*(lane.asked for lane in lanes))
        if not found.views:
            self.browsed.failures[page] = found.failure
            self.keeper.failed(page, found.failure)
        else:
            await self.keeper.keep(found, fresh)
        self._count(found, fresh)
        self._tell_withheld(found)
        values = await asyncio.to_thread(self.survey.values, page) if self.plan.decides and fresh else []
        self._report_run(page, Found(fresh, asked, values, new_links > 0))
        self.look_again()

    def _tell_withheld(self, found: Walk) -> None:
        """Say once of each field that nothing was typed there."""
        for name in sorted(found.withheld - self._withheld):
            self.passages.noted(f"{name} on {found.url} is for a password: nothing is typed there; use webkeep login")
        self._withheld |= found.withheld

    def _count(self, found: Walk, fresh: frozenset[str]) -> None:
        browsed = self.browsed
        browsed.pages += 1
        browsed.views += len(found.views)
        browsed.states += len(self.keeper.states_of(found))
        browsed.transitions += len(found.transitions)
        browsed.resources += len(fresh)
        browsed.resources_by_clicks += len(fresh - fresh_on_load(found, fresh))
        browsed.wishes += len(found.loading.wishes) + sum(len(each.happenings.wishes) for each in found.transitions)
        browsed.requests = self.passages.sent

    def finish(self, is_over: bool) -> Browsed:
        """What came of it all; where the capture `is_over`, no page is going to be run any more."""
        browsed = self.browsed
        browsed.curtailed = len(self.passages.curtailed)
        if is_over:
            browsed.left = self._left()
            browsed.reason = browsed.trouble or (_BUDGET if self._is_spent else _LIMIT) if browsed.left else ""
        if self.plan.decides:
            browsed.tiers = self._tiers.report()
        return browsed

    def _left(self) -> int:
        """How many pages wait that are not left out on purpose."""
        waiting = len(self._waiting_seeds) + len(self._waiting)
        return (self._ahead is not None) + waiting + self._tiers.undecided() + self.survey.pending


@asynccontextmanager
async def exploring(
    plan: Exploring,
    lanes: list[ProxyLane],
    passages: Passages,
    survey: Survey,
    keeper: Keeper,
    door: DoorSettings,
    spool: Path,
    authority: Path,
    clock: Clock,
) -> AsyncIterator[Explorer]:
    """An explorer whose browser and lanes are there from when they are first needed until the block is left."""
    async with AsyncExitStack() as stack:

        async def start() -> Chromium:
            find_program(plan.settings.program)  # before anything is opened for it
            hashes = await stack.enter_async_context(opened(lanes, door, spool, authority, clock))
            browser = await started(stack, replace(plan.settings, key_hashes=hashes))
            if not browser.is_sandboxed:
                explorer.browsed.is_unguarded = True
                passages.noted(NO_SANDBOX)
            return browser

        seats = Seats(start, [Seat(lane) for lane in lanes], plan.cookies, plan.stores)
        explorer = Explorer(plan, seats, passages, survey, keeper, clock)
        yield explorer

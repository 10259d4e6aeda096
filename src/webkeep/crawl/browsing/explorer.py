"""The explorer: takes pages of a capture to a browser, walks their states, and stores what was found. It decides when
the browser's budget is spent, and how often a page that brings Chromium down is tried again.

Theory of operation. It is asked for more to do whenever the fast tier has nothing left. First it surveys what was
stored since; then it hands out pages, one for each free tab. All that a page asks for passes its tab proxy. When its
walk has ended and everything is on disk, links join the frontier and the notes of its views are written, that of the
root last: a page without one is walked again when the capture goes on. If Chromium dies it is started again, and the
pages that were open are put back. It is not started before the first page is to be run.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from webkeep.browser import StateWalk, WalkLimits
from webkeep.browser.process import (
    NO_SANDBOX_WARNING,
    BrowserGone,
    BrowserSettings,
    Chromium,
    LocalStores,
    PageGone,
    find_program,
)
from webkeep.browser.tabs import Tab
from webkeep.browser.walk import walk_page
from webkeep.crawl.browsing.browser_report import BrowserReport
from webkeep.crawl.browsing.browser_requests import BROWSER_SOURCE, BrowserRequests
from webkeep.crawl.browsing.redacted_walk import redact_walk
from webkeep.crawl.browsing.stored_pages import StoredPages
from webkeep.crawl.browsing.tab_pool import PooledTab, TabPool, start_browser
from webkeep.crawl.browsing.tab_proxy import TabProxy, open_tab_proxies
from webkeep.crawl.browsing.walk_notes import fresh_on_load
from webkeep.crawl.browsing.walk_writer import WalkWriter
from webkeep.crawl.requests.secret_urls import SECRET_LOST
from webkeep.crawl.run.capture_tally import CaptureTally
from webkeep.crawl.run.live_pictures import LivePictures
from webkeep.errors import StorageError
from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.fetch.proxy import ProxySettings
from webkeep.frontier.browser_tiers import BrowserTiers, PageRunResult, RequestPredictor
from webkeep.model import Clock

_MAX_TRIES_PER_PAGE = 5
"""A page that brought the browser down so often is not run again."""
_BUDGET_SPENT = "the budget was spent"
_LIMIT_REACHED = "a limit of the capture was reached before"


@dataclass(frozen=True, slots=True)
class BrowserBudget:
    """How far a browser may go in one capture; None for no limit."""

    seconds: float | None = None
    states: int | None = None
    requests: int | None = None

    @property
    def is_set(self) -> bool:
        """Whether there is a limit."""
        return any(each is not None for each in (self.seconds, self.states, self.requests))


@dataclass(frozen=True, slots=True)
class ExplorationPlan:
    """What is to be explored, and how."""

    limits: WalkLimits
    tabs: int
    budget: BrowserBudget = BrowserBudget()
    settings: BrowserSettings = field(default_factory=BrowserSettings)
    is_selective: bool = True
    """Whether only pages that need it are run."""
    portraits: bool = False
    """Whether a portrait of each page is kept."""
    cookies: Sequence[Mapping[str, Any]] = ()
    """Those that every tab begins with."""
    stores: LocalStores = field(default_factory=dict, repr=False)
    """The local storage that every tab begins with."""

    @property
    def is_ordered(self) -> bool:
        """Whether pages are taken in the order of what they can be expected to bring."""
        return self.is_selective or self.budget.is_set


@dataclass(frozen=True, slots=True)
class ExplorerWork:
    """What an explorer works with, beside its browser."""

    requests: BrowserRequests
    stored_pages: StoredPages
    walk_writer: WalkWriter
    tab_proxies: Sequence[TabProxy]
    """One for each tab."""
    pictures: LivePictures
    tally: CaptureTally


@dataclass(slots=True)
class PageExplorer:
    """Runs pages in a browser; opened by `explorer_session`."""

    plan: ExplorationPlan
    tab_pool: TabPool
    requests: BrowserRequests
    stored_pages: StoredPages
    walk_writer: WalkWriter
    pictures: LivePictures
    """Of the pages that are run, for somebody who watches."""
    tally: CaptureTally
    clock: Clock
    report: BrowserReport = field(default_factory=BrowserReport)
    _tiers: BrowserTiers = field(init=False)
    _waiting: deque[str] = field(default_factory=deque)
    _waiting_seeds: deque[str] = field(default_factory=deque)
    """Where all pages are run those that were named, which come first."""
    _tries: Counter[str] = field(default_factory=Counter)
    _next_up: str | None = None
    """A page that was looked at and is next."""
    _running: int = 0
    _seeds: set[str] = field(default_factory=set)
    _withheld: set[str] = field(default_factory=set)
    _fresh_urls: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """What pages led to that have to be run again."""
    _is_surveyed: bool = False
    _is_surveying: bool = False

    def __post_init__(self) -> None:
        self._tiers = BrowserTiers(leaves_out=self.plan.is_selective)

    def warn_unguarded(self) -> None:
        """The browser runs without its sandbox."""
        self.report.note_unguarded()
        self.requests.note_warning(NO_SANDBOX_WARNING)

    def mark_new_pages(self) -> None:
        """Something was stored: there may be more pages."""
        self._is_surveyed = False

    def next_work(self, seeds_alone: bool = False) -> Coroutine[Any, Any, None] | None:
        """More to do at this moment; None where all is done, or has to wait for what is under way.

        Where a limit was reached seeds are still run, with what is held: nothing more is asked for.
        """
        if not self._is_surveyed and not self._is_surveying:
            self._is_surveyed = self._is_surveying = True
            return self._find_pages()
        if not self.tab_pool.free or self._is_surveying or self.report.trouble:
            return None
        page = self._next_page()
        if page is None:
            return (
                self._predict_requests() if self.plan.is_selective and not self._running and not seeds_alone else None
            )
        if self._is_budget_spent or (seeds_alone and page not in self._seeds):
            self._next_up = page
            return None
        self._running += 1
        if self.requests.urls.is_lost(page):
            return self._fail_lost_page(page)
        return self._run_page(page, self._take_tabs())

    async def _fail_lost_page(self, page: str) -> None:
        """Leave a page that cannot be asked for any more."""
        self._running -= 1
        self.report.failures[page] = SECRET_LOST
        self.walk_writer.write_failure(page, SECRET_LOST)
        self._report_run(page, PageRunResult(is_odd=True))

    def _take_tabs(self) -> list[PooledTab]:
        """A tab for the next page; all that are free where no other page waits and there is much to try on it."""
        free = self.tab_pool.free
        if self.plan.limits.depth and len(free) > 1:
            self._next_up = self._next_page()
            if self._next_up is None:
                return self.tab_pool.take_all()
        return [free.pop()]

    async def _find_pages(self) -> None:
        try:
            found = await asyncio.to_thread(self.stored_pages.read_templates, self.stored_pages.take_pages())
        finally:
            self._is_surveying = False
        for page, template, is_seed in found:
            if is_seed:
                self._seeds.add(page)
            if self.plan.is_ordered:
                self._tiers.add_page(page, template, is_seed)
            else:
                self._queue_page(page)

    def _predict_requests(self) -> Coroutine[Any, Any, None] | None:
        """Have fetched what pages that are left out will ask for, where that can be told."""
        told = self._tiers.predictable_pages()
        if not told:
            return None
        self._running += 1
        return self._queue_predicted(told)

    async def _queue_predicted(self, told: list[tuple[str, RequestPredictor]]) -> None:
        try:
            for page, teller in told:
                values = await asyncio.to_thread(self.stored_pages.read_values, page)
                urls = {url for url in teller(values) if not self.requests.urls.is_lost(url)}
                self.report.foretold += len(urls)
                self.requests.add_links(page, [Link(url, LinkRole.EMBED, BROWSER_SOURCE) for url in sorted(urls)])
        finally:
            self._running -= 1

    def _next_page(self) -> str | None:
        ahead, self._next_up = self._next_up, None
        if ahead is not None:
            return ahead
        if not self.plan.is_ordered:
            waiting = self._waiting_seeds or self._waiting
            return waiting.popleft() if waiting else None
        return self._tiers.next_page()

    @property
    def _is_budget_spent(self) -> bool:
        budget, browsed = self.plan.budget, self.report
        spent = (
            (budget.seconds, browsed.seconds),
            (budget.states, browsed.states),
            (budget.requests, self.requests.sent_count),
        )
        return any(most is not None and used >= most for most, used in spent)

    def _remaining_limits(self) -> WalkLimits:
        """How far the next page may go: not beyond what is left for all of them."""
        limits, budget, browsed = self.plan.limits, self.plan.budget, self.report
        if budget.seconds is not None:
            limits = replace(limits, seconds=min(limits.seconds, budget.seconds - browsed.seconds))
        if budget.states is not None:
            limits = replace(limits, views=min(limits.views, budget.states - browsed.states))
        if budget.requests is not None:
            limits = replace(limits, requests=min(limits.requests, budget.requests - self.requests.sent_count))
        return limits

    def _report_run(self, page: str, found: PageRunResult) -> None:
        if self.plan.is_ordered:
            self._tiers.record_run(page, found)

    async def _run_page(self, page: str, pooled_tabs: list[PooledTab]) -> None:
        began = self.clock.now()
        try:
            for pooled_tab in pooled_tabs:
                pooled_tab.proxy.fresh_urls.clear()
                pooled_tab.proxy.asked_urls.clear()
            tabs = [await self.tab_pool.open_tab(seat) for seat in pooled_tabs]
            await self.requests.await_host(page)
            address, now = self.requests.urls.restore(page), self.clock.now().micros // 1000
            found = await walk_page(address, tabs, self._remaining_limits(), now, None, self.requests.is_at_limit)
            await self._show_page(page, tabs[0])
            if self.plan.portraits:
                await self.walk_writer.write_portrait(
                    page,
                    await self.tab_pool.take_portrait(pooled_tabs[0], address, self.plan.limits),
                    self.requests.redactor,
                )
            await self._store_walk(page, found, [seat.proxy for seat in pooled_tabs])
        except BrowserGone as error:
            self.tab_pool.note_browser_gone(pooled_tabs)
            self._put_back(page, str(error), pooled_tabs)
            self._note_trouble()
        except PageGone as error:
            self.tab_pool.drop_tabs(pooled_tabs)
            self._put_back(page, str(error), pooled_tabs)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one page brings about, the others are not to suffer from it
            self.requests.note_warning(
                f"{page}: an error of webkeep ({type(error).__name__}: {error}); please report this"
            )
            self.tab_pool.drop_tabs(pooled_tabs)
            self._put_back(page, f"{type(error).__name__}: {error}", pooled_tabs)
        finally:
            self.tab_pool.give_back(pooled_tabs)
            self._running -= 1
            self.report.note_run(self.clock.now().seconds_since(began), self.tab_pool.restarts)

    async def _show_page(self, page: str, tab: Tab) -> None:
        """Let somebody who watches see the page that was run."""
        if self.pictures.are_wanted and (picture := await tab.take_thumbnail()):
            self.pictures.keep(self.requests.urls.redact(page), picture, self.tally)

    def _note_trouble(self) -> None:
        self.report.note_trouble(self.tab_pool.trouble)

    def _put_back(self, page: str, reason: str, pooled_tabs: list[PooledTab]) -> None:
        """Have a page run again, unless it brought the browser down too often."""
        self._tries[page] += 1
        self._fresh_urls[page].update(*(pooled_tab.proxy.fresh_urls for pooled_tab in pooled_tabs))
        if self._tries[page] >= _MAX_TRIES_PER_PAGE:
            self.report.failures[page] = reason
            self.walk_writer.write_failure(page, reason)
            self._report_run(page, PageRunResult(is_odd=True))
        elif self.plan.is_ordered:
            self._tiers.put_back(page)
        else:
            self._queue_page(page)

    def _queue_page(self, page: str) -> None:
        (self._waiting_seeds if page in self._seeds else self._waiting).append(page)

    async def _store_walk(self, page: str, found: StateWalk, tab_proxies: list[TabProxy]) -> None:
        """Store a walk and have its links followed."""
        await self.requests.await_settled(page)
        self.tab_pool.note_page_done()
        # What an earlier run led to that did not come to its end is held by now, and is new all the same.
        fresh = frozenset(self._fresh_urls.pop(page, ())).union(*(tab_proxy.fresh_urls for tab_proxy in tab_proxies))
        new_links = self.walk_writer.add_links(page, found, self.requests)
        found = await asyncio.to_thread(redact_walk, found, self.requests.redactor)
        # What the browser has kept from another page passes no tab proxy.
        asked = frozenset(each.url for each in found.loading.requests).union(*(lane.asked_urls for lane in tab_proxies))
        if not found.views:
            self.report.failures[page] = found.failure
            self.walk_writer.write_failure(page, found.failure)
        else:
            await self.walk_writer.write(found, fresh)
        self._count_walk(found, fresh)
        self._note_withheld(found)
        values = (
            await asyncio.to_thread(self.stored_pages.read_values, page) if self.plan.is_selective and fresh else []
        )
        self._report_run(page, PageRunResult(fresh, asked, values, new_links > 0))
        self.mark_new_pages()

    def _note_withheld(self, found: StateWalk) -> None:
        """Say once of each field that nothing was typed there."""
        for name in sorted(found.withheld - self._withheld):
            self.requests.note_warning(
                f"{name} on {found.url} is for a password: nothing is typed there; use webkeep login"
            )
        self._withheld |= found.withheld

    def _count_walk(self, found: StateWalk, fresh: frozenset[str]) -> None:
        browsed = self.report
        browsed.pages += 1
        browsed.views += len(found.views)
        browsed.states += len(self.walk_writer.states_of(found))
        browsed.transitions += len(found.transitions)
        browsed.resources += len(fresh)
        browsed.resources_by_clicks += len(fresh - fresh_on_load(found, fresh))
        browsed.withheld_count += len(found.loading.withheld) + sum(
            len(each.effects.withheld) for each in found.transitions
        )
        browsed.requests = self.requests.sent_count

    def finish(self, is_over: bool) -> BrowserReport:
        """What came of it all; where the capture `is_over`, no page is going to be run any more."""
        browsed = self.report
        browsed.note_end(len(self.requests.curtailed_pages), self._tiers.report() if self.plan.is_selective else None)
        if is_over:
            browsed.note_left(self._count_left(), _BUDGET_SPENT if self._is_budget_spent else _LIMIT_REACHED)
        return browsed

    def _count_left(self) -> int:
        """How many pages wait that are not left out on purpose."""
        waiting = len(self._waiting_seeds) + len(self._waiting)
        return (self._next_up is not None) + waiting + self._tiers.undecided_count() + self.stored_pages.pending_count


@asynccontextmanager
async def explorer_session(
    plan: ExplorationPlan, work: ExplorerWork, settings: ProxySettings, clock: Clock
) -> AsyncIterator[PageExplorer]:
    """An explorer whose browser and tab proxies are there from when they are first needed until the block is left."""
    async with AsyncExitStack() as stack:

        async def start() -> Chromium:
            find_program(plan.settings.program)  # before anything is opened for it
            hashes = await stack.enter_async_context(open_tab_proxies(work.tab_proxies, settings, clock))
            browser = await start_browser(stack, replace(plan.settings, key_hashes=hashes))
            if not browser.is_sandboxed:
                explorer.warn_unguarded()
            return browser

        tab_pool = TabPool(start, [PooledTab(proxy) for proxy in work.tab_proxies], plan.cookies, plan.stores)
        explorer = PageExplorer(
            plan, tab_pool, work.requests, work.stored_pages, work.walk_writer, work.pictures, work.tally, clock
        )
        yield explorer

"""The tab pool: tabs, each with its proxy, in a Chromium that is started when needed and again whenever it dies; how
many starts in vain until there is no browser to be had.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

from webkeep.browser import WalkLimits
from webkeep.browser.portraits import PagePortrait, PortraitTab, take_portrait
from webkeep.browser.process import BrowserGone, BrowserSettings, Chromium, LocalStores, PageGone
from webkeep.browser.tabs import BrowserTabs, Tab
from webkeep.crawl.browsing.tab_proxy import TabProxy
from webkeep.crawl.plan.saved_login import BrowserCookie
from webkeep.errors import UsageError

_MAX_FIRST_STARTS = 3
"""On a busy machine the first starts of a browser may fail."""
_MAX_VAIN_STARTS = 10
"""After so many starts in a row that led to no page, there is no browser to be had."""


@dataclass(slots=True)
class PooledTab:
    """A tab proxy and its tab, which is opened anew with each start of the browser."""

    proxy: TabProxy
    tab: Tab | None = None
    start: int = 0


@dataclass(slots=True)
class TabPool:
    """The tabs that are free, and the browser that they are in."""

    start_chromium: Callable[[], Awaitable[Chromium]]
    """Starts a browser, or says why there is none."""
    free: list[PooledTab]
    cookies: Sequence[BrowserCookie] = ()
    """Those that every tab begins with."""
    stores: LocalStores = field(default_factory=dict, repr=False)
    """The local storage that every tab begins with."""
    restarts: int = 0
    _opened: tuple[Chromium, BrowserTabs] | None = None
    _absence: str = ""
    """Why there is no browser."""
    _last_gone_start: int = 0
    """The last start of the browser that is known to have ended."""
    _vain_starts: int = 0
    _restarting: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def trouble(self) -> str:
        """Why no page can be run any more."""
        if self._vain_starts >= _MAX_VAIN_STARTS:
            return f"Chromium ended {self._vain_starts} times before any page was done"
        return self._absence

    def take_all(self) -> list[PooledTab]:
        """All tabs that are free."""
        taken, self.free = self.free, []
        return taken

    def give_back(self, pooled_tabs: Iterable[PooledTab]) -> None:
        """Tabs are free again."""
        self.free += pooled_tabs

    async def open_tab(self, pooled_tab: PooledTab) -> Tab:
        """The tab of one of the pool, in a browser that runs."""
        async with self._restarting:
            browser, tabs = self._opened or await self._open()
            if not browser.is_running or self._last_gone_start >= browser.starts:
                self.restarts += 1
                self._vain_starts += 1
                await browser.restart()
            if pooled_tab.tab is None or pooled_tab.start != browser.starts:
                pooled_tab.tab, pooled_tab.start = None, browser.starts
                pooled_tab.tab = await tabs.open_tab(pooled_tab.proxy)
                if self.cookies:
                    await pooled_tab.tab.set_cookies(self.cookies)
                await pooled_tab.tab.set_local_storage(self.stores)
            return pooled_tab.tab

    async def take_portrait(self, pooled_tab: PooledTab, url: str, limits: WalkLimits) -> PagePortrait | str:
        """The portrait of a page, by the way that a tab of the pool has to the web; or why there is none."""
        browser, _ = self._opened or await self._open()
        async with PortraitTab(browser, pooled_tab.proxy) as tab:
            await tab.log_in(self.cookies, self.stores)
            try:
                return await take_portrait(tab, url, limits.seconds, limits.settle_seconds)
            except PageGone as error:
                return str(error)

    async def _open(self) -> tuple[Chromium, BrowserTabs]:
        if self._absence:
            raise BrowserGone(self._absence)
        try:
            browser = await self.start_chromium()
        except (BrowserGone, UsageError) as error:
            self._absence = str(error)
            raise BrowserGone(self._absence) from error
        self._opened = browser, BrowserTabs(browser)
        return self._opened

    def note_browser_gone(self, pooled_tabs: Iterable[PooledTab]) -> None:
        """The browser says nothing more, which may be known before it is known that its process has ended."""
        self._last_gone_start = max(self._last_gone_start, *(pooled_tab.start for pooled_tab in pooled_tabs))

    def note_page_done(self) -> None:
        """A page was done."""
        self._vain_starts = 0

    def drop_tabs(self, pooled_tabs: Iterable[PooledTab]) -> None:
        """Have tabs opened anew."""
        for pooled_tab in pooled_tabs:
            tab, pooled_tab.tab = pooled_tab.tab, None
            if tab is not None and self._opened is not None and self._is_current(pooled_tab, self._opened[0]):
                tab.abandon()

    @staticmethod
    def _is_current(pooled_tab: PooledTab, browser: Chromium) -> bool:
        """Whether a pooled tab is one of the browser as it runs now."""
        return pooled_tab.start == browser.starts and browser.is_running


async def start_browser(stack: AsyncExitStack, settings: BrowserSettings) -> Chromium:
    """A browser that runs; on a busy machine the first start may fail."""
    for _ in range(_MAX_FIRST_STARTS - 1):
        with suppress(BrowserGone):
            return await stack.enter_async_context(Chromium(settings))
    return await stack.enter_async_context(Chromium(settings))

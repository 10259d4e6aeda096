"""Seats: lanes with their tabs, of a browser that is started when it is first needed, and again whenever it dies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

from webkeep.browser.chromium import Chromium
from webkeep.browser.command import BrowserSettings
from webkeep.browser.failures import BrowserGone
from webkeep.browser.opening import Tabs
from webkeep.browser.storage import Stores
from webkeep.browser.tab import Tab
from webkeep.crawl.browsing.lane import ProxyLane
from webkeep.crawl.login import Cookie
from webkeep.errors import UsageError

_STARTS = 3
_MOST_VAIN_STARTS = 10
"""After so many starts in a row that led to no page, there is no browser to be had."""


@dataclass(slots=True)
class Seat:
    """A lane and its tab, which is opened anew with each start of the browser."""

    lane: ProxyLane
    tab: Tab | None = None
    start: int = 0


@dataclass(slots=True)
class Seats:
    """The seats that are free, and the browser that they are in."""

    start: Callable[[], Awaitable[Chromium]]
    """Starts a browser, or says why there is none."""
    free: list[Seat]
    cookies: Sequence[Cookie] = ()
    """Those that every tab begins with."""
    stores: Stores = field(default_factory=dict, repr=False)
    """The local storage that every tab begins with."""
    restarts: int = 0
    _opened: tuple[Chromium, Tabs] | None = None
    _absence: str = ""
    """Why there is no browser."""
    _gone: int = 0
    """The last start of the browser that is known to have ended."""
    _vain: int = 0
    _restarting: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def trouble(self) -> str:
        """Why no page can be run any more."""
        if self._vain >= _MOST_VAIN_STARTS:
            return f"Chromium ended {self._vain} times before any page was done"
        return self._absence

    async def tab(self, seat: Seat) -> Tab:
        """The tab of a seat, in a browser that runs."""
        async with self._restarting:
            browser, tabs = self._opened or await self._open()
            if not browser.is_running or self._gone >= browser.starts:
                self.restarts += 1
                self._vain += 1
                await browser.restart()
            if seat.tab is None or seat.start != browser.starts:
                seat.tab, seat.start = None, browser.starts
                seat.tab = await tabs.open(seat.lane)
                if self.cookies:
                    await seat.tab.give_cookies(self.cookies)
                await seat.tab.give_stores(self.stores)
            return seat.tab

    async def _open(self) -> tuple[Chromium, Tabs]:
        if self._absence:
            raise BrowserGone(self._absence)
        try:
            browser = await self.start()
        except (BrowserGone, UsageError) as error:
            self._absence = str(error)
            raise BrowserGone(self._absence) from error
        self._opened = browser, Tabs(browser)
        return self._opened

    def lost(self, seats: Iterable[Seat]) -> None:
        """The browser says nothing more, which may be known before it is known that its process has ended."""
        self._gone = max(self._gone, *(seat.start for seat in seats))

    def served(self) -> None:
        """A page was done."""
        self._vain = 0

    def clear(self, seats: Iterable[Seat]) -> None:
        """Have tabs opened anew."""
        for seat in seats:
            tab, seat.tab = seat.tab, None
            if tab is not None and self._opened is not None and self._is_of(seat, self._opened[0]):
                tab.abandon()

    @staticmethod
    def _is_of(seat: Seat, browser: Chromium) -> bool:
        """Whether a seat's tab is one of the browser as it runs now."""
        return seat.start == browser.starts and browser.is_running


async def started(stack: AsyncExitStack, settings: BrowserSettings) -> Chromium:
    """A browser that runs; on a busy machine the first start may fail."""
    for _ in range(_STARTS - 1):
        with suppress(BrowserGone):
            return await stack.enter_async_context(Chromium(settings))
    return await stack.enter_async_context(Chromium(settings))

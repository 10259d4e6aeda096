"""Seats: lanes with their tabs, of a browser that is started again whenever it dies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
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

    browser: Chromium
    free: list[Seat]
    cookies: Sequence[Cookie] = ()
    """Those that every tab begins with."""
    stores: Stores = field(default_factory=dict, repr=False)
    """The local storage that every tab begins with."""
    restarts: int = 0
    _tabs: Tabs = field(init=False)
    _gone: int = 0
    """The last start of the browser that is known to have ended."""
    _vain: int = 0
    _restarting: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._tabs = Tabs(self.browser)

    @property
    def trouble(self) -> str:
        """Why no page can be run any more."""
        many = self._vain >= _MOST_VAIN_STARTS
        return f"Chromium ended {self._vain} times before any page was done" if many else ""

    async def tab(self, seat: Seat) -> Tab:
        """The tab of a seat, in a browser that runs."""
        async with self._restarting:
            if not self.browser.is_running or self._gone >= self.browser.starts:
                self.restarts += 1
                self._vain += 1
                await self.browser.restart()
            if seat.tab is None or seat.start != self.browser.starts:
                seat.tab, seat.start = None, self.browser.starts
                seat.tab = await self._tabs.open(seat.lane)
                if self.cookies:
                    await seat.tab.give_cookies(self.cookies)
                await seat.tab.give_stores(self.stores)
            return seat.tab

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
            if tab is not None and seat.start == self.browser.starts and self.browser.is_running:
                tab.abandon()


async def started(stack: AsyncExitStack, settings: BrowserSettings) -> Chromium:
    """A browser that runs; on a busy machine the first start may fail."""
    for _ in range(_STARTS - 1):
        with suppress(BrowserGone):
            return await stack.enter_async_context(Chromium(settings))
    return await stack.enter_async_context(Chromium(settings))

"""One browser that somebody is shown: what it is for, its life from start to end, and what its viewer is told.

Theory of operation. A session is a task: its folder, its way to the web, its Chromium and its tab are opened one in the
other and closed the other way round, however it ends. It ends when the person is done, does nothing for a while, looks
no more, takes too long, when Chromium dies and when the service ends. A viewer asks for the next picture when they have
shown the last; so none piles up, and each question is let in anew.
"""

from __future__ import annotations

import asyncio
import base64
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webkeep.errors import UsageError, WebkeepError
from webkeep.model import Moment
from webkeep.service.browsing.browser_traces import TRACE_NAME, write_trace
from webkeep.service.logins import LoginContent, LoginProfile

if TYPE_CHECKING:
    from webkeep.browser.screencast import ShownTab

VIEW_SECONDS = 2.0
"""So long an answer waits for a picture that is new."""
_LOOK_SECONDS = 1.0
"""So often it is looked whether a session is to end."""
_LEAVING_SECONDS = 5.0
"""So long a viewer who left may take to come back."""
_MAX_VIEWERS = 4
"""Questions for pictures of one session at a time."""
_MAX_INPUTS = 200
"""Of one batch; hands are slower."""


@dataclass(frozen=True, slots=True)
class ShownLimits:
    """How long a browser is shown, and how many are."""

    at_once: int = 3
    """Each is a Chromium, which takes some hundred megabytes."""
    idle_seconds: float = 600.0
    """Without anything done."""
    absent_seconds: float = 45.0
    """Without anybody looking: a page that was closed, or a connection that is gone."""
    total_seconds: float = 3600.0


@dataclass(frozen=True, slots=True)
class ShownOrder:
    """What a browser is shown for."""

    collection: str
    owner: str
    """The session of whom it is shown to, and to nobody else."""
    url: str
    """Where it begins."""
    back: str
    """The page of the service that it was asked for on."""
    private_hosts: frozenset[str] = frozenset()
    """Private addresses that are open to it, as `host:port`."""
    login_name: str = ""
    """What a login is to be called; empty where none is made."""
    profile: LoginProfile | None = None
    """The login that is renewed."""
    content: LoginContent = field(default_factory=LoginContent, repr=False)
    """What the browser has from the start."""
    job: str = ""
    """The job that records what is visited; empty where nothing is."""
    replayed_at: Moment | None = None
    """The moment as of which archives are shown; None where it is the web."""

    @property
    def is_patch(self) -> bool:
        """Whether what is visited is recorded."""
        return bool(self.job)

    @property
    def is_replay(self) -> bool:
        """Whether what was archived is shown, and nothing else can be reached."""
        return self.replayed_at is not None


class ShownWay:
    """How a browser gets to the web: a proxy, and what is told of it while it is used."""

    def __init__(self, address: str, key_hashes: tuple[str, ...]) -> None:
        self.address, self.key_hashes = address, key_hashes

    def look(self) -> str:
        """Look after it once a second; gives why the session must end, or nothing."""
        return ""

    def tell(self) -> Mapping[str, Any]:
        """What the viewer is told of it."""
        return {}


OpenWay = Callable[["ShownSession", Path], AbstractAsyncContextManager[ShownWay]]
"""Opens the way of a session, whose folder is given."""


class ShownSession:
    """A browser that somebody is shown."""

    def __init__(
        self, session_id: str, order: ShownOrder, folder: Path, open_way: OpenWay, limits: ShownLimits
    ) -> None:
        self.id, self.order = session_id, order
        self._folder, self._open_way, self._limits = folder, open_way, limits
        self._ending = asyncio.Event()
        self._tab: ShownTab | None = None
        self._way: ShownWay | None = None
        self._viewers = 0
        self._stores = {origin: dict(store) for origin, store in order.content.stores.items()}
        now = asyncio.get_running_loop().time()
        self._began = self._used = self._seen = now
        self._waits_for = "Chromium is started"
        self.reason = ""
        """Why it has ended; empty while it has not."""

    def end(self, reason: str) -> None:
        """Have it end; the first reason is told."""
        self.reason = self.reason or reason
        self._ending.set()

    def note_wait(self, words: str) -> None:
        """Say what holds it up before there is a picture."""
        self._waits_for = words

    def leave(self) -> None:
        """Its viewer left the page: it ends in a moment, unless they come back, as by loading the page anew."""
        self._seen = asyncio.get_running_loop().time() - self._limits.absent_seconds + _LEAVING_SECONDS

    @property
    def is_ending(self) -> bool:
        """Whether it is to end, or has."""
        return self._ending.is_set()

    async def run(self) -> None:
        """Be shown until it is over; nothing of it is left then but why."""
        try:
            await self._show()
        except (WebkeepError, OSError) as error:
            if self._tab is not None:  # it is gone before it is looked at again: whatever it was asked meanwhile fails
                self._note_death(self._tab)
            self.end(f"the browser could not be shown: {error}")
        finally:
            self._tab = None
            self.end("it was ended")

    async def _show(self) -> None:
        from webkeep.browser.process import BrowserSettings, Chromium  # loaded once somebody looks
        from webkeep.browser.screencast import ShownTab

        order = self.order
        self._folder.mkdir(parents=True, mode=0o700)
        async with AsyncExitStack() as stack:
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            self._way = way = await stack.enter_async_context(self._open_way(self, self._folder))
            if self.is_ending:
                return
            browser = await stack.enter_async_context(Chromium(BrowserSettings(key_hashes=way.key_hashes)))
            write_trace(self._folder / TRACE_NAME, browser.folder, browser.process_id)
            tab = await stack.enter_async_context(ShownTab(browser, way.address))
            await tab.log_in(order.content.cookies, order.content.stores)
            await tab.navigate(order.url)
            self._tab = tab
            while not self.is_ending:
                await self._look(tab)
                await self.pause(_LOOK_SECONDS)

    async def pause(self, seconds: float) -> None:
        """Wait, and no longer than until it is to end."""
        try:
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        except TimeoutError:
            self._check_limits()

    def _check_limits(self) -> None:
        now, limits = asyncio.get_running_loop().time(), self._limits
        if now - self._began >= limits.total_seconds:
            self.end(f"it was shown for {limits.total_seconds / 60:.0f} minutes, which is as long as it may be")
        elif now - self._used >= limits.idle_seconds:
            self.end(f"nothing was done in it for {limits.idle_seconds / 60:.0f} minutes")
        elif now - self._seen >= limits.absent_seconds:
            self.end("nobody looked at it any more")

    async def _look(self, tab: ShownTab) -> None:
        self._note_death(tab)
        if self._way is not None and (reason := self._way.look()):
            self.end(reason)
        if self.order.login_name and not self.is_ending and tab.frame.dialog is None:
            self._stores |= await tab.read_stores()  # a page that is left takes its local storage with it

    def _note_death(self, tab: ShownTab) -> None:
        if tab.is_gone:
            self.end("Chromium has ended by itself; begin again")

    # ---- its viewer ----

    async def next_view(self, after: int) -> dict[str, Any]:
        """What is to be seen and told now: as soon as there is a picture beyond one that is known, or after a while."""
        if self._viewers >= _MAX_VIEWERS:
            raise UsageError("this browser is looked at from several windows already; close one of them")
        self._viewers += 1
        try:
            self._seen = asyncio.get_running_loop().time()
            if not self.is_ending and self._tab is None:
                await self.pause(VIEW_SECONDS / 4)
            tab = None if self.is_ending else self._tab
            frame = None if tab is None else await tab.next_frame(after, VIEW_SECONDS)
            if tab is not None:
                self._note_death(tab)
        finally:
            self._viewers -= 1
        told: dict[str, Any] = {"ended": self.reason, "waits": "" if self._tab else self._waits_for}
        if self._way is not None:
            told |= self._way.tell()
        if frame is None:
            return told
        dialog = None if frame.dialog is None else asdict(frame.dialog)
        seen = {"number": frame.number, "url": frame.url, "width": frame.width, "height": frame.height}
        picture = base64.b64encode(frame.picture).decode()
        return {**told, **seen, "dialog": dialog, "notice": frame.notice, "picture": picture}

    async def perform(self, inputs: Sequence[object]) -> None:
        """Do what somebody did, in their order."""
        if len(inputs) > _MAX_INPUTS:
            raise UsageError(f"no more than {_MAX_INPUTS} inputs are taken at once")
        from webkeep.browser.screencast import parse_tab_input

        given = [parse_tab_input(each) for each in inputs]
        self._used = asyncio.get_running_loop().time()
        for each in given:
            await self._shown_tab().perform(each)

    def _shown_tab(self) -> ShownTab:
        if self._tab is None or self.is_ending:
            raise UsageError(self.reason or "the browser is not shown yet")
        return self._tab

    async def read_login(self) -> tuple[LoginContent, str, str]:
        """What sites gave, the page that asked for a password last, and the one that is shown."""
        tab = self._shown_tab()
        cookies = await tab.read_cookies()
        stores = self._stores | await tab.read_stores()
        content = LoginContent(cookies, {origin: store for origin, store in stores.items() if store})
        if content.is_empty:
            raise UsageError("no site has set a cookie or stored anything; log in first")
        return content, tab.login_url or self.order.url, tab.frame.url or self.order.url

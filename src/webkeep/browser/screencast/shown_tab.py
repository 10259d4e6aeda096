"""A tab that somebody looks at from elsewhere.

Theory of operation. Chromium sends a picture whenever the page has changed, and the next one only when that has been
acknowledged. It is acknowledged a moment later, whoever looks, and only the newest is kept, so that however slowly
somebody looks, nothing piles up and they see what is there now. A window that a page opens is shown in its stead until
it is closed, as logging in often opens one; going back beyond its first page closes it. A page that asks something
(alert, confirm, prompt) waits for the answer, and does nothing else meanwhile.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Self

from webkeep.browser.process.browser_errors import PageGone
from webkeep.browser.process.chromium import Chromium
from webkeep.browser.process.local_storage import LocalStores, read_open_stores, storage_script
from webkeep.browser.screencast.tab_input import TabInput
from webkeep.errors import UsageError
from webkeep.url import normalize_url, split_url

_WIDTH, _HEIGHT = 1024, 720
"""Of the view until somebody says."""
_JPEG_QUALITY = 70
"""Letters stay sharp at it."""
_MAX_WINDOWS = 8
"""That pages open; further ones are closed."""
_WRITING_METHODS = ("Input.dispatchKeyEvent", "Input.insertText")
_FRAME_SECONDS = 0.08
"""Between two pictures: smooth enough to write by, and a page that moves all the time costs no whole core."""
_MAX_UNANSWERED_CALLS = 500
"""Calls that a page has yet to answer; whatever is done to it beyond them is dropped."""
_WEB_SCHEMES = ("http", "https")
_MAX_TOLD_CHARS = 2000
"""Of what a page says in a dialog, and of names of files."""
_HAS_PASSWORD_FIELD = "document.querySelector('input[type=password]') !== null"
_LOOK_SECONDS = 1.0
"""So often it is looked while somebody types whether a page asks for a password."""


@dataclass(frozen=True, slots=True)
class TabDialog:
    """What a page asks, and waits for the answer to: alert, confirm or prompt."""

    kind: str
    text: str
    value: str = ""
    """What a prompt proposes."""


@dataclass(frozen=True, slots=True)
class ScreencastFrame:
    """The tab as it was at a moment."""

    number: int
    picture: bytes
    """JPEG; empty before there is one of this page."""
    url: str
    width: int
    height: int
    dialog: TabDialog | None = None
    notice: str = ""
    """What did not come about, such as a download."""


class ShownTab:
    """One page and the windows it opens, in a context of their own that is gone when the block is left."""

    def __init__(self, browser: Chromium, proxy_address: str) -> None:
        self._browser, self._pipe, self._proxy = browser, browser.pipe, proxy_address
        self._windows: list[tuple[str, str]] = []
        """Target and session, the one that is shown last."""
        self._urls: dict[str, str] = {}
        """Where each window is, by its session."""
        self._size = _WIDTH, _HEIGHT
        self._is_phone = False
        self._dialog: TabDialog | None = None
        self._notice = ""
        self._looked = 0.0
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._scripts = ""
        self.frame = ScreencastFrame(0, b"", "", _WIDTH, _HEIGHT)
        """The newest."""
        self.is_gone = False
        """Whether the browser has ended."""
        self.login_url = ""
        """The page that asked for a password last; empty where none is known to have."""

    async def __aenter__(self) -> Self:
        made = await self._pipe.call(
            "Target.createBrowserContext",
            proxyServer=f"http://{self._proxy}", proxyBypassList="<-loopback>", disposeOnDetach=True,
        )  # fmt: skip
        self._context = str(made["browserContextId"])
        self._pipe.send(
            "Browser.setDownloadBehavior", behavior="deny", browserContextId=self._context, eventsEnabled=True
        )
        self._pipe.listen("", self._on_browser_event)
        target = await self._pipe.call("Target.createTarget", url="about:blank", browserContextId=self._context)
        await self._show_window(str(target["targetId"]))
        await self._pipe.call("Target.setDiscoverTargets", discover=True)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe.forget_session("")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._pipe.send("Target.disposeBrowserContext", browserContextId=self._context)

    @property
    def _session(self) -> str:
        return self._windows[-1][1]

    async def perform(self, given: TabInput) -> None:
        """Do what somebody did, in the order of calls; a page that is busy holds nobody up."""
        if (given.method == "answer") != (self._dialog is not None):
            return  # a page that asks something does nothing else until it is answered
        match given.method:
            case "answer":
                self._pipe.send("Page.handleJavaScriptDialog", self._session, **given.params)
            case "size":
                self._size = int(given.params["width"]), int(given.params["height"])
                self._is_phone = bool(given.params["phone"])
                await self._cast()
            case "go":
                await self.navigate(str(given.params["url"]))
            case "reload":
                self._pipe.send("Page.reload", self._session)
            case "back" | "forward":
                await self._travel(-1 if given.method == "back" else 1)
            case method:
                if self._pipe.unanswered > _MAX_UNANSWERED_CALLS:
                    return  # a page that hangs is not told ever more
                self._pipe.send(method, self._session, **given.params)
                now = asyncio.get_running_loop().time()
                if method in _WRITING_METHODS and now - self._looked >= _LOOK_SECONDS:
                    self._looked = now
                    self._spawn(self._look_for_password())

    async def navigate(self, address: str) -> None:
        """Go to a page of the web; files, and pages of the browser itself, are none."""
        url = normalize_url(address.strip()) or normalize_url(f"https://{address.strip()}")
        if url is None or split_url(url).scheme not in _WEB_SCHEMES:
            raise UsageError(f"{address[:200]!r} is no page of the web; write an address like https://example.org/")
        self._pipe.send("Page.navigate", self._session, url=url)

    async def next_frame(self, after: int, seconds: float) -> ScreencastFrame | None:
        """The newest picture as soon as it is newer than one that is known; None where there was none in time."""
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.frame.number > after or self.is_gone)
        except TimeoutError:
            return None
        return None if self.is_gone else self.frame

    async def log_in(self, cookies: Sequence[Mapping[str, object]], stores: LocalStores) -> None:
        """Have all pages find these cookies and this local storage."""
        if cookies:
            await self._pipe.call("Storage.setCookies", cookies=list(cookies), browserContextId=self._context)
        if stores:
            self._scripts = storage_script(stores)
            await self._pipe.call("Page.addScriptToEvaluateOnNewDocument", self._session, source=self._scripts)

    async def read_cookies(self) -> list[dict[str, Any]]:
        """All cookies that sites have set."""
        return list((await self._pipe.call("Storage.getCookies", browserContextId=self._context))["cookies"])

    async def read_stores(self) -> dict[str, dict[str, str]]:
        """What the pages that are open keep in local storage, by origin."""
        return {origin: store for origin, store in (await read_open_stores(self._pipe)).items() if store}

    async def _travel(self, step: int) -> None:
        with suppress(PageGone):
            known = await self._pipe.call("Page.getNavigationHistory", self._session)
            place = int(known["currentIndex"]) + step
            if place < 0 and len(self._windows) > 1:  # one that a link opened may not close itself
                self._pipe.send("Target.closeTarget", targetId=self._windows[-1][0])
            elif 0 <= place < len(known["entries"]):
                entry = known["entries"][place]["id"]
                self._pipe.send("Page.navigateToHistoryEntry", self._session, entryId=entry)

    # ---- windows ----

    async def _show_window(self, target: str) -> None:
        attached = await self._pipe.call("Target.attachToTarget", targetId=target, flatten=True)
        session = str(attached["sessionId"])
        if self._windows:
            self._pipe.send("Page.stopScreencast", self._session)
        self._windows.append((target, session))
        self._forget_words()
        self._keep_frame(b"")
        self._pipe.listen(session, self._on_event)
        for method in ("Page.enable", "Inspector.enable"):
            self._pipe.send(method, session)
        self._pipe.send("Emulation.setFocusEmulationEnabled", session, enabled=True)
        self._pipe.send("Page.setInterceptFileChooserDialog", session, enabled=True)  # no file of this machine is sent
        if self._browser.user_agent:
            self._pipe.send("Emulation.setUserAgentOverride", session, userAgent=self._browser.user_agent)
        if self._scripts:
            self._pipe.send("Page.addScriptToEvaluateOnNewDocument", session, source=self._scripts)
        await self._cast()
        tree = await self._pipe.call("Page.getFrameTree", session)  # it may have come there before anybody listened
        if session not in self._urls:  # what was told meanwhile is newer than this answer
            self._note_url(session, str(tree["frameTree"]["frame"]["url"]))

    async def _cast(self) -> None:
        """Have pictures of the window that is shown, in the size that was asked for."""
        width, height = self._size
        session, pipe = self._session, self._pipe
        pipe.send(
            "Emulation.setDeviceMetricsOverride",
            session, width=width, height=height, deviceScaleFactor=1, mobile=self._is_phone,
        )  # fmt: skip
        pipe.send("Emulation.setTouchEmulationEnabled", session, enabled=self._is_phone)
        self._start_pictures()

    def _start_pictures(self) -> None:
        """Have a picture of what is there now, and of every change; the last one may have come too early."""
        width, height = self._size
        self._pipe.send("Page.stopScreencast", self._session)
        self._pipe.send(
            "Page.startScreencast",
            self._session, format="jpeg", quality=_JPEG_QUALITY, maxWidth=width, maxHeight=height, everyNthFrame=1,
        )  # fmt: skip

    async def _close_window(self, target: str) -> None:
        was_shown = self._windows[-1][0] == target
        for each, session in self._windows:
            if each == target:
                self._pipe.forget_session(session)
        self._windows = [each for each in self._windows if each[0] != target] or self._windows[:1]
        if was_shown and self._windows[-1][0] != target:
            self._forget_words()
            self._keep_frame(b"")
            await self._cast()

    # ---- events ----

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end_task)

    def _end_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # a window that is gone before it could be shown is no error

    def _on_browser_event(self, event: str, params: dict[str, Any], _session: str) -> None:
        match event:
            case "Target.targetCreated":
                info = params["targetInfo"]
                is_ours = info["type"] == "page" and info.get("browserContextId") == self._context
                if is_ours and info["targetId"] not in {target for target, _ in self._windows}:
                    self._open_window(str(info["targetId"]))
            case "Target.targetDestroyed":
                if params["targetId"] in {target for target, _ in self._windows}:
                    self._spawn(self._close_window(str(params["targetId"])))
            case "Browser.downloadWillBegin":
                name = str(params.get("suggestedFilename", ""))[:_MAX_TOLD_CHARS]
                self._tell(f"{name} was not downloaded: nothing is saved from here")
            case "Webkeep.gone":
                self.is_gone = True
                self._spawn(self._tell_change())
            case _:
                pass

    def _open_window(self, target: str) -> None:
        if len(self._windows) < _MAX_WINDOWS:
            self._spawn(self._show_window(target))
        else:
            self._pipe.send("Target.closeTarget", targetId=target)

    def _on_event(self, event: str, params: dict[str, Any], session: str) -> None:
        match event:
            case "Page.screencastFrame":
                self._acknowledge_later(session, int(params["sessionId"]))
                if session == self._session:
                    self._keep_frame(base64.b64decode(params["data"]))
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                self._note_url(session, str(params["frame"]["url"]), is_new_page=True)
            case "Page.navigatedWithinDocument":
                self._note_url(session, str(params["url"]))
            case "Page.loadEventFired" if session == self._session:
                self._spawn(self._look_for_password())
            case "Page.javascriptDialogOpening":
                self._take_dialog(params, session)
            case "Page.javascriptDialogClosed" if session == self._session:
                self._dialog = None
                self._keep_frame(self.frame.picture)
            case "Page.fileChooserOpened":
                self._tell("no file can be sent from here")
            case "Inspector.targetCrashed":
                self._dialog = None
                self._pipe.send("Page.reload", session)
                self._tell("the page crashed, and is loaded anew")
            case _:
                pass

    def _acknowledge_later(self, session: str, number: int) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(_FRAME_SECONDS, partial(self._pipe.send, "Page.screencastFrameAck", session, sessionId=number))

    def _note_url(self, session: str, url: str, is_new_page: bool = False) -> None:
        """Take down where a window is; of a new page there is no picture yet."""
        self._urls[session] = url
        if session == self._session:
            if is_new_page:
                self._forget_words()
            self._keep_frame(b"" if is_new_page else self.frame.picture)
            if is_new_page:
                self._start_pictures()

    def _take_dialog(self, params: Mapping[str, Any], session: str) -> None:
        """Show what a page asks; leaving a page is always allowed, and a window that is not shown is told no."""
        kind = str(params["type"])
        if kind == "beforeunload" or session != self._session:
            self._pipe.send("Page.handleJavaScriptDialog", session, accept=kind in ("beforeunload", "alert"))
            return
        text, value = (str(params.get(name, ""))[:_MAX_TOLD_CHARS] for name in ("message", "defaultPrompt"))
        self._dialog = TabDialog(kind, text, value)
        self._keep_frame(self.frame.picture)

    def _tell(self, notice: str) -> None:
        self._notice = notice
        self._keep_frame(self.frame.picture)

    def _forget_words(self) -> None:
        """Another page or window is shown: what the one before asked and said is over."""
        self._dialog, self._notice = None, ""

    async def _look_for_password(self) -> None:
        session = self._session
        url = self._urls.get(session, "")
        answer = await self._pipe.call(
            "Runtime.evaluate", session, expression=_HAS_PASSWORD_FIELD, returnByValue=True, seconds=_LOOK_SECONDS * 5
        )
        if answer["result"].get("value") is True and split_url(url).scheme in _WEB_SCHEMES:
            self.login_url = url

    def _keep_frame(self, picture: bytes) -> None:
        url = self._urls.get(self._session, "")
        self.frame = ScreencastFrame(self.frame.number + 1, picture, url, *self._size, self._dialog, self._notice)
        self._spawn(self._tell_change())

    async def _tell_change(self) -> None:
        async with self._changed:
            self._changed.notify_all()

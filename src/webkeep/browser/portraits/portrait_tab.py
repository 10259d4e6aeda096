"""A tab that shows a page as any Chromium would, in real time and with nothing of ours in its scripts; when such a page
is at rest, how it is scrolled through, and how far.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple, Self

from webkeep.browser.dom.dom_tree import DomTree
from webkeep.browser.portraits.window_overlay import OVERLAY_SCRIPT, WindowOverlay, overlay_from_answer
from webkeep.browser.ports import TabNetwork
from webkeep.browser.process.browser_errors import PageGone
from webkeep.browser.process.chromium import Chromium
from webkeep.browser.process.devtools_pipe import DevToolsMessage
from webkeep.browser.process.local_storage import LocalStores, storage_script
from webkeep.browser.tabs.page_document import PageDocument
from webkeep.browser.walk_model import VIEWPORT_HEIGHT, VIEWPORT_WIDTH

_QUIET_SECONDS = 0.5
"""Without any request under way, after which a page is taken to be at rest: scripts that load bit by bit pause less."""
_STEP_QUIET_SECONDS, _STEP_SECONDS = 0.15, 3.0
"""The same behind a step of scrolling, and how long that is waited for."""
_LOOK_SECONDS = 0.05
"""Between two looks at whether a page is at rest."""
_MAX_SCREENS, _MAX_GROWTH = 60, 2.0
"""Steps of one window each after which a page that has grown to more than so many times its size is endless."""
_MAX_LONG_SCREENS = 330
"""The same for a page that was so long from the beginning: a little beyond what is pictured."""
_PAINT_SECONDS = 5.0
"""Until fonts are there and two frames are drawn; some pages keep Chromium from drawing."""
_UNAWAITED_TYPES = frozenset({"EventSource", "WebSocket", "Media", "Ping"})
"""Requests that may stay open for as long as a page is shown."""
_SCROLL_SCRIPT = "window.scrollTo({left: %d, top: %d, behavior: 'instant'})"
_PAINTED_SCRIPT = (
    "document.fonts.ready.then(() => new Promise("
    "done => requestAnimationFrame(() => requestAnimationFrame(() => done(1)))))"
)


class ScrolledPage(NamedTuple):
    """What came of scrolling through a page."""

    is_at_rest: bool
    """Whether it came to rest wherever it was left, and had an end."""
    left_out: int
    """Pixels at its end that were not brought into view."""


class PortraitTab:
    """One page in a context of its own, which is gone when the block is left."""

    def __init__(self, browser: Chromium, network: TabNetwork) -> None:
        self._browser, self._network, self._pipe = browser, network, browser.pipe
        self._open_requests: dict[str, float] = {}
        self._last_activity = 0.0
        self._is_loaded = False
        self._loader = ""
        self.status = 0
        """What the server answered for the document that is shown."""
        self.dialogs: list[str] = []
        """What the page said in windows of its own, which were closed."""

    async def __aenter__(self) -> Self:
        pipe = self._pipe
        made = await pipe.call(
            "Target.createBrowserContext",
            proxyServer=f"http://{self._network.proxy_address}", proxyBypassList="<-loopback>", disposeOnDetach=True,
        )  # fmt: skip
        self._context = str(made["browserContextId"])
        target = await pipe.call(
            "Target.createTarget", url="about:blank", browserContextId=self._context, width=VIEWPORT_WIDTH,
            height=VIEWPORT_HEIGHT,
        )  # fmt: skip
        self._target = str(target["targetId"])
        attached = await pipe.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self.session = str(attached["sessionId"])
        self.document = PageDocument(pipe, self.session)
        pipe.listen(self.session, self._on_event)
        await self._enable_domains()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipe.forget_session(self.session)
        self._pipe.send("Target.closeTarget", targetId=self._target)
        self._pipe.send("Target.disposeBrowserContext", browserContextId=self._context)

    async def _enable_domains(self) -> None:
        pipe, session = self._pipe, self.session
        for method in ("Page.enable", "DOMSnapshot.enable", "Inspector.enable"):
            pipe.send(method, session)
        pipe.send("Network.enable", session, maxTotalBufferSize=0, maxResourceBufferSize=0)
        pipe.send(
            "Emulation.setDeviceMetricsOverride",
            session, width=VIEWPORT_WIDTH, height=VIEWPORT_HEIGHT, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        pipe.send("Emulation.setFocusEmulationEnabled", session, enabled=True)
        pipe.send("Browser.setDownloadBehavior", behavior="deny", browserContextId=self._context)
        if name := self._browser.user_agent:
            pipe.send("Emulation.setUserAgentOverride", session, userAgent=name)
        self._frame = await self.document.find_frame()

    async def log_in(self, cookies: Sequence[Mapping[str, object]], stores: LocalStores) -> None:
        """Have the page find these cookies and this local storage."""
        if cookies:
            await self._pipe.call("Storage.setCookies", cookies=list(cookies), browserContextId=self._context)
        if stores:
            await self.call("Page.addScriptToEvaluateOnNewDocument", source=storage_script(stores))

    def list_withheld(self) -> list[str]:
        """The requests that were held back since the page was loaded, each once: it may show too little without."""
        return list(
            dict.fromkeys(f"{each.method} {each.url.partition('?')[0]}" for each in self._network.take_withheld())
        )

    async def call(self, method: str, seconds: float = 15.0, **params: object) -> DevToolsMessage:
        """Have something done in the page's session."""
        return await self._pipe.call(method, self.session, seconds, **params)

    async def load(self, url: str, seconds: float) -> bool:
        """Load a page; whether it came to rest within so many seconds."""
        self._network.begin_path(url)
        self._network.take_withheld()
        self._note_activity()
        answer = await self.call("Page.navigate", url=url, seconds=seconds)
        if answer.get("errorText") or answer.get("isDownload"):
            raise PageGone(f"{url} did not load: {answer.get('errorText') or 'it is a download'}")
        return await self.await_rest(_QUIET_SECONDS, seconds)

    async def await_rest(self, quiet_seconds: float, seconds: float) -> bool:
        """Whether the page loaded, and nothing was under way for a while, within so many seconds."""
        deadline = self._now() + seconds
        while self._now() < deadline:
            # Of scripts of workers, and of bodies that nobody reads, the browser never says that they have come.
            is_idle = not self._open_requests or self._network.is_idle
            if self._is_loaded and is_idle and self._now() - self._last_activity >= quiet_seconds:
                return True
            await asyncio.sleep(_LOOK_SECONDS)
        return False

    async def scroll_through(self, seconds: float) -> ScrolledPage:
        """Bring all of the page into view, one window after the other, and go back to its beginning."""
        deadline, rests, left_out = self._now() + seconds, True, 0
        for across, step in ((False, VIEWPORT_HEIGHT), (True, VIEWPORT_WIDTH)):
            first = length = await self._length(across)
            for number in itertools.count(1):
                length = await self._length(across)
                if number * step >= length:
                    break
                is_endless = number >= _MAX_SCREENS and length > _MAX_GROWTH * first
                if is_endless or number >= _MAX_LONG_SCREENS or self._now() > deadline:
                    rests, left_out = rests and not is_endless, length - number * step
                    break
                await self._scroll_to(number * step if across else 0, 0 if across else number * step)
                rests = await self.await_rest(_STEP_QUIET_SECONDS, _STEP_SECONDS) and rests
            await self._scroll_to(0, 0)
        rests = await self.await_rest(_QUIET_SECONDS, _STEP_SECONDS) and rests
        return ScrolledPage(rests, left_out)

    async def await_paint(self) -> None:
        """Wait until fonts are there and the page is drawn; where it never is, it is left as it is."""
        with suppress(PageGone):
            await self._evaluate(_PAINTED_SCRIPT, _PAINT_SECONDS)

    async def find_overlay(self) -> WindowOverlay | None:
        """What lies over the page and hides it; None where nothing does, or the page lets nobody look."""
        with suppress(PageGone):
            return overlay_from_answer(await self._evaluate(OVERLAY_SCRIPT, _PAINT_SECONDS))
        return None

    async def content_size(self) -> tuple[int, int]:
        """How wide and long the page is, in pixels."""
        size = (await self.call("Page.getLayoutMetrics"))["cssContentSize"]
        return max(int(size["width"]), 1), max(int(size["height"]), 1)

    async def _length(self, across: bool) -> int:
        """How far the page goes down, or to the right."""
        width, height = await self.content_size()
        return width if across else height

    async def read_tree(self) -> DomTree:
        """All nodes."""
        return await self.document.capture_tree()

    async def _scroll_to(self, left: int, top: int) -> None:
        await self._evaluate(_SCROLL_SCRIPT % (left, top), _PAINT_SECONDS)
        self._note_activity()

    async def _evaluate(self, expression: str, seconds: float) -> object:
        """Run something where the page's own scripts do not notice; gives what comes of it."""
        world = await self.document.isolated_world()
        answer = await self.call(
            "Runtime.evaluate", seconds, expression=expression, contextId=world, awaitPromise=True, returnByValue=True
        )
        return answer["result"].get("value")

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _note_activity(self) -> None:
        self._last_activity = self._now()

    def _note_progress(self, params: dict[str, Any]) -> None:
        if params["requestId"] in self._open_requests:
            self._note_activity()

    def _on_event(self, event: str, params: dict[str, Any], _session: str) -> None:
        match event:
            case "Network.requestWillBeSent":
                self._on_request(params)
            case "Network.dataReceived":
                self._note_progress(params)
            case "Network.responseReceived":
                self._note_progress(params)
                if params["loaderId"] == self._loader and params["requestId"] == self._loader:
                    self.status = int(params["response"]["status"])
            case "Network.loadingFinished" | "Network.loadingFailed":
                if self._open_requests.pop(params["requestId"], None) is not None:
                    self._note_activity()
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                self.document.end_load()
            case "Page.loadEventFired":
                self._is_loaded = True
                self._note_activity()
            case "Page.javascriptDialogOpening":
                self.dialogs.append(str(params["message"])[:1000])
                self._pipe.send("Page.handleJavaScriptDialog", self.session, accept=params["type"] != "prompt")
            case "Inspector.targetCrashed" | "Webkeep.gone" | "Inspector.detached":
                self._pipe.fail_session(self.session, "the page's process crashed")
            case _:
                pass

    def _on_request(self, params: dict[str, Any]) -> None:
        is_document = params.get("type") == "Document" and params["requestId"] == params["loaderId"]
        if is_document and params.get("frameId") == self._frame:
            self._loader, self._is_loaded, self.status = params["loaderId"], False, 0
        if params.get("type") not in _UNAWAITED_TYPES:
            self._open_requests[params["requestId"]] = self._now()
            self._note_activity()

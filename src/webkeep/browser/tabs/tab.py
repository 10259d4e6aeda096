"""A tab: loads a page, acts on it, says what came of it; the virtual time that takes, and how dialogs are answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from webkeep.browser.dom.dom_tree import DomTree
from webkeep.browser.dom.event_listeners import EventListener
from webkeep.browser.ports import TabNetwork
from webkeep.browser.process.browser_errors import PageGone, ProcessGone
from webkeep.browser.process.chromium import Chromium
from webkeep.browser.process.devtools_pipe import DevToolsMessage
from webkeep.browser.process.local_storage import LocalStores, storage_script
from webkeep.browser.tabs import page_scripts
from webkeep.browser.tabs.navigation_guard import FETCH_PATTERNS, NavigationGuard
from webkeep.browser.tabs.page_document import PageDocument
from webkeep.browser.tabs.service_workers import ServiceWorkers
from webkeep.browser.tabs.tab_journal import TabJournal
from webkeep.browser.tabs.virtual_time import VirtualTime
from webkeep.browser.walk_model import (
    VIEWPORT_HEIGHT,
    VIEWPORT_WIDTH,
    Interaction,
    PageDialog,
    PageDownload,
    PageOverlay,
    SideEffects,
)

LOAD_BUDGET_MS, _STEP_BUDGET_MS = 2000, 1000
"""Milliseconds of virtual time that a load and an interaction are given for their timers."""
_MAX_DIALOGS = 20
"""A script that opens more dialogs than this in one step is ended."""
_FRAME_SECONDS, _SHORT_FRAME_SECONDS = 1.0, 0.1
"""How long frames are waited for: where pages are drawn, and where the last time there were none."""
_ANSWER_SECONDS = 5.0
"""Seconds within which a page that is not busy answers."""


class Tab:
    """One page at a time, in a context of its own with its own way to the web; made by `BrowserTabs`."""

    def __init__(self, browser: Chromium, network: TabNetwork, opened: Callable[[str, Tab], None]) -> None:
        self._browser, self._network, self._opened = browser, network, opened
        self._journal = TabJournal()
        self._cookies: list[DevToolsMessage] = []
        self._given: list[Mapping[str, object]] = []
        self._stores: LocalStores = {}
        self._moment = 0
        self.loads = 0
        """How often a page was loaded."""

    async def open(self) -> None:
        """Make it; whatever it was before is gone."""
        pipe = self._pipe = self._browser.pipe
        made = await pipe.call(
            "Target.createBrowserContext",
            proxyServer=f"http://{self._network.proxy_address}", proxyBypassList="<-loopback>", disposeOnDetach=True,
        )  # fmt: skip
        self._context = str(made["browserContextId"])
        target = await pipe.call(
            "Target.createTarget",
            url="about:blank", browserContextId=self._context, width=VIEWPORT_WIDTH, height=VIEWPORT_HEIGHT,
        )  # fmt: skip
        self._target = str(target["targetId"])
        session = await pipe.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = str(session["sessionId"])
        self._time = VirtualTime(pipe, self._session, self._journal)
        self._workers = ServiceWorkers()
        self._document = PageDocument(pipe, self._session)
        self._guard = NavigationGuard(pipe, self._session, self._journal)
        self._draws = self._is_loaded = False
        self._is_drawn = True
        self._steady = ""
        self._opened(self._target, self)
        await self._enable_domains()

    async def renew(self) -> None:
        """Throw the page and its process away, and go on with a fresh tab."""
        self.abandon()
        await self.open()
        await self.set_cookies(self._given)
        await self.set_local_storage(self._stores)
        await self._apply_page_state()

    def abandon(self) -> None:
        """Let it end, without waiting."""
        self._pipe.forget_session(self._session)
        self._pipe.send("Target.closeTarget", targetId=self._target)
        self._pipe.send("Target.disposeBrowserContext", browserContextId=self._context)

    async def _enable_domains(self) -> None:
        """Have everything told that matters."""
        self._pipe.listen(self._session, self._on_event)
        for domain in ("Page", "Runtime", "Log", "DOM", "DOMSnapshot", "Inspector"):
            self._send(f"{domain}.enable")
        self._send("ServiceWorker.enable")
        self._send("Network.enable", maxTotalBufferSize=0, maxResourceBufferSize=0)
        self._send("Fetch.enable", patterns=FETCH_PATTERNS)
        self._send("Emulation.setFocusEmulationEnabled", enabled=True)
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=VIEWPORT_WIDTH, height=VIEWPORT_HEIGHT, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        self._override_user_agent(self._session)
        self._send("Runtime.addBinding", name="webkeepDraws")
        self._send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        self._pipe.send(
            "Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True, browserContextId=self._context
        )
        self._guard.guard(await self._document.find_frame())
        await self._time.pause()

    def _override_user_agent(self, session: str) -> None:
        """Have scripts told who we say we are."""
        if name := self._browser.user_agent:
            self._pipe.send("Emulation.setUserAgentOverride", session, userAgent=name)

    async def begin_page(self, milliseconds: int) -> None:
        """Another page comes next: every load of it begins at this moment (since 1970) as far as its scripts know."""
        self._moment = milliseconds
        self._journal.begin_page()
        try:
            await self._apply_page_state()
        except ProcessGone:  # while it stood idle
            await self.renew()

    async def _apply_page_state(self) -> None:
        if self._steady:
            self._send("Page.removeScriptToEvaluateOnNewDocument", identifier=self._steady)
        source = page_scripts.STEADY_SCRIPT.replace("BASE", str(self._moment))
        added = await self._call("Page.addScriptToEvaluateOnNewDocument", source=source)
        self._steady = added["identifier"]
        answer = await self._pipe.call("Storage.getCookies", browserContextId=self._context)
        self._cookies = answer["cookies"]

    async def set_cookies(self, cookies: Sequence[Mapping[str, object]]) -> None:
        """Have pages find these cookies, as of a login, on every load."""
        self._given = list(cookies)
        if cookies:
            await self._pipe.call("Storage.setCookies", cookies=self._given, browserContextId=self._context)

    async def set_local_storage(self, stores: LocalStores) -> None:
        """Have pages find this in their local storage, as of a login, on every load before their scripts run."""
        self._stores = stores
        if stores:
            await self._call("Page.addScriptToEvaluateOnNewDocument", source=storage_script(stores))

    async def load(self, url: str, seconds: float, grant: int = LOAD_BUDGET_MS) -> SideEffects:
        """Load a page as if for the first time, and wait until it rests; timers have so many milliseconds."""
        await self._clear_site_data(url)
        self._network.begin_path(url)
        self._network.take_withheld()
        self._journal.clear()
        self._journal.begin_document()
        self._guard.open_gate()
        self._draws, self._is_loaded, self._is_drawn = False, False, True
        self._document.begin_load()
        self.loads += 1
        try:
            answer = await self._call("Page.navigate", url=url, seconds=seconds)
        finally:
            self._guard.close_gate()
        if answer.get("errorText") or answer.get("isDownload"):
            raise PageGone(f"{url} did not load: {answer.get('errorText') or 'it is a download'}")
        self._document.end_load()
        await self._wait_loaded(grant, seconds)
        await self._draw_frames(seconds)
        return self._take_effects()

    async def _wait_loaded(self, grant: int, seconds: float) -> None:
        """Rest until the load is over: a busy machine may let a grant pass before the first resource is asked for."""
        deadline = asyncio.get_running_loop().time() + seconds
        await self._run_until_idle(grant, seconds)
        while not self._is_loaded and not self._journal.is_stuck() and asyncio.get_running_loop().time() < deadline:
            await self._run_until_idle(grant, seconds)

    async def perform(self, interaction: Interaction, node: int, seconds: float) -> SideEffects | None:
        """Do something to a node and wait until the page rests; None if the node is gone."""
        self._journal.clear()
        handle = await self._document.handle_of(node)
        if handle is None:
            return None
        said = {"event": interaction.event, "value": interaction.value, "point": interaction.point}
        acting = self._send(
            "Runtime.callFunctionOn", functionDeclaration=page_scripts.ACT_SCRIPT, objectId=handle,
            arguments=[{"value": said}], returnByValue=True, userGesture=True,
        )  # fmt: skip
        await self._run_until_idle(_STEP_BUDGET_MS, seconds)
        done = await self._wait_acted(acting)
        await self._draw_frames(seconds)
        return self._take_effects() if done else None

    async def rehearse(self, interactions: Sequence[Interaction], seconds: float) -> None:
        """Do several things at once and wait until the page rests; what comes of it is nobody's concern."""
        said = [
            {"event": each.event, "target": each.target, "value": each.value, "point": each.point}
            for each in interactions
        ]
        acting = self._send(
            "Runtime.evaluate",
            expression=f"({page_scripts.REHEARSE_SCRIPT})({json.dumps(said)})",
            returnByValue=True,
            userGesture=True,
        )
        await self._run_until_idle(_STEP_BUDGET_MS, seconds)
        await self._wait_acted(acting)
        await self._draw_frames(seconds)
        self._take_effects()

    @property
    def latency_seconds(self) -> float:
        """How many seconds the web takes to answer this tab, of late."""
        return self._network.latency_seconds

    async def resolve_nodes(self, nodes: Iterable[int]) -> None:
        """Get hold of nodes, all at once, for what is going to be done to them."""
        await self._document.resolve_nodes(nodes)

    async def capture_tree(self) -> DomTree:
        """All nodes."""
        return await self._document.capture_tree()

    async def read_listeners(self) -> tuple[EventListener, ...]:
        """Who listens, in all frames."""
        return await self._document.read_listeners()

    async def take_screenshot(self, full_page: bool = False) -> bytes:
        """The page as a picture: what the window shows of it, or all of it; nothing where it cannot be drawn."""
        return await self._document.take_screenshot(full_page, self._settle)

    async def take_thumbnail(self) -> bytes:
        """What the window shows, small, for somebody who watches; nothing where it cannot be drawn."""
        return await self._document.take_thumbnail(VIEWPORT_WIDTH, VIEWPORT_HEIGHT)

    async def take_uncovered_screenshot(self, full_page: bool = False) -> tuple[tuple[PageOverlay, ...], bytes]:
        """What lies over the page, and its picture without that; no picture where nothing does."""
        return await self._document.take_uncovered_screenshot(full_page, self._settle)

    async def let_idle(self, milliseconds: int, seconds: float) -> SideEffects:
        """Let time pass without touching anything."""
        self._journal.clear()
        await self._run_until_idle(milliseconds, seconds)
        return self._take_effects()

    async def hover_all(self, seconds: float) -> SideEffects:
        """Have style sheets take the mouse to be over everything for a while; no script is told."""
        self._journal.clear()
        world = await self._document.isolated_world()
        answer = await self._call("Runtime.evaluate", expression=page_scripts.HOVER_SCRIPT, contextId=world)
        if not answer["result"].get("value"):
            return SideEffects()
        await self._run_until_idle(_STEP_BUDGET_MS, seconds)
        await self._draw_frames(seconds)
        await self._call("Runtime.evaluate", expression=page_scripts.HOVER_SCRIPT, contextId=world)
        return self._take_effects()

    async def _clear_site_data(self, url: str) -> None:
        """Make this visit the first: cookies as they were before it, stores empty."""
        self._send("Runtime.evaluate", expression=page_scripts.CLEAR_STORAGE_SCRIPT)
        self._pipe.send("Storage.clearCookies", browserContextId=self._context)
        if self._cookies:
            self._pipe.send("Storage.setCookies", cookies=self._cookies, browserContextId=self._context)
        if "#" in url:
            # Going from one fragment to another is no load.
            await self._call("Page.navigate", url="about:blank")

    async def _wait_acted(self, acting: asyncio.Future[DevToolsMessage]) -> bool:
        """Whether an interaction was done, to its end or until it was broken off."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return (await acting)["result"].get("value") is not False
        except TimeoutError:
            await self._terminate_script("a script does not end")
            return True

    async def _terminate_script(self, why: str) -> None:
        """Stop a script that would run for ever."""
        await self._call("Runtime.terminateExecution", seconds=2.0)
        self._journal.dialogs.append(PageDialog("interrupted", why))

    async def _run_until_idle(self, milliseconds: int, seconds: float) -> None:
        deadline = asyncio.get_running_loop().time() + seconds
        rests = await self._time.run_until_idle(milliseconds, seconds)
        while rests and self._workers.take_news():
            left = deadline - asyncio.get_running_loop().time()
            await self._workers.wait(self._is_controlled, left)
            rests = await self._time.run_until_idle(milliseconds, max(left, 1.0))
        if not rests:
            try:
                await self._call("Runtime.evaluate", expression="1", seconds=2.0)
            except PageGone:
                await self._terminate_script("the page does not come to rest")

    async def _settle(self) -> None:
        await self._run_until_idle(_STEP_BUDGET_MS, _ANSWER_SECONDS)

    async def _is_controlled(self) -> bool:
        """Whether a service worker is in charge of the page."""
        answer = await self._call(
            "Runtime.evaluate",
            expression=page_scripts.CONTROLLED_EXPRESSION,
            contextId=await self._document.isolated_world(),
        )
        return answer["result"].get("value") is True

    async def _draw_frames(self, seconds: float) -> None:
        """Where scripts wait for things to come into view, have two frames drawn and what follows done.

        A page may keep Chromium from drawing, and a busy machine may too: then it is left as it is.
        """
        if not self._draws and not self._document.has_lazy_parts:
            return
        if not await self._await_frames() and self._is_drawn:
            # What holds up drawing may wait for time to pass.
            await self._run_until_idle(LOAD_BUDGET_MS, seconds)
            self._is_drawn = await self._await_frames()
        await self._run_until_idle(_STEP_BUDGET_MS, seconds)

    async def _await_frames(self) -> bool:
        """Whether two frames were drawn."""
        patience = _FRAME_SECONDS if self._is_drawn else _SHORT_FRAME_SECONDS
        are_drawn = await self._document.await_frames(patience)
        self._is_drawn = self._is_drawn or are_drawn
        return are_drawn

    def _take_effects(self) -> SideEffects:
        return self._journal.take_effects(self._network.take_withheld())

    def _send(self, method: str, **params: object) -> asyncio.Future[DevToolsMessage]:
        return self._pipe.send(method, self._session, **params)

    async def _call(self, method: str, seconds: float = 15.0, **params: object) -> DevToolsMessage:
        return await self._pipe.call(method, self._session, seconds, **params)

    def _on_event(self, event: str, params: dict[str, Any], _session: str) -> None:
        if event.startswith("Network."):
            if self._guard.is_of_page(event, params):
                self._journal.on_network_event(event, params)
            return
        match event:
            case "Emulation.virtualTimeBudgetExpired":
                self._time.on_expired()
            case "Fetch.requestPaused":
                self._guard.decide_request(params)
            case "Page.javascriptDialogOpening":
                self._answer_dialog(params)
            case "Page.loadEventFired":
                self._is_loaded = True
            case "Page.windowOpen":
                self._journal.popups.append(str(params["url"]))
            case "Runtime.bindingCalled":
                self._draws = True
            case "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded":
                self._journal.on_console_event(event, params)
            case (
                "Runtime.executionContextCreated"
                | "Runtime.executionContextsCleared"
                | "Runtime.executionContextDestroyed"
            ):
                self._document.on_context_event(event, params)
            case "ServiceWorker.workerVersionUpdated":
                self._workers.update(params)
            case "Target.attachedToTarget":
                self._on_attached(params)
            case "Target.detachedFromTarget":
                self._pipe.forget_session(params["sessionId"])
            case "Inspector.targetCrashed" | "Webkeep.gone" | "Inspector.detached":
                self._time.on_crashed()
                self._pipe.fail_session(self._session, "the page's process crashed")
            case _:
                pass

    def _answer_dialog(self, params: dict[str, Any]) -> None:
        kind = str(params["type"])
        self._send("Page.handleJavaScriptDialog", accept=kind != "prompt")
        self._journal.dialogs.append(PageDialog(kind, str(params["message"])[:1000]))
        if len(self._journal.dialogs) > _MAX_DIALOGS:
            self._send("Runtime.terminateExecution")

    def _on_attached(self, params: dict[str, Any]) -> None:
        """Workers are listened to from their first request on; windows that the page opens are closed."""
        session = params["sessionId"]
        if params["targetInfo"]["type"] == "page":
            self._pipe.send("Target.closeTarget", targetId=params["targetInfo"]["targetId"])
            return
        self._pipe.listen(session, self._on_event)
        self._pipe.send("Network.enable", session)
        self._override_user_agent(session)
        self._pipe.send("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        self._pipe.send("Runtime.runIfWaitingForDebugger", session)

    def on_download(self, params: dict[str, Any]) -> None:
        """The browser says that a download of this tab was about to begin."""
        self._journal.downloads.append(PageDownload(str(params["url"]), str(params.get("suggestedFilename", ""))))

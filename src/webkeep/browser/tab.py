"""A tab: loads a page, acts on it, and says what came of it."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from webkeep.browser.browser_initiated import BROWSER_MADE, BrowserInitiated
from webkeep.browser.chromium import Chromium
from webkeep.browser.failures import PageGone, ProcessGone
from webkeep.browser.journal import Journal, wish_of
from webkeep.browser.listeners import EventListener, read_listeners
from webkeep.browser.pipe import Message, answered
from webkeep.browser.ports import Lane
from webkeep.browser.service_workers import ServiceWorkers
from webkeep.browser.settling import VirtualTime
from webkeep.browser.storage import Stores, putting
from webkeep.browser.tree import STYLES, Tree, read_tree
from webkeep.browser.values import Dialog, Download, Happenings, Interaction
from webkeep.browser.window import HEIGHT, WIDTH

LOAD_GRANT, _STEP_GRANT = 2000, 1000
"""Milliseconds of virtual time that a load and an interaction are given for their timers."""
_DIALOGS_BORNE = 20
_LAZY = ("img", "iframe")
_TALLEST = 16_000
"""Pixels down to which a page is drawn in one picture; textures end a little above."""
_FRAME_SECONDS, _GLANCE_SECONDS = 1.0, 0.1
"""How long frames are waited for: where pages are drawn, and where the last time there were none."""
_SHORT = 5.0
"""Seconds within which a page that is not busy answers."""
_CONTROLLED = "Boolean(navigator.serviceWorker && navigator.serviceWorker.controller)"
_TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
_FORGET = "try { sessionStorage.clear(); localStorage.clear(); } catch {}"
_ACT = f"""function (interaction) {{
{(files("webkeep.browser") / "page" / "perform.js").read_text()}
return webkeepAct(this, interaction);
}}"""
_REHEARSE = f"""(interactions) => {{
{(files("webkeep.browser") / "page" / "perform.js").read_text()}
for (const each of interactions) try {{ webkeepPerform(each); }} catch {{}}
}}"""
_HOVERED = (files("webkeep.browser") / "page" / "hovered.js").read_text()
_STEADY = (files("webkeep.browser") / "page" / "steady.js").read_text()
_DECIDED = [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}, BROWSER_MADE]


class Tab:
    """One page at a time, in a context of its own with its own way to the web; made by `Tabs`."""

    def __init__(self, browser: Chromium, lane: Lane, opened: Callable[[str, Tab], None]) -> None:
        self._browser, self._lane, self._opened = browser, lane, opened
        self._journal = Journal()
        self._browser_initiated = BrowserInitiated(self._settle_held)
        self._cookies: list[Message] = []
        self._given: list[Mapping[str, object]] = []
        self._stores: Stores = {}
        self._moment = 0
        self.loads = 0
        """How often a page was loaded."""

    async def open(self) -> None:
        """Make it; whatever it was before is gone."""
        pipe = self._pipe = self._browser.pipe
        made = await pipe.call(
            "Target.createBrowserContext",
            proxyServer=f"http://{self._lane.proxy}", proxyBypassList="<-loopback>", disposeOnDetach=True,
        )  # fmt: skip
        self._context = str(made["browserContextId"])
        target = await pipe.call(
            "Target.createTarget", url="about:blank", browserContextId=self._context, width=WIDTH, height=HEIGHT
        )
        self._target = str(target["targetId"])
        session = await pipe.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = str(session["sessionId"])
        self._time = VirtualTime(pipe, self._session, self._journal)
        self._workers = ServiceWorkers()
        self._is_going = self._draws = self._is_loaded = False
        self._is_drawn = True
        self._world, self._steady = 0, ""
        self._contexts: dict[int, str] = {}
        self._elements: dict[int, str] = {}
        self._listened: list[tuple[str, int]] = []
        self._opened(self._target, self)
        await self._prepare()

    async def renew(self) -> None:
        """Throw the page and its process away, and go on with a fresh tab."""
        self.abandon()
        await self.open()
        await self.give_cookies(self._given)
        await self.give_stores(self._stores)
        await self._turn()

    def abandon(self) -> None:
        """Let it end, without waiting."""
        self._pipe.forget(self._session)
        self._pipe.send("Target.closeTarget", targetId=self._target)
        self._pipe.send("Target.disposeBrowserContext", browserContextId=self._context)

    async def _prepare(self) -> None:
        """Have everything told that matters."""
        self._pipe.listen(self._session, self._told)
        for method in ("Page.enable", "Runtime.enable", "DOM.enable", "DOMSnapshot.enable", "Inspector.enable"):
            self._send(method)
        self._send("ServiceWorker.enable")
        self._send("Network.enable", maxTotalBufferSize=0, maxResourceBufferSize=0)
        self._send("Fetch.enable", patterns=_DECIDED)
        self._send("Emulation.setFocusEmulationEnabled", enabled=True)
        self._send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        self._name(self._session)
        self._send("Runtime.addBinding", name="webkeepDraws")
        self._send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        self._pipe.send(
            "Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True, browserContextId=self._context
        )
        tree = await self._call("Page.getFrameTree")
        self._frame = str(tree["frameTree"]["frame"]["id"])
        await self._time.stop()

    def _name(self, session: str) -> None:
        """Have scripts told who we say we are."""
        if name := self._browser.user_agent:
            self._pipe.send("Emulation.setUserAgentOverride", session, userAgent=name)

    async def turn_to(self, milliseconds: int) -> None:
        """Another page comes next: every load of it begins at this moment (since 1970) as far as its scripts know."""
        self._moment = milliseconds
        self._journal.turn()
        try:
            await self._turn()
        except ProcessGone:  # while it stood idle
            await self.renew()

    async def _turn(self) -> None:
        if self._steady:
            self._send("Page.removeScriptToEvaluateOnNewDocument", identifier=self._steady)
        source = _STEADY.replace("BASE", str(self._moment))
        added = await self._call("Page.addScriptToEvaluateOnNewDocument", source=source)
        self._steady = added["identifier"]
        answer = await self._pipe.call("Storage.getCookies", browserContextId=self._context)
        self._cookies = answer["cookies"]

    async def give_cookies(self, cookies: Sequence[Mapping[str, object]]) -> None:
        """Have pages find these cookies, as of a login, on every load."""
        self._given = list(cookies)
        if cookies:
            await self._pipe.call("Storage.setCookies", cookies=self._given, browserContextId=self._context)

    async def give_stores(self, stores: Stores) -> None:
        """Have pages find this in their local storage, as of a login, on every load before their scripts run."""
        self._stores = stores
        if stores:
            await self._call("Page.addScriptToEvaluateOnNewDocument", source=putting(stores))

    async def load(self, url: str, seconds: float, grant: int = LOAD_GRANT) -> Happenings:
        """Load a page as if for the first time, and wait until it rests; timers have so many milliseconds."""
        await self._reset(url)
        self._lane.begin_path(url)
        self._lane.take_wishes()
        self._journal.clear()
        self._journal.begin()
        self._browser_initiated.forget()
        self._draws, self._is_going, self._is_loaded, self._is_drawn = False, True, False, True
        self._elements, self._listened = {}, []
        self.loads += 1
        try:
            answer = await self._call("Page.navigate", url=url, seconds=seconds)
        finally:
            self._is_going = False
        if answer.get("errorText") or answer.get("isDownload"):
            raise PageGone(f"{url} did not load: {answer.get('errorText') or 'it is a download'}")
        self._world = 0
        await self._arrive(grant, seconds)
        await self._drawn(seconds)
        return self._taken()

    async def _arrive(self, grant: int, seconds: float) -> None:
        """Rest until the load is over: a busy machine may let a grant pass before the first resource is asked for."""
        deadline = asyncio.get_running_loop().time() + seconds
        await self._rest(grant, seconds)
        while not self._is_loaded and not self._journal.is_stuck() and asyncio.get_running_loop().time() < deadline:
            await self._rest(grant, seconds)

    async def perform(self, interaction: Interaction, node: int, seconds: float) -> Happenings | None:
        """Do something to a node and wait until the page rests; None if the node is gone."""
        self._journal.clear()
        await self.reach([node])
        if node not in self._elements:
            return None
        said = {"event": interaction.event, "value": interaction.value, "point": interaction.point}
        acting = self._send(
            "Runtime.callFunctionOn", functionDeclaration=_ACT, objectId=self._elements[node],
            arguments=[{"value": said}], returnByValue=True, userGesture=True,
        )  # fmt: skip
        await self._rest(_STEP_GRANT, seconds)
        done = await self._acted(acting)
        await self._drawn(seconds)
        return self._taken() if done else None

    async def rehearse(self, interactions: Sequence[Interaction], seconds: float) -> None:
        """Do several things at once and wait until the page rests; what comes of it is nobody's concern."""
        said = [
            {"event": each.event, "target": each.target, "value": each.value, "point": each.point}
            for each in interactions
        ]
        acting = self._send(
            "Runtime.evaluate", expression=f"({_REHEARSE})({json.dumps(said)})", returnByValue=True, userGesture=True
        )
        await self._rest(_STEP_GRANT, seconds)
        await self._acted(acting)
        await self._drawn(seconds)
        self._taken()

    @property
    def wait(self) -> float:
        """How many seconds the web takes to answer this tab, of late."""
        return self._lane.wait

    async def reach(self, nodes: Iterable[int]) -> None:
        """Get hold of nodes, all at once, for what is going to be done to them."""
        asked = [node for node in dict.fromkeys(nodes) if node not in self._elements]
        answers = [self._send("DOM.resolveNode", backendNodeId=node, objectGroup="nodes") for node in asked]
        for node, answer in zip(asked, await answered(answers, _SHORT), strict=True):
            if answer is not None:
                self._elements[node] = str(answer["object"]["objectId"])

    async def idle(self, milliseconds: int, seconds: float) -> Happenings:
        """Let time pass without touching anything."""
        self._journal.clear()
        await self._rest(milliseconds, seconds)
        return self._taken()

    async def tree(self) -> Tree:
        """All nodes."""
        tree = read_tree(await self._call("DOMSnapshot.captureSnapshot", computedStyles=list(STYLES)))
        self._draws = self._draws or any(
            node.name in _LAZY and node.get("loading") == "lazy" for node in tree.nodes.values()
        )
        return tree

    async def listeners(self) -> tuple[EventListener, ...]:
        """Who listens, in all frames."""
        if not self._listened:
            await self._find_listened()
        asked = [
            self._send("DOMDebugger.getEventListeners", objectId=number, depth=depth, pierce=depth < 0)
            for number, depth in self._listened
        ]
        answers = await answered(asked, _SHORT)
        if answers[0] is None:
            raise PageGone("the page does not tell who listens")
        return tuple(each for answer in answers if answer is not None for each in read_listeners(answer["listeners"]))

    async def _find_listened(self) -> None:
        """Get hold of the document, which has all frames in it, and of the windows."""
        frames = [number for number, frame in self._contexts.items() if frame != self._frame]
        asked = [self._send("Runtime.evaluate", expression=name) for name in ("document", "window")]
        asked += [self._send("Runtime.evaluate", expression="window", contextId=number) for number in frames]
        held = [answer["result"] for answer in await answered(asked, _SHORT) if answer is not None]
        self._listened = [
            (str(each["objectId"]), 1 if number else -1) for number, each in enumerate(held) if "objectId" in each
        ]
        if not self._listened:
            raise PageGone("the page has no document")

    async def hover(self, seconds: float) -> Happenings:
        """Have style sheets take the mouse to be over everything for a while; no script is told."""
        self._journal.clear()
        world = await self._own_world()
        answer = await self._call("Runtime.evaluate", expression=_HOVERED, contextId=world)
        if not answer["result"].get("value"):
            return Happenings()
        await self._rest(_STEP_GRANT, seconds)
        await self._drawn(seconds)
        await self._call("Runtime.evaluate", expression=_HOVERED, contextId=world)
        return self._taken()

    async def screenshot(self, full_page: bool = False) -> bytes:
        """The page as a picture: what the window shows of it, or all of it; nothing where it cannot be drawn."""
        asked: dict[str, Any] = {"format": "png", "optimizeForSpeed": True}
        try:
            asked |= await self._whole_page() if full_page else {}
            answer = await self._call("Page.captureScreenshot", _SHORT, **asked)
        except ProcessGone:
            raise
        except PageGone:
            return b""
        return base64.b64decode(answer["data"])

    async def _whole_page(self) -> dict[str, object]:
        """What to say for a picture of all of a page, down to a length that can be drawn."""
        size = (await self._call("Page.getLayoutMetrics"))["cssContentSize"]
        area = {"x": 0, "y": 0, "width": max(size["width"], 1), "height": min(max(size["height"], 1), _TALLEST)}
        return {"captureBeyondViewport": True, "clip": {**area, "scale": 1}}

    async def _reset(self, url: str) -> None:
        """Make this visit the first: cookies as they were before it, stores empty."""
        self._send("Runtime.evaluate", expression=_FORGET)
        self._pipe.send("Storage.clearCookies", browserContextId=self._context)
        if self._cookies:
            self._pipe.send("Storage.setCookies", cookies=self._cookies, browserContextId=self._context)
        if "#" in url:
            # Going from one fragment to another is no load.
            await self._call("Page.navigate", url="about:blank")

    async def _acted(self, acting: asyncio.Future[Message]) -> bool:
        """Whether an interaction was done, to its end or until it was broken off."""
        try:
            answer = await asyncio.wait_for(acting, _SHORT)
        except TimeoutError:
            await self._break_off("a script does not end")
            return True
        return answer["result"].get("value") is not False

    async def _break_off(self, why: str) -> None:
        """Stop a script that would run for ever."""
        await self._call("Runtime.terminateExecution", seconds=2.0)
        self._journal.dialogs.append(Dialog("interrupted", why))

    async def _rest(self, milliseconds: int, seconds: float) -> None:
        deadline = asyncio.get_running_loop().time() + seconds
        rests = await self._time.run(milliseconds, seconds)
        while rests and self._workers.take_news():
            left = deadline - asyncio.get_running_loop().time()
            await self._workers.wait(self._is_controlled, left)
            rests = await self._time.run(milliseconds, max(left, 1.0))
        if not rests:
            try:
                await self._call("Runtime.evaluate", expression="1", seconds=2.0)
            except PageGone:
                await self._break_off("the page does not come to rest")

    async def _is_controlled(self) -> bool:
        """Whether a service worker is in charge of the page."""
        answer = await self._call("Runtime.evaluate", expression=_CONTROLLED, contextId=await self._own_world())
        return answer["result"].get("value") is True

    async def _drawn(self, seconds: float) -> None:
        """Where scripts wait for things to come into view, have two frames drawn and what follows done.

        A page may keep Chromium from drawing, and a busy machine may too: then it is left as it is.
        """
        if not self._draws:
            return
        if not await self._frames() and self._is_drawn:
            # What holds up drawing may wait for time to pass.
            await self._rest(LOAD_GRANT, seconds)
            self._is_drawn = await self._frames()
        await self._rest(_STEP_GRANT, seconds)

    async def _frames(self) -> bool:
        """Whether two frames were drawn."""
        patience = _FRAME_SECONDS if self._is_drawn else _GLANCE_SECONDS
        world = await self._own_world()
        frames = self._send("Runtime.evaluate", expression=_TWO_FRAMES, awaitPromise=True, contextId=world)
        (answer,) = await answered([frames], patience)
        self._is_drawn = self._is_drawn or answer is not None
        return answer is not None

    async def _own_world(self) -> int:
        if not self._world:
            answer = await self._call("Page.createIsolatedWorld", frameId=self._frame, worldName="webkeep")
            self._world = answer["executionContextId"]
        return self._world

    def _taken(self) -> Happenings:
        return self._journal.take(self._lane.take_wishes())

    def _send(self, method: str, **params: object) -> asyncio.Future[Message]:
        return self._pipe.send(method, self._session, **params)

    async def _call(self, method: str, seconds: float = 15.0, **params: object) -> Message:
        return await self._pipe.call(method, self._session, seconds, **params)

    def _told(self, event: str, params: dict[str, Any], _session: str) -> None:
        if event.startswith("Network."):
            if not self._is_departure(event, params) and not self._is_of_browser(event, params):
                self._journal.network(event, params)
            return
        match event:
            case "Emulation.virtualTimeBudgetExpired":
                self._time.expired()
            case "Fetch.requestPaused":
                self._decide(params)
            case "Page.javascriptDialogOpening":
                self._answer(params)
            case "Page.loadEventFired":
                self._is_loaded = True
            case "Page.windowOpen":
                self._journal.popups.append(str(params["url"]))
            case "Runtime.bindingCalled":
                self._draws = True
            case "Runtime.executionContextCreated":
                self._note_context(params["context"])
                self._listened = []
            case "Runtime.executionContextsCleared":
                self._contexts.clear()
            case "Runtime.executionContextDestroyed":
                self._contexts.pop(params["executionContextId"], None)
            case "ServiceWorker.workerVersionUpdated":
                self._workers.update(params)
            case "Target.attachedToTarget":
                self._attached(params)
            case "Target.detachedFromTarget":
                self._pipe.forget(params["sessionId"])
            case "Inspector.targetCrashed" | "Webkeep.gone" | "Inspector.detached":
                self._time.crashed()
                self._pipe.fail(self._session, "the page's process crashed")
            case _:
                pass

    def _is_departure(self, event: str, params: dict[str, Any]) -> bool:
        """Whether this tells of a document that is not going to be asked for."""
        is_document = event == "Network.requestWillBeSent" and params.get("type") == "Document"
        return is_document and params.get("frameId") == self._frame and not self._is_going

    def _is_of_browser(self, event: str, params: dict[str, Any]) -> bool:
        """Whether this tells of a request that the page has no part in."""
        return event == "Network.requestWillBeSent" and self._browser_initiated.is_own(params)

    def _settle_held(self, number: str, is_page: bool) -> None:
        if is_page:
            self._send("Fetch.continueRequest", requestId=number)
        else:
            self._send("Fetch.failRequest", requestId=number, errorReason="BlockedByClient")

    def _note_context(self, context: dict[str, Any]) -> None:
        held = context.get("auxData", {})
        if held.get("isDefault"):
            self._contexts[context["id"]] = held.get("frameId", "")

    def _decide(self, params: dict[str, Any]) -> None:
        """Documents of frames may come; the page itself may not leave, unless it is we who go."""
        number, request = params["requestId"], params["request"]
        if params["resourceType"] == BROWSER_MADE["resourceType"]:
            self._browser_initiated.hold(params)
            return
        if self._is_going or params["frameId"] != self._frame:
            self._send("Fetch.continueRequest", requestId=number)
            return
        self._send("Fetch.failRequest", requestId=number, errorReason="Aborted")
        if request["method"] in ("GET", "HEAD"):
            self._journal.departures.append(str(request["url"]))
        else:
            self._journal.wishes.append(wish_of(request))

    def _answer(self, params: dict[str, Any]) -> None:
        kind = str(params["type"])
        self._send("Page.handleJavaScriptDialog", accept=kind != "prompt")
        self._journal.dialogs.append(Dialog(kind, str(params["message"])[:1000]))
        if len(self._journal.dialogs) > _DIALOGS_BORNE:
            self._send("Runtime.terminateExecution")

    def _attached(self, params: dict[str, Any]) -> None:
        """Workers are listened to from their first request on; windows that the page opens are closed."""
        session = params["sessionId"]
        if params["targetInfo"]["type"] == "page":
            self._pipe.send("Target.closeTarget", targetId=params["targetInfo"]["targetId"])
            return
        self._pipe.listen(session, self._told)
        self._pipe.send("Network.enable", session)
        self._name(session)
        self._pipe.send("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        self._pipe.send("Runtime.runIfWaitingForDebugger", session)

    def download(self, params: dict[str, Any]) -> None:
        """The browser says that a download of this tab was about to begin."""
        self._journal.downloads.append(Download(str(params["url"]), str(params.get("suggestedFilename", ""))))

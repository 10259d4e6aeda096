"""The document in a tab, as it is read: its tree, its nodes, who listens, its picture with and without what lies over
it; how far down a full-page screenshot reaches.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from webkeep.browser.dom.dom_tree import COMPUTED_STYLES, DomTree, parse_snapshot
from webkeep.browser.dom.event_listeners import EventListener, parse_listeners
from webkeep.browser.process.browser_errors import PageGone, ProcessGone
from webkeep.browser.process.devtools_pipe import DevToolsMessage, DevToolsPipe, collect_answers
from webkeep.browser.tabs.page_scripts import OVERLAYS_SCRIPT
from webkeep.browser.walk_model import PageOverlay

_LAZY_TAGS = ("img", "iframe")
SettlePage = Callable[[], Awaitable[None]]
_MAX_TAKES = 4
"""Pictures that are taken of a page until two are the same; one that never comes to rest is drawn as it is."""
_MAX_SCREENSHOT_PIXELS = 16_000
"""Pixels down to which a page is drawn in one picture; textures end a little above."""
_TWO_FRAMES_SCRIPT = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
_ANSWER_SECONDS = 5.0
"""Seconds within which a page that is not busy answers."""
_THUMBNAIL_WIDTH, _THUMBNAIL_QUALITY = 360, 60
"""Pixels and JPEG quality at which a page is still known at a glance: some 15 kB."""


class PageDocument:
    """Reads the document of one tab's session; handles of nodes and windows hold until the next load."""

    def __init__(self, pipe: DevToolsPipe, session: str) -> None:
        self._pipe, self._session = pipe, session
        self._frame = ""
        self._world = 0
        self._contexts: dict[int, str] = {}
        self._elements: dict[int, str] = {}
        self._listened: list[tuple[str, int]] = []
        self.has_lazy_parts = False
        """Whether it has parts that are loaded when they come into view."""

    async def find_frame(self) -> str:
        """The frame that the page is in."""
        tree = await self._call("Page.getFrameTree")
        self._frame = str(tree["frameTree"]["frame"]["id"])
        return self._frame

    def begin_load(self) -> None:
        """Another document comes: what was got hold of is gone."""
        self._elements, self._listened, self.has_lazy_parts = {}, [], False

    def end_load(self) -> None:
        """The new document is there, and its scripts have other worlds."""
        self._world = 0

    async def resolve_nodes(self, nodes: Iterable[int]) -> None:
        """Get hold of nodes, all at once, for what is going to be done to them."""
        asked = [node for node in dict.fromkeys(nodes) if node not in self._elements]
        answers = [self._send("DOM.resolveNode", backendNodeId=node, objectGroup="nodes") for node in asked]
        for node, answer in zip(asked, await collect_answers(answers, _ANSWER_SECONDS), strict=True):
            if answer is not None:
                self._elements[node] = str(answer["object"]["objectId"])

    async def handle_of(self, node: int) -> str | None:
        """By what a node can be acted upon; None if it is gone."""
        await self.resolve_nodes([node])
        return self._elements.get(node)

    async def capture_tree(self) -> DomTree:
        """All nodes."""
        tree = parse_snapshot(await self._call("DOMSnapshot.captureSnapshot", computedStyles=list(COMPUTED_STYLES)))
        self.has_lazy_parts = self.has_lazy_parts or any(
            node.name in _LAZY_TAGS and node.get("loading") == "lazy" for node in tree.nodes.values()
        )
        return tree

    async def read_listeners(self) -> tuple[EventListener, ...]:
        """Who listens, in all frames."""
        if not self._listened:
            await self._find_listener_roots()
        asked = [
            self._send("DOMDebugger.getEventListeners", objectId=number, depth=depth, pierce=depth < 0)
            for number, depth in self._listened
        ]
        answers = await collect_answers(asked, _ANSWER_SECONDS)
        if answers[0] is None:
            raise PageGone("the page does not tell who listens")
        return tuple(each for answer in answers if answer is not None for each in parse_listeners(answer["listeners"]))

    async def _find_listener_roots(self) -> None:
        """Get hold of the document, which has all frames in it, and of the windows."""
        frames = [number for number, frame in self._contexts.items() if frame != self._frame]
        asked = [self._send("Runtime.evaluate", expression=name) for name in ("document", "window")]
        asked += [self._send("Runtime.evaluate", expression="window", contextId=number) for number in frames]
        held = [answer["result"] for answer in await collect_answers(asked, _ANSWER_SECONDS) if answer is not None]
        self._listened = [
            (str(each["objectId"]), 1 if number else -1) for number, each in enumerate(held) if "objectId" in each
        ]
        if not self._listened:
            raise PageGone("the page has no document")

    async def take_screenshot(self, full_page: bool, settle: SettlePage) -> bytes:
        """The page as a picture: what the window shows of it, or all of it; nothing where it cannot be drawn.

        To draw all of a page loads what was out of sight, and the next picture has it; the page may `settle` meanwhile.
        """
        picture = await self._draw_page(full_page)
        for _ in range(_MAX_TAKES if full_page and self.has_lazy_parts else 0):
            await settle()
            before, picture = picture, await self._draw_page(full_page)
            if picture == before:
                break
        return picture

    async def _draw_page(self, full_page: bool) -> bytes:
        asked: dict[str, Any] = {"format": "png"}
        try:
            asked |= await self._full_page_clip() if full_page else {}
            answer = await self._call("Page.captureScreenshot", _ANSWER_SECONDS, **asked)
        except ProcessGone:
            raise
        except PageGone:
            return b""
        return base64.b64decode(answer["data"])

    async def take_thumbnail(self, width: int, height: int) -> bytes:
        """The window of that size as a small picture; nothing where it cannot be drawn."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": _THUMBNAIL_WIDTH / width}
        try:
            answer = await self._call(
                "Page.captureScreenshot", _ANSWER_SECONDS, format="jpeg", quality=_THUMBNAIL_QUALITY, clip=clip
            )
        except ProcessGone:
            raise
        except PageGone:
            return b""
        return base64.b64decode(answer["data"])

    async def take_uncovered_screenshot(
        self, full_page: bool, settle: SettlePage
    ) -> tuple[tuple[PageOverlay, ...], bytes]:
        """What lies over the page, and its picture while that is hidden; no picture where nothing does."""
        try:
            found = await self._toggle_overlays()
            picture = await self.take_screenshot(full_page, settle) if found else b""
            if found:
                await self._toggle_overlays()
        except ProcessGone:
            raise
        except PageGone:
            return (), b""
        return tuple(PageOverlay(each["label"], each["text"], tuple(each["box"])) for each in found), picture

    async def _toggle_overlays(self) -> list[dict[str, Any]]:
        """Hide what lies over the page, or show it again where that was done before."""
        answer = await self._call(
            "Runtime.evaluate",
            _ANSWER_SECONDS,
            expression=OVERLAYS_SCRIPT,
            contextId=await self.isolated_world(),
            returnByValue=True,
        )
        value = answer["result"].get("value")
        return value if isinstance(value, list) else []

    async def _full_page_clip(self) -> dict[str, object]:
        """What to say for a picture of all of a page, down to a length that can be drawn."""
        size = (await self._call("Page.getLayoutMetrics"))["cssContentSize"]
        area = {
            "x": 0,
            "y": 0,
            "width": max(size["width"], 1),
            "height": min(max(size["height"], 1), _MAX_SCREENSHOT_PIXELS),
        }
        return {"captureBeyondViewport": True, "clip": {**area, "scale": 1}}

    async def isolated_world(self) -> int:
        """Where scripts of ours run that the page does not notice."""
        if not self._world:
            answer = await self._call("Page.createIsolatedWorld", frameId=self._frame, worldName="webkeep")
            self._world = answer["executionContextId"]
        return self._world

    async def await_frames(self, seconds: float) -> bool:
        """Whether two frames were drawn within so many seconds."""
        world = await self.isolated_world()
        frames = self._send("Runtime.evaluate", expression=_TWO_FRAMES_SCRIPT, awaitPromise=True, contextId=world)
        (answer,) = await collect_answers([frames], seconds)
        return answer is not None

    def on_context_event(self, event: str, params: dict[str, Any]) -> None:
        """The windows of the page have changed."""
        if event == "Runtime.executionContextCreated":
            held = params["context"].get("auxData", {})
            if held.get("isDefault"):
                self._contexts[params["context"]["id"]] = held.get("frameId", "")
            self._listened = []
        elif event == "Runtime.executionContextsCleared":
            self._contexts.clear()
        elif event == "Runtime.executionContextDestroyed":
            self._contexts.pop(params["executionContextId"], None)

    def _send(self, method: str, **params: object) -> asyncio.Future[DevToolsMessage]:
        return self._pipe.send(method, self._session, **params)

    async def _call(self, method: str, seconds: float = 15.0, **params: object) -> DevToolsMessage:
        return await self._pipe.call(method, self._session, seconds, **params)

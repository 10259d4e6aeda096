"""Tabs of a browser: each in a context of its own, with its own lane to the web."""

from __future__ import annotations

from typing import Any

from webkeep.browser.chromium import Chromium
from webkeep.browser.pipe import Message
from webkeep.browser.ports import Lane
from webkeep.browser.tab import Tab


class Tabs:
    """The tabs of one browser; what Chromium tells of all of them goes to the one concerned."""

    def __init__(self, browser: Chromium) -> None:
        self._browser = browser
        self._starts = 0
        self._by_target: dict[str, Tab] = {}

    async def open(self, lane: Lane) -> Tab:
        """A tab with no page yet."""
        if self._starts != self._browser.starts:
            self._starts = self._browser.starts
            self._by_target.clear()
            self._browser.pipe.listen("", self._told)
            await self._browser.pipe.call("Target.setDiscoverTargets", discover=True)
        tab = Tab(self._browser, lane, self._by_target.__setitem__)
        await tab.open()
        return tab

    def _told(self, event: str, params: dict[str, Any], _session: str) -> None:
        match event:
            case "Target.targetCreated":
                self._created(params["targetInfo"])
            case "Target.targetDestroyed":
                self._by_target.pop(params["targetId"], None)
            case "Browser.downloadWillBegin" if tab := self._by_target.get(params["frameId"]):
                tab.download(params)
            case _:
                pass

    def _created(self, info: Message) -> None:
        """A window that a page opens is closed; its address was told by the page."""
        if info["type"] == "page" and info.get("openerId") in self._by_target:
            self._browser.pipe.send("Target.closeTarget", targetId=info["targetId"])

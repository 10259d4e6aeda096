"""Tabs of a browser: each in a context of its own, with its own network; windows that pages open are closed, and
downloads told to the tab concerned.
"""

from __future__ import annotations

from typing import Any

from webkeep.browser.ports import TabNetwork
from webkeep.browser.process.chromium import Chromium
from webkeep.browser.process.devtools_pipe import DevToolsMessage
from webkeep.browser.tabs.tab import Tab


class BrowserTabs:
    """The tabs of one browser; what Chromium tells of all of them goes to the one concerned."""

    def __init__(self, browser: Chromium) -> None:
        self._browser = browser
        self._starts = 0
        self._by_target: dict[str, Tab] = {}

    async def open_tab(self, network: TabNetwork) -> Tab:
        """A tab with no page yet."""
        if self._starts != self._browser.starts:
            self._starts = self._browser.starts
            self._by_target.clear()
            self._browser.pipe.listen("", self._on_event)
            await self._browser.pipe.call("Target.setDiscoverTargets", discover=True)
        tab = Tab(self._browser, network, self._by_target.__setitem__)
        await tab.open()
        return tab

    def _on_event(self, event: str, params: dict[str, Any], _session: str) -> None:
        match event:
            case "Target.targetCreated":
                self._on_target_created(params["targetInfo"])
            case "Target.targetDestroyed":
                self._by_target.pop(params["targetId"], None)
            case "Browser.downloadWillBegin" if tab := self._by_target.get(params["frameId"]):
                tab.on_download(params)
            case _:
                pass

    def _on_target_created(self, info: DevToolsMessage) -> None:
        """A window that a page opens is closed; its address was told by the page."""
        if info["type"] == "page" and info.get("openerId") in self._by_target:
            self._browser.pipe.send("Target.closeTarget", targetId=info["targetId"])

"""Pages with states, walked in one Chromium that all tests of a module share."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

from bench.states_site import StatesSite
from bench.states_tab_proxy import open_tab_proxies
from walk_limits import walk_limits

from webkeep.browser import Interaction, StateWalk, WalkLimits
from webkeep.browser.process import BrowserSettings, Chromium
from webkeep.browser.tabs import BrowserTabs, Tab
from webkeep.browser.walk import find_states, walk_page
from webkeep.browser.walk.state_machine import all_resources

MOMENT = 1_790_000_000_000


class WalkedPages:
    """Walks pages on a loop of its own while the `with` block lasts."""

    def __init__(self, tabs: int = 2, latency: float = 0.0, program: str = "") -> None:
        self._count, self._latency, self._program = tabs, latency, program
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="walked pages", daemon=True)
        self._ready, self._ending = threading.Event(), asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._serving = asyncio.run_coroutine_threadsafe(self._serve(), self._loop)
        assert self._ready.wait(60), self._serving
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._serving.result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _serve(self) -> None:
        with StatesSite(self._latency) as self.site:
            async with AsyncExitStack() as stack:
                self.ways, keys, self.held = await stack.enter_async_context(open_tab_proxies(self._count))
                settings = BrowserSettings(self._program, key_hashes=keys, memory_mb=128)
                self.browser = await stack.enter_async_context(Chromium(settings))
                opening = BrowserTabs(self.browser)
                self.tabs: list[Tab] = [await opening.open_tab(way) for way in self.ways]
                self._ready.set()
                await self._ending.wait()

    def run(self, work: Coroutine[Any, Any, Any], seconds: float = 120) -> Any:
        """The result of something done on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def walk(self, name: str, limits: WalkLimits | None = None) -> StateWalk:
        """Walk one page."""
        walked = self.run(walk_page(self.site.url(name), self.tabs, limits or walk_limits(seconds=100), MOMENT))
        assert isinstance(walked, StateWalk)
        return walked


def words(interaction: Interaction) -> str:
    """An interaction as truth files write it."""
    return " ".join(each for each in (interaction.event, interaction.target, interaction.value) if each)


class Found:
    """A walk in the words of a truth file."""

    def __init__(self, walked: StateWalk, url: str) -> None:
        self._walked, self._url = walked, url
        self._delta = {(each.source, words(each.interaction)): each.target for each in walked.transitions}

    def view(self, script: str) -> int | None:
        """The view that a script leads to."""
        view: int | None = 0
        for step in script.split(" ; ") if script else ():
            view = None if view is None else self._delta.get((view, step))
        return view

    @property
    def views(self) -> int:
        return len(self._walked.views)

    @property
    def states(self) -> int:
        return len(find_states(self._walked))

    @property
    def transitions(self) -> int:
        """Those that lead elsewhere."""
        return sum(each.source != each.target for each in self._walked.transitions)

    @property
    def resources(self) -> set[str]:
        """Those of the page's own, without what is polled."""
        own = {url.removeprefix(self._url) for url in all_resources(self._walked) if url.startswith(self._url)}
        return {path or "index.html" for path in own if "?" not in path}

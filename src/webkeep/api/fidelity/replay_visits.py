"""Pages opened in replay, by the server that people are shown archives by, in a Chromium that reaches nothing else: at
which address, and as of when.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from webkeep.api.serving import ReplayServer, ServeRequest
from webkeep.api.work_listener import WorkListener
from webkeep.browser import WalkLimits, WithheldRequest
from webkeep.browser.process import BrowserGone, Chromium, PageGone
from webkeep.browser.tabs import BrowserTabs, Tab
from webkeep.browser.walk import walk_page
from webkeep.model import Moment
from webkeep.quality.damage import SampledPage
from webkeep.quality.fidelity import PageRendering, rendering_from_walk
from webkeep.replay.shim import OWN_PATH, ReplayNaming, hash_origin


@contextmanager
def open_replay(archive: Path, listener: WorkListener) -> Iterator[ReplayServer]:
    """The server of an archive, for nobody but this machine, at a port that is free."""
    with ReplayServer(ServeRequest((archive,), port=0, words=False, workers=1), listener) as server:
        yield server


class ReplayNetwork:
    """The way of a tab to replay, and to nothing else: the server is its proxy."""

    latency_seconds = 0.0
    is_idle = False
    """Nothing is known of that: replay is a process of its own."""

    def __init__(self, port: int) -> None:
        self.proxy_address = f"127.0.0.1:{port}"

    def begin_path(self, url: str) -> None:
        """A page is loaded afresh; replay answers as before."""

    def take_withheld(self) -> tuple[WithheldRequest, ...]:
        """Nothing is held back: replay does nothing at a server."""
        return ()


class ReplayVisits:
    """Opens pages in replay, in one browser."""

    def __init__(self, server: ReplayServer, browser: Chromium) -> None:
        self._server, self._browser = server, browser
        self._tabs = BrowserTabs(browser)
        self._tab: Tab | None = None

    async def visit(self, page: SampledPage, clock: Moment, limits: WalkLimits) -> PageRendering | None:
        """What replay shows of a page, as if it were opened at a moment; None where the browser did not survive it."""
        naming = ReplayNaming(self._server.url.rstrip("/"), page.moment.digits())
        address = naming.replay_url(page.url)
        if address is None:
            return PageRendering(page.url, page.moment, trouble="its address is none that is replayed")
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(page.url))
        known = {hash_origin(origin): origin}
        try:
            if self._tab is None:
                self._tab = await self._tabs.open_tab(ReplayNetwork(self._server.port))
            walk = await walk_page(address, [self._tab], limits, clock.micros // 1000)
        except (BrowserGone, PageGone):
            self._tab = None
            if not self._browser.is_running:
                await self._browser.restart()
                self._tabs = BrowserTabs(self._browser)
            return None

        def archived_url(address: str) -> str:
            found = naming.archived_url(address, known)
            return "" if urlsplit(found).path.startswith(OWN_PATH) else found

        return rendering_from_walk(page.url, page.moment, walk, archived_url)

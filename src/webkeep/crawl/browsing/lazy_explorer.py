"""A browser on standby: nothing of it is there, not even its code, until a page was stored that may gain by it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TYPE_CHECKING, Any

from webkeep.crawl.browsing.browser_report import BrowserReport
from webkeep.crawl.links.runnable_pages import RunnablePages
from webkeep.model import RecordPlace

if TYPE_CHECKING:
    from webkeep.crawl.browsing.explorer import PageExplorer


class LazyExplorer:
    """Stands where an explorer is asked for more to do, and has one opened when there is something."""

    def __init__(
        self,
        stack: AsyncExitStack,
        runnable_pages: RunnablePages,
        opening: Callable[[], AbstractAsyncContextManager[PageExplorer]],
        resumed: bool,
    ) -> None:
        """Of a capture that was `resumed`, pages may have been stored before that nobody took note of."""
        self._stack, self._runnable_pages, self._opening, self._is_due = stack, runnable_pages, opening, resumed
        self._explorer: PageExplorer | None = None
        self._is_opening = False
        self._empty_report = BrowserReport()

    @property
    def report(self) -> BrowserReport:
        """What came of running pages so far."""
        return self._empty_report if self._explorer is None else self._explorer.report

    @property
    def is_settled(self) -> bool:
        """Whether the URL store has all that pages brought."""
        return self._explorer is None or self._explorer.requests.is_settled

    def note_stored(self, url: str, place: RecordPlace, kind: str, programs: Sequence[str]) -> None:
        """Something was stored, of a media type and with programs that would run: there may be more pages."""
        self._runnable_pages.note(url, place, kind, programs)
        if self._explorer is not None:
            self._explorer.mark_new_pages()

    def next_work(self, seeds_alone: bool = False) -> Coroutine[Any, Any, None] | None:
        """More to do at this moment; None where all is done, or has to wait for what is under way."""
        if self._explorer is not None:
            return self._explorer.next_work(seeds_alone)
        if self._is_opening or not (self._is_due or self._runnable_pages.pending()):
            return None
        self._is_opening = True
        return self._open()

    async def _open(self) -> None:
        """Have an explorer take over."""
        self._explorer = await self._stack.enter_async_context(self._opening())

    async def finish(self, is_over: bool) -> None:
        """See that pages are counted, too, that nobody came to look at."""
        if is_over and self._explorer is None and self._runnable_pages.pending():
            await self._open()
        if self._explorer is not None:
            self._explorer.finish(is_over)

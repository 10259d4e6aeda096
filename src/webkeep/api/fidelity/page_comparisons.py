"""Pages of a capture compared in a browser, within a budget: in replay with the live ones, or with what was kept.

Theory of operation. Every page is opened in replay, then live, all of them in one capture, so that hosts are asked as
slowly as ever. Where a page comes out the same, that is all. The others are opened once more both ways: what differs
between two looks at the same page varies by itself, and what is left is judged. Where the live page tells nothing, as
it changed or is gone, replay is held against the picture that the capture kept, if it kept one. Between the steps
pictures lie on disk; no more than those of one page are in memory.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from webkeep.api.fidelity.live_visits import LiveVisits, build_live_plan, visit_live
from webkeep.api.fidelity.replay_visits import ReplayVisits, open_replay
from webkeep.api.serving import ReplayServer
from webkeep.api.work_listener import WorkListener
from webkeep.browser import WalkLimits
from webkeep.browser.process import NO_SANDBOX_WARNING, BrowserSettings, Chromium
from webkeep.crawl.browsing import start_browser
from webkeep.crawl.plan import CapturePlan
from webkeep.model import Moment
from webkeep.presentation import format_count
from webkeep.process import current_stop_switch
from webkeep.quality.damage import SampledPage
from webkeep.quality.fidelity import (
    ChangeSince,
    ComparedRenderings,
    FidelityBudget,
    FidelityFigures,
    FidelityVerdict,
    LiveChanges,
    PageFidelity,
    PageRendering,
    PictureComparer,
    RenderingComparison,
    RenderingSource,
    compare_renderings,
    read_kept_rendering,
)
from webkeep.store.archive import Archive

_LIVE_SHARE = 0.6
"""Of the time that is left, for the first look at live pages; the rest is for the second, and for comparing."""
_DOUBTFUL_VERDICTS = (FidelityVerdict.DIFFERENT, FidelityVerdict.CHANGED)
"""What a second look may find to vary by itself."""
_OPEN_VERDICTS = (FidelityVerdict.CHANGED, FidelityVerdict.UNCOMPARED)
"""What says nothing of replay."""
_TWO_IN_A_SECOND = (
    "the capture saw two versions of it within one second, and replay, whose addresses count seconds, cannot be asked "
    "for the one that its picture is of"
)
_Result = TypeVar("_Result")


def compare_pages_in_browser(
    archive: Archive, capture: str, pages: Sequence[SampledPage], budget: FidelityBudget, listener: WorkListener
) -> FidelityFigures:
    """Open pages in replay and live, or only in replay, and say how they compare; as many as the budget allows."""
    chosen = _choose_pages(archive, capture, pages, budget)
    if not chosen:
        return FidelityFigures(budget, (), 0.0)
    plan = build_live_plan(archive, capture, [each.page.url for each in chosen])
    with (
        tempfile.TemporaryDirectory(prefix="webkeep-fidelity-") as folder,
        open_replay(archive.path, listener) as server,
    ):
        return _Comparisons(archive, capture, plan, budget, listener, server, Path(folder)).run(chosen)


@dataclass(slots=True)
class _ChosenPage:
    """A page, and what it came to so far."""

    number: int
    page: SampledPage
    kept: PageRendering | None
    """What its capture kept, without the picture, which is read when it is wanted."""
    kept_version: SampledPage | None = None
    """The version that the kept picture is of: a capture that looked at the page again holds a later one, too. None
    where replay cannot be asked for it alone."""
    told: dict[RenderingSource, RenderingComparison] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the picture that was kept may say what the live page did not."""
        live = self.told.get(RenderingSource.LIVE)
        return self.kept is not None and (live is None or live.verdict in _OPEN_VERDICTS)


def _choose_pages(
    archive: Archive, capture: str, pages: Sequence[SampledPage], budget: FidelityBudget
) -> list[_ChosenPage]:
    """The first pages, as many as are wanted; without the live web those of which a picture was kept."""
    chosen: list[_ChosenPage] = []
    for page in pages:
        if len(chosen) >= budget.pages:
            break
        kept = read_kept_rendering(archive, page.url, page.moment, capture)
        if kept is not None or not budget.is_offline:
            version = None if kept is None else _find_pictured_version(archive, page, kept.moment, capture)
            chosen.append(_ChosenPage(len(chosen), page, kept and replace(kept, picture=b""), version))
    return chosen


def _find_pictured_version(archive: Archive, page: SampledPage, pictured: Moment, capture: str) -> SampledPage | None:
    """The version of a page that a capture had seen last when it had taken its picture; None where it saw another one
    within the same second, as addresses of replay count seconds.
    """
    seen = [each for each in archive.history(page.url) if capture in ("", each.capture)]
    shown = max((each for each in seen if each.moment <= pictured), key=lambda each: each.moment, default=None)
    if shown is None:
        return page
    of_second = (each for each in seen if each.moment.digits() == shown.moment.digits())
    is_alone = all(each.payload_digest == shown.payload_digest for each in of_second)
    return SampledPage(page.url, shown.moment, shown.place) if is_alone else None


@dataclass(slots=True)
class _Look:
    """Pages as they were once looked at: in replay, with their pictures in a folder, and elsewhere."""

    folder: Path
    replayed: dict[int, PageRendering | None] = field(default_factory=dict)
    """By number; None where the browser did not survive the page."""
    live: LiveVisits | None = None
    """None where replay is held against what was kept."""

    def keep_replay(self, number: int, found: PageRendering | None) -> None:
        """Put what replay showed aside."""
        self.replayed[number] = found and replace(found, picture=b"")
        if found is not None:
            (self.folder / f"{number}.png").write_bytes(found.picture)

    def replay_of(self, number: int) -> PageRendering | None:
        """The page in replay, with its picture."""
        found = self.replayed.get(number)
        return found and replace(found, picture=(self.folder / f"{number}.png").read_bytes())


@dataclass(slots=True)
class _Comparisons:
    archive: Archive
    capture: str
    plan: CapturePlan
    budget: FidelityBudget
    listener: WorkListener
    server: ReplayServer
    folder: Path
    _changes: LiveChanges = field(init=False)
    _began: float = field(default_factory=time.monotonic)
    _looks: int = 0
    _is_warned: bool = False

    def __post_init__(self) -> None:
        self._changes = LiveChanges(self.archive)

    @property
    def _seconds_left(self) -> float:
        return self.budget.seconds - (time.monotonic() - self._began)

    def run(self, pages: list[_ChosenPage]) -> FidelityFigures:
        """All steps, as far as there is time."""
        if not self.budget.is_offline:
            self.listener.on_note(
                f"opening {format_count(len(pages), 'page')} live and in replay, as politely as a capture, for "
                f"{self.budget.seconds:g} s at most"
            )
            self._compare(RenderingSource.LIVE, pages)
        self._compare(RenderingSource.KEPT, [each for each in pages if each.is_open])
        done = [self._page_fidelity(each) for each in pages if each.told]
        return FidelityFigures(self.budget, tuple(done), time.monotonic() - self._began, len(pages) - len(done))

    def _page_fidelity(self, chosen: _ChosenPage) -> PageFidelity:
        version = chosen.kept_version if self.budget.is_offline else None
        return PageFidelity(chosen.page.url, (version or chosen.page).moment, tuple(chosen.told.values()))

    def _compare(self, source: RenderingSource, pages: Sequence[_ChosenPage]) -> None:
        """Look at pages, and once more at those that differ."""
        if not pages or self._seconds_left <= 0:
            return
        with ExitStack() as stack:
            first = self._look(source, pages, stack)
            self._in_browser(lambda browser: self._judge(source, pages, browser, (first,)))
            doubtful = [each for each in pages if source in each.told and _is_doubtful(each.told[source])]
            if doubtful and self._seconds_left > 0:
                second = self._look(source, doubtful, stack)
                self._in_browser(lambda browser: self._judge(source, doubtful, browser, (first, second)))

    def _look(self, source: RenderingSource, pages: Sequence[_ChosenPage], stack: ExitStack) -> _Look:
        """Open pages in replay, and live where that is wanted."""
        self._looks += 1
        look = _Look(self.folder / f"look-{self._looks}")
        look.folder.mkdir()
        self._in_browser(lambda browser: self._visit_replay(source, pages, browser, look))
        seen = [each.page.url for each in pages if each.number in look.replayed]
        if source is RenderingSource.LIVE and seen and self._seconds_left > 0:
            share = _LIVE_SHARE if self._looks == 1 else 1.0
            plan = replace(self.plan, seeds=tuple(seen))
            look.live = visit_live(plan, look.folder / "live", share * self._seconds_left, self.listener)
            stack.callback(look.live.archive.close)
        return look

    async def _visit_replay(
        self, source: RenderingSource, pages: Sequence[_ChosenPage], browser: Chromium, look: _Look
    ) -> None:
        visits = ReplayVisits(self.server, browser)
        for each in pages:
            current_stop_switch().check()
            if self._seconds_left <= 0:
                return
            # Clocks on the page, and how much of it is drawn, are as where it is compared with.
            kept = each.kept if source is RenderingSource.KEPT else None
            limits = self._walk_limits(kept.is_full_page if kept is not None else True)
            clock = kept.moment if kept is not None else self.archive.clock.now()
            shown = each.kept_version if kept is not None else None
            look.keep_replay(each.number, await visits.visit(shown or each.page, clock, limits))

    def _walk_limits(self, is_full_page: bool) -> WalkLimits:
        """For a page in replay: loaded as in a capture, and not scrolled."""
        plan = self.plan
        return WalkLimits(
            depth=0, seconds=plan.page_seconds, views=plan.page_states, requests=plan.page_requests, screens=0,
            screenshots=True, full_page=is_full_page,
        )  # fmt: skip

    async def _judge(
        self, source: RenderingSource, pages: Sequence[_ChosenPage], browser: Chromium, looks: Sequence[_Look]
    ) -> None:
        comparer = PictureComparer(browser)
        for each in pages:
            current_stop_switch().check()
            if all(each.number in look.replayed for look in looks):
                told = await self._judge_page(source, each, comparer, looks)
                if told is not None:
                    each.told[source] = told

    async def _judge_page(
        self, source: RenderingSource, chosen: _ChosenPage, comparer: PictureComparer, looks: Sequence[_Look]
    ) -> RenderingComparison | None:
        """What a page comes to, by the looks there are; None where there was no time to look."""
        if source is RenderingSource.KEPT and chosen.kept_version is None:
            return RenderingComparison(source, FidelityVerdict.UNCOMPARED, _TWO_IN_A_SECOND)
        replays = [look.replay_of(chosen.number) for look in looks]
        if any(each is None for each in replays):
            return RenderingComparison(source, FidelityVerdict.UNCOMPARED, "the browser did not survive it in replay")
        references = [self._reference_of(source, chosen, look) for look in looks]
        replayed = [each for each in replays if each is not None]
        known = [each for each in references if each is not None]
        if len(known) < len(looks):
            return None
        trouble = self._incomparable(looks, known, replayed)
        if trouble:
            return RenderingComparison(source, FidelityVerdict.UNCOMPARED, trouble)
        pairs = [(replayed[0], replayed[-1])] if len(looks) > 1 else []
        pairs += [(known[0], known[-1])] if len(looks) > 1 and source is RenderingSource.LIVE else []
        change = self._find_change(chosen, looks, known, replayed)
        given = ComparedRenderings(
            source, known[0], replayed[0], change, self._changes.noise_of(pairs), is_second_look=len(looks) > 1
        )
        compared = await comparer.compare(
            (known[0].picture, replayed[0].picture), [(one.picture, other.picture) for one, other in pairs]
        )
        return compare_renderings(given, *compared) if compared is not None else compare_renderings(given, None)

    def _reference_of(self, source: RenderingSource, chosen: _ChosenPage, look: _Look) -> PageRendering | None:
        page = chosen.page
        if source is RenderingSource.KEPT:
            return read_kept_rendering(self.archive, page.url, page.moment, self.capture)
        return None if look.live is None else look.live.rendering_of(page.url)

    def _incomparable(
        self, looks: Sequence[_Look], known: Sequence[PageRendering], replayed: Sequence[PageRendering]
    ) -> str:
        """Why live pages cannot be held against replay; "" where they can."""
        for look, live, replay in zip(looks, known, replayed, strict=True):
            if look.live is not None and (trouble := live.trouble or look.live.unasked_parts(live, replay)):
                return trouble
        return ""

    def _find_change(
        self,
        chosen: _ChosenPage,
        looks: Sequence[_Look],
        known: Sequence[PageRendering],
        replayed: Sequence[PageRendering],
    ) -> ChangeSince | None:
        """What became of the live page since; None where replay is held against what was kept."""
        first, last = looks[0].live, looks[-1].live
        if first is None:
            return None
        shared = known[0].requests & replayed[0].requests
        again = last.archive if last is not None and last is not first else None
        return self._changes.find(chosen.page, first.archive, shared, again)

    def _in_browser(self, work: Callable[[Chromium], Coroutine[Any, Any, _Result]]) -> _Result:
        """Do something in a browser of ours, which ends with it."""

        async def run() -> _Result:
            async with AsyncExitStack() as stack:
                browser = await start_browser(stack, BrowserSettings(self.plan.browser_program))
                if not browser.is_sandboxed and not self._is_warned:
                    self._is_warned = True
                    self.listener.on_note(NO_SANDBOX_WARNING)
                return await work(browser)

        return asyncio.run(run())


def _is_doubtful(told: RenderingComparison) -> bool:
    return told.verdict in _DOUBTFUL_VERDICTS

"""The walk through the client-side states of a page.

Theory of operation. Views are walked breadth-first, in passes. A pass begins with a fresh load in every tab that takes
part, and tries all interactions of the views of one level, one after the other, without loading again (see `rig`). The
next pass runs the same interactions once more, in the opposite order: what now comes to the same, although everything
else that had been done to the page before it is different, neither depends on the others nor acts on them, and is
confirmed. The hypercube of their combinations need not be walked. (Several that write the same thing to one element are
not missed: in one order the first of them is seen to write it, in the other order another one, and from then on the
element is in doubt.) As the second run stands in each view anyway, it tries the view's own interactions from there, so
that confirming a level and exploring the next are one pass. What does not come to the same is repeated on a load of its
own; where it asked for more in company than alone, it is tried in the views of its siblings too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from webkeep.browser.book import Book, Finding, Place
from webkeep.browser.calm import changing, unrest
from webkeep.browser.failures import BrowserGone, PageGone, ProcessGone
from webkeep.browser.interactions import Candidate
from webkeep.browser.portrait import portrait
from webkeep.browser.ports import Watcher
from webkeep.browser.rehearsing import Rehearsal, Scene
from webkeep.browser.resources import resource_of
from webkeep.browser.rig import Rig
from webkeep.browser.survey import Survey
from webkeep.browser.tab import Tab
from webkeep.browser.values import (
    Asking,
    Ending,
    Happenings,
    Interaction,
    Kind,
    Level,
    Limits,
    Transition,
    Trouble,
    Walk,
)

_IDLE = 2500
"""Milliseconds of virtual time for which a page is watched without touching it, twice."""
_LONG_GRANT = 8000
_FEWEST = 10
"""Trials that make it worth loading the page in one more tab."""
_HOVER = Interaction("hover", "html", Kind.CANNED, label="all that style sheets change under the mouse")
_SCROLL = Candidate(Interaction("scroll", "html", Kind.CANNED, label="all of the page"), 0, "canned scroll", True)
"""What is done to a page on which nothing else is tried."""

Job = Callable[[Rig], Coroutine[Any, Any, None]]


async def walk(
    url: str,
    tabs: Sequence[Tab],
    limits: Limits,
    moment: int,
    watcher: Watcher | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Walk:
    """Load a page and walk its states; pages take every load to happen at `moment`, in milliseconds since 1970.

    When it `is_stopped`, nothing more is tried.
    """
    return await _Walker(url, tabs, limits, watcher, is_stopped).run(moment)


class _Walker:
    def __init__(
        self, url: str, tabs: Sequence[Tab], limits: Limits, watcher: Watcher | None, is_stopped: Callable[[], bool]
    ) -> None:
        self._url, self._limits, self._is_stopped = url, limits, is_stopped
        self._rigs = [Rig(tab, url, limits) for tab in tabs]
        self._rehearsal = Rehearsal(self._rigs[-1], limits, self._is_over)
        self._book = Book(watcher)
        self._survey = Survey(self._book, limits, self._is_over)
        self._levels: list[Level] = []
        self._loading = Happenings()
        self._ended = Ending.COMPLETE
        self._loads = sum(tab.loads for tab in tabs)

    async def run(self, moment: int) -> Walk:
        self._begun = self._clock()
        failure = ""
        try:
            for rig in self._rigs:
                await rig.tab.turn_to(moment)
            start = await self._begin()
        except PageGone as error:
            failure, self._ended = str(error), Ending.UNLOADED
            await self._rigs[0].tab.renew()
        else:
            await self._levels_from(start)
            if self._limits.screenshots:
                await self._depict_rest()
        return self._result(failure)

    def _clock(self) -> float:
        return asyncio.get_running_loop().time()

    async def _begin(self) -> Place:
        """Enter s0; a process that ended meanwhile may not have done so by the page's doing."""
        try:
            return await self._first_view()
        except ProcessGone:
            await self._rigs[0].renew()
            return await self._first_view()

    async def _first_view(self) -> Place:
        """Load the page, watch it without touching it, and enter s0 as it was before anything was done."""
        rig = self._rigs[0]
        begun = self._clock()
        self._loading = await rig.load()
        await self._calm(rig)
        self._book.unrest = rig.unrest
        for each in self._rigs[1:]:
            each.grant = rig.grant
            each.learn(rig.unrest)
        fresh = self._book.note(self._loading)
        asked = frozenset(self._loading.requests) | rig.unrest.ambient
        self._book.known |= {resource_of(each.url) for each in rig.unrest.ambient}
        picture = await rig.tab.screenshot(self._limits.full_page) if self._limits.screenshots else b""
        drawn = portrait(rig.ground, await rig.tab.listeners(), self._limits, screenshot=picture)
        self._levels.append(Level(0, self._clock() - begun, 0, fresh))
        return self._book.begin(rig.signature(rig.ground), drawn, asked)

    async def _depict_rest(self) -> None:
        """Go once more to the views that were only seen in company with others, for pictures of them alone."""
        rig = self._rigs[0]
        for view in [each for each in self._book.views if not each.screenshot]:
            if self._clock() - self._begun > self._limits.seconds:
                return
            try:
                if await rig.go(view.script, view.signature, afresh=True):
                    self._book.depict(view.signature, await rig.tab.screenshot(self._limits.full_page))
            except PageGone:
                await rig.renew()

    async def _calm(self, rig: Rig) -> None:
        """Find out what the page does by itself; where something comes late, every load waits for it."""
        seconds = self._limits.settle_seconds
        trees, asked, left = [rig.now], list[Asking](), list[str]()
        for _ in range(2):
            happenings = await rig.tab.idle(_IDLE, seconds)
            asked += happenings.requests
            left += happenings.departures
            trees.append(await rig.tab.tree())
        late = changing(trees[0], trees[1]) - changing(trees[1], trees[2])
        rig.learn(unrest(tuple(trees), tuple(asked)))
        if rig.signature(trees[0]) != rig.signature(trees[2]) and late:
            rig.grant = _LONG_GRANT
            self._loading = await rig.load()
        else:
            rig.settle_on(trees[2])
        self._loading = replace(self._loading, departures=tuple(dict.fromkeys((*self._loading.departures, *left))))

    async def _levels_from(self, start: Place) -> None:
        """Pass after pass: explore a level while the one before is confirmed."""
        survey, most = self._survey, self._limits.depth
        if not most:
            await self._timed(1, self._share([partial(survey.try_all, place=start, trials=[_SCROLL])]))
        else:
            await self._hover(start)
            await self._timed(1, self._explore_first(start))
        for depth in range(1, most + 1):
            level, survey.pending = survey.pending, []
            if level:
                await self._timed(min(depth + 1, most), self._confirm_level(level, depth < most))
        survey.finish()

    async def _hover(self, start: Place) -> None:
        """Note what style sheets alone ask for under the mouse, where the page stands untouched."""
        rig = self._rigs[0]
        try:
            happenings = await rig.tab.hover(self._limits.settle_seconds)
        except PageGone as error:
            self._survey.troubles.append(Trouble((_HOVER,), str(error)))
            await rig.renew()
            return
        self._book.note(happenings)
        asked = self._book.own(happenings)
        if asked:
            # What came into view may have set something in motion.
            rig.leave()
            self._book.enter(Transition(start.view.id, _HOVER, start.view.id, replace(happenings, requests=asked)))

    async def _timed(self, depth: int, work: Coroutine[Any, Any, None]) -> None:
        begun, steps, known = self._clock(), self._steps, len(self._book.known)
        await work
        before = self._levels.pop() if self._levels[-1].depth == depth else Level(depth, 0.0, 0, 0)
        seconds, brought = self._clock() - begun, len(self._book.known) - known
        self._levels.append(
            Level(depth, before.seconds + seconds, before.steps + self._steps - steps, before.new_requests + brought)
        )

    @property
    def _steps(self) -> int:
        return sum(rig.steps for rig in self._rigs)

    async def _explore_first(self, start: Place) -> None:
        """Try what can be done in s0: some of every kind, then the kinds that brought something."""
        first, rest = self._survey.yields.order(start.trials)
        certain = [*first, *(each for each in rest if not each.is_sampled)]
        await self._spread(start, first, [Scene((), [each.interaction for each in certain])])
        if rest:
            await self._spread(start, self._survey.yields.rank(rest))

    async def _spread(self, place: Place, trials: list[Candidate], scenes: Sequence[Scene] = ()) -> None:
        count = self._worthwhile(len(trials))
        parts = [trials[number::count] for number in range(count)]
        await self._share([partial(self._survey.try_all, place=place, trials=part) for part in parts], scenes=scenes)

    def _worthwhile(self, trials: int) -> int:
        """How many tabs so many trials are worth loading the page in."""
        return max(1, min(len(self._rigs), trials // _FEWEST))

    async def _confirm_level(self, level: list[Place], explores: bool) -> None:
        """Run all findings of a level again, in the opposite order, and try what their views offer."""
        survey = self._survey
        survey.found, survey.again, survey.dependent = [], [], []
        jobs: list[Job] = []
        for place in reversed(level):
            chains: dict[tuple[int, int], list[Finding]] = {}
            for finding in reversed(place.findings):
                chains.setdefault(finding.chain, []).append(finding)
            jobs += [
                partial(survey.confirm_all, place=place, findings=chain, explores=explores) for chain in chains.values()
            ]
        trials = sum(survey.weight(finding) for place in level for finding in place.findings)
        scenes = survey.scenes(level) if explores else []
        for place in level:
            place.findings = []
        await self._afresh(jobs, trials, scenes)
        again, survey.again = survey.again, []
        await self._share([partial(survey.alone, finding=finding, explores=explores) for finding in again])
        if explores:
            await self._try_with_siblings()

    async def _try_with_siblings(self) -> None:
        """Try what depends on its siblings in each of their views."""
        survey = self._survey
        jobs: list[Job] = [
            partial(survey.try_all, place=place, trials=[finding.candidate])
            for finding in survey.dependent
            for place in survey.found
            if place.view.parent == finding.place.view.id and place.view.script[-1] != finding.candidate.interaction
        ]
        await self._afresh(jobs, len(jobs))

    async def _afresh(self, jobs: Sequence[Job], trials: int, scenes: Sequence[Scene] = ()) -> None:
        """Have jobs done that are so many trials in all, beginning with a load."""
        for rig in self._rigs:
            rig.leave()
        await self._share(jobs, self._worthwhile(trials), scenes)

    async def _share(self, jobs: Sequence[Job], tabs: int = 1 << 10, scenes: Sequence[Scene] = ()) -> None:
        """Have jobs done by so many tabs; a page that does not survive one is loaded again for the next.

        What will be tried is rehearsed ahead of it where that is worth it, by the last tab.
        """
        waiting = list(reversed(jobs))
        workers = self._rigs[: min(len(jobs), tabs)]
        rehearses = self._rehearsal.is_worth(scenes)

        async def work(rig: Rig) -> None:
            if rehearses and rig is self._rigs[-1]:
                await self._rehearsal.run(scenes)
            while waiting and rig in workers:
                job = waiting.pop()
                try:
                    await job(rig)
                except PageGone as error:
                    self._survey.troubles.append(Trouble(rig.trail, str(error)))
                    await rig.renew()

        await _together([work(rig) for rig in (self._rigs if rehearses else workers)])

    def _is_over(self) -> bool:
        limits = self._limits
        for ending, over in (
            (Ending.TIME, self._clock() - self._begun > limits.seconds or self._is_stopped()),
            (Ending.STATES, len(self._book.views) >= limits.views),
            (Ending.REQUESTS, len(self._book.known) >= limits.requests),
        ):
            if over:
                self._ended = ending
                return True
        return False

    def _result(self, failure: str) -> Walk:
        book, survey = self._book, self._survey
        return Walk(
            self._url, tuple(book.views), tuple(book.transitions), self._loading, self._ended, failure,
            tuple(self._levels), sum(rig.tab.loads for rig in self._rigs) - self._loads, book.unrest.ambient,
            book.unrest.volatile, survey.tried, survey.left, tuple(survey.troubles), book.withheld,
            survey.yields.unseen(),
        )  # fmt: skip


async def _together(works: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Do several things at once; an error ends them all, and that of the browser explains any other."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in works:
                group.create_task(each)
    except ExceptionGroup as failed:
        gone = failed.subgroup(BrowserGone)
        raise (gone or failed).exceptions[0] from None

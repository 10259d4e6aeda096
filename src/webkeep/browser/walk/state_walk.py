"""The walk through the client-side states of a page: level by level, in passes over one or more tabs that try
interactions and confirm them in the opposite order; when it is over.

Theory of operation. Views are walked breadth-first, in passes. A pass begins with a fresh load in every tab that takes
part, and tries all interactions of the views of one level, one after the other, without loading again (see
`PageSession`). The next pass runs the same interactions once more, in the opposite order: what now comes to the same,
although everything else that had been done to the page before it is different, neither depends on the others nor acts
on them, and is confirmed. The hypercube of their combinations need not be walked. (Several that write the same thing to
one element are not missed: in one order the first of them is seen to write it, in the other order another one, and from
then on the element is in doubt.) As the second run stands in each view anyway, it tries the view's own interactions
from there, so that confirming a level and exploring the next are one pass. What does not come to the same is repeated
on a load of its own; where it asked for more in company than alone, it is tried in the views of its siblings too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from webkeep.browser.ports import WalkObserver
from webkeep.browser.process.browser_errors import BrowserGone, PageGone, ProcessGone
from webkeep.browser.tabs.tab import Tab
from webkeep.browser.walk.interaction_candidates import InteractionCandidate
from webkeep.browser.walk.page_session import PageSession, merge_effects
from webkeep.browser.walk.rehearsal import Rehearsal, RehearsalScene
from webkeep.browser.walk.self_activity import changing_elements, observe_activity
from webkeep.browser.walk.view_graph import TrialResult, ViewGraph, ViewNode
from webkeep.browser.walk.view_snapshot import take_snapshot
from webkeep.browser.walk.walk_survey import WalkSurvey
from webkeep.browser.walk_model import (
    FatalInteraction,
    Interaction,
    InteractionKind,
    SideEffects,
    StateWalk,
    ViewTransition,
    WalkEnding,
    WalkLevel,
    WalkLimits,
)

_IDLE_BUDGET_MS = 2500
"""Milliseconds of virtual time for which a page is watched without touching it, twice."""
_LONG_LOAD_BUDGET_MS = 8000
"""What a load is given on a page on which something comes late."""
_MIN_TRIALS_PER_TAB = 10
"""Trials that make it worth loading the page in one more tab."""
_HOVER_INTERACTION = Interaction(
    "hover", "html", InteractionKind.CANNED, label="all that style sheets change under the mouse"
)
_SCROLL_CANDIDATE = InteractionCandidate(
    Interaction("scroll", "html", InteractionKind.CANNED, label="all of the page"), 0, "canned scroll", True
)
"""What is done to a page on which nothing else is tried."""

SessionJob = Callable[[PageSession], Coroutine[Any, Any, None]]


async def walk_page(
    url: str,
    tabs: Sequence[Tab],
    limits: WalkLimits,
    moment: int,
    observer: WalkObserver | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> StateWalk:
    """Load a page and walk its states; pages take every load to happen at `moment`, in milliseconds since 1970.

    When it `is_stopped`, nothing more is tried.
    """
    return await _Walker(url, tabs, limits, observer, is_stopped).run(moment)


class _Walker:
    def __init__(
        self,
        url: str,
        tabs: Sequence[Tab],
        limits: WalkLimits,
        observer: WalkObserver | None,
        is_stopped: Callable[[], bool],
    ) -> None:
        self._url, self._limits, self._is_stopped = url, limits, is_stopped
        self._sessions = [PageSession(tab, url, limits) for tab in tabs]
        self._rehearsal = Rehearsal(self._sessions[-1], limits, self._is_over)
        self._graph = ViewGraph(observer)
        self._survey = WalkSurvey(self._graph, limits, self._is_over)
        self._levels: list[WalkLevel] = []
        self._load_effects = SideEffects()
        self._ended = WalkEnding.COMPLETE
        self._loads = sum(tab.loads for tab in tabs)

    async def run(self, moment: int) -> StateWalk:
        self._begun = self._now()
        failure = ""
        try:
            for session in self._sessions:
                await session.tab.begin_page(moment)
            start = await self._enter_initial()
        except PageGone as error:
            failure, self._ended = str(error), WalkEnding.UNLOADED
            await self._sessions[0].tab.renew()
        else:
            await self._walk_levels(start)
            if self._limits.screenshots:
                await self._take_missing_screenshots()
        return self._build_walk(failure)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _enter_initial(self) -> ViewNode:
        """Enter s0; a process that ended meanwhile may not have done so by the page's doing."""
        try:
            return await self._load_first_view()
        except ProcessGone:
            await self._sessions[0].renew_tab()
            return await self._load_first_view()

    async def _load_first_view(self) -> ViewNode:
        """Load the page, watch it without touching it, and enter s0 as it was before anything was done."""
        session = self._sessions[0]
        begun = self._now()
        self._load_effects = await session.load_page()
        await self._observe_activity(session)
        for each in self._sessions[1:]:
            each.load_as(session)
        fresh = self._graph.note_requests(self._load_effects)
        asked = frozenset(self._load_effects.requests) | session.self_activity.ambient
        self._graph.note_activity(session.self_activity)
        drawn = take_snapshot(session.ground, await session.tab.read_listeners(), self._limits)
        if self._limits.screenshots:
            picture = await session.tab.take_screenshot(self._limits.full_page)
            overlays, uncovered = await session.tab.take_uncovered_screenshot(self._limits.full_page)
            drawn = replace(drawn, screenshot=picture, overlays=overlays, uncovered=uncovered)
        self._levels.append(WalkLevel(0, self._now() - begun, 0, fresh))
        return self._graph.enter_initial(session.signature(session.ground), drawn, asked)

    async def _take_missing_screenshots(self) -> None:
        """Go once more to the views that were only seen in company with others, for pictures of them alone."""
        session = self._sessions[0]
        for view in [each for each in self._graph.views if not each.screenshot]:
            if self._now() - self._begun > self._limits.seconds:
                return
            try:
                if await session.go_to_view(view.script, view.signature, afresh=True):
                    self._graph.add_screenshot(
                        view.signature, await session.tab.take_screenshot(self._limits.full_page)
                    )
            except PageGone:
                await session.renew_tab()

    async def _observe_activity(self, session: PageSession) -> None:
        """Find out what the page does by itself; where something comes late, every load waits for it."""
        seconds = self._limits.settle_seconds
        trees, every = [session.now], list[SideEffects]()
        for _ in range(2):
            every.append(await session.tab.let_idle(_IDLE_BUDGET_MS, seconds))
            trees.append(await session.tab.capture_tree())
        later = merge_effects(every)
        late = changing_elements(trees[0], trees[1]) - changing_elements(trees[1], trees[2])
        session.ignore_activity(observe_activity(tuple(trees), later.requests))
        if session.signature(trees[0]) != session.signature(trees[2]) and late:
            session.wait_longer(_LONG_LOAD_BUDGET_MS)
            self._load_effects = await session.load_page()
        else:
            session.accept_tree(trees[2])
        loaded = self._load_effects
        self._load_effects = replace(
            loaded,
            departures=tuple(dict.fromkeys((*loaded.departures, *later.departures))),
            errors=(*loaded.errors, *later.errors),
            failures=(*loaded.failures, *later.failures),
        )

    async def _walk_levels(self, start: ViewNode) -> None:
        """Pass after pass: explore a level while the one before is confirmed."""
        survey, most = self._survey, self._limits.depth
        if not most:
            await self._time_level(
                1, self._run_jobs([partial(survey.try_candidates, place=start, trials=[_SCROLL_CANDIDATE])])
            )
        else:
            await self._try_hover(start)
            await self._time_level(1, self._explore_first(start))
        for depth in range(1, most + 1):
            level = survey.take_pending()
            if level:
                await self._time_level(min(depth + 1, most), self._confirm_level(level, depth < most))
        survey.finish()

    async def _try_hover(self, start: ViewNode) -> None:
        """Note what style sheets alone ask for under the mouse, where the page stands untouched."""
        session = self._sessions[0]
        try:
            effects = await session.tab.hover_all(self._limits.settle_seconds)
        except PageGone as error:
            self._survey.troubles.append(FatalInteraction((_HOVER_INTERACTION,), str(error)))
            await session.renew_tab()
            return
        self._graph.note_requests(effects)
        asked = self._graph.caused_requests(effects)
        if asked:
            # What came into view may have set something in motion.
            session.require_reload()
            self._graph.add_transition(
                ViewTransition(start.view.id, _HOVER_INTERACTION, start.view.id, replace(effects, requests=asked))
            )

    async def _time_level(self, depth: int, work: Coroutine[Any, Any, None]) -> None:
        begun, steps, known = self._now(), self._step_count, len(self._graph.known_resources)
        await work
        before = self._levels.pop() if self._levels[-1].depth == depth else WalkLevel(depth, 0.0, 0, 0)
        seconds, brought = self._now() - begun, len(self._graph.known_resources) - known
        self._levels.append(
            WalkLevel(
                depth, before.seconds + seconds, before.steps + self._step_count - steps, before.new_requests + brought
            )
        )

    @property
    def _step_count(self) -> int:
        return sum(session.steps for session in self._sessions)

    async def _explore_first(self, start: ViewNode) -> None:
        """Try what can be done in s0: some of every kind, then the kinds that brought something."""
        first, rest = self._survey.yields.split_first(start.trials)
        certain = [*first, *(each for each in rest if not each.is_sampled)]
        await self._spread_trials(start, first, [RehearsalScene((), [each.interaction for each in certain])])
        if rest:
            await self._spread_trials(start, self._survey.yields.rank_by_yield(rest))

    async def _spread_trials(
        self, place: ViewNode, trials: list[InteractionCandidate], scenes: Sequence[RehearsalScene] = ()
    ) -> None:
        count = self._tabs_for(len(trials))
        parts = [trials[number::count] for number in range(count)]
        await self._run_jobs(
            [partial(self._survey.try_candidates, place=place, trials=part) for part in parts], scenes=scenes
        )

    def _tabs_for(self, trials: int) -> int:
        """How many tabs so many trials are worth loading the page in."""
        return max(1, min(len(self._sessions), trials // _MIN_TRIALS_PER_TAB))

    async def _confirm_level(self, level: list[ViewNode], explores: bool) -> None:
        """Run all findings of a level again, in the opposite order, and try what their views offer."""
        survey = self._survey
        survey.begin_confirming()
        jobs: list[SessionJob] = []
        for place in reversed(level):
            chains: dict[tuple[int, int], list[TrialResult]] = {}
            for finding in reversed(place.results):
                chains.setdefault(finding.chain, []).append(finding)
            jobs += [
                partial(survey.confirm_results, place=place, findings=chain, explores=explores)
                for chain in chains.values()
            ]
        trials = sum(survey.confirmation_steps(finding) for place in level for finding in place.results)
        scenes = survey.rehearsal_scenes(level) if explores else []
        for place in level:
            place.results.clear()
        await self._run_after_reload(jobs, trials, scenes)
        again = survey.take_retried()
        await self._run_jobs([partial(survey.run_alone, finding=finding, explores=explores) for finding in again])
        if explores:
            await self._try_with_siblings()

    async def _try_with_siblings(self) -> None:
        """Try what depends on its siblings in each of their views."""
        survey = self._survey
        jobs: list[SessionJob] = [
            partial(survey.try_candidates, place=place, trials=[finding.candidate])
            for finding in survey.dependent
            for place in survey.entered
            if place.view.parent == finding.node.view.id and place.view.script[-1] != finding.candidate.interaction
        ]
        await self._run_after_reload(jobs, len(jobs))

    async def _run_after_reload(
        self, jobs: Sequence[SessionJob], trials: int, scenes: Sequence[RehearsalScene] = ()
    ) -> None:
        """Have jobs done that are so many trials in all, beginning with a load."""
        for session in self._sessions:
            session.require_reload()
        await self._run_jobs(jobs, self._tabs_for(trials), scenes)

    async def _run_jobs(
        self, jobs: Sequence[SessionJob], tabs: int = 1 << 10, scenes: Sequence[RehearsalScene] = ()
    ) -> None:
        """Have jobs done by so many tabs; a page that does not survive one is loaded again for the next.

        What will be tried is rehearsed ahead of it where that is worth it, by the last tab.
        """
        waiting = list(reversed(jobs))
        workers = self._sessions[: min(len(jobs), tabs)]
        rehearses = self._rehearsal.is_worthwhile(scenes)

        async def work(session: PageSession) -> None:
            if rehearses and session is self._sessions[-1]:
                await self._rehearsal.rehearse(scenes)
            while waiting and session in workers:
                job = waiting.pop()
                try:
                    await job(session)
                except PageGone as error:
                    self._survey.troubles.append(FatalInteraction(session.trail, str(error)))
                    await session.renew_tab()

        await _run_together([work(page_session) for page_session in (self._sessions if rehearses else workers)])

    def _is_over(self) -> bool:
        limits = self._limits
        for ending, over in (
            (WalkEnding.TIME, self._now() - self._begun > limits.seconds or self._is_stopped()),
            (WalkEnding.STATES, len(self._graph.views) >= limits.views),
            (WalkEnding.REQUESTS, len(self._graph.known_resources) >= limits.requests),
        ):
            if over:
                self._ended = ending
                return True
        return False

    def _build_walk(self, failure: str) -> StateWalk:
        graph, survey = self._graph, self._survey
        return StateWalk(
            self._url, tuple(graph.views), tuple(graph.transitions), self._load_effects, self._ended, failure,
            tuple(self._levels), sum(session.tab.loads for session in self._sessions) - self._loads,
            graph.self_activity.ambient, graph.self_activity.volatile, survey.tried, survey.untried,
            tuple(survey.troubles), graph.withheld, survey.yields.estimate_unseen(),
        )  # fmt: skip


async def _run_together(works: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Do several things at once; an error ends them all, and that of the browser explains any other."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in works:
                group.create_task(each)
    except ExceptionGroup as failed:
        gone = failed.subgroup(BrowserGone)
        raise (gone or failed).exceptions[0] from None

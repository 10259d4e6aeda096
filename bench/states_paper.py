"""The paper's way through the states of a page (its algorithm 2), the baseline that exploring is measured against.

Every interaction script is run from a fresh load. A script is extended by the interactions that are available in the
view it reaches and were not in the view before; scripts with the same interactions in the same order are one. With
`literal`, scripts are extended by everything that is available: all combinations.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from webkeep.browser import InteractionScript, WalkLimits, resource_url
from webkeep.browser.process import PageGone
from webkeep.browser.tabs import Tab
from webkeep.browser.walk.gestures import GRID_PREFIX
from webkeep.browser.walk.interaction_candidates import InteractionCandidate
from webkeep.browser.walk.page_session import PageSession
from webkeep.browser.walk.view_snapshot import take_snapshot
from webkeep.browser.walk_model import PageRequest
from webkeep.crawl.browsing.explorer_setup import walk_limits_from_plan
from webkeep.crawl.plan import CapturePlan

USUAL_LIMITS = walk_limits_from_plan(CapturePlan(("http://site.example/",), states=2))

_SAMPLED, _POINTS = 2, 6
"""As many of what the finder only suggests are tried as exploring tries at least."""


@dataclass(slots=True)
class PaperWalk:
    """What it came to."""

    resources: set[str] = field(default_factory=set)
    scripts: int = 0
    """Scripts run."""
    ended: bool = True
    """Whether none was left when it stopped."""


async def paper_walk(
    url: str, tabs: Sequence[Tab], limits: WalkLimits, moment: int, literal: bool = False, most: int = 100_000
) -> PaperWalk:
    """Walk a page, in all tabs at once."""
    waiting = _Waiting(most, limits.depth)
    for tab in tabs:
        await tab.begin_page(moment)

    async def work(tab: Tab) -> None:
        rig = PageSession(tab, url, limits)
        while (script := await waiting.take()) is not None:
            try:
                found = await _run(rig, script, waiting.walk, literal)
            except PageGone:
                await rig.renew_tab()
                found = ()
            await waiting.done(script, found)

    async with asyncio.TaskGroup() as group:
        for tab in tabs:
            group.create_task(work(tab))
    return waiting.walk


class _Waiting:
    """The scripts that are still to be run."""

    def __init__(self, most: int, depth: int) -> None:
        self.walk = PaperWalk()
        self._most, self._depth = most, depth
        self._seen: set[InteractionScript] = {()}
        self._scripts: deque[InteractionScript] = deque([()])
        self._busy = 0
        self._changed = asyncio.Condition()

    async def take(self) -> InteractionScript | None:
        """The next one, or None when none can come any more."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._scripts or not self._busy)
            if not self._scripts or self.walk.scripts >= self._most:
                self.walk.ended = self.walk.ended and not self._scripts
                return None
            self._busy += 1
            self.walk.scripts += 1
            return self._scripts.popleft()

    async def done(self, script: InteractionScript, found: InteractionScript) -> None:
        """One was run, and these can follow it."""
        async with self._changed:
            self._busy -= 1
            if len(script) < self._depth:
                fresh = [longer for each in found if (longer := (*script, each)) not in self._seen]
                self._seen.update(fresh)
                self._scripts.extend(fresh)
            self._changed.notify_all()


async def _run(rig: PageSession, script: InteractionScript, walk: PaperWalk, literal: bool) -> InteractionScript:
    """Load, do all of the script, and give what can be done next."""
    _note(walk, (await rig.load_page()).requests)
    before: InteractionScript = ()
    for number, interaction in enumerate(script):
        if number == len(script) - 1 and not literal:
            before = await _available(rig)
        outcome = await rig.run_step(interaction)
        if outcome is None or outcome.tree is None:
            return ()
        _note(walk, outcome.effects.requests)
        rig.enter_view(outcome.tree, interaction)
    known = {(each.event, each.target, each.value, each.point) for each in before}
    after = await _available(rig)
    return tuple(each for each in after if (each.event, each.target, each.value, each.point) not in known)


async def _available(rig: PageSession) -> InteractionScript:
    drawn = take_snapshot(rig.ground, await rig.tab.read_listeners(), USUAL_LIMITS)
    walkable: list[InteractionCandidate] = []
    counts: Counter[str] = Counter()
    for each in drawn.available:
        counts[each.group_key] += 1
        most = _POINTS if each.group_key.startswith(GRID_PREFIX) else _SAMPLED
        if counts[each.group_key] <= most or not (each.is_sampled or each.group_key.startswith(GRID_PREFIX)):
            walkable.append(each)
    return tuple(each.interaction for each in walkable)


def _note(walk: PaperWalk, requests: tuple[PageRequest, ...]) -> None:
    walk.resources |= {resource_url(each.url) for each in requests}

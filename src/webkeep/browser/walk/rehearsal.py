"""Rehearsals: interactions done all at once, only to have what they ask for under way before it is needed; when that is
worth it, and how many at a time.

Theory of operation. A walk tries one interaction at a time, and waits each time for what that asks for. Where the web
takes long to answer, most of a walk would be waiting. So a tab that has nothing better to do loads the page and does
everything that is about to be tried, without waiting in between; what it sees is thrown away, but the tab proxies hold
the answers, and the walk that follows finds them there. What a rehearsal asks for is what the walk would ask for,
unless interactions act on one another. Requests that might do something at a server are held back here as anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from webkeep.browser.process.browser_errors import PageGone
from webkeep.browser.walk.page_session import PageSession
from webkeep.browser.walk_model import Interaction, InteractionScript, WalkLimits

_MIN_GAIN_SECONDS = 0.2
"""What must be gained by it, about what it takes to load a page once more."""
_MAX_TRIALS, _MAX_TRIALS_AT_ONCE = 600, 60
"""Trials that are rehearsed at all, and in one load: what they ask for is held in memory until the walk comes to it."""


class RehearsalScene(NamedTuple):
    """What is going to be tried in a view."""

    steps: InteractionScript
    """What leads to the view from s0, or from where the scene before it ended."""
    trials: Sequence[Interaction]


class Rehearsal:
    """Rehearses with a tab, for as long as the page bears it."""

    def __init__(self, session: PageSession, limits: WalkLimits, is_over: Callable[[], bool]) -> None:
        self._session, self._limits, self._is_over = session, limits, is_over
        self._is_survived = True

    def is_worthwhile(self, scenes: Iterable[RehearsalScene]) -> bool:
        """Whether there is so much to be asked for, and the web takes so long, that waiting would take longer."""
        trials = sum(len(scene.trials) for scene in scenes)
        return self._is_survived and (trials - 1) * self._session.tab.latency_seconds > _MIN_GAIN_SECONDS

    async def rehearse(self, scenes: Iterable[RehearsalScene]) -> None:
        """Do it all; the next way of this tab begins with a load."""
        session, seconds = self._session, self._limits.settle_seconds
        try:
            await session.load_page()
            for scene in scenes:
                if self._is_over():
                    break
                for step in scene.steps:
                    await session.tab.rehearse([step], seconds)
                for start in range(0, min(len(scene.trials), _MAX_TRIALS), _MAX_TRIALS_AT_ONCE):
                    if self._is_over():
                        break
                    await session.tab.rehearse(scene.trials[start : start + _MAX_TRIALS_AT_ONCE], seconds)
        except PageGone:
            self._is_survived = False
            await session.renew_tab()
        session.require_reload()

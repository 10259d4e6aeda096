"""Steering a running capture: words that people leave for it are carried out, limits of time are kept."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from webkeep.crawl.changes import changed, difference, resumed
from webkeep.crawl.control import ControlDesk, Order, Word
from webkeep.crawl.engine import Engine
from webkeep.crawl.plan import Plan
from webkeep.crawl.policies import policy_of
from webkeep.crawl.watching import Glance, Watcher
from webkeep.errors import UsageError
from webkeep.frontier.frontier import Frontier
from webkeep.model import Clock

_LOOK = 0.5


class Steering:
    """Looks for words twice a second and carries them out."""

    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        frontier: Frontier,
        desk: ControlDesk,
        clock: Clock,
        watcher: Watcher,
        is_revisited: bool = False,
    ) -> None:
        self._given = self._plan = plan
        self._engine = engine
        self._frontier = frontier
        self._desk = desk
        self._clock = clock
        self._watcher = watcher
        self._began = clock.now()
        self._is_revisited = is_revisited
        """Whether visits have to leave time for as many revisits."""

    def begin(self) -> None:
        """Take up what was changed when the capture ran before; words that nobody heard then count no more."""
        self._desk.words()
        self._go_by(resumed(self._given, self._desk.kept()))
        self._desk.tell(self._state(self._engine.glance(), os.getpid()))

    def end(self) -> None:
        """Say that nobody listens any more."""
        self._desk.tell(self._state(self._engine.glance(), 0))

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            for word in self._desk.words():
                self._obey(word)
            self._keep_time()
            glance = self._engine.glance()
            self._watcher.glanced(glance)
            self._desk.tell(self._state(glance, os.getpid()))
            self._engine.save()
            await asyncio.sleep(_LOOK)

    def _obey(self, word: Word) -> None:
        match word.order:
            case Order.PAUSE:
                self._frontier.pause()
            case Order.RESUME:
                self._frontier.resume()
            case Order.STOP:
                self._engine.stop()
            case Order.SET:
                self._set(word.values)
        self._watcher.noted(f"told to {word.order}")
        self._engine.wake()

    def _set(self, values: dict[str, Any]) -> None:
        try:
            self._go_by(changed(self._plan, values))
        except UsageError as error:  # a file that somebody wrote by hand must not end the capture
            self._watcher.noted(f"cannot be set: {error}")
            return
        self._desk.keep(difference(self._given, self._plan))

    def _go_by(self, plan: Plan) -> None:
        if plan != self._plan:
            self._plan = plan
            self._frontier.change(policy_of(plan, self._frontier.policy.taken_down), self._clock.now())

    def _keep_time(self) -> None:
        limit = self._plan.max_seconds
        if limit is None:
            return
        seconds = self._clock.now().seconds_since(self._began)
        if self._is_revisited and seconds >= limit / 2:
            self._frontier.end_visits(f"max-seconds: {limit:g}, half of them for revisits")
            self._engine.wake()
        if seconds >= limit:
            self._frontier.cut_short(f"max-seconds: {limit:g}")
            self._frontier.resume()
            self._engine.wake()

    def _state(self, glance: Glance, process: int) -> dict[str, Any]:
        return {
            "moment": glance.moment.iso(),
            "process": process,
            "paused": glance.paused,
            "counts": {outcome.value: count for outcome, count in glance.counts.items()},
            "bytes": glance.bytes,
            "in_flight": glance.in_flight,
            "delay": self._plan.delay,
            "rules": list(self._plan.rules),
        }

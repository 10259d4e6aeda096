"""When a page has come to rest: told by virtual time and evidence, not by waiting; where an answer never ends, time is
made to run on.

Theory of operation. The page runs on virtual time, which stands still while answers are under way and jumps from timer
to timer otherwise. A grant of a second is used up as soon as everything that was set in motion has been done, timers of
up to a second included: usually within milliseconds. Where an answer never ends (a stream, a long poll), the network
falls silent with the grant unused; then time runs on regardless of it. For sockets it does not stand still at all:
while they open, and until the first answer to the first word, the page's time follows ours.
"""

from __future__ import annotations

import asyncio

from webkeep.browser.process.browser_errors import PageGone, ProcessGone
from webkeep.browser.process.devtools_pipe import DevToolsPipe
from webkeep.browser.tabs.tab_journal import TabJournal

_CHECK_SECONDS = 0.2
"""Between two looks at a page whose time does not pass, in real time."""
_FOLLOWING_SECONDS = 0.02
"""Between two steps of a page's time that follows ours."""
_FORCED_SECONDS = 1.5
"""In real time, for virtual time to pass once it is forced; more would be spent on every page that hangs."""
_ANSWER_SECONDS = 2.0
"""In real time, for a page to evaluate an expression; one that does not is busy with a script."""
_MAX_STARVED_TASKS = 100_000
"""How many tasks may run before time moves on although there are more: against scripts that never sleep."""


class VirtualTime:
    """The clock of one tab."""

    def __init__(self, pipe: DevToolsPipe, session: str, journal: TabJournal) -> None:
        self._pipe, self._session, self._journal = pipe, session, journal
        self._expired = asyncio.Event()
        self._is_crashed = False

    def on_expired(self) -> None:
        """The grant is used up."""
        self._expired.set()

    def on_crashed(self) -> None:
        """Time has come to an end."""
        self._is_crashed = True
        self._expired.set()

    async def pause(self) -> None:
        """Let no time pass before some is granted."""
        await self._pipe.call("Emulation.setVirtualTimePolicy", self._session, policy="pause")

    async def run_until_idle(self, milliseconds: int, seconds: float) -> bool:
        """Let time pass until the page rests; False if it did not within so many seconds of ours."""
        deadline = asyncio.get_running_loop().time() + seconds
        while await self._use_up(milliseconds, min(_CHECK_SECONDS, seconds), deadline):
            if not self._journal.is_awaiting_responses():
                return True
            if not await self._follow_answers(deadline):
                return False
        return False

    async def _use_up(self, milliseconds: int, check_seconds: float, deadline: float) -> bool:
        """Let so much time pass; where an answer does not come that it would stand still for, regardless of it."""
        self._grant_budget("pauseIfNetworkFetchesPending", milliseconds)
        while not await self._wait_expired(check_seconds):
            if self._journal.is_stuck() and await self._is_idle() and self._journal.is_stuck():
                self._grant_budget("advance", milliseconds)
                is_used_up = await self._wait_expired(_FORCED_SECONDS)
                if not self._journal.is_awaiting_responses():
                    return is_used_up
                # What was set in motion meanwhile is waited for like everything else.
                self._grant_budget("pauseIfNetworkFetchesPending", milliseconds)
            if asyncio.get_running_loop().time() > deadline:
                return False
        return True

    async def _follow_answers(self, deadline: float) -> bool:
        """Let the page's time pass as ours does while answers come that it does not stand still for, as of sockets."""
        while self._journal.is_awaiting_responses() and not self._journal.is_stuck():
            if asyncio.get_running_loop().time() > deadline:
                return False
            await asyncio.sleep(_FOLLOWING_SECONDS)
            self._grant_budget("pauseIfNetworkFetchesPending", round(1000 * _FOLLOWING_SECONDS))
            await self._wait_expired(_CHECK_SECONDS)
        return True

    async def _is_idle(self) -> bool:
        """Whether the page is at leisure to answer, and so has told of everything that it asked for."""
        try:
            await self._pipe.call("Runtime.evaluate", self._session, _ANSWER_SECONDS, expression="1")
        except PageGone:
            return False
        return True

    def _grant_budget(self, policy: str, milliseconds: int) -> None:
        self._expired.clear()
        self._pipe.send(
            "Emulation.setVirtualTimePolicy", self._session, policy=policy, budget=milliseconds,
            maxVirtualTimeTaskStarvationCount=_MAX_STARVED_TASKS,
        )  # fmt: skip

    async def _wait_expired(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._expired.wait()
        except TimeoutError:
            return False
        if self._is_crashed:
            raise ProcessGone("the page's process crashed")
        return True

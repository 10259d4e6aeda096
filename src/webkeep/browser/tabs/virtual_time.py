"""When a page has come to rest: told by virtual time and evidence, not by waiting; where an answer never ends, time is
made to run on.

Theory of operation. The page runs on virtual time, which stands still while answers are under way and jumps from timer
to timer otherwise. A grant of a second is used up as soon as everything that was set in motion has been done, timers of
up to a second included: usually within milliseconds. Where an answer never ends (a stream, a long poll), the network
falls silent with the grant unused; then time runs on regardless of it. For sockets it does not stand still at all:
while they open, and until the first answer to the first word, the page's time follows ours. The parser stands still
with it behind scripts, so that as long as markup is left it is given instants.
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
_PARSING_SECONDS = 0.025
"""In real time, for a page to be parsed to its end; where answers are waited for by then, it is given an instant."""
_INSTANT_MS = 0.001
"""The least time there is, so that a page's clocks hardly show it."""
_MAX_INSTANTS = 40
"""Of one load, a second of ours: by then the parser has mostly come to the body."""
_MAX_STARVED_TASKS = 100_000
"""How many tasks may run before time moves on although there are more: against scripts that never sleep."""


class VirtualTime:
    """The clock of one tab."""

    def __init__(self, pipe: DevToolsPipe, session: str, journal: TabJournal) -> None:
        self._pipe, self._session, self._journal = pipe, session, journal
        self._expired = asyncio.Event()
        self._is_crashed = False
        self._instants_left = 0
        """How many more instants the parser of the document may be given."""

    def begin_document(self) -> None:
        """A new document is parsed from now on."""
        self._instants_left = _MAX_INSTANTS

    def on_parsed(self) -> None:
        """All markup of the document is read."""
        self._instants_left = 0

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
        while not await self._wait_expired(_PARSING_SECONDS if self._instants_left else check_seconds):
            if self._instants_left and self._journal.is_awaiting_responses():
                await self._parse_on()
                self._grant_budget("pauseIfNetworkFetchesPending", milliseconds)
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

    async def _parse_on(self) -> None:
        """Have the parser go on, which it does behind a script only as time passes, as for the page it stands still.

        Until it has come to the body, Chromium asks for two pictures at a time, and each pair takes as long as one.
        """
        self._instants_left -= 1
        self._grant_budget("advance", _INSTANT_MS)
        await self._wait_expired(_CHECK_SECONDS)

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

    def _grant_budget(self, policy: str, milliseconds: float) -> None:
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

"""The Chrome DevTools Protocol over a pair of pipes: JSON messages, each ended by a zero byte; what a call that is not
answered in time means.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from webkeep.browser.process.browser_errors import BrowserGone, PageGone, ProcessGone

DevToolsMessage = dict[str, Any]
EventHandler = Callable[[str, DevToolsMessage, str], None]
"""Told the name of an event, its parameters and its session."""


class DevToolsPipe(asyncio.Protocol):
    """Calls and events; sessions are listened to one by one."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._calls: dict[int, tuple[asyncio.Future[DevToolsMessage], str, str]] = {}
        self._number = 0
        self._listeners: dict[str, EventHandler] = {}
        self._failed: dict[str, str] = {}
        self._writing: asyncio.WriteTransport | None = None
        self._reading: asyncio.BaseTransport | None = None
        self.is_gone = False
        """Whether Chromium has closed its end."""

    async def connect(self, reading: int, writing: int) -> None:
        """Take over two descriptors of pipes."""
        loop = asyncio.get_running_loop()
        self._reading, _ = await loop.connect_read_pipe(lambda: self, os.fdopen(reading, "rb", 0))
        self._writing, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(writing, "wb", 0))

    @property
    def unanswered(self) -> int:
        """How many calls wait for an answer."""
        return len(self._calls)

    def listen(self, session: str, listener: EventHandler) -> None:
        """Have the events of a session told; the empty name is the browser itself."""
        self._listeners[session] = listener

    def forget_session(self, session: str) -> None:
        """A session is over."""
        self._listeners.pop(session, None)
        self._failed.pop(session, None)

    def fail_session(self, session: str, why: str) -> None:
        """Nothing that a session was or will be asked for is answered, as its process is gone."""
        self._failed[session] = why
        for future, method, asked in self._calls.values():
            if asked == session and not future.done():
                future.set_exception(ProcessGone(f"{why}; {method} was not done"))

    def send(self, method: str, session: str = "", **params: object) -> asyncio.Future[DevToolsMessage]:
        """Ask for something; the result comes to whoever waits for it, and nobody need."""
        future: asyncio.Future[DevToolsMessage] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_swallow_error)
        if self.is_gone or self._writing is None or self._writing.is_closing():
            future.set_exception(BrowserGone(f"Chromium has ended; {method} was not done"))
            return future
        if why := self._failed.get(session):
            future.set_exception(ProcessGone(f"{why}; {method} was not done"))
            return future
        self._number += 1
        message: DevToolsMessage = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._calls[self._number] = future, method, session
        self._writing.write(json.dumps(message).encode() + b"\0")
        return future

    async def call(self, method: str, session: str = "", seconds: float = 15.0, **params: object) -> DevToolsMessage:
        """Have something done; a page that does not answer in time is gone."""
        try:
            async with asyncio.timeout(seconds):
                return await self.send(method, session, **params)
        except TimeoutError:
            kind = PageGone if session else BrowserGone
            raise kind(f"Chromium did not answer {method} within {seconds:g} s") from None

    def close(self) -> None:
        """Let go of the pipes."""
        for transport in (self._reading, self._writing):
            if transport is not None:
                transport.close()
        self._fail_calls()

    def data_received(self, data: bytes) -> None:
        """Messages, or pieces of them, came."""
        start = len(self._held)
        self._held += data
        begin = 0
        while (end := self._held.find(0, max(begin, start))) >= 0:
            self._dispatch_message(json.loads(self._held[begin:end]))
            begin = end + 1
        del self._held[:begin]

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Chromium closed its end."""
        self._fail_calls()

    def _fail_calls(self) -> None:
        self.is_gone = True
        calls, self._calls = self._calls, {}
        for future, method, _session in calls.values():
            if not future.done():
                future.set_exception(BrowserGone(f"Chromium ended while {method} was done"))
        for listener in list(self._listeners.values()):
            listener("Webkeep.gone", {}, "")

    def _dispatch_message(self, message: DevToolsMessage) -> None:
        if "id" not in message:
            session = message.get("sessionId", "")
            if listener := self._listeners.get(session):
                listener(message["method"], message["params"], session)
            return
        future, method, _session = self._calls.pop(message["id"], (None, "", ""))
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(PageGone(f"Chromium refuses {method}: {message['error'].get('message', '')}"))
        else:
            future.set_result(message["result"])


def _swallow_error(future: asyncio.Future[DevToolsMessage]) -> None:
    """Calls that nobody waits for may fail without complaint."""
    if not future.cancelled():
        future.exception()


async def collect_answers(
    asked: Sequence[asyncio.Future[DevToolsMessage]], seconds: float
) -> list[DevToolsMessage | None]:
    """What pages answer, None where they do not in time; the end of the browser or of their process is an error."""
    if asked:
        await asyncio.wait(asked, timeout=seconds)
    return [_answer_or_none(each) for each in asked]


def _answer_or_none(asked: asyncio.Future[DevToolsMessage]) -> DevToolsMessage | None:
    if not asked.done():
        return None
    try:
        return asked.result()
    except ProcessGone:
        raise
    except PageGone:
        return None

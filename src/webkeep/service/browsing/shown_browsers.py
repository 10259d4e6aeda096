"""All browsers that a service shows: begun, found by those they are shown to, few at once, ended with the service."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.service.browsing.browser_traces import clear_traces, session_folder
from webkeep.service.browsing.shown_session import OpenWay, ShownLimits, ShownOrder, ShownSession

_ID_BYTES = 16
"""Of chance in the id of a session, which nobody is to guess."""
_MAX_ENDED_SESSIONS = 50
"""Sessions that are over and of which it is still told why."""


class ShownBrowsers:
    """The browsers that are shown now."""

    def __init__(self, spool: Path, limits: ShownLimits | None = None) -> None:
        self._spool = spool
        self._limits = limits or ShownLimits()
        self._sessions: OrderedDict[str, ShownSession] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, order: ShownOrder, open_way: OpenWay) -> ShownSession:
        """Begin to show a browser; it is called in the loop that it lives in."""
        self.check_room()
        session_id = secrets.token_hex(_ID_BYTES)
        folder = session_folder(self._spool, session_id)
        session = ShownSession(session_id, order, folder, open_way, self._limits)
        self._sessions[session_id] = session
        task = self._tasks[session_id] = asyncio.get_running_loop().create_task(session.run())
        task.add_done_callback(lambda _: self._tasks.pop(session_id, None))
        ended = [each for each, kept in self._sessions.items() if kept.is_ending and each not in self._tasks]
        for old in ended[:-_MAX_ENDED_SESSIONS]:
            del self._sessions[old]
        return session

    def check_room(self) -> None:
        """Refuse where as many are shown as may be."""
        if len(self._tasks) >= self._limits.at_once:
            raise UsageError(
                f"{len(self._tasks)} browsers are shown already, which is as many as may be; end one of them, or wait"
            )

    def find(self, session_id: str, collection: str, owner: str) -> ShownSession | None:
        """The session of that id, if it is of that collection and shown to that person."""
        session = self._sessions.get(session_id)
        is_theirs = session is not None and session.order.collection == collection
        return session if session is not None and is_theirs and owner and session.order.owner == owner else None

    async def close(self) -> None:
        """End all of them, and wait until nothing of them is left."""
        for session in self._sessions.values():
            session.end("the service ends")
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def clear_traces(self) -> int:
        """Clear up what a service left that was killed; only while none is shown."""
        return clear_traces(self._spool)

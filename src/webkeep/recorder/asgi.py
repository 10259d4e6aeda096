"""The recorder as ASGI middleware."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from webkeep.recorder.ear import Ear, Message, Receive, Scope, Send
from webkeep.recorder.limits import Limits
from webkeep.recorder.memory import SEED, Head, digest
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.rules import Rules

Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_HOST = b"host"
_UNSEEN = ("http.response.pathsend", "http.response.zerocopysend")
"""Ways to have the server send a file that no middleware sees; applications do without where they are not offered."""


class ArchivingMiddleware:
    """Passes everything through as it is, and records the answers to GET requests."""

    def __init__(
        self,
        app: Application,
        archive: str | os.PathLike[str],
        rules: Rules | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._app = app
        self.recorder = Recorder(archive, rules, limits)
        self._known = self.recorder.memory.known
        self._note_unchanged = self.recorder.tally.note_unchanged
        self._telling = self.recorder.unheard
        self._telling[b"host"] = _HOST

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, request or lifespan.

        Most answers are what they were the last time, and what is done for them is done for every visitor: with the
        head that came last, a hash of the body settles it. So all of that is here, in one piece.
        """
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, self._ending(send) if scope["type"] == "lifespan" else send)
            return
        host, telling = b"", self._telling
        for name, value in scope["headers"]:
            if telling[name]:
                if name != _HOST:
                    self.recorder.note_unheard(name)
                    await self._app(scope, receive, send)
                    return
                host = value
        if "extensions" in scope:
            scope = _without_unseen(scope)
        try:
            place = (scope["raw_path"] or scope["path"], host, scope["query_string"], scope["scheme"])
        except KeyError:
            place = (scope["path"], host, scope.get("query_string"), scope.get("scheme"))
        head: Head = ()  # as long as it is not settled what becomes of the answer that it began
        ear: Ear | None = None  # as long as nothing is to be listened to

        def hear(message: Message) -> Awaitable[None]:
            nonlocal head, ear
            if ear is None:
                try:
                    if not head:
                        if type(message["headers"]) is list:
                            head = (message["status"], *message["headers"])
                            return send(message)
                    elif not message.get("more_body") and (
                        hash((place, head, digest(message["body"], SEED))) in self._known
                    ):
                        # Of what is known nothing is recorded, whether or not the server takes it.
                        head = ()
                        self._note_unchanged()
                        return send(message)
                except (KeyError, TypeError):
                    pass  # it is not as messages mostly are, and the ear knows them all
                ear = Ear(self.recorder, scope, place, send, head)
            return ear.hear(message)

        try:
            await self._app(scope, receive, hear)
        finally:
            if head and ear is None:
                ear = Ear(self.recorder, scope, place, send, head)
            if ear is not None:
                ear.close()

    def close(self) -> None:
        """Write what is waiting and end the capture; the end of the lifespan does this too."""
        self.recorder.close()

    def _ending(self, send: Send) -> Send:
        """What ends the recording when the application has shut down."""

        async def ending(message: Message) -> None:
            if message["type"].startswith("lifespan.shutdown."):
                self.recorder.close()
            await send(message)

        return ending


def _without_unseen(scope: Scope) -> Scope:
    extensions = scope["extensions"] or {}
    if not any(name in extensions for name in _UNSEEN):
        return scope
    return {**scope, "extensions": {name: each for name, each in extensions.items() if name not in _UNSEEN}}

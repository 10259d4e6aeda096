"""The recorder as ASGI middleware."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from webkeep.recorder.ear import Ear, Message, Receive, Scope, Send
from webkeep.recorder.limits import Limits
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.rules import Rules

Application = Callable[[Scope, Receive, Send], Awaitable[None]]

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, request or lifespan."""
        kind = scope["type"]
        if kind == "http" and scope["method"] == "GET":
            named = dict(scope["headers"])
            if self.recorder.is_concerned(named):
                ear = Ear(self.recorder, scope, named, send)
                try:
                    await self._app(_without_unseen(scope) if "extensions" in scope else scope, receive, ear)
                finally:
                    ear.close()
                return
        await self._app(scope, receive, self._ending(send) if kind == "lifespan" else send)

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

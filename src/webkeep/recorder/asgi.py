"""The recorder as ASGI middleware: which requests are listened to (GET without Range or credentials), how an unchanged
answer is known in passing, which extensions are hidden (pathsend), and when recording ends.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from webkeep.recorder.asgi_tap import AsgiMessage, AsgiReceive, AsgiScope, AsgiSend, AsgiSendTap
from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recent_responses import HASH_SEED, AppHead, body_digest
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.recording_rules import RecorderRules

AsgiApplication = Callable[[AsgiScope, AsgiReceive, AsgiSend], Awaitable[None]]

_HOST_FIELD = b"host"
_NOT_HELD = object()
_UNSEEN_EXTENSIONS = ("http.response.pathsend", "http.response.zerocopysend")
"""Ways to have the server send a file that no middleware sees; applications do without where they are not offered."""


class ArchivingMiddleware:
    """Passes everything through as it is, and records the answers to GET requests."""

    def __init__(
        self,
        app: AsgiApplication,
        archive: str | os.PathLike[str],
        rules: RecorderRules | None = None,
        limits: RecorderLimits | None = None,
    ) -> None:
        self._app = app
        self.recorder = Recorder(archive, rules, limits)
        self._known = self.recorder.recent.known_fingerprints
        self._held_bodies = self.recorder.recent.held_bodies
        self._note_unchanged = self.recorder.counters.note_unchanged
        self._skipping_fields = self.recorder.skipping_fields
        self._skipping_fields[b"host"] = _HOST_FIELD

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Serve one connection, request or lifespan.

        Most answers are what they were the last time, and what is done for them is done for every visitor: with the
        head that came last, the body or a hash of it settles it. So all of that is here, in one piece.
        """
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, self._close_after_lifespan(send) if scope["type"] == "lifespan" else send)
            return
        host, telling = b"", self._skipping_fields
        for name, value in scope["headers"]:
            if telling[name]:
                if name != _HOST_FIELD:
                    self.recorder.note_skipped(name)
                    await self._app(scope, receive, send)
                    return
                host = value
        if "extensions" in scope:
            scope = _drop_unseen_extensions(scope)
        try:
            place = (scope["raw_path"] or scope["path"], host, scope["query_string"], scope["scheme"])
        except KeyError:
            place = (scope["path"], host, scope.get("query_string"), scope.get("scheme"))
        head: AppHead = ()  # as long as it is not settled what becomes of the answer that it began
        tap: AsgiSendTap | None = None  # as long as nothing is to be listened to
        held_bodies = self._held_bodies

        def pass_on(message: AsgiMessage) -> Awaitable[None]:
            nonlocal head, tap
            if tap is None:
                try:
                    if not head:
                        if type(message["headers"]) is list:
                            head = (message["status"], *message["headers"])
                            return send(message)
                    elif not message.get("more_body") and (
                        held_bodies.get(hash((place, head)), _NOT_HELD) == message["body"]
                        or hash((place, head, body_digest(message["body"], HASH_SEED))) in self._known
                    ):
                        # Of what is known nothing is recorded, whether or not the server takes it.
                        head = ()
                        self._note_unchanged()
                        return send(message)
                except (KeyError, TypeError):
                    pass  # it is not as messages mostly are, and the send tap knows them all
                tap = AsgiSendTap(self.recorder, scope, place, send, head)
            return tap.send(message)

        try:
            await self._app(scope, receive, pass_on)
        finally:
            if head and tap is None:
                tap = AsgiSendTap(self.recorder, scope, place, send, head)
            if tap is not None:
                tap.close()

    def close(self) -> None:
        """Write what is waiting and end the capture; the end of the lifespan does this too."""
        self.recorder.close()

    def _close_after_lifespan(self, send: AsgiSend) -> AsgiSend:
        """What ends the recording when the application has shut down."""

        async def ending(message: AsgiMessage) -> None:
            if message["type"].startswith("lifespan.shutdown."):
                self.recorder.close()
            await send(message)

        return ending


def _drop_unseen_extensions(scope: AsgiScope) -> AsgiScope:
    extensions = scope["extensions"] or {}
    if not any(name in extensions for name in _UNSEEN_EXTENSIONS):
        return scope
    return {**scope, "extensions": {name: each for name, each in extensions.items() if name not in _UNSEEN_EXTENSIONS}}

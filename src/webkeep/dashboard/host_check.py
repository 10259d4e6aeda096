"""Which host names the pages answer to: a page elsewhere whose name was made to lead here (DNS rebinding) gets none."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine, for which no name server is asked."""


class HostCheck:
    """An application that answers to its own names alone."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset({*LOCAL_NAMES, *(name.lower() for name in names)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse in one line."""
        if scope["type"] in ("http", "websocket") and self._host_of(scope) not in self._names:
            refusal = PlainTextResponse("this service does not go by that name\n", 421)
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _host_of(self, scope: Scope) -> str:
        """The name that is asked for; empty where none is, or more than one, of which a proxy might believe another."""
        named = Headers(scope=scope).getlist("host")
        host = named[0].lower() if len(named) == 1 else ""
        name, colon, port = host.rpartition(":")
        return name if colon and port.isdigit() else host

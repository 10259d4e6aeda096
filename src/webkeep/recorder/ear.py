"""The ear: what an ASGI application sends, passed on to the server and heard on the way.

Most answers are what they were the last time, and everything done for them is done for every visitor. So nothing is
read that need not be: with the head that came last, a hash of the body settles it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import quote

from webkeep.recorder.hearing import LARGE, Hearing
from webkeep.recorder.memory import Glance
from webkeep.recorder.message import Field, Request
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.tally import Count

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Ear:
    """Stands in for the server's `send`, for the answer to one GET request."""

    __slots__ = ("_glance", "_head", "_hearing", "_named", "_place", "_recorder", "_scope", "_send")

    def __init__(self, recorder: Recorder, scope: Scope, named: Mapping[bytes, bytes], send: Send) -> None:
        self._recorder = recorder
        self._scope = scope
        self._named = named
        self._send = send
        self._glance: Glance | None = None
        self._hearing: Hearing | None = None

    def __call__(self, message: Message) -> Awaitable[None]:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self._begin(message)
            return self._send(message)
        glance = self._glance
        if glance is not None and not message.get("more_body"):
            body = message.get("body")
            # Of what is known nothing is recorded, whether or not the server takes it.
            if type(body) is bytes and self._recorder.memory.digest(body) == glance.last.digest:
                self._recorder.tally.unchanged += 1
                self._glance = None
                return self._send(message)
        return self._pass(message)

    def close(self) -> None:
        """The application sends nothing more."""
        if self._glance is not None:
            self._recorder.tally.add(Count.CUT)
        elif self._hearing is not None:
            self._hearing.break_off()

    def _begin(self, message: Message) -> None:
        try:
            self._look(message.get("status", 0), tuple(message.get("headers", ())))
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._recorder.note_failure(error)

    def _look(self, status: int, fields: tuple[Field, ...]) -> None:
        """See whether the head is the one that came last; if not, listen."""
        scope = self._scope
        host, path = self._named.get(b"host", b""), scope.get("raw_path") or b""
        place = self._place = (scope.get("scheme", "http"), host, path, scope.get("query_string", b""))
        glance = self._recorder.memory.glance(place)
        if glance is not None and glance.status == status and glance.fields == fields:
            self._glance = glance
        else:
            self._listen(status, fields)

    def _listen(self, status: int, fields: tuple[Field, ...]) -> None:
        self._glance, self._head = None, (status, fields)
        self._hearing = Hearing(self._recorder, _request(self._scope, self._named))
        self._hearing.begin(status, fields)

    async def _pass(self, message: Message) -> None:
        await self._send(message)  # what the server does not take was not served
        if message["type"] != "http.response.body":
            return
        if self._glance is not None:
            self._listen(self._glance.status, self._glance.fields)
        hearing = self._hearing
        if hearing is not None:
            body = message.get("body", b"")
            hearing.piece(body, message.get("more_body", False))
            if hearing.same is not None and len(body) < LARGE and self._place[2]:
                self._recorder.memory.keep_glance(self._place, Glance(*self._head, *hearing.same))


def _request(scope: Scope, named: Mapping[bytes, bytes]) -> Request:
    target = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
    if query := scope.get("query_string"):
        target = b"%b?%b" % (target, query)
    host = named.get(b"host") or _server(scope)
    return Request(scope.get("scheme", "http"), host, target, scope["headers"], scope.get("http_version", "1.1"))


def _server(scope: Scope) -> bytes:
    host, port = scope.get("server") or ("", None)
    return (f"[{host}]:{port}" if ":" in host else f"{host}:{port}").encode("latin-1") if port else b""

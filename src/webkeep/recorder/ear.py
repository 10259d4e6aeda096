"""The ear: what an ASGI application sends, passed on to the server and heard on the way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote

from webkeep.model import Moment
from webkeep.recorder.hearing import LARGE, Hearing
from webkeep.recorder.memory import SEED, Head, Place, digest, fingerprint
from webkeep.recorder.message import Request
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.tally import Count

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Ear:
    """Stands between an application and the server's `send`, for the answer to one request."""

    __slots__ = ("_began", "_first", "_head", "_hearing", "_is_behind", "_place", "_recorder", "_scope", "_send")

    def __init__(self, recorder: Recorder, scope: Scope, place: Place, send: Send, head: Head) -> None:
        self._recorder = recorder
        self._scope = scope
        self._place = place
        self._send = send
        self._head = head
        self._is_behind = bool(head)
        """Whether the head has passed and was not listened to yet."""
        self._first: bytes | None = None
        """A piece after it, which may be all there is: frameworks like to send an empty one after that."""
        self._began: Moment | None = None
        self._hearing: Hearing | None = None

    def hear(self, message: Message) -> Awaitable[None]:
        """Pass a message on."""
        if not self._is_behind:
            return self._pass(message)
        if fingerprint(self._place, self._head, b"") in self._recorder.memory.unwanted:
            return self._pass_unheard(message, Count.LEFT_OUT)
        if self._first is None and _is_first(message):
            self._first, self._began = message["body"], self._recorder.clock.now()
            return self._send(message)
        if self._first is not None and _is_empty_end(message) and self._is_known(self._first):
            return self._pass_unheard(message, Count.UNCHANGED)
        self._catch_up()
        return self._pass(message)

    def close(self) -> None:
        """The application sends nothing more."""
        if self._is_behind:
            self._catch_up()
        if self._hearing is not None:
            self._hearing.break_off()

    def _is_known(self, body: bytes) -> bool:
        return fingerprint(self._place, self._head, digest(body, SEED)) in self._recorder.memory.known

    def _pass_unheard(self, message: Message, count: Count) -> Awaitable[None]:
        self._is_behind = False
        self._recorder.tally.add(count)
        return self._send(message)

    async def _pass(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            fields = message.get("headers", ())
            if not isinstance(fields, list | tuple):  # it may be one that can be read only once
                message = {**message, "headers": (fields := list(fields))}
            self._head = (message.get("status", 0), *fields)
            self._begin()
        await self._send(message)  # what the server does not take was not served
        if message["type"] == "http.response.body":
            self._piece(message.get("body", b""), message.get("more_body", False))

    def _catch_up(self) -> None:
        """Hear what has passed already."""
        self._is_behind = False
        self._begin()
        if self._first is not None:
            self._piece(self._first, more=True)

    def _begin(self) -> None:
        try:
            self._hearing = Hearing(self._recorder, _request(self._scope, self._place[1]), self._began)
            self._hearing.begin(self._head[0], self._head[1:])
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._recorder.note_failure(error)

    def _piece(self, data: bytes, more: bool) -> None:
        hearing = self._hearing
        if hearing is None:
            return
        hearing.piece(data, more)
        if hearing.same is not None:
            self._hearing = None
            self._recorder.memory.recognise(self._place, self._head, hearing.same)


def _is_first(message: Message) -> bool:
    body = message.get("body")
    return type(body) is bytes and 0 < len(body) < LARGE and bool(message.get("more_body"))


def _is_empty_end(message: Message) -> bool:
    return message["type"] == "http.response.body" and not message.get("body") and not message.get("more_body")


def _request(scope: Scope, host: bytes) -> Request:
    target = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
    if query := scope.get("query_string"):
        target = b"%b?%b" % (target, query)
    version = scope.get("http_version", "1.1")
    return Request(scope.get("scheme", "http"), host or _server(scope), target, scope["headers"], version)


def _server(scope: Scope) -> bytes:
    host, port = scope.get("server") or ("", None)
    return (f"[{host}]:{port}" if ":" in host else f"{host}:{port}").encode("latin-1") if port else b""

"""The send tap: what an ASGI application sends, passed on to the server and heard on the way; when an answer is known
by its fingerprint, and how a scope becomes a request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote

from webkeep.model import Moment
from webkeep.recorder.app_message import AppRequest
from webkeep.recorder.counters import RecordingOutcome
from webkeep.recorder.recent_responses import AppHead, UrlParts, fingerprint_of
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.response_tap import LARGE_RESPONSE_BYTES, ResponseTap

AsgiScope = MutableMapping[str, Any]
AsgiMessage = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[AsgiMessage]]
AsgiSend = Callable[[AsgiMessage], Awaitable[None]]


class AsgiSendTap:
    """Stands between an application and the server's `send`, for the answer to one request."""

    __slots__ = (
        "_began",
        "_first_chunk",
        "_head",
        "_is_untapped",
        "_place",
        "_recorder",
        "_scope",
        "_server_send",
        "_tap",
    )

    def __init__(self, recorder: Recorder, scope: AsgiScope, place: UrlParts, send: AsgiSend, head: AppHead) -> None:
        self._recorder = recorder
        self._scope = scope
        self._place = place
        self._server_send = send
        self._head = head
        self._is_untapped = bool(head)
        """Whether the head has passed and was not listened to yet."""
        self._first_chunk: bytes | None = None
        """A piece after it, which may be all there is: frameworks like to send an empty one after that."""
        self._began: Moment | None = None
        self._tap: ResponseTap | None = None

    def send(self, message: AsgiMessage) -> Awaitable[None]:
        """Pass a message on."""
        if not self._is_untapped:
            return self._send_tapped(message)
        if fingerprint_of(self._place, self._head, b"") in self._recorder.recent.left_out_fingerprints:
            return self._send_untapped(message, RecordingOutcome.LEFT_OUT)
        if self._first_chunk is None and _is_first(message):
            self._first_chunk, self._began = message["body"], self._recorder.clock.now()
            return self._server_send(message)
        if (
            self._first_chunk is not None
            and _is_empty_end(message)
            and self._recorder.recent.is_known(self._place, self._head, self._first_chunk)
        ):
            return self._send_untapped(message, RecordingOutcome.UNCHANGED)
        self._tap_passed()
        return self._send_tapped(message)

    def close(self) -> None:
        """The application sends nothing more."""
        if self._is_untapped:
            self._tap_passed()
        if self._tap is not None:
            self._tap.break_off()

    def _send_untapped(self, message: AsgiMessage, count: RecordingOutcome) -> Awaitable[None]:
        self._is_untapped = False
        self._recorder.counters.add(count)
        return self._server_send(message)

    async def _send_tapped(self, message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            fields = message.get("headers", ())
            if not isinstance(fields, list | tuple):  # it may be one that can be read only once
                message = {**message, "headers": (fields := list(fields))}
            self._head = (message.get("status", 0), *fields)
            self._begin_tap()
        await self._server_send(message)  # what the server does not take was not served
        if message["type"] == "http.response.body":
            self._feed(message.get("body", b""), message.get("more_body", False))

    def _tap_passed(self) -> None:
        """Hear what has passed already."""
        self._is_untapped = False
        self._begin_tap()
        if self._first_chunk is not None:
            self._feed(self._first_chunk, more=True)

    def _begin_tap(self) -> None:
        try:
            self._tap = ResponseTap(self._recorder, _request_from_scope(self._scope, self._place[1]), self._began)
            self._tap.on_head(self._head[0], self._head[1:])
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._recorder.note_failure(error)

    def _feed(self, data: bytes, more: bool) -> None:
        tap = self._tap
        if tap is None:
            return
        tap.on_chunk(data, more)
        if tap.unchanged_from is not None:
            self._tap = None
            self._recorder.recent.remember_fingerprint(self._place, self._head, tap.unchanged_from, tap.unchanged_body)


def _is_first(message: AsgiMessage) -> bool:
    body = message.get("body")
    return type(body) is bytes and 0 < len(body) < LARGE_RESPONSE_BYTES and bool(message.get("more_body"))


def _is_empty_end(message: AsgiMessage) -> bool:
    return message["type"] == "http.response.body" and not message.get("body") and not message.get("more_body")


def _request_from_scope(scope: AsgiScope, host: bytes) -> AppRequest:
    target = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
    if query := scope.get("query_string"):
        target = b"%b?%b" % (target, query)
    version = scope.get("http_version", "1.1")
    return AppRequest(scope.get("scheme", "http"), host or _server_authority(scope), target, scope["headers"], version)


def _server_authority(scope: AsgiScope) -> bytes:
    host, port = scope.get("server") or ("", None)
    return (f"[{host}]:{port}" if ":" in host else f"{host}:{port}").encode("latin-1") if port else b""

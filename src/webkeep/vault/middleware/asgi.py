"""The vault as ASGI middleware: pages that carry blocks get them while they are served; all else passes."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from webkeep.vault.middleware.carried_blocks import CarriedBlocks, CarriedPages
from webkeep.vault.middleware.carrier_response import CarrierOptions, CarrierResponse, PlainResponse
from webkeep.vault.middleware.crawler_check import CrawlerCheck
from webkeep.vault.middleware.known_pages import KnownPages
from webkeep.vault.middleware.validators import CONDITIONAL_FIELDS, HeaderField, request_fields

_Scope = MutableMapping[str, Any]
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_Application = Callable[[_Scope, _Receive, _Send], Awaitable[None]]

_CARRYING_METHODS = ("GET", "HEAD")
_UNSEEN_EXTENSIONS = frozenset({"http.response.pathsend", "http.response.zerocopysend"})
"""Ways to have the server send a file that no middleware sees."""


class VaultMiddleware:
    """Puts a vault's blocks into the pages that an application serves."""

    def __init__(self, app: _Application, vault: str | os.PathLike[str], options: CarrierOptions | None = None) -> None:
        self._app = app
        self._pages = CarriedPages(Path(vault))
        self._known = KnownPages()
        self._options = options or CarrierOptions()
        self._crawlers = CrawlerCheck(self._options.crawlers_only)

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Serve one connection, request or lifespan."""
        if scope["type"] == "http" and scope["method"] in _CARRYING_METHODS:
            query = scope.get("query_string")
            blocks = self._pages.find(scope["path"], query.decode("latin-1") if query else "")
            if blocks is not None:
                if self._options.crawlers_only and not self._crawlers.admits(_agent_of(scope)):
                    send = _CarrierSend(PlainResponse(), send).send
                else:
                    send = _PageSend(blocks, self._options, self._known, scope["method"] == "HEAD", send).send
                    scope = _scope_for(scope, blocks)
        await self._app(scope, receive, send)


class _PageSend:
    """Stands between an application and the server's `send`, for one page that carries blocks.

    What the application answers in one piece as it did before is sent as it was then; all else is CarrierResponse's.
    """

    __slots__ = ("_blocks", "_is_head_request", "_known", "_options", "_send", "_start", "_way")

    def __init__(
        self, blocks: CarriedBlocks, options: CarrierOptions, known: KnownPages, is_head_request: bool, send: _Send
    ) -> None:
        self._blocks, self._options, self._known, self._send = blocks, options, known, send
        self._is_head_request = is_head_request
        self._start: _Message | None = None
        self._way: _CarrierSend | None = None

    def send(self, message: _Message) -> Awaitable[None]:
        """Pass a message on, or hold it."""
        kind, start = message["type"], self._start
        if self._way is not None:
            return self._way.send(message)
        if kind == "http.response.start":
            self._start = message
            return _send_nothing()
        if start is not None and kind == "http.response.body" and not message.get("more_body", False):
            answer = self._find_answer(start, message.get("body", b""))
            if answer is not None:
                self._start = None
                fields, body = answer
                return _send_both(self._send, {**start, "headers": fields}, {**message, "body": body})
        response = CarrierResponse(self._blocks, self._options, self._known, self._is_head_request)
        self._way = _CarrierSend(response, self._send, start)
        return self._way.send(message)

    def _find_answer(self, start: _Message, page: bytes) -> tuple[list[HeaderField], bytes] | None:
        if self._is_head_request or type(page) is not bytes:
            return None
        return self._known.answer(self._blocks, start["status"], start.get("headers", ()), page)


class _CarrierSend:
    """Stands between an application and the server's `send`, for one response."""

    __slots__ = ("_response", "_send", "_start")

    def __init__(self, response: CarrierResponse | PlainResponse, send: _Send, start: _Message | None = None) -> None:
        self._response, self._send = response, send
        self._start: _Message | None = None
        if start is not None:
            self._hold_start(start)

    def send(self, message: _Message) -> Awaitable[None]:
        """Pass a message on, or hold it."""
        kind = message["type"]
        if kind == "http.response.body":
            body = message.get("body", b"")
            data = self._response.feed(body if type(body) is bytes else bytes(body), message.get("more_body", False))
            if data is None:
                return _send_nothing()
            start, self._start = self._start, None
            if start is None:
                return self._send({**message, "body": data})
            return _send_both(self._send, {**start, "headers": self._response.fields}, {**message, "body": data})
        if kind == "http.response.start":
            self._hold_start(message)
            return _send_nothing()
        return self._send(message)

    def _hold_start(self, message: _Message) -> None:
        headers = message.get("headers", ())
        self._response.on_head(message["status"], headers if type(headers) is list else list(headers))
        self._start = message


async def _send_nothing() -> None:
    """What an application waits for where a message is held."""


async def _send_both(send: _Send, start: _Message, body: _Message) -> None:
    await send(start)
    await send(body)


def _agent_of(scope: _Scope) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"user-agent"), "")


def _scope_for(scope: _Scope, blocks: CarriedBlocks) -> _Scope:
    """The request as the application is to see it; the very same where that is no other."""
    extensions = scope.get("extensions") or {}
    unseen = bool(extensions) and not _UNSEEN_EXTENSIONS.isdisjoint(extensions)
    if not unseen:
        for name, _ in scope["headers"]:
            if name in CONDITIONAL_FIELDS:
                break
        else:
            return scope
    changed = {**scope, "headers": request_fields(list(scope["headers"]), blocks.mark, blocks.moved)}
    if unseen:
        changed["extensions"] = {name: each for name, each in extensions.items() if name not in _UNSEEN_EXTENSIONS}
    return changed

"""An ASGI application on an event loop of its own, which threads have answer their requests.

The loop is handed one message at a time, so that no response is faster than its reader.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import threading
from collections.abc import MutableMapping
from http.client import responses
from typing import Any

from webkeep.crawl.application.application_messages import ApplicationRequest, ResponseSender

Message = MutableMapping[str, Any]
"""An event of ASGI."""

_MAX_SHUTDOWN_SECONDS = 5.0
"""So long an application may take to end what it has under way."""


def is_asgi(application: Any) -> bool:
    """Whether an application is called by ASGI; by WSGI where it is not."""
    return inspect.iscoroutinefunction(application) or inspect.iscoroutinefunction(
        getattr(application, "__call__", None)  # noqa: B004 - it is that method that matters
    )


class AsgiLoop:
    """The event loop of an ASGI application, and how threads have it answer their requests."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._loop = asyncio.new_event_loop()
        self._events: asyncio.Queue[Message] = asyncio.Queue()
        self._replies: queue.Queue[str] = queue.Queue()
        self._has_lifespan = True
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def begin(self) -> None:
        """Start the loop, and have the application start up; raises RuntimeError where it says that it cannot."""
        self._thread.start()
        self._post({"type": "lifespan.startup"})
        asyncio.run_coroutine_threadsafe(self._run_lifespan(), self._loop)
        if failure := self._replies.get():
            raise RuntimeError(failure)

    def end(self) -> None:
        """Have the application shut down, within bounds."""
        if self._has_lifespan:
            self._post({"type": "lifespan.shutdown"})
            with contextlib.suppress(queue.Empty):
                self._replies.get(timeout=_MAX_SHUTDOWN_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_MAX_SHUTDOWN_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def _post(self, event: Message) -> None:
        self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    async def _run_lifespan(self) -> None:
        async def send(message: Message) -> None:
            self._replies.put(str(message.get("message") or "it failed") if "failed" in message["type"] else "")

        with contextlib.suppress(Exception):  # so an application says that it has nothing to do with lifespans
            await self._application({"type": "lifespan", "asgi": {"version": "3.0"}}, self._events.get, send)
        self._has_lifespan = False
        self._replies.put("")

    def call(self, request: ApplicationRequest, sender: ResponseSender) -> None:
        """Have the application answer a request, one message at a time."""
        messages: queue.Queue[tuple[Message, asyncio.Future[None]] | None] = queue.Queue()
        running = asyncio.run_coroutine_threadsafe(self._run_request(request, messages), self._loop)
        while (got := messages.get()) is not None:
            message, taken = got
            try:
                _send_message(message, sender)
            except OSError as error:
                self._loop.call_soon_threadsafe(taken.set_exception, error)
                running.cancel()
                raise
            self._loop.call_soon_threadsafe(taken.set_result, None)
        running.result()

    async def _run_request(
        self, request: ApplicationRequest, messages: queue.Queue[tuple[Message, asyncio.Future[None]] | None]
    ) -> None:
        received = False

        async def receive() -> Message:
            nonlocal received
            if received:
                await asyncio.Event().wait()  # no client goes away before its response has ended
            received = True
            return {"type": "http.request", "body": request.body, "more_body": False}

        async def send(message: Message) -> None:
            taken = self._loop.create_future()
            messages.put((message, taken))
            await taken

        try:
            await self._application(_asgi_scope(request), receive, send)
        finally:
            messages.put(None)


def _asgi_scope(request: ApplicationRequest) -> Message:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path.decode("utf-8", "replace"),
        "raw_path": request.raw_path.encode("latin-1"),
        "query_string": request.query.encode("latin-1"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.fields],
        "client": ("127.0.0.1", 0),
        "server": (request.host, int(request.port)),
    }


def _send_message(message: Message, sender: ResponseSender) -> None:
    if message["type"] == "http.response.start":
        status = int(message["status"])
        fields = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message.get("headers", ())]
        sender.start(f"{status} {responses.get(status, '')}".rstrip(), fields)
    elif message["type"] == "http.response.body":
        sender.write(message.get("body", b""), is_last=not message.get("more_body", False))

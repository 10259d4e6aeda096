"""A small web server around one WSGI or ASGI application, on a Unix socket that nobody but its owner can reach.

Theory of operation. This file is also run by itself, as a script, by the Python that the application belongs to, where
webkeep need not be installed: so it imports the standard library alone. As a script it is told what to serve and where,
says on its standard output `ready` or why it cannot begin, and ends when its standard input does, be it that whoever
started it was killed. What the application prints goes to standard error.

Every connection has a thread. A WSGI application is called in it. An ASGI application runs on one event loop, which is
handed one message at a time, so that no response is faster than its reader. What the application says is sent as it is;
the server adds a date and what frames the body where that is missing, and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import io
import os
import queue
import re
import socketserver
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from email.utils import formatdate
from functools import partial
from http.client import responses
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

FieldList = list[tuple[str, str]]
"""Names and values of header fields, in order."""
Message = MutableMapping[str, Any]
"""An event of ASGI."""

_split_host = re.compile(r"(.*?)(?::([0-9]{1,5}))?").fullmatch
_MAX_BODY_BYTES = 64 << 20
"""Of a request, which is held whole; captures send next to none."""
_MAX_SHUTDOWN_SECONDS = 5.0
"""So long an application may take to end what it has under way."""
_FOREIGN_PLACES = ("<", __file__, str(Path(os.__file__).parent))
"""Where what is raised is not the application's own: this file and the standard library."""
_MAX_REASON_CHARS = 300
"""Of what is said about an application that cannot be started, on one line."""


class ResponseSender:
    """Sends one response: the head once something of the body is known, then the body in the framing that fits."""

    def __init__(self, stream: Any, is_head: bool) -> None:
        self._stream, self._is_head = stream, is_head
        self._status, self._fields = "", FieldList()
        self._is_chunked = False
        self._promised: int | None = None
        self._sent = 0
        self.is_begun = False

    def start(self, status: str, fields: FieldList) -> None:
        """Take the head, which goes out with the first of the body."""
        self._status, self._fields = status, fields

    def write(self, data: bytes, is_last: bool = False) -> None:
        """Send some of the body; where the first is the last as well, its length is told."""
        if not self.is_begun:
            self._send_head(len(data) if is_last else None)
        if data and not self._is_head:
            self._sent += len(data)
            self._stream.write(b"%x\r\n%b\r\n" % (len(data), data) if self._is_chunked else data)
        if is_last and self._is_chunked and not self._is_head:
            self._stream.write(b"0\r\n\r\n")
        self._stream.flush()

    @property
    def is_whole(self) -> bool:
        """Whether as much was sent as the head had promised."""
        return self._is_head or self._promised is None or self._sent == self._promised

    def _send_head(self, length: int | None) -> None:
        names = {name.lower(): value for name, value in self._fields}
        fields = list(self._fields)
        if "date" not in names:
            fields.append(("Date", formatdate(usegmt=True)))
        if "content-length" in names:
            self._promised = int(names["content-length"])
        elif self._status[:3] not in ("204", "304") and "transfer-encoding" not in names:
            self._is_chunked = length is None
            fields.append(("Transfer-Encoding", "chunked") if length is None else ("Content-Length", str(length)))
        lines = [f"HTTP/1.1 {self._status}", *(f"{name}: {value}" for name, value in fields), "", ""]
        self._stream.write("\r\n".join(lines).encode("latin-1"))
        self.is_begun = True


def _describe(error: BaseException) -> str:
    """An error on one line, and where in the application it was raised."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith(_FOREIGN_PLACES):
            place = f" ({name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return " ".join(f"{type(error).__name__}: {error}".split())[:_MAX_REASON_CHARS] + place


class ApplicationHandler(BaseHTTPRequestHandler):
    """The requests of one connection."""

    protocol_version = "HTTP/1.1"
    server: ApplicationServer

    def _answer(self) -> None:
        sender = ResponseSender(self.wfile, self.command == "HEAD")
        body = self._read_body()
        if body is None:
            return
        try:
            self.server.call(self, body, sender)
            self.close_connection = self.close_connection or not sender.is_whole
        except OSError:  # nobody is there any more
            self.close_connection = True
        except Exception as error:  # noqa: BLE001 - whatever an application does, the next request is answered
            sys.stderr.write(f"the application failed at {self.command} {self.path}: {_describe(error)}\n")
            self.close_connection = True
            if not sender.is_begun:
                sender.start("500 Internal Server Error", [("Content-Type", "text/plain"), ("Connection", "close")])
                sender.write(b"The application failed.\n", is_last=True)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer  # noqa: N815 - so they are called

    def _read_body(self) -> bytes | None:
        """The body of the request; None where it was refused."""
        length = self.headers.get("content-length", "0")
        if "transfer-encoding" in self.headers or not length.isdigit():
            self.send_error(411)
        elif int(length) > _MAX_BODY_BYTES:
            self.send_error(413)
        elif self.headers.get("upgrade"):
            self.send_error(501)
        else:
            return self.rfile.read(int(length))
        self.close_connection = True
        return None

    @property
    def scheme(self) -> str:
        """By which scheme the public asks for this."""
        return "https" if self.headers.get("x-forwarded-proto") == "https" else "http"

    @property
    def host_and_port(self) -> tuple[str, str]:
        """The public name, and the port that goes with it."""
        match = _split_host(self.headers.get("host", "localhost"))
        host, port = match.groups() if match else ("localhost", None)
        return host, port or ("443" if self.scheme == "https" else "80")

    def fields(self) -> Iterator[tuple[str, str]]:
        """The fields of the request, but for the one that is the server's own affair."""
        return ((name, value) for name, value in self.headers.items() if name.lower() != "x-forwarded-proto")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so it is called there
        """Nothing: what became of every request is in the archive."""


class ApplicationServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """The server of one application."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, path: str, application: Any) -> None:
        self._asgi = AsgiLoop(application) if is_asgi(application) else None
        self.call = partial(call_wsgi, application) if self._asgi is None else self._asgi.call
        """Has the application answer a request."""
        super().__init__(path, ApplicationHandler)
        Path(path).chmod(0o600)

    def begin(self) -> None:
        """Have the application begin, and serve in a thread; raises RuntimeError where it says that it cannot."""
        with contextlib.ExitStack() as failing:
            failing.callback(self._close)
            if self._asgi is not None:
                self._asgi.begin()
            failing.pop_all()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    def end(self) -> None:
        """Serve nothing more, and have the application end."""
        self.shutdown()
        self._close()

    def _close(self) -> None:
        self.server_close()
        if self._asgi is not None:
            self._asgi.end()


def is_asgi(application: Any) -> bool:
    """Whether an application is called by ASGI; by WSGI where it is not."""
    return inspect.iscoroutinefunction(application) or inspect.iscoroutinefunction(
        getattr(application, "__call__", None)  # noqa: B004 - it is that method that matters
    )


# WSGI (PEP 3333).


def call_wsgi(application: Any, handler: ApplicationHandler, body: bytes, sender: ResponseSender) -> None:
    """Have a WSGI application answer a request."""

    def start_response(status: str, fields: FieldList, error: Any = None) -> Callable[[bytes], None]:
        if error is not None and sender.is_begun:
            raise error[1].with_traceback(error[2])
        sender.start(status, list(fields))
        return sender.write

    parts = application(_wsgi_environ(handler, body), start_response)
    try:
        whole = b"".join(parts) if isinstance(parts, list | tuple) else None
        for part in filter(None, parts if whole is None else ()):
            sender.write(part)
        sender.write(whole or b"", is_last=True)
    finally:
        getattr(parts, "close", bool)()


def _wsgi_environ(handler: ApplicationHandler, body: bytes) -> dict[str, Any]:
    path, _, query = handler.path.partition("?")
    host, port = handler.host_and_port
    environ: dict[str, Any] = {
        "REQUEST_METHOD": handler.command,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": handler.request_version,
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": handler.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        **dict.fromkeys(("wsgi.multiprocess", "wsgi.run_once"), False),
    }
    for name, value in handler.fields():
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return environ


# ASGI 3.


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

    def call(self, handler: ApplicationHandler, body: bytes, sender: ResponseSender) -> None:
        """Have the application answer a request, one message at a time."""
        messages: queue.Queue[tuple[Message, asyncio.Future[None]] | None] = queue.Queue()
        running = asyncio.run_coroutine_threadsafe(self._run_request(_asgi_scope(handler), body, messages), self._loop)
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
        self, scope: Message, body: bytes, messages: queue.Queue[tuple[Message, asyncio.Future[None]] | None]
    ) -> None:
        received = False

        async def receive() -> Message:
            nonlocal received
            if received:
                await asyncio.Event().wait()  # no client goes away before its response has ended
            received = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            taken = self._loop.create_future()
            messages.put((message, taken))
            await taken

        try:
            await self._application(scope, receive, send)
        finally:
            messages.put(None)


def _asgi_scope(handler: ApplicationHandler) -> Message:
    path, _, query = handler.path.partition("?")
    host, port = handler.host_and_port
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": handler.command,
        "scheme": handler.scheme,
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in handler.fields()],
        "client": ("127.0.0.1", 0),
        "server": (host, int(port)),
    }


def _send_message(message: Message, sender: ResponseSender) -> None:
    if message["type"] == "http.response.start":
        status = int(message["status"])
        fields = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message.get("headers", ())]
        sender.start(f"{status} {responses.get(status, '')}".rstrip(), fields)
    elif message["type"] == "http.response.body":
        sender.write(message.get("body", b""), is_last=not message.get("more_body", False))


# As a script.


def load_application(text: str) -> Any:
    """The application at `MODULE:ATTRIBUTE`; with `()` behind it what the function there makes."""
    module, _, name = text.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.removesuffix("()").split("."):
        found = getattr(found, part)
    return found() if name.endswith("()") else found


def main(text: str, path: str) -> None:
    """Serve an application until standard input ends."""
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path[0] = str(Path.cwd())
    try:
        server = ApplicationServer(path, load_application(text))
        server.begin()
    except BaseException as error:  # noqa: BLE001 - whatever stops it is told in a line
        report.write(f"{_describe(error)}\n")
        report.flush()
        os._exit(1)
    report.write("ready\n")
    report.flush()
    while os.read(0, 1024):
        pass
    server.end()
    os._exit(0)  # threads that an application left behind hold nothing up


if __name__ == "__main__":
    main(*sys.argv[1:3])

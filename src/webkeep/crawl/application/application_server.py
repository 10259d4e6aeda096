"""A small web server around one WSGI or ASGI application, on a Unix socket that nobody but its owner can reach.

Every connection has a thread. A WSGI application is called in it (`wsgi_call.py`); an ASGI application runs on one
event loop (`asgi_loop.py`). This and what it imports is also run by the Python that the application belongs to
(`application_script.py`), where webkeep need not be installed: so it needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import socketserver
import sys
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from webkeep.crawl.application.application_messages import ApplicationRequest, ResponseSender
from webkeep.crawl.application.asgi_loop import AsgiLoop, is_asgi
from webkeep.crawl.application.wsgi_call import call_wsgi

_split_host = re.compile(r"(.*?)(?::([0-9]{1,5}))?").fullmatch
_MAX_BODY_BYTES = 64 << 20
"""Of a request, which is held whole; captures send next to none."""
_FOREIGN_PLACES = ("<", str(Path(__file__).parent), str(Path(os.__file__).parent))
"""Where what is raised is not the application's own: this folder and the standard library."""
_MAX_REASON_CHARS = 300
"""Of what is said about an application that failed, on one line."""


def describe_error(error: BaseException) -> str:
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
            self.server.call(self._request(body), sender)
            self.close_connection = self.close_connection or not sender.is_whole
        except OSError:  # nobody is there any more
            self.close_connection = True
        except Exception as error:  # noqa: BLE001 - whatever an application does, the next request is answered
            sys.stderr.write(f"the application failed at {self.command} {self.path}: {describe_error(error)}\n")
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

    def _request(self, body: bytes) -> ApplicationRequest:
        """The request under its public name; how it came here is the server's own affair."""
        scheme = "https" if self.headers.get("x-forwarded-proto") == "https" else "http"
        match = _split_host(self.headers.get("host", "localhost"))
        host, port = match.groups() if match else ("localhost", None)
        return ApplicationRequest(
            method=self.command,
            target=self.path,
            version=self.request_version,
            scheme=scheme,
            host=host,
            port=port or ("443" if scheme == "https" else "80"),
            fields=[(name, value) for name, value in self.headers.items() if name.lower() != "x-forwarded-proto"],
            body=body,
        )

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

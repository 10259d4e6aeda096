"""A WSGI application (PEP 3333) asked for one response: what it is told, and how what it gives goes out."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

from webkeep.crawl.application.application_messages import ApplicationRequest, FieldList, ResponseSender


def call_wsgi(application: Any, request: ApplicationRequest, sender: ResponseSender) -> None:
    """Have a WSGI application answer a request."""

    def start_response(status: str, fields: FieldList, error: Any = None) -> Callable[[bytes], None]:
        if error is not None and sender.is_begun:
            raise error[1].with_traceback(error[2])
        sender.start(status, list(fields))
        return sender.write

    parts = application(_wsgi_environ(request), start_response)
    try:
        whole = b"".join(parts) if isinstance(parts, list | tuple) else None
        for part in filter(None, parts if whole is None else ()):
            sender.write(part)
        sender.write(whole or b"", is_last=True)
    finally:
        getattr(parts, "close", bool)()


def _wsgi_environ(request: ApplicationRequest) -> dict[str, Any]:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": request.path.decode("latin-1"),
        "QUERY_STRING": request.query,
        "SERVER_NAME": request.host,
        "SERVER_PORT": request.port,
        "SERVER_PROTOCOL": request.version,
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": request.scheme,
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        **dict.fromkeys(("wsgi.multiprocess", "wsgi.run_once"), False),
    }
    for name, value in request.fields:
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return environ

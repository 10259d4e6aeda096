"""What a WSGI server says of a request."""

from __future__ import annotations

from urllib.parse import quote
from wsgiref.types import WSGIEnvironment

from webkeep.recorder.memory import Place
from webkeep.recorder.message import Request


def place_of(environ: WSGIEnvironment) -> Place:
    """All that the URL is made of, as it came."""
    get = environ.get
    return (
        get("RAW_URI") or get("REQUEST_URI") or get("PATH_INFO"),
        get("HTTP_HOST"),
        get("QUERY_STRING"),
        get("SCRIPT_NAME"),
        get("wsgi.url_scheme"),
    )


def request_of(environ: WSGIEnvironment) -> Request:
    """The request as the recorder knows it."""
    fields = [
        (latin(name[5:].replace("_", "-").lower()), latin(value))
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    version = environ.get("SERVER_PROTOCOL", "").rpartition("/")[2]
    return Request(environ["wsgi.url_scheme"], latin(host), _target(environ), fields, version)


def latin(text: str) -> bytes:
    """The bytes that WSGI hands over as text."""
    return text.encode("latin-1", "replace")


def _target(environ: WSGIEnvironment) -> bytes:
    """Path and query as they came where the server tells, and otherwise spelled again."""
    for name in ("RAW_URI", "REQUEST_URI"):
        raw = environ.get(name, "")
        if raw.startswith("/"):
            return str(raw).partition("#")[0].encode("latin-1")
    path = quote(f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}".encode("latin-1"), "/:@!$&'()*+,;=~")
    query = environ.get("QUERY_STRING", "")
    return (f"{path or '/'}?{query}" if query else path or "/").encode("latin-1")

"""A WSGI application on a real server: what visitors get is the same, and the archive holds what they got."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.util import FileWrapper

import pytest

from webkeep.recorder.recording_rules import RecorderRules
from webkeep.recorder.wsgi import ArchivingApplication, archiving_application
from webkeep.store.archive import Archive

Start = Callable[..., Callable[[bytes], object]]
TEXT = (("Content-Type", "text/plain"),)
LONG = [b"%06d " % number * 5000 for number in range(40)]


class Closing:
    """A body that knows whether it was closed."""

    def __init__(self) -> None:
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield from LONG

    def close(self) -> None:
        self.is_closed = True


class Pages:
    """An application with an answer of every kind."""

    def __init__(self) -> None:
        self.closing = Closing()

    def __call__(self, environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        answer: Callable[[Start], Iterable[bytes]] = getattr(self, environ["PATH_INFO"].strip("/") or "page")
        return answer(start_response)

    def page(self, start: Start) -> Iterable[bytes]:
        start("200 OK", list(TEXT))
        return [b"the page"]

    def empty(self, start: Start) -> Iterable[bytes]:
        start("200 OK", [])
        return []

    def stream(self, start: Start) -> Iterable[bytes]:
        start("200 OK", list(TEXT))
        return self.closing

    def lazy(self, start: Start) -> Iterable[bytes]:
        start("200 Fine", list(TEXT))
        yield b"late "
        yield b"and later"

    def written(self, start: Start) -> Iterable[bytes]:
        write = start("200 OK", list(TEXT))
        write(b"written, ")
        return [b"returned"]

    def file(self, start: Start) -> Iterable[bytes]:
        start("200 OK", list(TEXT))
        return FileWrapper(BytesIO(b"a file" * 5000))

    def cookie(self, start: Start) -> Iterable[bytes]:
        start("200 OK", [*TEXT, ("Set-Cookie", "a=b")])
        return [b"yours"]

    def replaced(self, start: Start) -> Iterable[bytes]:
        start("200 OK", list(TEXT))
        try:
            raise ValueError("second thoughts")
        except ValueError as error:
            start("503 Busy", list(TEXT), (type(error), error, error.__traceback__))
        return [b"busy"]

    def umlaut(self, start: Start) -> Iterable[bytes]:
        start("200 OK", list(TEXT))
        return [b"ok"]


class Quiet(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass

    def date_time_string(self, timestamp: float | None = None) -> str:
        return "Sun, 06 Nov 1994 08:49:37 GMT"


@contextmanager
def serving(app: Any) -> Iterator[int]:
    with make_server("127.0.0.1", 0, app, handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join(20)


def ask(port: int, target: str, method: str = "GET", **headers: str) -> tuple[int, str, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, target, headers=headers)
        response = connection.getresponse()
        fields = {name: value for name, value in response.getheaders() if name != "Date"}
        return response.status, response.reason, fields, response.read()
    finally:
        connection.close()


TARGETS = ["/page", "/empty", "/stream", "/lazy", "/written", "/file", "/cookie", "/replaced", "/page?a=%C3%A4%20+;b"]


def test_visitors_get_the_same_with_and_without(tmp_path: Path) -> None:
    with serving(Pages()) as port:
        without = [ask(port, target, method) for target in TARGETS for method in ("GET", "HEAD", "POST")]
    pages = Pages()
    app = archiving_application(pages, tmp_path / "a", RecorderRules(errors=True))
    with serving(app) as port:
        with_it = [ask(port, target, method) for target in TARGETS for method in ("GET", "HEAD", "POST")]
    assert with_it == without
    assert pages.closing.is_closed
    assert kept(app, tmp_path / "a") == {
        "/page": b"the page",
        "/empty": b"",
        "/stream": b"".join(LONG),
        "/lazy": b"late and later",
        "/written": b"written, returned",
        "/file": b"a file" * 5000,
        "/replaced": b"busy",
        "/page?a=%C3%A4%20+;b": b"the page",
    }


def test_known_visitors_are_not_recorded(tmp_path: Path) -> None:
    app = archiving_application(Pages(), tmp_path / "a")
    with serving(app) as port:
        assert ask(port, "/page", Cookie="a=b")[3] == b"the page"
        assert ask(port, "/page", Authorization="Basic YTpi")[3] == b"the page"
    called(app, REMOTE_USER="someone")
    app.close()
    assert {str(count): number for count, number in app.recorder.counts.items() if number} == {"private": 3}
    assert not (tmp_path / "a").exists()


def called(app: ArchivingApplication, **environ: str) -> bytes:
    base = {
        "REQUEST_METHOD": "GET",
        "SERVER_NAME": "example.org",
        "SERVER_PORT": "80",
        "PATH_INFO": "/page",
        "wsgi.url_scheme": "http",
    }
    return b"".join(app({**base, **environ}, lambda *_: lambda _: None))


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, "http://example.org/page"),
        ({"HTTP_HOST": "example.net:8080"}, "http://example.net:8080/page"),
        ({"SCRIPT_NAME": "/\xc3\xa4", "QUERY_STRING": "x=1"}, "http://example.org/%C3%A4/page?x=1"),
        ({"RAW_URI": "/%7Epage?y"}, "http://example.org/%7Epage?y"),
        ({"REQUEST_URI": "http://other.example/x"}, "http://example.org/page"),
    ],
)
def test_urls_are_those_that_were_asked_for(tmp_path: Path, environ: dict[str, str], url: str) -> None:
    app = archiving_application(Pages(), tmp_path / "a")
    called(app, **environ)
    app.close()
    with Archive(tmp_path / "a") as archive:
        assert [each.url for each in archive.observations()] == [url]


def test_errors_of_the_application_are_its_own(tmp_path: Path) -> None:
    def failing(environ: Any, start_response: Start) -> Iterable[bytes]:
        start_response("200 OK", list(TEXT))
        raise LookupError("not here")

    def failing_late(environ: Any, start_response: Start) -> Iterable[bytes]:
        start_response("200 OK", list(TEXT))
        yield b"some"
        raise LookupError("not here")

    for number, each in enumerate((failing, failing_late)):
        app = archiving_application(each, tmp_path / f"{number}")
        with pytest.raises(LookupError, match="not here"):
            called(app)
        app.close()
        assert app.recorder.counts["recorded"] == 0  # type: ignore[index]


def kept(app: ArchivingApplication, path: Path) -> dict[str, bytes]:
    app.close()
    with Archive(path) as archive:
        held = [(each.url, archive.read(each).read()) for each in archive.observations()]
    return {url[url.index("/", 8) :]: body for url, body in held}

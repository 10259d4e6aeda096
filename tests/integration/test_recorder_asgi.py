"""A Starlette application on a real server: what visitors get is the same, and the archive holds what they got."""

import asyncio
import json
import logging
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from webkeep.model import Finding
from webkeep.recorder.asgi import ArchivingMiddleware
from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.store.archive import Archive
from webkeep.store.maintenance import verify_archive

LONG = [b"%06d " % number * 5000 for number in range(40)]


def application(folder: Path, *middleware: Middleware) -> Starlette:
    (folder / "film").write_bytes(b"0123456789" * 1000)
    count = iter(range(1_000_000))

    async def page(request: Request) -> Response:
        return HTMLResponse("<title>Harbour</title>")

    async def number(request: Request) -> Response:
        return HTMLResponse(f"number {next(count)}")

    async def stream(request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in LONG:
                yield piece

        return StreamingResponse(pieces(), media_type="text/plain")

    async def film(request: Request) -> Response:
        return FileResponse(folder / "film")

    async def away(request: Request) -> Response:
        return RedirectResponse("/page")

    async def broken(request: Request) -> Response:
        raise RuntimeError("as it happens")

    async def endless(request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            while True:
                yield b"data: tick\n\n"
                await asyncio.sleep(0)

        return StreamingResponse(pieces(), media_type="text/event-stream")

    routes = [page, number, stream, film, away, broken, endless]
    return Starlette(routes=[Route(f"/{each.__name__}", each) for each in routes], middleware=middleware)


@contextmanager
def serving(app: Any) -> Iterator[int]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", date_header=False))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


def ask(port: int, target: str, method: str = "GET", **headers: str) -> tuple[int, list[tuple[str, str]], bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, target, headers=headers)
        response = connection.getresponse()
        return response.status, response.getheaders(), response.read()
    finally:
        connection.close()


REQUESTS: list[tuple[str, str, dict[str, str]]] = [
    ("GET", "/page", {}),
    ("HEAD", "/page", {}),
    ("GET", "/stream", {}),
    ("GET", "/film", {}),
    ("GET", "/film", {"Range": "bytes=10-19"}),
    ("GET", "/away", {}),
    ("GET", "/broken", {}),
    ("GET", "/nowhere", {}),
    ("POST", "/page", {}),
    ("GET", "/page", {"Cookie": "a=b"}),
]


def test_visitors_get_the_same_with_and_without(tmp_path: Path) -> None:
    plain = application(tmp_path)
    archiving = ArchivingMiddleware(application(tmp_path), tmp_path / "a")
    with serving(plain) as port:
        without = [ask(port, target, method, **headers) for method, target, headers in REQUESTS]
    with serving(archiving) as port:
        with_it = [ask(port, target, method, **headers) for method, target, headers in REQUESTS]
    assert with_it == without
    with Archive(tmp_path / "a") as archive:
        kept = {each.url.rpartition("/")[2]: archive.read(each).read() for each in archive.observations()}
        [capture] = archive.captures()
    # The 500 of a broken page is what the server's own error page says, at a URL that never answered well.
    assert kept == {
        "page": b"<title>Harbour</title>",
        "stream": b"".join(LONG),
        "film": b"0123456789" * 1000,
        "away": b"",
    }
    assert (capture.kind, capture.finished is not None) == ("record", True)
    assert findings(tmp_path / "a") == []


def test_it_can_be_one_of_starlettes_own_middlewares(tmp_path: Path) -> None:
    app = application(tmp_path, Middleware(ArchivingMiddleware, archive=tmp_path / "a"))
    with serving(app) as port:
        assert ask(port, "/page")[0] == 200
    with Archive(tmp_path / "a") as archive:
        assert [each.status for each in archive.observations()] == [200]


def test_a_visitor_who_goes_away(tmp_path: Path) -> None:
    archiving = ArchivingMiddleware(application(tmp_path), tmp_path / "a", RecorderRules(partial=True))
    with serving(archiving) as port:
        with socket.create_connection(("127.0.0.1", port), 20) as visitor:
            visitor.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while b"tick" not in visitor.recv(65536):
                continue
        assert ask(port, "/page")[0] == 200
    with Archive(tmp_path / "a") as archive:
        kept = {each.url.rpartition("/")[2]: archive.read(each).read() for each in archive.observations()}
        cut = [record.get("warc-truncated") for record in archive.records() if record.get("warc-truncated")]
    assert kept["endless"].startswith(b"data: tick\n\ndata: tick")
    assert cut == ["disconnect"]


def test_overload_drops_records_and_no_requests(tmp_path: Path) -> None:
    archiving = ArchivingMiddleware(application(tmp_path), tmp_path / "a", limits=RecorderLimits(waiting=2))
    answers: list[int] = []

    def visit(port: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        for _ in range(100):
            connection.request("GET", "/number")
            response = connection.getresponse()
            response.read()
            answers.append(response.status)
        connection.close()

    with serving(archiving) as port:
        visitors = [threading.Thread(target=visit, args=(port,)) for _ in range(4)]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join()
    counts = {str(count): number for count, number in archiving.recorder.counts.items() if number}
    assert answers == [200] * 400
    assert counts["dropped"] > 0
    assert counts["recorded"] + counts["dropped"] == 400
    with Archive(tmp_path / "a") as archive:
        assert sum(1 for _ in archive.observations()) == counts["recorded"]


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_counted_and_got_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    limits = RecorderLimits(retry=0, patience=0)
    archiving = ArchivingMiddleware(application(tmp_path), tmp_path / "a", limits=limits)
    with serving(archiving) as port:
        assert ask(port, "/page")[0] == 200
    with files_limited_to(1000), caplog.at_level(logging.ERROR, "webkeep.recorder"), serving(archiving) as port:
        for _ in range(20):
            assert ask(port, "/number")[0] == 200
    assert len(caplog.messages) == 1
    counts = archiving.recorder.counts
    assert {str(count): number for count, number in counts.items() if number} == {"recorded": 1, "failed": 20}
    with serving(archiving) as port:
        assert ask(port, "/number")[2] == b"number 20"
    with Archive(tmp_path / "a") as archive:
        assert [archive.read(each).read() for each in archive.observations()][-1] == b"number 20"
    assert findings(tmp_path / "a") == []


SCRIPT = """
import json, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from webkeep.recorder import ArchivingMiddleware

async def page(request):
    return PlainTextResponse("kept")

app = ArchivingMiddleware(Starlette(routes=[Route("/", page)]), sys.argv[1])
config = uvicorn.Config(app, fd=int(sys.argv[2]), log_level="critical")
uvicorn.Server(config).run()
"""


def test_a_server_that_is_told_to_end_ends_its_capture(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / "a"), str(listening.fileno())]
        with subprocess.Popen(command, pass_fds=[listening.fileno()]) as process:
            assert ask(port, "/")[2] == b"kept"
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    with Archive(tmp_path / "a") as archive:
        [capture] = archive.captures()
        assert capture.finished is not None
        assert json.loads(capture.facts["answers-recorded"]) == 1
        assert [archive.read(each).read() for each in archive.observations()] == [b"kept"]


def test_lifespan_is_the_applications(tmp_path: Path) -> None:
    events: list[str] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        events.append("up")
        yield
        events.append("down")

    app = Starlette(lifespan=lifespan)
    with serving(ArchivingMiddleware(app, tmp_path / "a")) as port:
        assert ask(port, "/")[0] == 404
        assert events == ["up"]
    assert events == ["up", "down"]


def findings(path: Path) -> list[Finding]:
    found: list[Finding] = []
    with Archive(path) as archive:
        verify_archive(archive, found.append)
    return found

"""The demo site over loopback: what it serves is what its truth says."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.fetch.proxy import open_listeners as record_listening
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan
from webkeep.lab.demo.addresses import SISTER_HOST, STATIC_HOST
from webkeep.model import Moment
from webkeep.replay.server import open_listener as serve_listening

START = Moment.parse("2026-05-20T08:00:00Z")
COMMAND = (
    "import argparse, sys\n"
    "from webkeep.cli.commands import demo\n"
    "from webkeep.cli.output.console import Output\n"
    "from webkeep.errors import WebkeepError\n"
    "parser = argparse.ArgumentParser()\n"
    "parser.add_argument('--json', action='store_true')\n"
    "demo.arguments(parser)\n"
    "args = parser.parse_args()\n"
    "try:\n"
    "    sys.exit(demo.run(args, Output(args.json)))\n"
    "except WebkeepError as error:\n"
    "    sys.exit(f'{type(error).__name__}: {error}')\n"
)


@dataclass
class HandClock:
    """A clock that is moved by hand."""

    moment: Moment = START

    def now(self) -> Moment:
        return self.moment


@dataclass
class Visitor:
    """A client on one kept-alive connection."""

    connection: http.client.HTTPConnection

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        self.connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        response = self.connection.getresponse()
        return response, response.read()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def server(clock: HandClock) -> Iterator[DemoServer]:
    with DemoServer(DemoSite(SitePlan(pages=90), START), clock=clock) as running:
        yield running


@pytest.fixture
def visitor(server: DemoServer) -> Iterator[Visitor]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    yield Visitor(connection)
    connection.close()


def test_every_address_is_served_as_the_truth_says(server: DemoServer, visitor: Visitor) -> None:
    truth = json.loads(visitor.get("/.demo/truth.json")[1])["resources"]
    assert [one["path"] for one in truth] == list(server.site.resources)
    for one in truth:
        response, body = visitor.get(one["path"])
        assert response.status == one["status"]
        if response.status == 200:
            assert response.headers["content-type"] == one["media_type"]
            assert body == server.site.render_version(one["path"], 0, server.addresses)
    assert server.requests == len(truth)


def test_the_log_tells_the_version_of_every_answer(server: DemoServer, visitor: Visitor, clock: HandClock) -> None:
    etag = ""
    expected = []
    for minute in range(0, 60, 3):
        clock.moment = START.plus(minute * 60)
        response, body = visitor.get("/weather/", **({"If-None-Match": etag} if etag else {}))
        version = server.site.version_at("/weather/", clock.moment)
        expected.append((clock.moment, version, response.status, bool(etag)))
        if response.status == 200:
            assert body == server.site.render_version("/weather/", version, server.addresses)
        etag = response.headers["etag"]
    told = [(one.moment, one.version, one.status, one.conditional) for one in server.served_responses()]
    assert told == expected
    assert {status for _, _, status, _ in told} == {200, 304}
    listed = json.loads(visitor.get("/.demo/served.json")[1])
    assert listed["requests"] == len(expected)
    assert [(one["micros"], one["version"]) for one in listed["served"]] == [
        (moment.micros, version) for moment, version, _, _ in expected
    ]


def test_the_history_is_told_up_to_now(server: DemoServer, visitor: Visitor, clock: HandClock) -> None:
    clock.moment = START.plus(4000)
    told = json.loads(visitor.get("/.demo/history.json")[1])["history"]
    assert {one["path"]: one["changes"] for one in told} == {
        path: [moment.micros for moment in server.site.changes_until(path, clock.moment)]
        for path in server.site.resources
    }
    alone = json.loads(visitor.get("/.demo/history.json?path=/guestbook/")[1])["history"]
    assert [one["path"] for one in alone] == ["/guestbook/"]
    assert alone[0]["changes"]


def test_head_range_and_absence(server: DemoServer, visitor: Visitor) -> None:
    whole = visitor.get("/pictures/quay-dawn-640.png")[1]
    head, nothing = visitor.get("/pictures/quay-dawn-640.png", "HEAD")
    assert (int(head.headers["content-length"]), nothing) == (len(whole), b"")
    part, body = visitor.get("/pictures/quay-dawn-640.png", Range="bytes=100-199")
    assert (part.status, body) == (206, whole[100:200])
    assert visitor.get("/nowhere")[0].status == 404
    assert visitor.get("/.demo/nothing")[0].status == 404
    assert visitor.get("/contact/send/", "POST", Content_Length="0")[0].headers["location"] == "/contact/thanks/"
    assert visitor.get("/", "PROPFIND")[0].status == 405


def test_many_clients_at_once_are_all_logged(server: DemoServer) -> None:
    paths = [one.path for one in server.site.truth() if one.status == 200][:60]

    def visit(path: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("GET", path)
        status = connection.getresponse().status
        connection.close()
        return status

    with ThreadPoolExecutor(8) as visitors:
        assert set(visitors.map(visit, paths)) == {200}
    assert sorted(one.path for one in server.served_responses()) == sorted(paths)


def test_hosts_are_told_apart_by_name(clock: HandClock) -> None:
    with DemoServer(DemoSite(SitePlan(spread=True), START), clock=clock) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        visitor = Visitor(connection)
        body = visitor.get("/upper-fell/", Host=f"{SISTER_HOST}:{server.port}")[1].decode()
        assert f"http://{STATIC_HOST}:{server.port}/static/town.css" in body
        assert visitor.get("/upper-fell/", Host=STATIC_HOST)[0].status == 404
        assert [(one.host, one.status) for one in server.served_responses()] == [(SISTER_HOST, 200), (STATIC_HOST, 404)]
        connection.close()


def test_a_taken_port_is_one_clear_line() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        demo = partial(DemoServer, DemoSite(SitePlan(), START))
        for listen in (demo, partial(record_listening, "127.0.0.1"), partial(serve_listening, "127.0.0.1")):
            with pytest.raises(UsageError, match=f"^port {port} of 127.0.0.1 is in use; choose another with --port$"):
                listen(port)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_told_to_end(number: signal.Signals, tmp_path: Path) -> None:
    log = tmp_path / "served.jsonl"
    words = [sys.executable, "-c", COMMAND, "--port", "0", "--json", "--log", str(log)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        listening = json.loads(process.stdout.readline())
        assert listening["event"] == "listening"
        connection = http.client.HTTPConnection("127.0.0.1", listening["port"], timeout=20)
        assert Visitor(connection).get("/")[0].status == 200
        connection.close()
        process.send_signal(number)
        rest, noted = process.communicate(timeout=30)
    assert process.returncode == 0, noted
    assert json.loads(rest.splitlines()[-1]) == {"url": listening["url"], "requests": 1}
    assert json.loads(log.read_text())["path"] == "/"


def test_the_command_writes_the_site(tmp_path: Path) -> None:
    words = [sys.executable, "-c", COMMAND, "--write", str(tmp_path / "site"), "--start", "2026-05-20", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)
    assert summary["files"] == sum(path.is_file() for path in (tmp_path / "site").rglob("*"))
    assert re.search(r"<title>Front page", (tmp_path / "site" / "index.html").read_text())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--start", "1970"], "UsageError: about"),
        (["--start", "2999"], "UsageError: the site's history cannot begin later"),
        (["--port", "70000"], "UsageError: there is no port 70000"),
        (["--pages", "-3"], "UsageError: the site can have"),
        (["--log", "/dev/null/served"], "StorageError: cannot write the log"),
    ],
)
def test_the_command_says_what_is_wrong_in_one_line(words: list[str], said: str) -> None:
    done = subprocess.run([sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=False)
    assert done.returncode
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == 1

"""Memento and CDX asked by programs that are not ours: memento-client, cdx-toolkit, and pywb with us as its source."""

import http.client
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from serve_calls import Client, archive_of, page, served

from webkeep.model import Moment

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".peers/tools/bin/python"
PYWB = ROOT / ".peers/pywb/bin/wayback"
PATIENCE = 60.0


class Original(BaseHTTPRequestHandler):
    """The live page that was archived, which a Memento client asks first."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@pytest.fixture(scope="module")
def original() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Original) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, original: str) -> Iterator[Client]:
    start = Moment.parse("20240101")
    days = [page(original, start.plus(86400 * day), f"<p>day {day}") for day in range(30)]
    with served(archive_of(tmp_path_factory.mktemp("serve") / "archive", *days)) as client:
        yield client


def told(code: str, *arguments: str) -> object:
    """What a program for a peer's library prints."""
    done = subprocess.run([TOOLS, "-c", code, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_memento_client_finds_the_memento_it_wants(client: Client, original: str) -> None:
    code = """
import sys, json, datetime
from memento_client import MementoClient
client = MementoClient(timegate_uri=sys.argv[1], check_native_timegate=False)
found = client.get_memento_info(sys.argv[2], datetime.datetime(2024, 1, 10, 5))
print(json.dumps({name: each["uri"] for name, each in found["mementos"].items()}))
"""
    uris = told(code, f"{client.root}/web/", original)
    assert isinstance(uris, dict)
    assert uris["closest"] == [f"{client.root}/web/20240110000000/{original}"]
    assert uris["first"] == [f"{client.root}/web/20240101000000/{original}"]
    assert uris["last"] == [f"{client.root}/web/20240130000000/{original}"]
    assert uris["prev"] == [f"{client.root}/web/20240109000000/{original}"]
    assert uris["next"] == [f"{client.root}/web/20240111000000/{original}"]


def test_cdx_toolkit_iterates_pages_and_limits(client: Client, original: str) -> None:
    code = """
import sys, json, cdx_toolkit
cdx = cdx_toolkit.CDXFetcher(source=sys.argv[1])
url = sys.argv[2]
print(json.dumps({
    "all": [each["timestamp"] for each in cdx.iter(url + "*")],
    "limited": len(cdx.get(url, limit=7)),
    "since": [each["timestamp"] for each in cdx.iter(url, from_ts="20240128")],
    "filtered": len(list(cdx.iter(url, filter=["!status:200"]))),
}))
"""
    found = told(code, f"{client.root}/cdx", original)
    assert isinstance(found, dict)
    assert len(found["all"]) == 30
    assert found["limited"] == 7
    assert found["since"] == ["20240128000000", "20240129000000", "20240130000000"]
    assert found["filtered"] == 0


@contextmanager
def pywb(folder: Path, root: str) -> Iterator[int]:
    """A pywb whose collections are ours, by Memento and by CDX."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    query = "url={url}&closest={closest}&sort=closest&filter=!status:404"
    (folder / "config.yaml").write_text(
        "collections:\n"
        f"  memento:\n    index: 'memento+{root}/web/'\n"
        f"  cdx:\n    index:\n      type: cdx\n      api_url: '{root}/cdx?{query}'\n"
        f"      replay_url: '{root}/web/{{timestamp}}id_/{{url}}'\n"
    )
    command = [PYWB, "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline and process.poll() is None:
                with socket.socket() as probe:
                    if not probe.connect_ex(("127.0.0.1", port)):
                        break
            yield port
        finally:
            process.terminate()
            process.wait(30)


def test_pywb_shows_what_we_hold(client: Client, original: str, tmp_path: Path) -> None:
    with pywb(tmp_path, client.root) as port:
        for collection in ("memento", "cdx"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", f"/{collection}/20240110000000id_/{original}")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"<p>day 9"), collection
            assert answer.getheader("Memento-Datetime") == "Wed, 10 Jan 2024 00:00:00 GMT", collection
            connection.close()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", f"/memento/timemap/link/{original}")
        assert connection.getresponse().read().count(b"datetime=") >= 30
        connection.close()

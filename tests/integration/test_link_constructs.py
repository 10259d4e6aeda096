"""One capture over all small pages of the table of constructs: every link target they must give is asked for.

The pages are served under the very addresses of the table, https and foreign hosts included, by a server that poses as
a proxy and answers for every host by itself.
"""

import runpy
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from capture_calls import fates
from listening import Listening
from warc_material import Done, webkeep

from webkeep.url.canonical import FETCH_IDENTITY

DATA = Path(__file__).parents[1]
SITE = DATA / "sites/constructs"
ROWS: list[dict[str, Any]] = runpy.run_path(str(SITE / "table.py"))["rows"]()
PAGE_OF_SCRIPT = "https://site.example/pages/p.html"


def address(row: dict[str, Any]) -> str:
    return str(row.get("url", f"https://site.example/dir/{row['file']}"))


def seed(row: dict[str, Any]) -> str:
    """Where to begin for a row: its own address, or the page that it is part of."""
    return str(row.get("page", address(row)))


def expected(row: dict[str, Any]) -> set[str]:
    return {FETCH_IDENTITY(url.partition("#")[0]) for url, *_ in row["links"]}


class EveryHost(Listening):
    """Answers for every host: with the row of an address, or with a picture that is like no other."""

    def __init__(self) -> None:
        super().__init__(at_once=True)
        self._rows = {address(row): row for row in ROWS}
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(DATA / "data/tls/site.pem")
        self.asked: set[str] = set()

    def talk(self, connection: socket.socket) -> None:
        method, target = _read_request(connection)
        if method != "CONNECT":
            self._answer(connection, target)
            return
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        with self._tls.wrap_socket(connection, server_side=True) as secure:
            while path := _read_request(secure)[1]:
                self._answer(secure, f"https://{target.removesuffix(':443')}{path}")

    def _answer(self, connection: socket.socket, url: str) -> None:
        self.asked.add(url)
        row = self._rows.get(url)
        fields = ["Content-Type: image/png"] if row is None else []
        body = url.encode()
        if row is not None:
            body = (SITE / "files" / row["file"]).read_bytes()
            fields += [f"Content-Type: {row['type']}"] if row["type"] else []
            fields += [f"{name}: {value}" for name, value in row.get("headers", [])]
        elif url == PAGE_OF_SCRIPT:
            scripts = [address(each) for each in ROWS if each.get("page") == url]
            fields, body = (
                ["Content-Type: text/html"],
                "".join(f'<script src="{each}"></script>' for each in scripts).encode(),
            )
        head = "\r\n".join(["HTTP/1.1 200 OK", *fields, f"Content-Length: {len(body)}", "", ""])
        connection.sendall(head.encode() + body)


def _read_request(connection: socket.socket) -> tuple[str, str]:
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return "", ""
        data += chunk
    method, target, _ = data.split(b"\r\n", 1)[0].decode().split(" ", 2)
    return method, target


@dataclass
class Captured:
    """What came of the capture."""

    done: Done
    asked: set[str] = field(default_factory=set)
    fates: dict[str, tuple[str, str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Captured]:
    folder = tmp_path_factory.mktemp("constructs")
    seeds = folder / "seeds.txt"
    seeds.write_text("".join(f"{seed(row)}\n" for row in ROWS))
    with EveryHost() as server:
        words = ["--proxy", f"http://127.0.0.1:{server.port}", "--insecure", "--delay", "0", "--robots", "ignore"]
        words += ["--scope", "page", "--include", "*", "--depth", "1", "--trap-budget", "off"]
        done = webkeep("capture", "--seeds-from", seeds, "--into", folder / "archive", *words)
        yield Captured(done, server.asked, fates(folder / "archive"))


def test_the_capture_came_to_its_end(captured: Captured) -> None:
    assert captured.done.code == 0, captured.done.err


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_every_target_is_asked_for(captured: Captured, row: dict[str, Any]) -> None:
    missed = {url: captured.fates.get(url) for url in expected(row) - captured.asked}
    assert not missed
    assert address(row) in captured.asked

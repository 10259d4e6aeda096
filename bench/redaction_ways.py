"""The ways into an archive: a recording proxy, captures of both tiers, the middleware of servers, and imports."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from bench.redaction_places import Sent
from webkeep.crawl.plan import save_login
from webkeep.recorder.asgi import ArchivingMiddleware
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.recorder.wsgi import archiving_application

_NUMBER = re.compile(rb"X-Number: ([0-9]+)")
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_KEY = b"\x01\x02\x03\x04"
_PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n"

Answer = Callable[[str, dict[str, str]], tuple[int, dict[str, str], bytes]]
"""Status, fields and body for a path and the fields it was asked with."""


@dataclass
class Server:
    """A server on loopback that says back what the requests of a bench call for."""

    answers: Callable[[bytes, bytes], bytes]
    port: int = 0
    _listener: socket.socket = field(init=False)

    def __enter__(self) -> Server:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            head, body = _read_message(client)
            answer = self.answers(head, body)
            client.sendall(answer)
            while answer.startswith(b"HTTP/1.1 101") and client.recv(65536):
                continue


def _read_message(client: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = client.recv(65536)
        if not chunk:
            return data, b""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    while length and len(body) < int(length[1]):
        body += client.recv(65536)
    return head, body


def record(folder: Path, sent: Sequence[Sent], frames: Sequence[bytes], *words: str) -> None:
    """Send everything through `webkeep record`, and frames through a WebSocket."""

    def answers(head: bytes, _: bytes) -> bytes:
        if b"upgrade: websocket" in head.lower():
            return b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        number = _NUMBER.search(head)
        fields = sent[int(number[1])].answer if number else ()
        return _PAGE + b"".join(f"{name}: {value}\r\n".encode() for name, value in fields) + b"\r\nok"

    with Server(answers) as server, _recording(folder / "recorded", folder, *words) as port:
        for number, each in enumerate(sent):
            _ask(port, _request(server.port, number, each))
        _converse(port, server.port, frames)


@contextmanager
def _recording(archive: Path, folder: Path, *words: str) -> Iterator[int]:
    command = [sys.executable, "-m", "webkeep", "record", "--json", "--private", "--into", archive, "--port", "0"]
    command += ["--authority", folder / "authority", *words]
    with (folder / "record.log").open("w") as log:
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        reading = threading.Thread(target=_copy, args=(process.stdout, log))
        reading.start()
        try:
            yield int(first["proxy"].rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(300)
            reading.join()


def _copy(source: IO[str], target: IO[str]) -> None:
    for line in source:
        target.write(line)


def _request(port: int, number: int, each: Sent) -> bytes:
    target = each.raw or each.target.encode()
    lines = [f"Host: 127.0.0.1:{port}", f"X-Number: {number}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in each.fields]
    lines += [f"Content-Length: {len(each.body)}"] if each.body else []
    method = b"POST" if each.body else b"GET"
    start = method + b" http://127.0.0.1:%d" % port + target + b" HTTP/1.1\r\n"
    return start + "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + each.body


def _ask(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(data)
        answer = b""
        with suppress(ConnectionError):
            while chunk := client.recv(65536):
                answer += chunk
    return answer


def _converse(port: int, server: int, frames: Sequence[bytes]) -> None:
    """Open a WebSocket whose URL and frames hold secrets; the last of the frames is its URL's."""
    *messages, token = frames
    head = (
        b"GET http://127.0.0.1:%d/socket?token=%b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(head % (server, token, server))
        client.recv(65536)
        for message in messages:
            client.sendall(message)
        client.shutdown(socket.SHUT_WR)
        with suppress(OSError):
            while client.recv(65536):
                continue


def masked(payload: bytes, first: int = 0x81) -> bytes:
    """A frame as a client sends it."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2, "big")
    return bytes([first]) + length + _KEY + bytes(byte ^ _KEY[at % 4] for at, byte in enumerate(payload))


def deflated(payload: bytes) -> bytes:
    """A message as permessage-deflate packs it."""
    packer = zlib.compressobj(wbits=-15)
    return (packer.compress(payload) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


def capture(folder: Path, name: str, answer: Answer, *words: str, seed: str = "/", port_word: str = "PORT") -> int:
    """Run `webkeep capture` on a site; what it says goes into a file beside the archive."""

    def answers(head: bytes, _: bytes) -> bytes:
        line, *lines = head.decode("latin-1").split("\r\n")
        fields = {each.partition(":")[0].lower(): each.partition(":")[2].strip() for each in lines}
        status, given, body = answer(line.split(" ")[1], fields)
        told = "".join(f"{field_name}: {value}\r\n" for field_name, value in given.items())
        start = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{told}\r\n"
        return start.encode("latin-1", "replace") + body

    with Server(answers) as server, (folder / f"{name}.log").open("wb") as log:
        home = f"http://127.0.0.1:{server.port}"
        command = [sys.executable, "-m", "webkeep", "capture", home + seed, "--into", str(folder / name), "--json"]
        given = [word.replace(port_word, str(server.port)) for word in words]
        done = subprocess.run([*command, *given], stdout=log, stderr=subprocess.STDOUT, check=False, timeout=600)
    return done.returncode


def interrupted_capture(folder: Path, name: str, links: Sequence[str], *words: str) -> None:
    """A capture that is told to stop while URLs with secrets are queued: its job folder stays."""
    asked, release = threading.Event(), threading.Event()
    page = "".join(f'<a href="{link}">x</a>' for link in ("/slow", *links)).encode()

    def answers(head: bytes, _: bytes) -> bytes:
        path = head.split(b" ")[1]
        if path == b"/slow":
            asked.set()
            release.wait(60)
        body = page if path == b"/" else b"here"
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    with Server(answers) as server, (folder / f"{name}.log").open("wb") as log:
        command = [sys.executable, "-m", "webkeep", "capture", f"http://127.0.0.1:{server.port}/", "--json"]
        command += ["--into", str(folder / name), "--connections", "1", "--no-sitemaps", *words]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        asked.wait(120)
        process.send_signal(signal.SIGINT)
        release.set()
        process.wait(120)


def make_login(folder: Path, home: str, cookies: dict[str, str], stored: dict[str, str]) -> Path:
    """A saved login."""
    jar = [
        {"name": name, "value": value, "domain": "127.0.0.1", "path": "/", "expires": -1}
        for name, value in cookies.items()
    ]
    save_login(folder, f"{home}/login", jar, {home: stored})
    return folder


def serve_recorded(folder: Path, sent: Sequence[Sent], is_wsgi: bool) -> None:
    """Have a server record itself while visitors ask it for everything."""
    rules = RecorderRules(private=True, credentials=True, origin="http://a.test", request_fields=_FIELDS)
    if is_wsgi:
        _serve_wsgi(folder, sent, rules)
    else:
        asyncio.run(_serve_asgi(folder, sent, rules))


_FIELDS = frozenset({"referer", "authorization", "cookie", "x-api-key", "x-csrf-token", "x-info", "user-agent"})


async def _serve_asgi(folder: Path, sent: Sequence[Sent], rules: RecorderRules) -> None:
    current: list[Sent] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        fields = [(name.encode(), value.encode()) for name, value in current[0].answer]
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain"), *fields]}
        )
        await send({"type": "http.response.body", "body": b"here"})

    async def send(_message: Any) -> None:
        return None

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    middleware = ArchivingMiddleware(app, folder / "served-asgi", rules)
    for number, each in enumerate(sent):
        current[:] = [each]
        path, _, query = (each.raw.decode("latin-1") if each.raw else each.target).partition("?")
        fields = [(b"host", b"a.test"), *((name.lower().encode(), value.encode()) for name, value in each.fields)]
        target = f"/{number}{path}"
        scope = {
            "type": "http", "method": "GET", "scheme": "http", "path": target, "headers": fields,
            "raw_path": quote(target, safe="/%;=").encode(), "query_string": query.encode("latin-1"),
        }  # fmt: skip
        await middleware(scope, receive, send)
    middleware.close()


def _serve_wsgi(folder: Path, sent: Sequence[Sent], rules: RecorderRules) -> None:
    current: list[Sent] = []

    def app(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain"), *current[0].answer])
        return [b"here"]

    application = archiving_application(app, folder / "served-wsgi", rules)
    for number, each in enumerate(sent):
        current[:] = [each]
        path, _, query = (each.raw.decode("latin-1") if each.raw else each.target).partition("?")
        environ = {
            "REQUEST_METHOD": "GET", "wsgi.url_scheme": "http", "HTTP_HOST": "a.test", "SERVER_NAME": "a.test",
            "SERVER_PORT": "80", "PATH_INFO": f"/{number}{path}", "QUERY_STRING": query, "SERVER_PROTOCOL": "HTTP/1.1",
            **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in each.fields},
        }  # fmt: skip
        list(application(environ, lambda *_: lambda _data: None))
    application.close()


def imported(folder: Path, sent: Sequence[Sent], *words: str) -> None:
    """Import a WARC file of others, which holds everything in clear."""
    records = b"".join(gzip.compress(each) for each in _records(sent))
    source = folder.parent / "others.warc.gz"
    source.write_bytes(records)
    command = [sys.executable, "-m", "webkeep", "import", source, "--into", folder / "imported", "--json", *words]
    with (folder / "import.log").open("wb") as log:
        subprocess.run(list(map(str, command)), stdout=log, stderr=subprocess.STDOUT, check=False, timeout=300)


def _records(sent: Sequence[Sent]) -> Iterator[bytes]:
    for number, each in enumerate(sent):
        target = quote(each.raw, safe="/?&=;#%[]") if each.raw else each.target
        url = f"http://a.test/{number}{target}"
        head = "".join(f"{name}: {value}\r\n" for name, value in each.fields).encode()
        asked = b"POST" if each.body else b"GET"
        request = asked + f" /{number}".encode() + (each.raw or each.target.encode()) + b" HTTP/1.1\r\nHost: a.test\r\n"
        request += head + (b"Content-Length: %d\r\n" % len(each.body) if each.body else b"") + b"\r\n" + each.body
        told = "".join(f"{name}: {value}\r\n" for name, value in each.answer).encode()
        response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + told + b"\r\nok"
        yield _record("response", number, url, response)
        yield _record("request", number, url, request)


def _record(kind: str, number: int, url: str, block: bytes) -> bytes:
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:test:{kind}-{number}>\r\n"
        f"WARC-Date: 2024-03-01T12:00:{number % 60:02d}Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype={kind}\r\nContent-Length: {len(block)}\r\n"
    )
    other = "request" if kind == "response" else "response"
    return f"{head}WARC-Concurrent-To: <urn:test:{other}-{number}>\r\n\r\n".encode() + block + b"\r\n\r\n"


def owner_only(folder: Path) -> list[str]:
    """Files of archives that others could read."""
    found = (each for each in folder.rglob("*") if each.is_file() and "archive.toml" in os.listdir(_root(each, folder)))
    return [str(each) for each in found if each.stat().st_mode & 0o077]


def _root(path: Path, folder: Path) -> Path:
    return folder / path.relative_to(folder).parts[0] if len(path.relative_to(folder).parts) > 1 else folder

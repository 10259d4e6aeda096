"""Servers on loopback that misbehave as the catalog says, each fault under its own host name.

One port serves the faults of plain HTTP, told apart by the Host header; robots.txt is nowhere, and any path but the
fault's own is a small page. What needs TLS, or nobody listening, has a port of its own.
"""

import asyncio
import collections
import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType

from fault_behaviours import BEHAVIOURS, finish, small_page
from fault_catalog import FAULTS, Ending, Fault, Place

DOMAIN = "fault.example"
HUB = f"hub.{DOMAIN}"
_SECURE = frozenset({Place.SECURE, Place.TLS_GARBAGE, Place.TLS_HANG_UP})
_LISTENING = (Place.WEB, *_SECURE)

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class FaultServer:
    """Serves while the `with` block lasts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._faults = {fault.name: fault for fault in FAULTS}
        self._sockets = {place: socket.create_server(("127.0.0.1", 0), backlog=512) for place in _LISTENING}
        # Bound, so that nobody else gets the port; but nobody listens, and nobody does on IPv6 either.
        self._sockets[Place.REFUSED_PORT] = self._sockets[Place.SIXTH] = _bound()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._begun = threading.Event()
        self._ended = asyncio.Event()
        self.asked: collections.Counter[str] = collections.Counter()
        """How often each host was asked, robots.txt aside."""

    @property
    def seeds(self) -> list[str]:
        """The page that links to all faults, and those that lie outside of its site."""
        outside = [self.url(fault) for fault in FAULTS if fault.place is Place.NO_NAME]
        return [f"http://{HUB}:{self._port(Place.WEB)}/", *outside]

    @property
    def resolves(self) -> list[str]:
        """What `--resolve` must be given."""
        found = [f"{HUB}:{self._port(Place.WEB)}:127.0.0.1"]
        for fault in FAULTS:
            if fault.place is not Place.NO_NAME:
                address = "[::1]" if fault.place is Place.SIXTH else "127.0.0.1"
                found.append(f"{fault.name}.{DOMAIN}:{self._port(fault.place)}:{address}")
        return found

    def url(self, fault: Fault, path: str = "") -> str:
        """Where a fault is met, or another path of its host; a whole URL stays as it is."""
        if "://" in path:
            return path
        if fault.place is Place.NO_NAME:
            return f"http://{fault.name}.invalid/"
        scheme = "https" if fault.place in _SECURE else "http"
        return f"{scheme}://{fault.name}.{DOMAIN}:{self._port(fault.place)}{path or '/' + fault.name}"

    def _port(self, place: Place) -> int:
        port: int = self._sockets[place].getsockname()[1]
        return port

    def __enter__(self) -> "FaultServer":
        self._thread.start()
        assert self._begun.wait(30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(30)
        for each in self._sockets.values():
            each.close()

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(_certificate(self._folder))
        servers = [
            await asyncio.start_server(_closing(self._converse), sock=self._sockets[Place.WEB]),
            await asyncio.start_server(_closing(self._converse), sock=self._sockets[Place.SECURE], ssl=tls),
            await asyncio.start_server(_closing(_talk_nonsense), sock=self._sockets[Place.TLS_GARBAGE]),
            await asyncio.start_server(_closing(_hang_up), sock=self._sockets[Place.TLS_HANG_UP]),
        ]
        self._begun.set()
        await self._ended.wait()
        for server in servers:
            server.close()
        await _some_turns()
        conversations = asyncio.all_tasks() - {asyncio.current_task()}
        for each in conversations:
            each.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)
        await _some_turns()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            head = await reader.readuntil(b"\r\n\r\n")
            await self._answer(head.decode("latin-1"), reader, writer)

    async def _answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = head.split(" ", 2)[1]
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        name = fields["host"].split(f".{DOMAIN}")[0]
        if path == "/robots.txt":
            writer.write(small_page(b"none", "404 Not Found"))
        elif name == "hub":
            writer.write(small_page(self._hub()))
        elif not path.startswith(f"/{name}"):
            self.asked[name] += 1
            writer.write(small_page(f"found by {name}".encode()))
        else:
            self.asked[name] += 1
            fault = self._faults[name]
            if name in BEHAVIOURS:
                await BEHAVIOURS[name](writer, path, fields.get("cookie", ""), self.asked[name])
            else:
                writer.write(fault.answer)
            await finish(reader, writer, fault.ending)
        await writer.drain()

    def _hub(self) -> bytes:
        links = (f'<li><a href="{self.url(fault)}">{fault.name}</a>' for fault in FAULTS)
        return f"<!doctype html><title>Faults</title><ul>{''.join(links)}</ul>".encode()


def _closing(handler: Handler) -> Handler:
    """A handler whose connections end with it, however it ends."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await handler(reader, writer)
                if writer.is_closing():
                    await writer.wait_closed()
        finally:
            writer.transport.abort()

    return handle


async def _some_turns() -> None:
    """Let what is due be done: connections are given up some turns of the loop after they are told to."""
    for _ in range(20):
        await asyncio.sleep(0)


async def _talk_nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(100)
    writer.write(b"HTTP/1.1 400 This is not the port you think\r\n\r\n")
    await finish(reader, writer, Ending.CLOSE)


async def _hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(100)
    await finish(reader, writer, Ending.RESET)


def _bound() -> socket.socket:
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return bound


def _certificate(folder: Path) -> Path:
    """A certificate that nobody has signed, with its key."""
    made = folder / "nobody.pem"
    subject = f"/CN=certificate-of-nobody.{DOMAIN}"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", subject]
    subprocess.run([*command, "-keyout", made, "-out", folder / "only.pem"], check=True, capture_output=True)
    made.write_bytes(made.read_bytes() + (folder / "only.pem").read_bytes())
    return made

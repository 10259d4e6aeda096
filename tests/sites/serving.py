"""Serves every site of this folder on loopback, over http and https, each by its host names; tells what it sent."""

import asyncio
import ssl
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from sites.answers import Said, Visit, answer
from sites.plan import Rule, Site, sites
from sites.websocket import converse, handshake


@dataclass
class Sent:
    """One answer as it went out."""

    visit: Visit
    status: int
    content: bytes = b""
    """What a reader gets to see."""
    wire: bytearray = field(default_factory=bytearray)
    """The body as it was framed and packed."""


class SiteServer:
    """Runs in a thread of its own while the `with` block lasts."""

    def __init__(self, tls: ssl.SSLContext | None = None, served: Iterable[Site] | None = None) -> None:
        self._tls = tls
        self._sites = {host: site for site in (sites() if served is None else served) for host in site.all_hosts}
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="test sites", daemon=True)
        self.ports: dict[str, int] = {}
        """The port of each scheme."""
        self.sent: list[Sent] = []
        """Every answer, in the order of requests."""

    @property
    def hosts(self) -> list[str]:
        return sorted(self._sites)

    def url(self, site: Site, scheme: str) -> str:
        """Where a browser begins."""
        return f"{scheme}://{site.host}:{self.ports[scheme]}/{site.start}"

    def resolve(self) -> list[str]:
        """All names as `--resolve` takes them."""
        return [f"{host}:{port}:127.0.0.1" for host in self.hosts for port in self.ports.values()]

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._ending, self._asked = asyncio.Event(), asyncio.Condition()
        self._paths: list[tuple[str, str, str]] = []
        self._talks: set[asyncio.Task[None]] = set()
        ways = [("http", None)] + ([("https", self._tls)] if self._tls else [])
        servers = [await asyncio.start_server(self._talk, "127.0.0.1", 0, ssl=tls, backlog=512) for _, tls in ways]
        self.ports = {
            scheme: server.sockets[0].getsockname()[1] for (scheme, _), server in zip(ways, servers, strict=True)
        }
        self._started.set()
        await self._ending.wait()
        for server in servers:
            server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._exchange(reader, writer):
                    await writer.drain()
        finally:
            self._talks.discard(task)
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether there can be another."""
        visit = await self._visit(reader, writer)
        site = self._sites.get(visit.host)
        if site is None:
            writer.write(b"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n")
            return True
        async with self._asked:
            self._paths.append((visit.scheme, visit.host, visit.path))
            self._asked.notify_all()
        said, rule = answer(site, visit.host.removesuffix(site.host).rstrip("."), visit)
        sent = Sent(visit, said.status, said.content if visit.method != "HEAD" else b"")
        self.sent.append(sent)
        if rule is not None and rule.socket:
            sent.status = 101
            writer.write(handshake(visit.fields))
            await converse(reader, writer)
            return False
        if rule is not None and rule.after:
            await self._until_asked(visit, rule.after)
        await self._say(visit, said, rule, sent, writer)
        return True

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Visit:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")[:-2]
        method, target, _ = first.split(" ")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        if fields.get("transfer-encoding") == "chunked":
            while size := int(await reader.readline(), 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readline()
        scheme = "http" if writer.get_extra_info("ssl_object") is None else "https"
        return Visit(scheme, fields["host"].partition(":")[0], self.ports[scheme], method, target, fields, body)

    async def _until_asked(self, visit: Visit, path: str, times: int = 1) -> None:
        wanted = (visit.scheme, visit.host, path)
        async with self._asked:
            await self._asked.wait_for(lambda: self._paths.count(wanted) >= times)

    async def _say(self, visit: Visit, said: Said, rule: Rule | None, sent: Sent, writer: asyncio.StreamWriter) -> None:
        data, headers = said.packed, dict(said.headers)
        if said.coding:
            headers["Content-Encoding"] = said.coding
        is_chunked = rule is not None and bool(rule.chunks or rule.events)
        if is_chunked:
            headers["Transfer-Encoding"] = "chunked"
        elif said.status not in (204, 304):
            headers["Content-Length"] = str(len(data))
        lines = [said.first_line, *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        if visit.method == "HEAD":
            return
        if rule is None or not is_chunked:
            sent.wire += data
            writer.write(data)
        elif rule.events:
            await self._stream(visit, rule, sent, writer)
        else:
            for at in range(0, len(data), rule.chunks):
                _chunk(data[at : at + rule.chunks], sent, writer)
            _chunk(b"", sent, writer)

    async def _stream(self, visit: Visit, rule: Rule, sent: Sent, writer: asyncio.StreamWriter) -> None:
        """Each event after the first is sent when the page has said `/heard` of the one before."""
        sent.content = b""
        for number, text in enumerate(rule.events):
            await self._until_asked(visit, "/heard", number)
            event = f"id: {number}\ndata: {text}\n\n".encode()
            sent.content += event
            _chunk(event, sent, writer)
            await writer.drain()
        _chunk(b"", sent, writer)


def _chunk(data: bytes, sent: Sent, writer: asyncio.StreamWriter) -> None:
    framed = b"%x\r\n%s\r\n" % (len(data), data)
    sent.wire += framed
    writer.write(framed)

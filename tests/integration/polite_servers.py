"""Hosts on loopback with rules of their own, each of which writes down what it was asked, and when.

All are one server that tells them apart by the Host header. A request counts from the moment its head is there to the
moment its answer is handed over, so what the server sees of a gap is never less than what the crawler left.
"""

import asyncio
import contextlib
import socket
import threading
import time
from dataclasses import dataclass
from email.utils import formatdate
from types import TracebackType

DOMAIN = "polite.example"
DELAY = 0.1
"""What the person asks for, in seconds."""
ROBOTS = "/robots.txt"
PAGES = ("/", "/a", "/b", "/c", "/private/x", "/private/open/y", "/paper.pdf", "/paper.pdf?page=1")
PRIVATE = ("/private/x", "/private/open/y")


@dataclass(frozen=True, slots=True)
class Manners:
    """How a host wants to be treated, and how it says so."""

    name: str
    robots: bytes = b""
    """Its robots.txt; nothing for a host that has none."""
    status: str = "200 OK"
    """Of robots.txt."""
    location: str = ""
    """Where robots.txt is redirected to."""
    forbidden: tuple[str, ...] = ()
    """The pages that must not be asked for."""
    delay: float = DELAY
    """What must lie between the end of a response and the next request."""
    turns_away: str = ""
    """The status with which the third page is refused once."""
    wait: str = ""
    """The Retry-After that comes with it: seconds, or `date` for a moment two seconds away."""
    slowness: float = 0.0
    """How long each answer takes."""


def _rules(*lines: str) -> bytes:
    return "\n".join(lines).encode() + b"\n"


_PRIVATE_RULES = _rules("User-agent: *", "Disallow: /private")

HOSTS = (
    Manners("no-rules"),
    Manners("all-forbidden", _rules("User-agent: *", "Disallow: /"), forbidden=PAGES),
    Manners("part-forbidden", _PRIVATE_RULES, forbidden=PRIVATE),
    Manners(
        "allowed-inside",
        _rules("User-agent: *", "Disallow: /private", "Allow: /private/open/"),
        forbidden=("/private/x",),
    ),
    Manners("pattern", _rules("User-agent: *", "Disallow: /*.pdf$"), forbidden=("/paper.pdf",)),
    Manners(
        "named",
        _rules("User-agent: *", "Disallow: /", "", "User-agent: webkeep", "Disallow: /b"),
        forbidden=("/b",),
    ),
    Manners("others-only", _rules("User-agent: somebody-else", "Disallow: /")),
    Manners("crawl-delay", _rules("User-agent: *", "Crawl-delay: 0.4"), delay=0.4),
    Manners("crawl-delay-small", _rules("User-agent: *", "Crawl-delay: 0.01"), delay=DELAY),
    Manners(
        "crawl-delay-and-rules",
        _rules("User-agent: *", "Crawl-delay: .3", "Disallow: /c"),
        forbidden=("/c",),
        delay=0.3,
    ),
    Manners("too-many-requests", turns_away="429 Too Many Requests", wait="1"),
    Manners("unavailable", turns_away="503 Unavailable", wait="1"),
    Manners("unavailable-until", turns_away="503 Unavailable", wait="date"),
    Manners("too-many-without-a-word", turns_away="429 Too Many Requests"),
    Manners("slow", slowness=0.2),
    Manners("rules-broken", b"sorry", status="500 Broken", forbidden=PAGES),
    Manners("rules-moved", _PRIVATE_RULES, location="/rules.txt", forbidden=PRIVATE),
    Manners("rules-in-a-ring", location=ROBOTS),
    Manners("rules-never-come", status="", forbidden=PAGES),
    Manners("rules-not-for-you", b"who are you?", status="401 Unauthorized"),
    Manners(
        "rules-huge",
        _PRIVATE_RULES + b"# much more\n" * 60_000 + _rules("Disallow: /"),
        forbidden=PRIVATE,
    ),
    Manners("rules-with-mark", b"\xef\xbb\xbf" + _PRIVATE_RULES.replace(b"\n", b"\r"), forbidden=PRIVATE),
    Manners("rules-of-noise", bytes(range(256)) * 20),
)
"""Every host."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as its host saw it; the times are seconds of one clock."""

    path: str
    began: float
    ended: float
    status: int


class PoliteServers:
    """Serves all hosts while the `with` block lasts."""

    def __init__(self) -> None:
        self._hosts = {host.name: host for host in HOSTS}
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._socket.getsockname()[1]
        self.seen: dict[str, list[Seen]] = {host.name: [] for host in HOSTS}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ended = asyncio.Event()

    @property
    def seeds(self) -> list[str]:
        """The front page of every host."""
        return [self.url(host, "/") for host in HOSTS]

    @property
    def resolves(self) -> list[str]:
        """What `--resolve` must be given."""
        return [f"{self.authority(host)}:127.0.0.1" for host in HOSTS]

    def authority(self, host: Manners) -> str:
        """Name and port of a host."""
        return f"{host.name}.{DOMAIN}:{self.port}"

    def url(self, host: Manners, path: str) -> str:
        """The URL of one of its pages."""
        return f"http://{self.authority(host)}{path}"

    def __enter__(self) -> "PoliteServers":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(30)
        self._socket.close()

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._converse, sock=self._socket)
        await self._ended.wait()
        server.close()
        conversations = asyncio.all_tasks() - {asyncio.current_task()}
        for each in conversations:
            each.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while not writer.is_closing():
                    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                    await self._answer(head, writer)
        finally:
            writer.transport.abort()

    async def _answer(self, head: str, writer: asyncio.StreamWriter) -> None:
        began = time.monotonic()
        path = head.split(" ", 2)[1]
        authority = next(line[6:] for line in head.split("\r\n") if line.lower().startswith("host: "))
        host = self._hosts[authority.split(".", 1)[0]]
        await asyncio.sleep(host.slowness)
        answer = self._said(host, path)
        # Noted before it goes out: afterwards the asker could have it already while this waits for its turn.
        ended = time.monotonic()
        writer.write(answer)
        await writer.drain()
        self.seen[host.name].append(Seen(path, began, ended, int(answer[9:12] or 0)))
        if not answer:
            writer.close()

    def _said(self, host: Manners, path: str) -> bytes:
        if path == ROBOTS and host.location:
            return _answer(b"", "301 Moved", f"Location: {host.location}")
        if path in (ROBOTS, host.location):
            if not host.robots and host.status.startswith("200"):
                return _answer(b"none", "404 Not Found")
            return _answer(host.robots, host.status, media_type="text/plain") if host.status else b""
        if host.turns_away and len(self.seen[host.name]) == 3:
            wait = formatdate(time.time() + 2, usegmt=True) if host.wait == "date" else host.wait
            return _answer(b"later", host.turns_away, *([f"Retry-After: {wait}"] if wait else []))
        if path not in PAGES:
            return _answer(b"nothing", "404 Not Found")
        links = "".join(f'<a href="{each}">{each}</a>' for each in PAGES)
        return _answer(f"<!doctype html><title>{host.name} {path}</title>{links}".encode())


def _answer(body: bytes, status: str = "200 OK", *lines: str, media_type: str = "text/html") -> bytes:
    fields = (f"Content-Type: {media_type}", f"Content-Length: {len(body)}", *lines)
    return f"HTTP/1.1 {status}\r\n".encode() + "".join(f"{each}\r\n" for each in fields).encode() + b"\r\n" + body

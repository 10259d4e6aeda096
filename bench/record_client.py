"""A client that loads pages through a proxy as fast as it can.

It is plain sockets and little else, because what it costs is taken from the proxy on a machine with few cores.
"""

from __future__ import annotations

import itertools
import re
import selectors
import socket
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import pycurl

_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)\r\n", re.IGNORECASE)
_READ = 256 * 1024


@dataclass(frozen=True, slots=True)
class Place:
    """A proxy, and whom to trust for what it signs; None for no proxy."""

    proxy: str | None
    authorities: Path


class Caller:
    """One connection, which asks for a page and then for the next."""

    def __init__(self, url: str, place: Place) -> None:
        asked = urlsplit(url)
        self.socket = _opened(url, place)
        self._target = url if place.proxy and asked.scheme == "http" else asked.path
        self._fields = f"HTTP/1.1\r\nHost: {asked.netloc}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n"
        self._held = b""
        self._whole = 0
        self.began = 0.0

    def ask(self, number: int) -> None:
        """Ask for a page of that number."""
        self.began = time.perf_counter()
        self.socket.sendall(f"GET {self._target}{number} {self._fields}".encode())

    def take(self) -> bool:
        """Take what came; whether the answer is whole now."""
        try:
            while chunk := self.socket.recv(_READ):
                self._held += chunk
                if self._is_whole():
                    return True
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        raise SystemExit("the proxy closed a connection")

    def _is_whole(self) -> bool:
        if not self._whole:
            end = self._held.find(b"\r\n\r\n") + 4
            if end < 4:
                return False
            length = _LENGTH.search(self._held, 0, end)
            if length is None or not self._held.startswith(b"HTTP/1.1 200 "):
                raise SystemExit(f"not the page: {self._held[:end]!r}")
            self._whole = end + int(length[1])
        if len(self._held) < self._whole:
            return False
        self._held, self._whole = self._held[self._whole :], 0
        return True


def _opened(url: str, place: Place) -> socket.socket:
    """A connection on which pages of that URL can be asked for."""
    asked = urlsplit(url)
    first = urlsplit(place.proxy) if place.proxy else asked
    connection = socket.create_connection((first.hostname or "", first.port or 80), 20)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if asked.scheme == "https":
        if place.proxy:
            connection.sendall(f"CONNECT {asked.netloc} HTTP/1.1\r\nHost: {asked.netloc}\r\n\r\n".encode())
            if not connection.recv(_READ).startswith(b"HTTP/1.1 200 "):
                raise SystemExit("the proxy opens no tunnel")
        context = ssl.create_default_context(cafile=place.authorities)
        connection = context.wrap_socket(connection, server_hostname=asked.hostname)
    connection.setblocking(False)
    return connection


class Crowd:
    """Connections through one proxy, each of which asks for one page at a time; no page is asked for twice."""

    def __init__(self, url: str, place: Place, connections: int, first: int = 0) -> None:
        self._callers = [Caller(url, place) for _ in range(connections)]
        self._selector = selectors.EpollSelector()
        self._numbers = itertools.count(first)
        for caller in self._callers:
            self._selector.register(caller.socket, selectors.EVENT_READ, caller)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._selector.close()
        for caller in self._callers:
            caller.socket.close()

    def load(self, count: int) -> list[float]:
        """Load the next pages; how many seconds each took."""
        seconds: list[float] = []
        left: Iterator[int] = itertools.islice(self._numbers, count)
        for caller, number in zip(self._callers, left, strict=False):
            caller.ask(number)
        while len(seconds) < count:
            for key, _ in self._selector.select():
                caller = key.data
                if caller.take():
                    seconds.append(time.perf_counter() - caller.began)
                    for number in itertools.islice(left, 1):
                        caller.ask(number)
        return seconds


@dataclass(frozen=True, slots=True)
class LongLoad:
    """How a long body came."""

    size: int
    first: float
    """Seconds to its first byte."""
    seconds: float


def load_long(url: str, place: Place) -> LongLoad:
    """Load one long body, and drop it."""
    began = time.perf_counter()
    first = 0.0
    size = 0

    def take(chunk: bytes) -> None:
        nonlocal first, size
        first = first or time.perf_counter() - began
        size += len(chunk)

    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.PROXY, place.proxy or "")
    curl.setopt(pycurl.NOPROXY, "")
    curl.setopt(pycurl.BUFFERSIZE, _READ)
    curl.setopt(pycurl.WRITEFUNCTION, take)
    curl.perform()
    curl.close()
    return LongLoad(size, first, time.perf_counter() - began)

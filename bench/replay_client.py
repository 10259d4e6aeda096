"""A crowd of clients in a closed loop: each asks for the next URL as soon as it has the last, each URL once."""

from __future__ import annotations

import re
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:\s*chunked", re.IGNORECASE)
_CLOSE = re.compile(rb"\r\nconnection:\s*close", re.IGNORECASE)
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for: the target of the request line, and the Host it is asked of."""

    target: str
    host: str
    fields: str = ""

    def __bytes__(self) -> bytes:
        return f"GET {self.target} HTTP/1.1\r\nHost: {self.host}\r\n{self.fields}\r\n".encode()


@dataclass(slots=True)
class Load:
    """What came of it."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    size: int = 0
    errors: int = 0
    cpu_seconds: float = 0.0
    """Processor time that the server took for it."""

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of processor time for an answer."""
        return self.cpu_seconds / len(self.latencies) * 1000

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.latencies) / self.seconds

    def quantile(self, share: float) -> float:
        """The latency that so large a share of answers had at most, in seconds."""
        return sorted(self.latencies)[min(int(len(self.latencies) * share), len(self.latencies) - 1)]


class _Client:
    __slots__ = ("_port", "began", "held", "socket", "wanted")

    def __init__(self, port: int) -> None:
        self._port = port
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.held = b""
        self.began = 0.0
        self.wanted = 0
        """How long the answer is with its head, where it says so; 0 while that is not known."""

    def ask(self, request: bytes) -> None:
        self.held, self.wanted, self.began = b"", 0, time.perf_counter()
        self.socket.send(request)

    def take(self) -> bool:
        """Take what is there; whether the answer is whole."""
        data = self.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("closed within an answer")
        self.held = self.held + data if self.held else data
        if self.wanted:
            return len(self.held) >= self.wanted
        end = self.held.find(_END)
        if end < 0:
            return False
        if length := _LENGTH.search(self.held, 0, end + 2):
            self.wanted = end + 4 + int(length[1])
            return len(self.held) >= self.wanted
        return _CHUNKED.search(self.held, 0, end + 2) is not None and self.held.endswith(b"0\r\n\r\n")

    @property
    def closes(self) -> bool:
        """Whether the server said that it closes."""
        return _CLOSE.search(self.held, 0, self.held.find(_END) + 2) is not None

    def renew(self) -> None:
        """Connect anew."""
        self.socket.close()
        self.socket = socket.create_connection(("127.0.0.1", self._port), timeout=60)


def load(port: int, requests: Sequence[Request], connections: int = 8) -> Load:
    """Have all requests answered; what is sent is made before, so that clients take as little time as can be."""
    waiting = iter([bytes(request) for request in requests])
    result = Load()
    latencies = result.latencies
    clients: dict[int, _Client] = {}
    with select.epoll() as poll:

        def begin(client: _Client) -> None:
            clients[client.socket.fileno()] = client
            poll.register(client.socket.fileno(), select.EPOLLIN)

        for _ in range(connections):
            client = _Client(port)
            if (request := next(waiting, None)) is not None:
                client.ask(request)
                begin(client)
        began = time.perf_counter()
        while clients:
            ready = poll.poll(60)
            if not ready:
                raise TimeoutError("no answer came for a minute")
            for number, _ in ready:
                client = clients[number]
                if not client.take():
                    continue
                latencies.append(time.perf_counter() - client.began)
                result.size += len(client.held)
                result.errors += client.held[9:12] != b"200"
                request = next(waiting, None)
                if request is None or client.closes:
                    poll.unregister(number)
                    del clients[number]
                    if request is None:
                        client.socket.close()
                        continue
                    client.renew()
                    begin(client)
                client.ask(request)
        result.seconds = time.perf_counter() - began
    return result


def first_byte(port: int, request: Request) -> tuple[float, bytes]:
    """How long it took until the first byte of an answer's body was there, and that byte."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        began = time.perf_counter()
        connection.sendall(bytes(request))
        held = b""
        while len(held) <= held.find(_END) + 4 or _END not in held:
            data = connection.recv(65536)
            if not data:
                raise ConnectionError("closed before the first byte")
            held += data
        return time.perf_counter() - began, held[held.find(_END) + 4 :][:1]

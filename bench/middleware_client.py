"""A client that keeps a server busy over a few connections, for turns so short that two servers can be compared.

What else the machine does strikes one turn or the other; over hundreds of pairs of turns it strikes both alike.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

_PATIENCE = 30.0
_LENGTH = b"\r\ncontent-length: "


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of some requests."""

    requests: int
    failed: int
    seconds: float
    slowest: float
    """Seconds that an answer took at most."""

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


class Client:
    """Some connections to one server, each with one request at a time under way."""

    def __init__(self, port: int, connections: int) -> None:
        self._port = port
        self._selector = selectors.DefaultSelector()
        for _ in range(connections):
            self._connect()

    def close(self) -> None:
        """Close all connections."""
        for key in list(self._selector.get_map().values()):
            key.data.socket.close()
        self._selector.close()

    def turn(self, paths: Iterator[bytes], count: int) -> Turn:
        """Make so many requests as fast as they are answered."""
        began = time.perf_counter()
        failed, left, slowest = 0, count, 0.0
        connections = [key.data for key in self._selector.get_map().values()][:count]
        for connection in connections:
            connection.ask(next(paths))
        waiting = len(connections)
        left -= waiting
        while waiting:
            ready = self._selector.select(_PATIENCE)
            if not ready:
                return Turn(count, failed + waiting + left, time.perf_counter() - began, _PATIENCE)
            for key, _ in ready:
                connection = key.data
                is_good = connection.hear()
                if is_good is None:
                    continue
                failed += not is_good
                slowest = max(slowest, time.perf_counter() - connection.asked)
                if not is_good:
                    connection = self._replace(connection)
                if left:
                    left -= 1
                    connection.ask(next(paths))
                else:
                    waiting -= 1
        return Turn(count, failed, time.perf_counter() - began, slowest)

    def _replace(self, broken: _Connection) -> _Connection:
        self._selector.unregister(broken.socket)
        broken.socket.close()
        return self._connect()

    def _connect(self) -> _Connection:
        connection = _Connection(socket.create_connection(("127.0.0.1", self._port), _PATIENCE))
        self._selector.register(connection.socket, selectors.EVENT_READ, connection)
        return connection


class _Connection:
    """A connection and the answer that is coming over it."""

    __slots__ = ("_left", "asked", "socket")

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.asked = 0.0
        self._left: int | None = None

    def ask(self, path: bytes) -> None:
        """Send a request."""
        self._left = None
        self.asked = time.perf_counter()
        self.socket.sendall(
            b"GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nUser-Agent: bench\r\n\r\n" % path
        )

    def hear(self) -> bool | None:
        """Take what came: whether a good answer is whole now, None as long as neither can be said."""
        try:
            data = self.socket.recv(1 << 18)
        except OSError:
            return False
        if self._left is not None:
            self._left -= len(data)
        elif data.startswith(b"HTTP/1.1 200 "):
            head, _, body = data.partition(b"\r\n\r\n")
            _, _, length = head.partition(_LENGTH)
            self._left = int(length.partition(b"\r")[0]) - len(body)
        else:
            return False
        return self._left == 0 if self._left <= 0 else (None if data else False)

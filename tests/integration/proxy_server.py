"""Small proxies on loopback: one that speaks HTTP, one that speaks SOCKS 5; both keep what they were asked for."""

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from listening import Listening, exactly


class _Proxy(Listening):
    def __init__(self) -> None:
        super().__init__(at_once=True)
        self.asked: list[str] = []

    def pass_on(self, one: socket.socket, other: socket.socket) -> None:
        """Pass bytes both ways until either side ends."""
        back = threading.Thread(target=_pump, args=(other, one), daemon=True)
        back.start()
        _pump(one, other)
        back.join(10)


class HttpProxy(_Proxy):
    """Knows CONNECT and requests in absolute form; with `password`, only for those who give it by Basic."""

    def __init__(self, password: str = "", refuses: bool = False) -> None:
        super().__init__()
        self._wanted = f"Basic {base64.b64encode(password.encode()).decode()}" if password else ""
        self._refuses = refuses

    def talk(self, connection: socket.socket) -> None:
        while True:
            head = _head(connection)
            line = head.split("\r\n")[0]
            self.asked.append(line)
            if self._wanted and f"Proxy-Authorization: {self._wanted}\r\n" not in head:
                connection.sendall(
                    b'HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm="p"\r\nContent-Length: 4\r\n\r\nwho?'
                )
                continue
            if self._refuses:
                connection.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
                return
            method, target, _ = line.split(" ")
            with _reached(target if method == "CONNECT" else urlsplit(target).netloc) as server:
                if method == "CONNECT":
                    connection.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
                else:
                    server.sendall(head.encode())
                self.pass_on(connection, server)
            return


class SocksProxy(_Proxy):
    """SOCKS 5 with names resolved here; with `password`, only for those who give it."""

    def __init__(self, password: str = "") -> None:
        super().__init__()
        self._password = password

    def talk(self, connection: socket.socket) -> None:
        exactly(connection, exactly(connection, 2)[1])
        connection.sendall(b"\5\2" if self._password else b"\5\0")
        if self._password:
            user = exactly(connection, exactly(connection, 2)[1]).decode()
            secret = exactly(connection, exactly(connection, 1)[0]).decode()
            fits = f"{user}:{secret}" == self._password
            connection.sendall(b"\1\0" if fits else b"\1\1")
            if not fits:
                return
        kind = exactly(connection, 4)[3]
        if kind == 3:
            host = exactly(connection, exactly(connection, 1)[0]).decode()
        else:
            host = socket.inet_ntoa(exactly(connection, 4))
        port = int.from_bytes(exactly(connection, 2), "big")
        self.asked.append(f"{host}:{port}")
        with _reached(f"127.0.0.1:{port}") as server:
            connection.sendall(b"\5\0\0\1" + bytes(6))
            self.pass_on(connection, server)


@contextmanager
def _reached(authority: str) -> Iterator[socket.socket]:
    """All names are this machine's."""
    with socket.create_connection(("127.0.0.1", int(authority.rpartition(":")[2]))) as server:
        yield server


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def _head(connection: socket.socket) -> str:
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        data += exactly(connection, 1)
    return data.decode()

"""Small proxies on loopback: one that speaks HTTP, one that speaks SOCKS 5; both keep what they were asked for."""

import base64
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from urllib.parse import urlsplit


class _Proxy:
    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.asked: list[str] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> "_Proxy":
        self._begin(self._serve)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(10)

    def _begin(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._begin(self._welcome, connection)

    def _welcome(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, EOFError):
            self.talk(connection)

    def talk(self, connection: socket.socket) -> None:
        raise NotImplementedError

    def pass_on(self, one: socket.socket, other: socket.socket) -> None:
        """Pass bytes both ways until either side ends."""
        self._begin(_pump, other, one)
        _pump(one, other)


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
        _exactly(connection, _exactly(connection, 2)[1])
        connection.sendall(b"\5\2" if self._password else b"\5\0")
        if self._password:
            user = _exactly(connection, _exactly(connection, 2)[1]).decode()
            secret = _exactly(connection, _exactly(connection, 1)[0]).decode()
            fits = f"{user}:{secret}" == self._password
            connection.sendall(b"\1\0" if fits else b"\1\1")
            if not fits:
                return
        kind = _exactly(connection, 4)[3]
        if kind == 3:
            host = _exactly(connection, _exactly(connection, 1)[0]).decode()
        else:
            host = socket.inet_ntoa(_exactly(connection, 4))
        port = int.from_bytes(_exactly(connection, 2), "big")
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
        data += _exactly(connection, 1)
    return data.decode()


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        chunk = connection.recv(count - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return data

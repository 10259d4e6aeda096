"""Both ends of an exchange in the hands of the test: the client's socket and the server's, with a proxy between them.

Nothing here waits for time to pass: each side reads until what it waits for is there, or the other side is gone.
"""

import select
import socket
import ssl
from contextlib import suppress
from types import TracebackType
from typing import Self

PATIENCE = 30


class GoneError(AssertionError):
    """The other side went away, or said nothing, before it said what was expected."""


class Line:
    """One end of a connection, read piece by piece."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        self.socket = connection
        self._held = b""

    def send(self, *pieces: bytes) -> Self:
        for piece in pieces:
            self.socket.sendall(piece)
        return self

    def send_until_refused(self, first: bytes, again: bytes) -> None:
        """Say a thing, and another again and again, until the other side has had enough; 64 MB are too much."""
        with suppress(ConnectionError):
            self.send(first)
            for _ in range((64 << 20) // len(again)):
                self.send(again)
            raise GoneError("the other side never has enough")

    def finish(self) -> None:
        """Say that nothing more will be sent, and go on reading."""
        self.socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.socket.close()

    def break_off(self) -> None:
        """End the connection as a machine does that is switched off."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def until(self, end: bytes) -> bytes:
        """All up to these bytes, and they."""
        while end not in self._held:
            self._read(f"{end!r}")
        data, _, self._held = self._held.partition(end)
        return data + end

    def exactly(self, count: int) -> bytes:
        while len(self._held) < count:
            self._read(f"{count} bytes")
        data, self._held = self._held[:count], self._held[count:]
        return data

    def head(self) -> bytes:
        return self.until(b"\r\n\r\n")

    def rest(self) -> bytes:
        """All until the other side ends the connection, one way or another."""
        data, self._held = self._held, b""
        with suppress(ConnectionError, ssl.SSLEOFError):
            while chunk := self.socket.recv(65536):
                data += chunk
        return data

    def answer(self) -> tuple[bytes, bytes]:
        """The head and body of the next answer, which has a length; interim ones are passed over."""
        while (head := self.head()).startswith(b"HTTP/1.1 1"):
            pass
        length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        return head, self.exactly(int(length[0].partition(b":")[2]))

    def _read(self, awaited: str) -> None:
        try:
            chunk = self.socket.recv(65536)
        except (TimeoutError, ConnectionError) as error:
            raise GoneError(f"{error} while waiting for {awaited}; there was {self._held!r}") from error
        if not chunk:
            raise GoneError(f"the connection ended before {awaited}; there was {self._held!r}")
        self._held += chunk

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()


class Origin:
    """A server on loopback that does nothing by itself: the test accepts and speaks."""

    def __init__(self, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=256)
        self._socket.settimeout(PATIENCE)
        self.port: int = self._socket.getsockname()[1]
        self.name = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"
        self._lines: list[Line] = []

    def accept(self) -> Line:
        """The next who comes."""
        connection = self._socket.accept()[0]
        connection.settimeout(PATIENCE)
        line = Line(self._tls.wrap_socket(connection, server_side=True) if self._tls else connection)
        self._lines.append(line)
        return line

    def next_head(self) -> bytes:
        """The head of the next request, over a connection that is open or over a new one, which is `spoken` then."""
        places = [self._socket, *(line.socket for line in self._lines if line.socket.fileno() >= 0)]
        ready: list[socket.socket] = []
        while not ready:
            ready = select.select(places, [], [], PATIENCE)[0]
            if not ready:
                raise GoneError("no request came")
            if ready[0] is not self._socket and not ready[0].recv(1, socket.MSG_PEEK):
                places.remove(ready.pop(0))
        known = next((line for line in self._lines if line.socket is ready[0]), None)
        self.spoken = known or self.accept()
        return self.spoken.head()

    def came_again(self, waiting: Line) -> Line | None:
        """Who comes over a new connection; None once the one who waits has an answer."""
        ready = select.select([self._socket, waiting.socket], [], [], PATIENCE)[0]
        if not ready:
            raise GoneError("neither another request came, nor an answer")
        return self.accept() if self._socket in ready else None

    @property
    def last(self) -> Line:
        """Who came last."""
        return self._lines[-1]

    @property
    def is_alone(self) -> bool:
        """Whether nobody has come who was not accepted."""
        self._socket.settimeout(0)
        try:
            self._lines.append(Line(self._socket.accept()[0]))
        except BlockingIOError:
            return True
        finally:
            self._socket.settimeout(PATIENCE)
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for line in self._lines:
            line.close()
        self._socket.close()


def client(port: int) -> Line:
    """A client of the proxy at a port."""
    return Line(socket.create_connection(("127.0.0.1", port), PATIENCE))


def tunnelled(port: int, origin: Origin, trust: ssl.SSLContext) -> Line:
    """A client with TLS inside a tunnel to a server."""
    line = client(port).send(b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % ((origin.name.encode(),) * 2))
    assert status(line.head()) == 200
    try:
        return Line(trust.wrap_socket(line.socket, server_hostname=origin.name.partition(":")[0]))
    except ssl.SSLError:
        line.close()
        raise


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1][:3])


def fields(head: bytes) -> list[bytes]:
    """The lines of a head between the first and the empty one."""
    return head.split(b"\r\n")[1:-2]


def field_names(head: bytes) -> list[bytes]:
    return [line.partition(b":")[0].strip().lower() for line in fields(head)]

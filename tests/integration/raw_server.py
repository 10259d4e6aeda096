"""A server on loopback that sends exactly the bytes it is told to, and keeps the bytes it was sent."""

import socket
import ssl

from listening import Listening


class Cut(bytes):
    """An answer after which the server closes the connection."""


class Held(bytes):
    """An answer after which the server says nothing more, until the client goes away."""


class Endless(bytes):
    """An answer whose last line is sent again and again, until the client goes away."""


class RawServer(Listening):
    """Answers each request on a connection with the next of its answers; closes after the last."""

    def __init__(self, *answers: bytes, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        super().__init__(host)
        self._answers = list(answers)
        self._tls = tls
        self._name = f"[{host}]" if ":" in host else host
        self.received: list[bytes] = []

    @property
    def url(self) -> str:
        return f"{'http' if self._tls is None else 'https'}://{self._name}:{self.port}/"

    @property
    def has_more_to_say(self) -> bool:
        return bool(self._answers)

    def talk(self, connection: socket.socket) -> None:
        with self._tls.wrap_socket(connection, server_side=True) if self._tls else connection as connection:
            while self._answers and (request := self._request(connection)):
                self.received.append(request)
                answer = self._answers.pop(0)
                connection.sendall(answer)
                if isinstance(answer, Endless):
                    while True:
                        connection.sendall(answer.splitlines(keepends=True)[-1])
                if isinstance(answer, Held):
                    connection.recv(1)
                if isinstance(answer, Cut | Held):
                    return

    def _request(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = connection.recv(65536)
            if not chunk:
                return b""
            data += chunk
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

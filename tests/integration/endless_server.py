"""A server on loopback that begins its answers and never ends them."""

import socket
import threading

from listening import Listening


class EndlessServer(Listening):
    """Answers everyone with a head, and then with the same piece again and again, or with nothing more.

    Paths that are named have a whole answer; robots.txt is not there.
    """

    def __init__(self, head: bytes, piece: bytes = b"", whole: dict[str, bytes] | None = None) -> None:
        super().__init__(at_once=True)
        self._head = head
        self._piece = piece
        self._whole = whole or {}
        self.asked: list[str] = []
        self.begun = threading.Event()
        """Set when an answer has begun that will never end."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def talk(self, connection: socket.socket) -> None:
        while request := self._request(connection):
            path = request.split(b" ")[1].decode()
            self.asked.append(path)
            if path == "/robots.txt":
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            elif path in self._whole:
                body = self._whole[path]
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
                connection.sendall(head + body)
            else:
                self._go_on(connection)

    def _go_on(self, connection: socket.socket) -> None:
        connection.sendall(self._head)
        self.begun.set()
        while self._piece:
            connection.sendall(self._piece)
        connection.recv(1)

    def _request(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data and (chunk := connection.recv(65536)):
            data += chunk
        return data

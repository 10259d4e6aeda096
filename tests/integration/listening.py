"""What the small servers of the tests have in common: a socket on loopback, and a talk with everyone who comes."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class Listening:
    """Listens while the `with` block lasts; with `at_once`, it talks with many at the same time."""

    def __init__(self, host: str = "127.0.0.1", at_once: bool = False, backlog: int = 512) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=backlog)
        self.port: int = self._socket.getsockname()[1]
        self.connections = 0
        self._at_once = at_once
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # a server that has said its last word listens no more
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)

    @property
    def has_more_to_say(self) -> bool:
        """Whether anyone else is to be welcomed."""
        return True

    def _serve(self) -> None:
        while self.has_more_to_say:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            if self._at_once:
                threading.Thread(target=self._welcome, args=(connection,), daemon=True).start()
            else:
                self._welcome(connection)

    def _welcome(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, EOFError):
            self.talk(connection)

    def talk(self, connection: socket.socket) -> None:
        """Say what there is to say to one who came."""
        raise NotImplementedError


def exactly(connection: socket.socket, count: int) -> bytes:
    """So many bytes; an error where the other side goes away before."""
    data = b""
    while len(data) < count:
        chunk = connection.recv(count - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return data

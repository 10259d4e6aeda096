"""TLS in front of a plain server on loopback."""

import socket
import ssl
import threading
from contextlib import suppress

from listening import Listening


class TlsFront(Listening):
    """Passes on what is inside TLS to a port, and what comes back."""

    def __init__(self, tls: ssl.SSLContext, port: int) -> None:
        super().__init__(at_once=True)
        self._tls, self._behind = tls, port

    def talk(self, connection: socket.socket) -> None:
        with (
            self._tls.wrap_socket(connection, server_side=True) as client,
            socket.create_connection(("127.0.0.1", self._behind)) as server,
        ):
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join(10)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)

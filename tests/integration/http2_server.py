"""A small HTTP/2 server on loopback: it answers every request alike, and knows just enough of the protocol for that."""

import socket
import ssl
import struct
from pathlib import Path

from listening import Listening, exactly

_DATA, _HEADERS, _RESET, _SETTINGS, _PING = 0, 1, 3, 4, 6
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_STATUS_200 = b"\x88"
"""In the static table of HPACK."""


class Http2Server(Listening):
    """Answers with one header and a body, and fields after it; with `resets`, it breaks each response off halfway."""

    def __init__(
        self, certificate: Path, body: bytes, resets: bool = False, trailers: dict[bytes, bytes] | None = None
    ) -> None:
        super().__init__()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._context.set_alpn_protocols(["h2"])
        self._body = body
        self._resets = resets
        self._trailers = b"".join(_field(name, value) for name, value in (trailers or {}).items())
        self.requests = 0

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}/"

    def talk(self, connection: socket.socket) -> None:
        with self._context.wrap_socket(connection, server_side=True) as secured:
            self._talk(secured)

    def _talk(self, connection: ssl.SSLSocket) -> None:
        exactly(connection, 24)  # the client's preface
        _send(connection, _SETTINGS, 0, 0, b"")
        while True:
            length, kind, flags, stream = struct.unpack(">IBBI", b"\0" + exactly(connection, 9))
            payload = exactly(connection, length)
            if kind == _SETTINGS and not flags & _ACK:
                _send(connection, _SETTINGS, _ACK, 0, b"")
            elif kind == _PING and not flags & _ACK:
                _send(connection, _PING, _ACK, 0, payload)
            elif kind == _HEADERS:
                self._answer(connection, stream)

    def _answer(self, connection: ssl.SSLSocket, stream: int) -> None:
        self.requests += 1
        fields = _STATUS_200 + _field(b"content-type", b"text/plain") + _field(b"x-odd", b"yes")
        _send(connection, _HEADERS, _END_HEADERS, stream, fields)
        if self._resets:
            _send(connection, _DATA, 0, stream, self._body[: len(self._body) // 2])
            _send(connection, _RESET, 0, stream, struct.pack(">I", 2))
        elif self._trailers:
            _send(connection, _DATA, 0, stream, self._body)
            _send(connection, _HEADERS, _END_HEADERS | _END_STREAM, stream, self._trailers)
        else:
            _send(connection, _DATA, _END_STREAM, stream, self._body)


def _field(name: bytes, value: bytes) -> bytes:
    """A field that is in no table."""
    return bytes([0, len(name)]) + name + bytes([len(value)]) + value


def _send(connection: ssl.SSLSocket, kind: int, flags: int, stream: int, payload: bytes) -> None:
    connection.sendall(struct.pack(">IBBI", len(payload), kind, flags, stream)[1:] + payload)

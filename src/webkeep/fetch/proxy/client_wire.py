"""The client's end of a proxy connection, plain, or with TLS that is undone here inside a tunnel."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Protocol

_TLS_RECORD_BYTES = 16 * 1024
"""No record of TLS holds more."""


class ClientWire(Protocol):
    """Where bytes for a client go, and where its bytes are made plain."""

    def decode(self, data: bytes) -> bytes:
        """What the bytes that came mean; raises `ssl.SSLError` where the client breaks off the encryption."""
        ...

    def write(self, data: bytes) -> None:
        """Send to the client."""

    def write_eof(self) -> None:
        """Say that nothing more will be sent, and go on reading."""

    def close(self) -> None:
        """End the connection when all is sent."""


class PlainWire:
    """A connection without encryption."""

    __slots__ = ("close", "write", "write_eof")

    def __init__(self, transport: asyncio.Transport) -> None:
        self.write = transport.write
        self.write_eof = transport.write_eof
        self.close = transport.close

    def decode(self, data: bytes) -> bytes:
        """What came, as it came."""
        return data


class TlsWire:
    """TLS spoken as the server, inside a tunnel that a client asked for."""

    def __init__(self, transport: asyncio.Transport, context: ssl.SSLContext) -> None:
        self._transport = transport
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_open = False

    def decode(self, data: bytes) -> bytes:
        """What the bytes that came mean."""
        self._incoming.write(data)
        try:
            if not self._is_open:
                self._tls.do_handshake()
                self._is_open = True
            return self._decrypt()
        except ssl.SSLWantReadError:
            return b""
        finally:
            self._flush()

    def _decrypt(self) -> bytes:
        pieces: list[bytes] = []
        with suppress(ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            while (self._incoming.pending or self._tls.pending()) and (piece := self._tls.read(_TLS_RECORD_BYTES)):
                pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write(self, data: bytes) -> None:
        """Send to the client."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._tls.write(rest) :]
        self._flush()

    def write_eof(self) -> None:
        """Say that nothing more will be sent, and go on reading."""
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        self._flush()
        self._transport.write_eof()

    def close(self) -> None:
        """Say that nothing more comes, and end the connection."""
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._transport.write(self._outgoing.read())

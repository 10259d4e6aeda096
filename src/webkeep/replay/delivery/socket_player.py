"""A WebSocket played from its recording to a browser that speaks the protocol itself, as through the proxy it does: the
order of messages, how it is closed, and how long it stays open.

What the server said comes in its order, each after as many messages of the client as there were before it.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections import deque
from collections.abc import Mapping
from typing import Any

from webkeep.fetch.proxy import WebSocketFrameReader

_HANDSHAKE_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
"""Opcodes of RFC 6455, 5.2."""
_FIN_FLAG = 8
"""The last frame of a message."""
_MAX_SOCKET_SECONDS = 3600.0
"""No recorded socket is kept open for longer, whoever forgot it."""


def accept_key(key: str) -> str:
    """What a server answers to the key of a handshake (RFC 6455, section 4.2.2)."""
    return base64.b64encode(hashlib.sha1(key.encode() + _HANDSHAKE_GUID, usedforsecurity=False).digest()).decode()


class SocketPlayer(asyncio.Protocol):
    """The server's side of one socket."""

    def __init__(self, recorded: Mapping[str, Any]) -> None:
        self._frames: deque[Mapping[str, str]] = deque(recorded["frames"])
        self._closing: list[Any] | None = recorded.get("close")
        self._reader = WebSocketFrameReader()
        self._messages_received = 0
        self._transport: asyncio.Transport | None = None
        self._ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The handshake is done."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ending = asyncio.get_running_loop().call_later(_MAX_SOCKET_SECONDS, transport.abort)
        self._play_frames()

    def connection_lost(self, _exc: Exception | None) -> None:
        """The client is gone."""
        if self._ending is not None:
            self._ending.cancel()

    def data_received(self, data: bytes) -> None:
        """Hear the client."""
        for frame in self._reader.feed(data):
            if frame.opcode == _CLOSE:
                self._close(frame.payload)
            elif frame.opcode == _PING:
                self._send(_PONG, frame.payload)
            elif frame.opcode < _CLOSE and frame.flags & _FIN_FLAG:
                self._messages_received += 1
        self._play_frames()

    def _play_frames(self) -> None:
        """Say all that was said after what was heard so far."""
        while self._frames and self._transport is not None and not self._transport.is_closing():
            frame = self._frames[0]
            if frame["from"] == "client":
                if not self._messages_received:
                    return
                self._messages_received -= 1
            elif "text" in frame:
                self._send(_TEXT, frame["text"].encode("utf-8", "replace"))
            else:
                self._send(_BINARY, base64.b64decode(frame["base64"]))
            self._frames.popleft()
        if not self._frames and self._closing is not None:
            code, reason = self._closing
            self._close(int(code).to_bytes(2, "big") + str(reason).encode()[:120] if code != 1005 else b"")

    def _send(self, opcode: int, payload: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        size = len(payload)
        if size < 126:
            head = bytes([0x80 | opcode, size])
        elif size < 1 << 16:
            head = bytes([0x80 | opcode, 126]) + size.to_bytes(2, "big")
        else:
            head = bytes([0x80 | opcode, 127]) + size.to_bytes(8, "big")
        self._transport.write(head + payload)

    def _close(self, payload: bytes) -> None:
        self._send(_CLOSE, payload)
        if self._transport is not None:
            self._transport.close()

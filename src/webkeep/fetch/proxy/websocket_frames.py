"""WebSocket frames (RFC 6455), followed on their way from one side to the other and unmasked; how much of a long
payload is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

_MAX_PAYLOAD_BYTES = 1 << 20
"""Of a longer payload the beginning is kept, in memory until the connection ends."""


@dataclass(frozen=True, slots=True)
class WebSocketFrame:
    """One frame as it passed, unmasked; an extension that the handshake agreed on may have packed its payload."""

    opcode: int
    flags: int
    """The upper half of the first byte: 8 for the last frame of a message, the rest for extensions."""
    payload: bytes
    size: int
    """How long the payload was; more than what is kept where it was very long."""


class WebSocketFrameReader:
    """Reads the frames of one direction, however their bytes are cut; of a long one the beginning is kept."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._skipping = 0
        self._long_frame: WebSocketFrame | None = None

    def feed(self, data: bytes) -> list[WebSocketFrame]:
        """The frames that are whole now."""
        self._held += data
        found: list[WebSocketFrame] = []
        while (frame := self._next_frame()) is not None:
            found.append(frame)
        return found

    def _next_frame(self) -> WebSocketFrame | None:
        held = self._held
        if self._skipping:
            skipped = min(self._skipping, len(held))
            del held[:skipped]
            self._skipping -= skipped
            if self._skipping:
                return None
        if self._long_frame is not None:
            frame, self._long_frame = self._long_frame, None
            return frame
        start = _header_size(held)
        if start is None or len(held) < start:
            return None
        size = _payload_size(held)
        kept = min(size, _MAX_PAYLOAD_BYTES)
        if len(held) < start + kept:
            return None
        return self._cut_frame(start, kept, size)

    def _cut_frame(self, start: int, kept: int, size: int) -> WebSocketFrame | None:
        held = self._held
        first = held[0]
        payload = bytes(held[start : start + kept])
        if held[1] & 0x80:
            payload = _unmask(payload, bytes(held[start - 4 : start]))
        del held[: start + kept]
        self._skipping = size - kept
        frame = WebSocketFrame(first & 0x0F, first >> 4, payload, size)
        if not self._skipping:
            return frame
        self._long_frame = frame
        return self._next_frame()


def _header_size(held: bytearray) -> int | None:
    if len(held) < 2:
        return None
    short = held[1] & 0x7F
    return 2 + {126: 2, 127: 8}.get(short, 0) + (4 if held[1] & 0x80 else 0)


def _payload_size(held: bytearray) -> int:
    short = held[1] & 0x7F
    if short == 126:
        return int.from_bytes(held[2:4], "big")
    return int.from_bytes(held[2:10], "big") if short == 127 else short


def _unmask(payload: bytes, key: bytes) -> bytes:
    size = len(payload)
    repeated = (key * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")

"""Recorded WebSockets: the frames that were kept, put together to messages, as the script in a page wants them."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from webkeep.formats.json_value import read_json

LARGEST = 16 << 20
"""No recording is played that is longer than this, packed or unpacked."""

_CONTINUED, _TEXT, _BINARY, _CLOSE = 0, 1, 2, 8
_LAST, _PACKED = 8, 4
_TAIL = b"\x00\x00\xff\xff"


@dataclass(slots=True)
class _Side:
    """One direction: what is left of a message, and how its payloads are unpacked."""

    opcode: int = 0
    packed: bool = False
    pieces: list[bytes] = field(default_factory=list)
    inflater: zlib._Decompress = field(default_factory=lambda: zlib.decompressobj(-15))
    unpacked: int = 0
    """How many bytes its messages have so far."""

    def take(self, opcode: int, flags: int, payload: bytes) -> tuple[int, bytes] | None:
        """A message, where this frame is the last of one; raises zlib.error where it cannot be unpacked."""
        if opcode != _CONTINUED:
            self.opcode, self.packed, self.pieces = opcode, bool(flags & _PACKED), []
        self.pieces.append(payload)
        if not flags & _LAST:
            return None
        data = b"".join(self.pieces)
        if self.packed:  # an inflater that goes on undoes what begins afresh with each message as well
            data = self.inflater.decompress(data + _TAIL, LARGEST - self.unpacked + 1)
        self.unpacked += len(data)
        if self.unpacked > LARGEST:
            raise zlib.error("more than is played")
        return self.opcode, data


def recorded_messages(lines: Iterable[str]) -> dict[str, object]:
    """What is known of a socket: its messages in their order, and how the server closed it, if that was first."""
    sides = {"client": _Side(), "server": _Side()}
    messages: list[dict[str, str]] = []
    closing: list[object] | None = None
    for line in lines:
        frame = _frame(line)
        if frame is None:
            continue
        sender, opcode, flags, payload = frame
        if opcode == _CLOSE:
            # A page that closed its socket will do so again; only what the server did is to be done for it.
            if sender == "server":
                closing = [int.from_bytes(payload[:2], "big") or 1005, payload[2:].decode("utf-8", "replace")]
            break
        if opcode in (_CONTINUED, _TEXT, _BINARY):
            try:
                message = sides[sender].take(opcode, flags, payload)
            except zlib.error:
                break  # without this one the rest cannot be unpacked either
            if message is not None:
                messages.append({"from": sender, **_told(*message)})
    told: dict[str, object] = {"protocol": "", "frames": messages}
    return told if closing is None else {**told, "close": closing}


def _frame(line: str) -> tuple[str, int, int, bytes] | None:
    try:
        told = read_json(line)
        text = told.get("text")
        payload = base64.b64decode(told["base64"]) if text is None else str(text).encode("utf-8", "surrogatepass")
        sender = "client" if told["from"] == "client" else "server"
        return sender, int(told["opcode"]), int(told["flags"]), payload
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
        return None


def _told(opcode: int, data: bytes) -> dict[str, str]:
    if opcode == _TEXT:
        return {"text": data.decode("utf-8", "replace")}
    return {"base64": base64.b64encode(data).decode()}

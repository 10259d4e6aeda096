"""The frames of WebSockets as they are kept: one JSON object to a line, with time, sender, opcode, flags and the
payload as text or base64, and the media type of such recordings.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

FRAMES_TYPE = "application/vnd.webkeep.websocket-frames+jsonl"
"""The media type under which the frames of a WebSocket are kept."""

FINAL_FLAG, COMPRESSED_FLAG = 8, 4
"""Flags: of the last frame of a message, and of one that an extension has packed (RFC 7692)."""
_EXTENSION_FLAGS = 7
"""The flags that belong to extensions."""


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """One frame of a recording."""

    at: str
    """When it came."""
    is_from_client: bool
    opcode: int
    flags: int
    payload: bytes
    size: int
    """How long the payload was; more than what is kept where it was very long."""

    def to_line(self) -> str:
        """The frame as a line of a recording."""
        told: dict[str, object] = {
            "at": self.at,
            "from": "client" if self.is_from_client else "server",
            "opcode": self.opcode,
            "flags": self.flags,
        }
        text = self._plain_text()
        if text is None:
            told["base64"] = base64.b64encode(self.payload).decode()
        else:
            told["text"] = text
        if self.size > len(self.payload):
            told["size"] = self.size
        return f"{json.dumps(told, ensure_ascii=False)}\n"

    def _plain_text(self) -> str | None:
        """The text of a frame that is no other than text and not packed."""
        if self.opcode not in (0, 1) or self.flags & _EXTENSION_FLAGS:
            return None
        try:
            return self.payload.decode()
        except UnicodeDecodeError:
            return None


def parse_frame_line(line: bytes) -> RecordedFrame | None:
    """The frame that a line tells of; None where it tells of none."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    try:
        payload = str(told["text"]).encode() if "text" in told else base64.b64decode(str(told["base64"]))
        opcode, flags, size = (int(told.get(name, 0)) for name in ("opcode", "flags", "size"))
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    at, sender = str(told.get("at", "")), told.get("from")
    return RecordedFrame(at, sender == "client", opcode, flags, payload, max(size, len(payload)))

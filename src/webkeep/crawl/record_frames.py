"""The frames of WebSockets as they are kept: one JSON object to a line."""

from __future__ import annotations

import base64
import json

from webkeep.fetch.recording import Conversation
from webkeep.fetch.recording.frames import Frame
from webkeep.fetch.recording.privacy import Privacy

FRAMES_TYPE = "application/vnd.webkeep.websocket-frames+jsonl"
"""The media type under which the frames of a WebSocket are kept."""

_LAST_OF_DATA = 2
"""Frames of higher kinds concern the connection, and carry nothing of the conversation."""
_PACKED = 7
"""The flags that belong to extensions, such as one that compresses."""


def frames_text(conversation: Conversation, privacy: Privacy) -> tuple[bytes, int]:
    """The frames of a conversation, and how many values were left out of them."""
    lines, redactions = [], 0
    for moment, is_clients, frame in conversation.frames:
        told: dict[str, object] = {
            "at": moment.iso(),
            "from": "client" if is_clients else "server",
            "opcode": frame.opcode,
            "flags": frame.flags,
        }
        payload, count = _cleaned(frame, privacy)
        redactions += count
        text = _text(frame, payload)
        if text is None:
            told["base64"] = base64.b64encode(payload).decode()
        else:
            told["text"] = text
        if frame.size > len(frame.payload):
            told["size"] = frame.size
        lines.append(f"{json.dumps(told, ensure_ascii=False)}\n")
    return "".join(lines).encode(), redactions


def _cleaned(frame: Frame, privacy: Privacy) -> tuple[bytes, int]:
    if frame.opcode > _LAST_OF_DATA:
        return frame.payload, 0
    return privacy.cleaned_frame(frame.payload, bool(frame.flags & _PACKED))


def _text(frame: Frame, payload: bytes) -> str | None:
    """The text of a frame that is no other than text and not packed."""
    if frame.opcode not in (0, 1) or (frame.flags & _PACKED and payload is frame.payload):
        return None
    try:
        return payload.decode()
    except UnicodeDecodeError:
        return None

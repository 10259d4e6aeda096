"""The frames of WebSockets as they are kept: one JSON object to a line."""

from __future__ import annotations

import base64
import json

from webkeep.crawl.record_messages import redact_frames
from webkeep.fetch.recording import Conversation
from webkeep.fetch.recording.frames import Frame
from webkeep.redaction import Redactor

FRAMES_TYPE = "application/vnd.webkeep.websocket-frames+jsonl"
"""The media type under which the frames of a WebSocket are kept."""

_PACKED = 7
"""The flags that belong to extensions, such as one that compresses."""


def frames_text(conversation: Conversation, redactor: Redactor) -> tuple[bytes, int]:
    """The frames of a conversation, and how many values were left out of them."""
    frames, redactions = redact_frames(conversation, redactor)
    lines = []
    for (moment, is_clients, _), frame in zip(conversation.frames, frames, strict=True):
        told: dict[str, object] = {
            "at": moment.iso(),
            "from": "client" if is_clients else "server",
            "opcode": frame.opcode,
            "flags": frame.flags,
        }
        text = _text(frame)
        if text is None:
            told["base64"] = base64.b64encode(frame.payload).decode()
        else:
            told["text"] = text
        if frame.size > len(frame.payload):
            told["size"] = frame.size
        lines.append(f"{json.dumps(told, ensure_ascii=False)}\n")
    return "".join(lines).encode(), redactions


def _text(frame: Frame) -> str | None:
    """The text of a frame that is no other than text and not packed."""
    if frame.opcode not in (0, 1) or frame.flags & _PACKED:
        return None
    try:
        return frame.payload.decode()
    except UnicodeDecodeError:
        return None

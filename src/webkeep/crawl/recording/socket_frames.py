"""WebSocket frames as they are stored beside the handshake: JSON lines with their secrets redacted."""

from __future__ import annotations

from webkeep.fetch.proxy import WebSocketConversation
from webkeep.formats.http import FRAMES_TYPE, RecordedFrame
from webkeep.redaction import Redactor, redact_frames

__all__ = ["FRAMES_TYPE", "render_frames"]


def render_frames(conversation: WebSocketConversation, redactor: Redactor) -> tuple[bytes, int]:
    """The frames of a conversation, and how many values were left out of them."""
    came = [
        RecordedFrame(moment.iso(), is_clients, frame.opcode, frame.flags, frame.payload, frame.size)
        for moment, is_clients, frame in conversation.frames
    ]
    frames, redactions = redact_frames(came, redactor)
    return "".join(frame.to_line() for frame in frames).encode(), redactions

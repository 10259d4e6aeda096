"""What is kept of a WebSocket that passed: its frames, without their secrets."""

from __future__ import annotations

from webkeep.fetch.recording import Conversation
from webkeep.formats.websocket_frames import FRAMES_TYPE, KeptFrame
from webkeep.redaction import Redactor, redact_frames

__all__ = ["FRAMES_TYPE", "frames_text"]


def frames_text(conversation: Conversation, redactor: Redactor) -> tuple[bytes, int]:
    """The frames of a conversation, and how many values were left out of them."""
    came = [
        KeptFrame(moment.iso(), is_clients, frame.opcode, frame.flags, frame.payload, frame.size)
        for moment, is_clients, frame in conversation.frames
    ]
    frames, redactions = redact_frames(came, redactor)
    return "".join(frame.line() for frame in frames).encode(), redactions

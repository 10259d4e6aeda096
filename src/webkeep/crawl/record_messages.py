"""Messages of WebSockets without their secrets: frames put together and unpacked, as a secret may lie across them.

A message that has something left out is recorded unpacked, all of it in its first frame. One that a client sent packed
and that cannot be unpacked is left out whole.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field, replace

from webkeep.fetch.recording import Conversation
from webkeep.fetch.recording.frames import Frame
from webkeep.redaction import REDACTED, Redactor

_LAST, _DEFLATED = 8, 4
_TEXT, _BINARY = 1, 2
_TAIL = b"\x00\x00\xff\xff"
"""What permessage-deflate takes off the end of each message (RFC 7692, 7.2.1)."""
_LARGEST = 8 << 20
_ANEW = re.compile(rb"(client|server)_no_context_takeover", re.IGNORECASE)


@dataclass(slots=True)
class _Side:
    """What one side has said of the message that is under way."""

    is_clients: bool
    begins_anew: bool
    """Whether each message is packed by itself."""
    frames: list[int] = field(default_factory=list)
    inflater: zlib._Decompress | None = field(default_factory=lambda: zlib.decompressobj(-15))

    def unpack(self, data: bytes) -> bytes | None:
        """A message that was packed; None where it cannot be unpacked, nor those that build on it."""
        if self.inflater is None:
            return None
        try:
            plain = self.inflater.decompress(data + _TAIL, _LARGEST)
        except zlib.error:
            plain = None
        if plain is None or self.inflater.unconsumed_tail:
            self.inflater = zlib.decompressobj(-15) if self.begins_anew else None
            return None
        if self.begins_anew:
            self.inflater = zlib.decompressobj(-15)
        return plain


def redact_frames(conversation: Conversation, redactor: Redactor) -> tuple[list[Frame], int]:
    """The frames of a conversation without their secrets, and how many there were."""
    frames = [frame for _, _, frame in conversation.frames]
    anew = {match[1].lower() for match in _ANEW.finditer(conversation.handshake.response)}
    sides = {True: _Side(True, b"client" in anew), False: _Side(False, b"server" in anew)}
    count = 0
    for at, (_, is_clients, frame) in enumerate(conversation.frames):
        if frame.opcode > _BINARY or not redactor.reads_messages(is_clients):
            continue  # what concerns the connection says nothing
        side = sides[is_clients]
        if frame.opcode:
            side.frames.clear()
        side.frames.append(at)
        if frame.flags & _LAST:
            count += _redact_message(frames, side, redactor)
            side.frames.clear()
    for side in sides.values():
        if side.frames:
            count += _redact_message(frames, side, redactor)
    return frames, count


def _redact_message(frames: list[Frame], side: _Side, redactor: Redactor) -> int:
    first, *others = side.frames
    data = b"".join(frames[at].payload for at in side.frames)
    if frames[first].flags & _DEFLATED:
        plain = side.unpack(data)
        if plain is None and not side.is_clients:
            return 0
        redacted, count = (REDACTED.encode(), 1) if plain is None else _redacted(plain, frames[first], side, redactor)
    else:
        redacted, count = _redacted(data, frames[first], side, redactor)
    if count:
        frames[first] = replace(frames[first], payload=redacted, flags=frames[first].flags & _LAST, size=len(redacted))
        for at in others:
            frames[at] = replace(frames[at], payload=b"", flags=frames[at].flags & _LAST, size=0)
    return count


def _redacted(data: bytes, first: Frame, side: _Side, redactor: Redactor) -> tuple[bytes, int]:
    return redactor.redact_message(data, side.is_clients, first.opcode == _TEXT)

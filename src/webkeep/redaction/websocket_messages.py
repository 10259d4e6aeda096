"""Messages of WebSockets without their secrets: frames put together and unpacked (permessage-deflate), as a secret may
lie across them; which are left out whole because they cannot be unpacked.

A message that has something left out is recorded unpacked, all of it in its first frame. One that a client sent packed
and that cannot be unpacked is left out whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from webkeep.formats.http import COMPRESSED_FLAG, FINAL_FLAG, RecordedFrame
from webkeep.redaction.redactor import Redactor
from webkeep.redaction.text_redactor import REDACTED

_TEXT, _BINARY = 1, 2
"""Opcodes of RFC 6455, 5.2."""
_DEFLATE_TAIL = b"\x00\x00\xff\xff"
"""What permessage-deflate takes off the end of each message (RFC 7692, 7.2.1)."""
_MAX_MESSAGE_BYTES = 8 << 20
"""A packed message that unpacks to more is taken for one that cannot be read."""


@dataclass(slots=True)
class _Direction:
    """What one side has said of the message that is under way."""

    is_clients: bool
    frames: list[int] = field(default_factory=list)
    inflater: zlib._Decompress = field(default_factory=lambda: zlib.decompressobj(-15))

    def unpack(self, data: bytes) -> bytes | None:
        """A message that was packed; None where it cannot be unpacked, whether it goes on or begins anew."""
        for inflater in (self.inflater, zlib.decompressobj(-15)):
            plain = _inflate(inflater, data)
            if plain is not None:
                self.inflater = zlib.decompressobj(-15) if inflater.eof else inflater
                return plain
        self.inflater = zlib.decompressobj(-15)
        return None


def _inflate(inflater: zlib._Decompress, data: bytes) -> bytes | None:
    try:
        plain = inflater.decompress(data + _DEFLATE_TAIL, _MAX_MESSAGE_BYTES)
    except zlib.error:
        return None
    return None if inflater.unconsumed_tail or inflater.unused_data.removesuffix(_DEFLATE_TAIL).strip(b"\0") else plain


def redact_frames(frames: Sequence[RecordedFrame], redactor: Redactor) -> tuple[list[RecordedFrame], int]:
    """The frames of a conversation without their secrets, and how many there were."""
    kept = list(frames)
    sides = {True: _Direction(True), False: _Direction(False)}
    count = 0
    for at, frame in enumerate(frames):
        if frame.opcode > _BINARY or not redactor.reads_messages(frame.is_from_client):
            continue  # what concerns the connection says nothing
        side = sides[frame.is_from_client]
        if frame.opcode:
            side.frames.clear()
        side.frames.append(at)
        if frame.flags & FINAL_FLAG:
            count += _redact_message(kept, side, redactor)
            side.frames.clear()
    for side in sides.values():
        if side.frames:
            count += _redact_message(kept, side, redactor)
    return kept, count


def _redact_message(frames: list[RecordedFrame], side: _Direction, redactor: Redactor) -> int:
    first, *others = side.frames
    data: bytes | None = b"".join(frames[at].payload for at in side.frames)
    if frames[first].flags & COMPRESSED_FLAG:
        data = side.unpack(data or b"")
        if data is None and not side.is_clients:
            return 0
    if data is None:
        redacted, count = REDACTED.encode(), 1
    else:
        redacted, count = redactor.redact_message(data, side.is_clients, frames[first].opcode == _TEXT)
    if count:
        frames[first] = replace(
            frames[first], payload=redacted, flags=frames[first].flags & FINAL_FLAG, size=len(redacted)
        )
        for at in others:
            frames[at] = replace(frames[at], payload=b"", flags=frames[at].flags & FINAL_FLAG, size=0)
    return count

"""A chunked body undone strictly, as it comes: what is not told exactly as HTTP/1.1 has it is broken, and trailers are
dropped.
"""

from __future__ import annotations

import re

_CHUNK_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:[ \t]*;[\t -~\x80-\xff]*)?\r\n")
_MAX_LINE_BYTES = 4096
"""No client writes the size of a chunk longer."""
_MAX_TRAILER_BYTES = 32 * 1024
"""Trailers are dropped; a client that never ends them is cut off."""


class ChunkDecoder:
    """Takes bytes as they come and gives what is in the chunks; trailers are dropped, as RFC 9112 allows."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._left = 0
        self._is_after_chunk = False
        self._is_in_trailer = False
        self._trailer = 0
        self.is_done = False
        self.is_broken = False

    def feed(self, data: bytes) -> bytes:
        """What is in the chunks of more bytes."""
        self._held += data
        found: list[bytes] = []
        while not self.is_done and not self.is_broken and self._decode_step(found):
            pass
        return b"".join(found)

    @property
    def rest(self) -> bytes:
        """What came beyond the end."""
        return bytes(self._held)

    def _decode_step(self, found: list[bytes]) -> bool:
        """Take the next piece of framing or data; whether there was enough for one."""
        held = self._held
        if self._left:
            piece = bytes(held[: self._left])
            del held[: len(piece)]
            self._left -= len(piece)
            found.append(piece)
            return not self._left and bool(piece)
        end = held.find(b"\n", 0, _MAX_LINE_BYTES)
        if end < 0:
            self.is_broken = len(held) >= _MAX_LINE_BYTES
            return False
        line = bytes(held[: end + 1])
        del held[: end + 1]
        self._read_line(line)
        return True

    def _read_line(self, line: bytes) -> None:
        if self._is_in_trailer:
            self._trailer += len(line)
            self.is_done = line == b"\r\n"
            self.is_broken = not line.endswith(b"\r\n") or self._trailer > _MAX_TRAILER_BYTES
        elif self._is_after_chunk:
            self._is_after_chunk = False
            self.is_broken = line != b"\r\n"
        elif (size := _CHUNK_SIZE_LINE.fullmatch(line)) is None:
            self.is_broken = True
        else:
            self._left = int(size[1], 16)
            self._is_after_chunk = bool(self._left)
            self._is_in_trailer = not self._left

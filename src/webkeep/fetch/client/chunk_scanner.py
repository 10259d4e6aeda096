"""Where a chunked body ends, found without undoing the coding, so that it is kept as it came."""

from __future__ import annotations

import re

_CHUNK_SIZE_LINE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_MAX_LINE_BYTES = 16 * 1024
"""A longer line is no size of a chunk: then it is not chunked."""


class ChunkScanner:
    """Follows the chunks of a body from size to size, however its bytes are cut when they come."""

    def __init__(self) -> None:
        self._held = b""
        self._left = 0
        self._is_after_chunk = False
        self._is_in_trailer = False
        self.is_broken = False
        """Whether it is not chunked after all, from some point on."""
        self.surplus = 0
        """How many bytes came behind the end, once that was reached."""

    def feed(self, data: bytes) -> bool:
        """Follow more; whether the end was reached."""
        data = self._held + data if self._held else data
        self._held = b""
        at = 0
        while not self.is_broken:
            skipped = min(self._left, len(data) - at)
            self._left -= skipped
            at += skipped
            end = data.find(b"\n", at, at + _MAX_LINE_BYTES)
            if end < 0:
                self._held = data[at:]
                self.is_broken = len(self._held) >= _MAX_LINE_BYTES
                return False
            line, at = data[at : end + 1], end + 1
            if self._is_in_trailer:
                if not line.strip(b"\r\n"):
                    self.surplus = len(data) - at
                    return True
            else:
                self._read_line(line)
        return False

    def _read_line(self, line: bytes) -> None:
        if self._is_after_chunk:
            self._is_after_chunk = False
            self.is_broken = bool(line.strip(b"\r\n"))
            return
        size = _CHUNK_SIZE_LINE.fullmatch(line)
        if size is None:
            self.is_broken = True
            return
        self._left = int(size[1], 16)
        self._is_in_trailer = not self._left
        self._is_after_chunk = not self._is_in_trailer

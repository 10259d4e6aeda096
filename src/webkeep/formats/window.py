"""A window on a segment: its decompressed bytes, taken by count, by line or up to an empty line."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.formats.segments import Segment

HEAD_LIMIT = 1 << 20
"""No header is longer than this."""

_EMPTY_LINE = b"\r\n\r\n"


class Window:
    """The decompressed bytes of a segment, looked at through a buffer."""

    __slots__ = ("data", "passed", "position", "segment")

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.data = b""
        self.position = 0
        self.passed = 0  # decompressed bytes of the segment that came before `data`

    @property
    def at(self) -> int:
        """How many decompressed bytes of the segment were taken."""
        return self.passed + self.position

    def more(self) -> bool:
        """Take one more piece; False at the end of the segment."""
        piece = self.segment.piece()
        if not piece:
            return False
        self.passed += self.position
        self.data = self.data[self.position :] + piece if self.position < len(self.data) else piece
        self.position = 0
        return True

    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.data) and not self.more()

    def exhaust(self) -> None:
        """Pass over everything that is left."""
        self.position = len(self.data)
        while self.more():
            self.position = len(self.data)

    def line_feeds(self) -> int:
        """Pass over empty lines; says how many bytes."""
        before = self.at
        while not self.at_end() and self.data[self.position] in b"\r\n":
            self.position += 1
        return self.at - before

    def take(self, count: int) -> bytes:
        """The next `count` bytes, fewer only at the end."""
        while len(self.data) - self.position < count and self.more():
            pass
        taken = self.data[self.position : self.position + count]
        self.position += len(taken)
        return taken

    def pieces(self, count: int) -> Iterator[bytes]:
        """The next `count` bytes in pieces, fewer only at the end."""
        left = count
        while left > 0 and not self.at_end():
            piece = self.data[self.position : self.position + left]
            self.position += len(piece)
            left -= len(piece)
            yield piece

    def head(self) -> bytes | None:
        """A record's version line and fields with the empty line; None when no end is in reach."""
        seen = self.position
        while True:
            end = self.data.find(_EMPTY_LINE, seen)
            if end >= 0:
                head = self.data[self.position : end + 4]
                self.position = end + 4
                return head
            held = len(self.data) - self.position
            if held > HEAD_LIMIT or not self.more():
                return self._bare_head()
            seen = max(self.position + held - 3, 0)

    def _bare_head(self) -> bytes | None:
        """Some writers end lines with a bare line feed."""
        end = self.data.find(b"\n\n", self.position)
        if end < 0:
            return None
        head = self.data[self.position : end + 2]
        self.position = end + 2
        return head

    def line(self) -> bytes | None:
        """The next line with its end; None when no end is in reach."""
        while (end := self.data.find(b"\n", self.position)) < 0:
            if len(self.data) - self.position > HEAD_LIMIT or not self.more():
                return None
        line = self.data[self.position : end + 1]
        self.position = end + 1
        return line

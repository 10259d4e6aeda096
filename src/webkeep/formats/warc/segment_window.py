"""A window on a segment: its decompressed bytes, taken by count, by line or up to an empty line, and how long the head
of a record may be.
"""

from __future__ import annotations

from webkeep.formats.warc.segments import PlainSegment, Segment

MAX_RECORD_HEAD_BYTES = 1 << 20
"""No header is longer than this: it is held whole while its end is looked for."""

_LINE_ENDS = b"\r\n"
_MIN_SEEK_BYTES = 256 * 1024
"""Less than this is sooner read than passed over in the file."""


class DecompressedWindow:
    """The decompressed bytes of a segment, looked at through a buffer."""

    __slots__ = ("data", "passed_bytes", "position", "segment")

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.data = b""
        self.position = 0
        self.passed_bytes = 0  # decompressed bytes of the segment that came before `data`

    @property
    def at(self) -> int:
        """How many decompressed bytes of the segment were taken."""
        return self.passed_bytes + self.position

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing is left, as far as that is known without decompressing more."""
        return self.segment.done and self.position >= len(self.data)

    def load_more(self) -> bool:
        """Take one more piece; False at the end of the segment."""
        segment = self.segment
        if segment.done or not (piece := segment.next_piece()):
            return False
        self.passed_bytes += self.position
        self.data = self.data[self.position :] + piece if self.position < len(self.data) else piece
        self.position = 0
        return True

    def is_at_end(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.data) and not self.load_more()

    def skip_blank_lines(self) -> bool:
        """Pass over empty lines; whether nothing is left behind them."""
        while not self.is_at_end():
            if self.data[self.position] not in _LINE_ENDS:
                return False
            self.position = len(self.data) - len(self.data[self.position :].lstrip(_LINE_ENDS))
        return True

    def skip_rest(self) -> None:
        """Pass over everything that is left."""
        self.position = len(self.data)
        while self.load_more():
            self.position = len(self.data)

    def peek(self, count: int) -> bytes:
        """The next `count` bytes, fewer only at the end, without taking them."""
        while len(self.data) - self.position < count and self.load_more():
            pass
        return self.data[self.position : self.position + count]

    def take_some(self, limit: int) -> bytes:
        """The next bytes that are at hand, at most so many; b"" at the end."""
        if self.is_at_end():
            return b""
        taken = self.data[self.position : self.position + limit]
        self.position += len(taken)
        return taken

    def skip(self, count: int) -> int:
        """Pass over bytes; says how many there were."""
        left = count
        while left > 0 and not self.is_at_end():
            step = min(left, len(self.data) - self.position)
            self.position += step
            left -= step
            if left > _MIN_SEEK_BYTES and isinstance(self.segment, PlainSegment):
                step = self.segment.skip(left)
                self.passed_bytes += step
                left -= step
        return count - left

    def take_head(self) -> bytes | None:
        """A record's version line and fields with the empty line; None when no end is in reach."""
        searched = 0
        while (end := self._head_end(self.position + searched)) < 0:
            searched = max(len(self.data) - self.position - 2, 0)
            if searched > MAX_RECORD_HEAD_BYTES or not self.load_more():
                return None
        head = self.data[self.position : end]
        self.position = end
        return head

    def _head_end(self, start: int) -> int:
        """Behind the first empty line; some writers end lines with a bare line feed."""
        end = self.data.find(b"\n\r\n", start)
        bare = self.data.find(b"\n\n", start, end + 1 if end >= 0 else len(self.data))
        if bare >= 0:
            return bare + 2
        return end + 3 if end >= 0 else -1

    def take_line(self, limit: int = MAX_RECORD_HEAD_BYTES) -> bytes | None:
        """The next line with its end; None, and nothing taken, when no end is in reach."""
        searched = 0
        while (end := self.data.find(b"\n", self.position + searched)) < 0:
            searched = len(self.data) - self.position
            if searched > limit or not self.load_more():
                return None
        line = self.data[self.position : end + 1]
        self.position = end + 1
        return line

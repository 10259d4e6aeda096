"""Reading a row of records out of segments, whatever their format: going on after what is broken.

Theory of operation. A reader takes one segment after the other and the records out of each. A record's block is
pulled by whoever has the record, so corruption may show while it is in their hands: the record is marked, the flaw
reported, and when the reader is asked for the next record it looks for one behind the damage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from webkeep.formats.flaws import Flaws
from webkeep.formats.record import Record
from webkeep.formats.segments import CorruptSegmentError, PlainSegment, RawInput, Segment
from webkeep.formats.window import Window


class RecordReader:
    """The records of one file, in order; subclasses know the format."""

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None, start: int) -> None:
        self.raw = RawInput(stream, 0)
        self.source = source
        self.start = start
        self._flaws = flaws or Flaws()
        self._window: Window | None = None
        self._alone = True
        self._broken = False
        self._last_offset = 0

    # What a format must know

    def begin(self) -> bool:
        """Look at the start of the file; False when there is nothing to read."""
        raise NotImplementedError

    def next_segment(self) -> Segment | None:
        """The segment at the present offset; None at the end."""
        raise NotImplementedError

    def parse(self, window: Window, offset: int) -> Record | None:
        """Take a record's head; None, with a flaw reported, where there is none."""
        raise NotImplementedError

    def trailer(self, window: Window, record: Record) -> bool:
        """Take what stands between records; False where it is not what it should be."""
        raise NotImplementedError

    def look_for_record(self, start: int) -> bool:
        """Go to the next place, at or after an offset, that looks like the start of a record."""
        raise NotImplementedError

    # The walk

    def __iter__(self) -> Iterator[Record]:
        if not self.begin():
            return
        while segment := self.next_segment():
            self._broken = False
            window = self._window = Window(segment)
            yield from self._records_of(window)
            if self._broken and not self.look_for_record(self._behind(segment)):
                return

    def _records_of(self, window: Window) -> Iterator[Record]:
        self._alone = True
        while not self._broken and (record := self._next_record(window)):
            yield record
            record.finish()
            self._alone = False

    def _next_record(self, window: Window) -> Record | None:
        segment = window.segment
        plain = isinstance(segment, PlainSegment)
        try:
            window.line_feeds()
            if window.at_end():
                return None
            offset = segment.start + window.at if plain else segment.start
            self._last_offset = offset
            record = self.parse(window, offset)
            if record is None:
                self._give_up(window)
            elif not self._alone and not plain:
                self.flaw("not-per-record", offset, "one compressed member holds several records; import the file")
            return record
        except CorruptSegmentError as error:
            self._corrupt(segment, error)
            return None

    def block(self, record: Record) -> Iterator[bytes]:
        """What is left of a record's block."""
        if self._window is None:
            return
        try:
            for piece in self._window.pieces(record.unread):
                record.unread -= len(piece)
                yield piece
        except CorruptSegmentError as error:
            record.intact = False
            self._corrupt(self._window.segment, error)
            return
        if record.unread and record.intact:
            record.intact = False
            self._broken = True
            self.flaw("block-cut", record.offset, f"a block is {record.unread} bytes shorter than its header says")

    def end(self, record: Record) -> None:
        """Look at what follows a block that was taken."""
        window = self._window
        if window is None:
            return
        segment = window.segment
        try:
            if not self.trailer(window, record):
                self.flaw("trailer-bad", record.offset, "a block does not end where its header says")
                record.intact = False
                self._give_up(window)
            elif isinstance(segment, PlainSegment):
                record.length = segment.start + window.at - record.offset
            elif window.at_end():
                record.length = segment.end - segment.start if self._alone else 0
        except CorruptSegmentError as error:
            record.intact = False
            self._corrupt(segment, error)

    def flaw(self, code: str, offset: int, message: str) -> None:
        """Report a flaw of this file."""
        self._flaws.report(code, self.source, offset, message)

    def _give_up(self, window: Window) -> None:
        """Leave the rest of a segment: a compressed one has an end of its own, in a plain one it must be looked for."""
        if isinstance(window.segment, PlainSegment):
            self._broken = True
        else:
            window.exhaust()

    def _corrupt(self, segment: Segment, error: CorruptSegmentError) -> None:
        self._broken = True
        self.flaw("corrupt", segment.start, f"{error}; what follows is looked for and read")

    def _behind(self, segment: Segment) -> int:
        return (self._last_offset if isinstance(segment, PlainSegment) else segment.start) + 1

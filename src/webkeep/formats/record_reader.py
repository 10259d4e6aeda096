"""Reading a row of records out of segments, whatever their format: going on after what is broken.

Theory of operation. A reader takes one segment after the other and the records out of each. A record's block is
pulled by whoever has the record, so corruption may show while it is in their hands: the record is marked, the flaw
reported, and when the reader is asked for the next record it looks for one behind the damage. It looks from right
behind the place where the broken record begins, because what that record seemed to take up may hold whole ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.formats.beacon import Beacon
from webkeep.formats.flaws import Flaws
from webkeep.formats.record import Record
from webkeep.formats.segments import (
    GLIMPSE,
    CorruptSegmentError,
    GzipSegment,
    PlainSegment,
    RawInput,
    Segment,
    end_of_stored_member,
)
from webkeep.formats.window import Window

_LITTLE = 32 << 10
_PATIENCE = 4
_PATIENCE_FLOOR = 64 << 20


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why there is no record where one should be."""

    code: str
    message: str
    between: bool = False
    """Whether it lies where a record could begin, and not within one."""


class RecordReader:
    """The records of one file, in order; subclasses know the format."""

    beacons: Sequence[Beacon]
    """The kinds of starts to look for behind damage."""

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None, start: int) -> None:
        self.raw = RawInput(stream, start)
        self.source = source
        self.start = start
        self._flaws = flaws or Flaws()
        self._window: Window | None = None
        self._count = 0
        self._broken = False
        self._between = False
        self._searched = False
        self._kind: Beacon | None = None
        self._record_start = 0
        self._read_again = 0
        self.inner_start = 1
        """Where in a broken record the next may begin: not before the last thing in its head that looks like one."""

    # What a format must know

    def begin(self) -> bool:
        """Look at the start of the file; False when there is nothing to read."""
        raise NotImplementedError

    def quick(self) -> Iterator[Record]:
        """The next records, as long as they can be had in one quick look; a format need not know how."""
        return iter(())

    def next_segment(self) -> Segment | None:
        """The segment at the present offset; None at the end."""
        raise NotImplementedError

    def is_compressed(self, start: bytes) -> bool:
        """Whether four bytes begin a compressed segment."""
        raise NotImplementedError

    def is_record(self, start: bytes) -> bool:
        """Whether decompressed bytes begin a record."""
        raise NotImplementedError

    def parse(self, window: Window, offset: int) -> Record | Flaw:
        """Take a record's head, or say why there is none."""
        raise NotImplementedError

    def trailer(self, window: Window) -> bool:
        """Take what stands behind a block; False, and nothing taken, where it is not what it should be."""
        raise NotImplementedError

    # The walk

    def __iter__(self) -> Iterator[Record]:
        if not self.begin():
            return
        while True:
            yield from self.quick()
            segment = self.next_segment()
            if segment is None:
                return
            self._broken = self._between = False
            self._record_start, self.inner_start = segment.start, 1
            window = self._window = Window(segment)
            yield from self._records_of(window)
            if self._broken and not self._go_on_behind(segment):
                return

    def look_for_record(self, start: int) -> bool:
        """Go to the next place, at or after an offset, that looks like the start of a record."""
        sought = self.beacons if self._between or self._kind is None else (self._kind,)
        found = [at for beacon in sought if (at := beacon.after(start)) is not None]
        if found:
            self.raw.seek(min(found))
            self._searched = True
        return bool(found)

    def is_at(self, kind: Beacon) -> None:
        """Take note of the kind of start a segment has; one that was merely found may be part of what is damaged.

        Within a record only starts of the kind at hand are looked for: what is kept there may look like any other.
        """
        self._kind = None if self._searched else kind
        self._searched = False

    def _records_of(self, window: Window) -> Iterator[Record]:
        self._count = 0
        while not self._broken and not window.is_spent and (record := self._next_record(window)):
            yield record
            record.finish()

    def _next_record(self, window: Window) -> Record | None:
        segment = window.segment
        plain = isinstance(segment, PlainSegment)
        try:
            if window.at_end_of_lines():
                return None
            offset = self._record_start = segment.start + window.at if plain else segment.start
            if plain and self.is_compressed(window.peek(4)):
                self.raw.seek(offset)
                return None
            self.inner_start = 1
            found = self.parse(window, offset)
            if isinstance(found, Flaw):
                self._between = plain and found.between
                self._give_up(window)  # first, because a corrupt member is its own explanation
                self.flaw(found.code, offset, found.message)
                return None
            self._count += 1
            if self._count == 2 and not plain:
                self.flaw("not-per-record", offset, "one compressed member holds several records; import the file")
            return found
        except CorruptSegmentError as error:
            self._corrupt(segment, error)
            return None

    def block(self, record: Record) -> Iterator[bytes]:
        """What is left of a record's block."""
        window = self._window
        while window is not None and record.unread and record.intact and not record.finished:
            try:
                piece = window.some(record.unread)
            except CorruptSegmentError as error:
                record.intact = False
                self._corrupt(window.segment, error)
                return
            if not piece:
                self._cut(record)
                return
            record.unread -= len(piece)
            yield piece

    def end(self, record: Record) -> None:
        """Pass over the rest of a block and look at what follows it."""
        window = self._window
        if window is None or not record.intact:
            return
        try:
            if record.unread:
                record.unread -= window.skip(record.unread)
            if record.unread:
                self._cut(record)
            elif self.trailer(window) or self._strange_trailer(window, record):
                self._measure(window, record)
        except CorruptSegmentError as error:
            record.intact = False
            self._corrupt(window.segment, error)

    def flaw(self, code: str, offset: int, message: str) -> None:
        """Report a flaw of this file."""
        self._flaws.report(code, self.source, offset, message)

    def lax_trailer(self, offset: int) -> None:
        """Take note of a block that ends where it should, with something else behind it than there should be."""

    def _strange_trailer(self, window: Window, record: Record) -> bool:
        """Whether a block without the right trailer ends where its header says all the same."""
        if window.at_end_of_lines() or self.is_record(window.peek(GLIMPSE)):
            self.lax_trailer(record.offset)
            return True
        record.intact = False
        self._give_up(window)
        self.flaw("length-wrong", record.offset, "a block does not end where its header says")
        return False

    def _measure(self, window: Window, record: Record) -> None:
        segment = window.segment
        if isinstance(segment, PlainSegment):
            record.length = segment.start + window.at - record.offset
            return
        if self._count == 1 and window.at_end_of_lines():
            record.length = segment.end - segment.start

    def _cut(self, record: Record) -> None:
        record.intact = False
        self._broken = True
        self.flaw("block-cut", record.offset, f"a block is {record.unread} bytes shorter than its header says")

    def _give_up(self, window: Window) -> None:
        """Leave the rest of a segment: a compressed one has an end of its own, in a plain one it must be looked for."""
        if isinstance(window.segment, PlainSegment):
            self._broken = True
        else:
            window.exhaust()

    def _corrupt(self, segment: Segment, error: CorruptSegmentError) -> None:
        self._broken = True
        self.flaw("corrupt", segment.start, f"{error}; what follows is looked for and read")

    def _go_on_behind(self, segment: Segment) -> bool:
        reached = self.raw.position
        if isinstance(segment, GzipSegment) and self._passes_stored_member(segment):
            return True
        # Damage that seems to reach far could make every byte be read for every record: there is an end to that.
        self._read_again += max(0, reached - self._record_start - _LITTLE)
        patient = self._read_again <= _PATIENCE * reached + _PATIENCE_FLOOR
        return self.look_for_record(self._record_start + self.inner_start if patient else reached)

    def _passes_stored_member(self, segment: GzipSegment) -> bool:
        """Go behind a stored member whose blocks are in order, lest a member nested in it be taken for the next."""
        behind = end_of_stored_member(self.raw, segment.start)
        if behind is None:
            return False
        self.raw.seek(behind)
        head = self.raw.peek(4)
        return not head or self.is_compressed(head)

"""Reading a row of records out of a WARC or ARC file: how it goes on after what is broken (corrupt members, wrong
lengths, cut off blocks), and how much is read again in the search for the next.

Theory of operation. A reader takes one segment after the other and the records out of each. A record's block is
pulled by whoever has the record, so corruption may show while it is in their hands: the record is marked, the flaw
reported, and when the reader is asked for the next record it looks for one behind the damage. It looks from right
behind the place where the broken record begins, because what that record seemed to take up may hold whole ones.

A record whose head is sound is not lost because its block is cut off, or because the length it names is wrong: it ends
where the next one begins, or where its member or the file does. Once it is finished, `length` and `held` say how far it
reaches and how much of its block is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.formats.flaws import Flaws
from webkeep.formats.warc.record import UNKNOWN_SIZE, WarcRecord
from webkeep.formats.warc.record_start import RecordStartFinder
from webkeep.formats.warc.segment_window import DecompressedWindow
from webkeep.formats.warc.segments import (
    GLIMPSE_BYTES,
    CorruptSegmentError,
    GzipSegment,
    PlainSegment,
    RawInput,
    Segment,
    TruncatedSegmentError,
    find_stored_member_end,
)

_FREE_REREAD_BYTES = 32 << 10
"""So little of a broken record is read again without being counted."""
_MAX_REREAD_RATIO = 4
"""How often each byte may be read again, on the whole, in the search behind broken records."""
_ALWAYS_REREAD_BYTES = 64 << 20
"""So much may be read again whatever the ratio: short files are searched to the end."""


@dataclass(frozen=True, slots=True)
class RecordFlaw:
    """Why there is no record where one should be."""

    code: str
    message: str
    between: bool = False
    """Whether it lies where a record could begin, and not within one."""


class RecordReader:
    """The records of one file, in order; subclasses know the format."""

    start_finders: Sequence[RecordStartFinder]
    """The kinds of starts to look for behind damage."""
    plain_start_finder: RecordStartFinder
    """The one of them that knows starts that are not compressed."""
    end_of_record: bytes
    """What stands behind a block."""

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None, start: int) -> None:
        self.raw = RawInput(stream, start)
        self.source = source
        self.start = start
        self._flaws = flaws or Flaws()
        self._window: DecompressedWindow | None = None
        self._count = 0
        self._is_broken = False
        self._is_between_records = False
        self._was_searched = False
        self._start_kind: RecordStartFinder | None = None
        self._record_start = 0
        self._block_start = 0
        self._reread_bytes = 0
        self.inner_start = 1
        """Where in a broken record the next may begin: not before the last thing in its head that looks like one."""

    # What a format must know

    def read_beginning(self) -> bool:
        """Look at the start of the file; False when there is nothing to read."""
        raise NotImplementedError

    def quick_records(self) -> Iterator[WarcRecord]:
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

    def parse_record(self, window: DecompressedWindow, offset: int) -> WarcRecord | RecordFlaw:
        """Take a record's head, or say why there is none."""
        raise NotImplementedError

    def take_trailer(self, window: DecompressedWindow) -> bool:
        """Take what stands behind a block; False, and nothing taken, where it is not what it should be."""
        raise NotImplementedError

    # The walk

    def __iter__(self) -> Iterator[WarcRecord]:
        if not self.read_beginning():
            return
        while True:
            yield from self.quick_records()
            segment = self.next_segment()
            if segment is None:
                return
            self._is_broken = self._is_between_records = False
            self._record_start, self.inner_start = segment.start, 1
            window = self._window = DecompressedWindow(segment)
            yield from self._records_of(window)
            if self._is_broken and not self._resume_behind(segment):
                return

    def unpack(self) -> Iterator[bytes]:
        """The whole file without its compression, as far as it can be had; records in it may be flawed all the same."""
        is_there = self.read_beginning()
        while is_there and (segment := self.next_segment()) is not None:
            try:
                while piece := segment.next_piece():
                    yield piece
            except CorruptSegmentError:
                is_there = self.look_for_record(segment.start + 1)

    def look_for_record(self, start: int) -> bool:
        """Go to the next place, at or after an offset, that looks like the start of a record."""
        found = self._find_start(start)
        if found is not None:
            self.raw.seek(found)
            self._was_searched = True
        return found is not None

    def _find_start(self, start: int) -> int | None:
        sought = self.start_finders if self._is_between_records or self._start_kind is None else (self._start_kind,)
        return min((at for beacon in sought if (at := beacon.find_after(start)) is not None), default=None)

    def note_start_kind(self, kind: RecordStartFinder) -> None:
        """Take note of the kind of start a segment has; one that was merely found may be part of what is damaged.

        Within a record only starts of the kind at hand are looked for: what is kept there may look like any other.
        """
        self._start_kind = None if self._was_searched else kind
        self._was_searched = False

    def _records_of(self, window: DecompressedWindow) -> Iterator[WarcRecord]:
        self._count = 0
        while not self._is_broken and not window.is_exhausted and (record := self._next_record(window)):
            yield record
            record.finish()

    def _next_record(self, window: DecompressedWindow) -> WarcRecord | None:
        segment = window.segment
        plain = isinstance(segment, PlainSegment)
        try:
            if window.skip_blank_lines():
                return None
            offset = self._record_start = segment.start + window.at if plain else segment.start
            if plain and self.is_compressed(window.peek(4)):
                self.raw.seek(offset)
                return None
            self.inner_start = 1
            found = self.parse_record(window, offset)
            if isinstance(found, RecordFlaw):
                self._is_between_records = plain and found.between
                self._leave_segment(window)  # first, because a corrupt member is its own explanation
                self.report_flaw(found.code, offset, found.message)
                return None
            self._block_start = window.at
            self._count += 1
            if self._count == 2 and not plain:
                self._report_packed(offset)
            return found
        except CorruptSegmentError as error:
            self._report_corrupt(segment, error)
            return None

    def _report_packed(self, offset: int) -> None:
        self.report_flaw("not-per-record", offset, "one compressed member holds several records; import the file")

    def read_block(self, record: WarcRecord) -> Iterator[bytes]:
        """What is left of a record's block."""
        window = self._window
        while window is not None and record.unread and record.intact and not record.finished:
            try:
                piece = window.take_some(record.unread)
            except CorruptSegmentError as error:
                self._report_torn_block(window, record, error)
                return
            if not piece:
                self._report_cut_block(window, record)
                return
            record.unread -= len(piece)
            yield piece

    def finish_record(self, record: WarcRecord) -> None:
        """Pass over the rest of a block and look at what follows it."""
        window = self._window
        if window is None or not record.intact:
            return
        try:
            if record.unread:
                record.unread -= window.skip(record.unread)
            if record.unread:
                self._report_cut_block(window, record)
            elif self.take_trailer(window) or self._accepts_trailer(window, record):
                self._measure(window, record)
        except CorruptSegmentError as error:
            self._report_torn_block(window, record, error)

    def report_flaw(self, code: str, offset: int, message: str) -> None:
        """Report a flaw of this file."""
        self._flaws.report(code, self.source, offset, message)

    def note_lax_trailer(self, offset: int) -> None:
        """Take note of a block that ends where it should, with something else behind it than there should be."""

    def _accepts_trailer(self, window: DecompressedWindow, record: WarcRecord) -> bool:
        """Whether a block without the right trailer ends where its header says all the same."""
        if window.skip_blank_lines() or self.is_record(window.peek(GLIMPSE_BYTES)):
            self.note_lax_trailer(record.offset)
            return True
        record.intact = False
        self._leave_segment(window)
        self._measure_flawed(window, record)
        self.report_flaw(
            "length-wrong", record.offset, "a block does not end where its header says; it is taken as cut off"
        )
        return False

    def _measure(self, window: DecompressedWindow, record: WarcRecord) -> None:
        segment = window.segment
        if isinstance(segment, PlainSegment):
            record.length = segment.start + window.at - record.offset
            return
        if self._count == 1 and window.skip_blank_lines():
            record.length = segment.end - segment.start

    def _report_cut_block(self, window: DecompressedWindow, record: WarcRecord) -> None:
        record.intact = False
        self._is_broken = True
        self._measure_flawed(window, record)
        if record.size != UNKNOWN_SIZE:  # which was told already
            missing = record.size - record.held
            self.report_flaw("block-cut", record.offset, f"a block is {missing} bytes shorter than its header says")

    def _report_torn_block(self, window: DecompressedWindow, record: WarcRecord, error: CorruptSegmentError) -> None:
        """A block in a member that cannot be read to its end; what came before is right where the file just ends."""
        segment = window.segment
        record.intact = False
        record.held = 0
        if isinstance(error, TruncatedSegmentError) and self._count == 1 and self._is_last_member(segment):
            record.held = min(window.at - self._block_start, record.size)
            record.length = segment.end - segment.start
        self._report_corrupt(segment, error)

    def _is_last_member(self, segment: Segment) -> bool:
        """Whether no other member seems to begin behind the beginning of one that reaches to the end of the file."""
        position = self.raw.position
        if find_stored_member_end(self.raw, segment.start) is None:
            is_last = self._find_start(segment.start + 1) is None
        else:
            is_last = True  # what seems to begin in it is a part of what it holds
        self.raw.seek(position)
        return is_last

    def _measure_flawed(self, window: DecompressedWindow, record: WarcRecord) -> None:
        """How far a record reaches whose block does not end where its head says, and how much of the block is there."""
        segment = window.segment
        if isinstance(segment, PlainSegment):
            end = self._next_start() or self.raw.seek_end()
            record.length = end - record.offset
            there, has_trailer = record.length - len(record.raw_head), self.raw.ends_with(self.end_of_record, end)
        else:
            there, has_trailer = window.at - self._block_start, window.data.endswith(self.end_of_record)
            if self._count > 1 or self._has_more_records(segment):
                self._report_packed(record.offset)
            else:
                record.length = segment.end - segment.start
        if there <= record.size:
            there -= len(self.end_of_record) if has_trailer else 0
        record.held = max(min(there, record.size), 0)

    def _next_start(self) -> int | None:
        """Where, behind the beginning of a flawed record, another seems to begin; None where that takes too long."""
        return self._find_start(self._record_start + self.inner_start) if self._may_reread() else self.raw.position

    def _has_more_records(self, segment: Segment) -> bool:
        """Whether further records lie in a member whose first one is flawed."""
        if not isinstance(segment, GzipSegment):
            return False
        position = self.raw.position
        self.raw.seek(segment.start)
        try:
            return self.plain_start_finder.is_in_segment(GzipSegment(self.raw), self.inner_start)
        finally:
            self.raw.seek(position)

    def _leave_segment(self, window: DecompressedWindow) -> None:
        """Leave the rest of a segment: a compressed one has an end of its own, in a plain one it must be looked for."""
        if isinstance(window.segment, PlainSegment):
            self._is_broken = True
        else:
            window.skip_rest()

    def _report_corrupt(self, segment: Segment, error: CorruptSegmentError) -> None:
        self._is_broken = True
        self.report_flaw("corrupt", segment.start, f"{error}; what follows is looked for and read")

    def _resume_behind(self, segment: Segment) -> bool:
        reached = self.raw.position
        if isinstance(segment, GzipSegment) and self._skip_stored_member(segment):
            return True
        patient = self._may_reread()
        self._reread_bytes += self._reread_now()
        return self.look_for_record(self._record_start + self.inner_start if patient else reached)

    def _reread_now(self) -> int:
        return max(0, self.raw.position - self._record_start - _FREE_REREAD_BYTES)

    def _may_reread(self) -> bool:
        """Whether to look behind a broken record, and not behind what it seems to take up.

        Damage that seems to reach far could make every byte be read for every record: there is an end to that.
        """
        return self._reread_bytes + self._reread_now() <= _MAX_REREAD_RATIO * self.raw.position + _ALWAYS_REREAD_BYTES

    def _skip_stored_member(self, segment: GzipSegment) -> bool:
        """Go behind a stored member whose blocks are in order, lest a member nested in it be taken for the next."""
        behind = find_stored_member_end(self.raw, segment.start)
        if behind is None:
            return False
        self.raw.seek(behind)
        head = self.raw.peek(4)
        return not head or self.is_compressed(head)

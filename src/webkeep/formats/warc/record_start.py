"""Record starts: where, behind damage, something looks like the start of a record (resynchronisation), each stretch
searched once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress

from webkeep.formats.warc.segments import GLIMPSE_BYTES, CorruptSegmentError, RawInput, Segment


class RecordStartFinder:
    """One kind of start; the last answer is remembered, so that no stretch is searched twice however often one asks."""

    def __init__(
        self, raw: RawInput, pattern: re.Pattern[bytes], is_start: Callable[[bytes], bool], lead: int = 0
    ) -> None:
        self._raw = raw
        self._pattern = pattern
        self._is_start = is_start
        self._lead = lead  # how much of the pattern comes before the start
        self._last_offset = sys.maxsize
        self._last_found: int | None = None

    def find_after(self, offset: int) -> int | None:
        """The first start at or after an offset; None where there is none."""
        if offset < self._last_offset or (self._last_found is not None and self._last_found < offset):
            self._last_offset = offset
            self._last_found = self._search(offset)
        return self._last_found

    def is_in_segment(self, segment: Segment, start: int) -> bool:
        """Whether there is such a start in what a segment holds, at or after an offset in that."""
        window, base = b"", 0
        with suppress(CorruptSegmentError):  # what lies behind the damage cannot be read, so no record starts there
            while piece := segment.next_piece():
                window += piece
                if self._has_start(window, start - base):
                    return True
                base += max(len(window) - GLIMPSE_BYTES, 0)
                window = window[-GLIMPSE_BYTES:]
        return False

    def _has_start(self, data: bytes, start: int) -> bool:
        found = (match.start() + self._lead for match in self._pattern.finditer(data))
        return any(at >= start and self._is_start(data[at : at + GLIMPSE_BYTES]) for at in found)

    def _search(self, offset: int) -> int | None:
        for at, glimpse in self._raw.search(self._pattern, max(offset - self._lead, 0)):
            if self._is_start(glimpse[self._lead :]):
                return at + self._lead
        return None

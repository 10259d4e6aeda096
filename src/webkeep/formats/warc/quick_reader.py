"""The quick way through a WARC file: most records are one small gzip member in order, and need no more than a look;
which ones these are, and which dates are right beyond doubt.

Whatever is not exactly so (a large member, damage, a flaw, anything to report) is left to the reader's careful way,
which begins at the same byte. It saves a quarter to a third of the time (records of 2 KB: 11 µs each instead of 18;
`bench.quick_paths`). `test_the_quick_way_and_the_careful_way_see_the_same` in `tests/property/test_record_laws.py`
holds both to the same.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from isal import isal_zlib

from webkeep.formats.warc.record import WarcRecord
from webkeep.formats.warc.segments import IsalError, RawInput
from webkeep.model import parse_plain_head

_MAX_MEMBER_BYTES = 40 * 1024
"""Longer members are left to the careful way, which costs them little; the quick way looks at all of a member at
once."""
_MAX_INFLATED_BYTES = 512 * 1024
"""So are those that unpack to more, which the quick way would hold whole."""
_SLACK_BYTES = 256
"""Given beyond twice the length of the member before the last, so that short ones fit at once."""
_RECORD_END = b"\r\n\r\n"
_VERSIONS = frozenset({"WARC/1.0", "WARC/1.1"})
# Only days that every month has: most dates are seen to be right without being taken apart.
_PLAIN_DATE = re.compile(
    r"(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z", re.ASCII
)


def is_plain_date(text: str) -> bool:
    """Whether a date is right beyond doubt; what is not may be right all the same.

    Takes 0.2 µs, a look by `Moment.parse` 0.8. `test_a_plain_date_is_a_date` holds it to that.
    """
    return _PLAIN_DATE.fullmatch(text) is not None


def read_quick_records(raw: RawInput, source: str) -> Generator[WarcRecord, None, int]:
    """The records from the present offset on; ends before the first that needs care, with nothing of it taken.

    Its return value is how many there were.
    """
    data, at, count = raw.peek_buffer(_MAX_MEMBER_BYTES), 0, 0
    last = before = _MAX_MEMBER_BYTES
    while True:
        if len(data) - at < _MAX_MEMBER_BYTES:
            raw.advance(at)
            data, at = raw.peek_buffer(_MAX_MEMBER_BYTES), 0
        # What is given too much is copied. Requests and responses take turns: each is like the one before the last.
        stop = at + min(2 * before + _SLACK_BYTES, _MAX_MEMBER_BYTES)
        inflater = isal_zlib.decompressobj(wbits=31)
        try:
            whole = inflater.decompress(data[at:stop], _MAX_INFLATED_BYTES)
            if not inflater.eof and not inflater.unconsumed_tail:
                whole += inflater.decompress(data[stop : at + _MAX_MEMBER_BYTES], _MAX_INFLATED_BYTES)
                stop = at + _MAX_MEMBER_BYTES
        except IsalError:
            break
        record = _parse_member(whole, source, raw.position + at) if inflater.eof else None
        if record is None:
            break
        before, last = last, min(stop, len(data)) - len(inflater.unused_data) - at
        record.length = last
        at += last
        count += 1
        yield record
        record.finished = True
    raw.advance(at)
    return count


def _parse_member(whole: bytes, source: str, offset: int) -> WarcRecord | None:
    """The record that a member holds, if it is in order."""
    start = whole.find(_RECORD_END, 0, -4) + 4
    if start < 4 or not whole.endswith(_RECORD_END):
        return None
    raw_head = whole[:start]
    try:
        head = parse_plain_head(raw_head.decode("utf-8"))
    except UnicodeDecodeError:
        return None
    if head is None or head[0] not in _VERSIONS:
        return None
    version, headers = head
    first = headers.first
    size = len(whole) - start - 4
    if (
        first.get("content-length") != str(size)
        or "warc-type" not in first
        or "warc-record-id" not in first
        or not _PLAIN_DATE.fullmatch(first.get("warc-date", ""))
    ):
        return None
    record = _RecordInMemory(version, headers, size, source, offset, raw_head, _EMPTY_BLOCK)
    record.whole = whole
    return record


class _RecordInMemory(WarcRecord):
    """A record that is in memory and known to be in order."""

    __slots__ = ("whole",)

    whole: bytes

    def chunks(self) -> Iterator[bytes]:
        """What is left of the block: all, or nothing."""
        if block := self.read():
            yield block

    def read(self) -> bytes:
        """The block, where it was not taken yet."""
        if self.finished or not self.unread:
            return b""
        self.unread = 0
        return self.whole[len(self.raw_head) : -4]

    def finish(self) -> None:
        """It was looked at before."""
        self.finished = True


class _EmptyBlockSource:
    """Supplies nothing beyond what a record holds."""

    def read_block(self, _record: WarcRecord) -> Iterator[bytes]:
        """There is no more."""
        return iter(())

    def finish_record(self, _record: WarcRecord) -> None:
        """It was looked at before."""


_EMPTY_BLOCK = _EmptyBlockSource()

"""The quick way through a WARC file: most records are one small gzip member in order, and need no more than a look.

Whatever is not exactly so (a large member, damage, a flaw, anything to report) is left to the reader's careful way,
which begins at the same byte.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from isal import isal_zlib

from webkeep.formats.plain_head import plain_head
from webkeep.formats.record import Record
from webkeep.formats.segments import IsalError, RawInput

_MEMBER = 40 * 1024
_INFLATED = 512 * 1024
_SLACK = 256
_END = b"\r\n\r\n"
_VERSIONS = frozenset({"WARC/1.0", "WARC/1.1"})
# Only days that every month has: most dates are seen to be right without being taken apart.
_DATE = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z", re.ASCII
)


def is_plain_date(text: str) -> bool:
    """Whether a date is right beyond doubt; what is not may be right all the same."""
    return _DATE.fullmatch(text) is not None


def quick_records(raw: RawInput, source: str) -> Generator[Record, None, int]:
    """The records from the present offset on; ends before the first that needs care, with nothing of it taken.

    Its return value is how many there were.
    """
    data, at, count = raw.ahead(_MEMBER), 0, 0
    last = before = _MEMBER
    while True:
        if len(data) - at < _MEMBER:
            raw.advance(at)
            data, at = raw.ahead(_MEMBER), 0
        # What is given too much is copied. Requests and responses take turns: each is like the one before the last.
        stop = at + min(2 * before + _SLACK, _MEMBER)
        inflater = isal_zlib.decompressobj(wbits=31)
        try:
            whole = inflater.decompress(data[at:stop], _INFLATED)
            if not inflater.eof and not inflater.unconsumed_tail:
                whole += inflater.decompress(data[stop : at + _MEMBER], _INFLATED)
                stop = at + _MEMBER
        except IsalError:
            break
        record = _record(whole, source, raw.position + at) if inflater.eof else None
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


def _record(whole: bytes, source: str, offset: int) -> Record | None:
    """The record that a member holds, if it is in order."""
    start = whole.find(_END, 0, -4) + 4
    if start < 4 or not whole.endswith(_END):
        return None
    raw_head = whole[:start]
    try:
        head = plain_head(raw_head.decode("utf-8"))
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
        or not _DATE.fullmatch(first.get("warc-date", ""))
    ):
        return None
    record = _HeldRecord(version, headers, size, source, offset, raw_head, _NOTHING)
    record.whole = whole
    return record


class _HeldRecord(Record):
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


class _Nothing:
    """Supplies nothing beyond what a record holds."""

    def block(self, _record: Record) -> Iterator[bytes]:
        """There is no more."""
        return iter(())

    def end(self, _record: Record) -> None:
        """It was looked at before."""


_NOTHING = _Nothing()

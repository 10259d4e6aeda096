"""The quick way through a WARC file: most records are one small gzip member in order, and need no more than a look.

Whatever is not exactly so (a large member, damage, a flaw, anything to report) is left to the reader's careful way,
which begins at the same byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from isal import isal_zlib

from webkeep.formats.record import Record
from webkeep.formats.segments import GZIP_MAGIC, IsalError, RawInput
from webkeep.model import Headers

_SMALL = 3 * 1024
_MEMBER = 40 * 1024
_INFLATED = 512 * 1024
_END = b"\r\n\r\n"
_EMPTY_LINE = b"\n\r\n"
_VERSIONS = frozenset({"WARC/1.0", "WARC/1.1"})


def quick_record(
    raw: RawInput, source: str, parse: Callable[[bytes], tuple[str, Headers]], is_date: Callable[[str], object]
) -> Record | None:
    """The record at the present offset, if it can be had quickly; None, with nothing taken, if not."""
    data = raw.view(_MEMBER)
    if data[:3] != GZIP_MAGIC:
        return None
    inflater = isal_zlib.decompressobj(wbits=31)
    given = min(_SMALL, len(data))  # what is given too much is copied, so small members are given little
    try:
        whole = inflater.decompress(data[:given], _INFLATED)
        if not inflater.eof and not inflater.unconsumed_tail:
            whole += inflater.decompress(data[given:], _INFLATED)
            given = len(data)
    except IsalError:
        return None
    start = whole.find(_EMPTY_LINE) + 3
    if not inflater.eof or start < 3 or whole[-4:] != _END or _is_odd(whole, start):
        return None
    version, headers = parse(whole[:start])
    first = headers.first
    size = len(whole) - start - 4
    if (
        size < 0
        or version not in _VERSIONS
        or first.get("content-length") != str(size)
        or not first.get("warc-type")
        or not first.get("warc-record-id")
        or not is_date(first.get("warc-date", ""))
    ):
        return None
    record = Record(version, headers, size, source, raw.position, whole[:start], _Held(whole[start:-4]))
    record.length = given - len(inflater.unused_data)
    raw.advance(record.length)
    return record


def _is_odd(whole: bytes, start: int) -> bool:
    """Whether a head of so many bytes has an end before its end, or another head in it."""
    return whole.find(b"\n\n", 0, start) >= 0 or whole.rfind(b"WARC/", 1, start) >= 0


class _Held:
    """A block that is in memory already."""

    __slots__ = ("_block",)

    def __init__(self, block: bytes) -> None:
        self._block = block

    def block(self, record: Record) -> Iterator[bytes]:
        """What is left of it: all, or nothing."""
        if record.unread and not record.finished:
            record.unread = 0
            yield self._block

    def end(self, record: Record) -> None:
        """It is known to be in order."""

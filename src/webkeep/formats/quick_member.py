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

_MEMBER = 40 * 1024
_INFLATED = 512 * 1024
_END = b"\r\n\r\n"
_VERSIONS = frozenset({"WARC/1.0", "WARC/1.1"})


def quick_record(
    raw: RawInput, source: str, parse: Callable[[bytes], tuple[str, Headers]], is_date: Callable[[str], object]
) -> Record | None:
    """The record at the present offset, if it can be had quickly; None, with nothing taken, if not."""
    data = raw.peek(_MEMBER)
    if data[:3] != GZIP_MAGIC:
        return None
    inflater = isal_zlib.decompressobj(wbits=31)
    try:
        whole = inflater.decompress(data, _INFLATED)
    except IsalError:
        return None
    start = whole.find(_END) + 4
    if not inflater.eof or start < 4 or whole[-4:] != _END:
        return None
    version, headers = parse(whole[:start])
    first = headers.first
    size = len(whole) - start - 4
    if (
        version not in _VERSIONS
        or first.get("content-length") != str(size)
        or not first.get("warc-type")
        or not first.get("warc-record-id")
        or not is_date(first.get("warc-date", ""))
    ):
        return None
    record = Record(version, headers, size, source, raw.position, whole[:start], _Held(whole[start:-4]))
    record.length = len(data) - len(inflater.unused_data)
    raw.advance(record.length)
    return record


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

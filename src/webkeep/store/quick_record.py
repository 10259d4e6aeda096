"""The quick way to a small record: one gzip member with one HTTP response in it, all in order.

Whatever is not exactly so is left to the careful way, which begins anew.
"""

from __future__ import annotations

import io
from typing import BinaryIO

from isal import isal_zlib

from webkeep.errors import StorageError
from webkeep.formats.http1 import split_response
from webkeep.formats.plain_head import plain_head
from webkeep.formats.record import Record
from webkeep.formats.segments import IsalError
from webkeep.model import BytesBody, Place
from webkeep.store.reading import Holding, WarcFiles, read_holding

SMALL = 512 * 1024
"""Bytes in the file up to which a record is read in one go."""

_GZIP = b"\x1f\x8b"
_END = b"\r\n\r\n"
_LARGEST = 4 << 20


def small_record(files: WarcFiles, place: Place) -> tuple[Holding, Record | None]:
    """The holding of a small record, revisits not resolved; and the record, where it took a careful look."""
    data = files.bytes_at(place)
    quick = quick_holding(data)
    if quick is not None:
        return quick, None
    try:
        return read_holding(_Held(data), Place(place.file, 0, place.length))
    except StorageError:  # which is to be told with the place in the file
        return read_holding(files, place)


class _Held(WarcFiles):
    """One record in memory, as a file to the reader of records."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def open(self, _name: str) -> BinaryIO:
        """The record as a file of its own."""
        return io.BytesIO(self._data)


def quick_holding(data: bytes) -> Holding | None:
    """What a response record holds, given all of its bytes in the file; None where a careful look is needed."""
    if not data.startswith(_GZIP):
        return None
    inflater = isal_zlib.decompressobj(wbits=31)
    try:
        whole = inflater.decompress(data, _LARGEST)
    except IsalError:
        return None
    start = whole.find(_END, 0, -4) + 4
    if not inflater.eof or inflater.unused_data or start < 4 or not whole.endswith(_END):
        return None
    head = whole[:start]
    named = plain_head(head.decode("ascii")) if head.isascii() else None
    if named is None:
        return None
    first = named[1].first
    block = whole[start:-4]
    if (
        first.get("warc-type") != "response"
        or first.get("content-length") != str(len(block))
        or not first.get("content-type", "").startswith("application/http")
        or first.get("warc-target-uri", "<").startswith("<")
    ):
        return None
    answer, at = split_response(block)
    return Holding(first["warc-target-uri"], answer, block[:at], BytesBody(block[at:]), first["content-type"])

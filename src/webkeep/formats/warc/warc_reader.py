"""Reads WARC files of all versions: gzip members, zstd frames or plain, told apart by their first bytes; how version
line and named fields are read, and which flaws of a head lose its record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import zstandard

from webkeep.formats.flaws import Flaws
from webkeep.formats.warc.quick_reader import is_plain_date, read_quick_records
from webkeep.formats.warc.record import UNKNOWN_SIZE, WarcRecord
from webkeep.formats.warc.record_reader import RecordFlaw, RecordReader
from webkeep.formats.warc.record_start import RecordStartFinder
from webkeep.formats.warc.segment_window import DecompressedWindow
from webkeep.formats.warc.segments import (
    GZIP_MAGIC,
    CorruptSegmentError,
    GzipSegment,
    PlainSegment,
    Segment,
    gunzip_start,
)
from webkeep.formats.warc.zstd_frames import (
    ZSTD_DICTIONARY,
    ZSTD_MAGIC,
    ZstdSegment,
    may_hold_prefix,
    new_decompressor,
    read_dictionary,
    skip_skippable_frame,
)
from webkeep.model import Headers, parse_plain_head

_RECORD_MAGIC = b"WARC/"
_RECORD_END = b"\r\n\r\n"
_LINE_FEED = 0x0A
"""What must stand before another record's first line."""
_KNOWN_VERSIONS = frozenset({"WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"})
_GZIP = re.compile(re.escape(GZIP_MAGIC))
_ZSTD = re.compile(re.escape(ZSTD_MAGIC))
_PLAIN = re.compile(rb"WARC/[0-9]\.[0-9]{1,2}[ \t]*\r?\n[A-Za-z-]{1,40}[ \t]*:")
_FOLD = re.compile(r"[ \t]*\r?\n[ \t]+")


class WarcReader(RecordReader):
    """The records of one WARC file, in order; flaws go to `flaws` and reading goes on behind them."""

    end_of_record = _RECORD_END

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None = None, start: int = 0) -> None:
        super().__init__(stream, source, flaws, start)
        self._decompressor: zstandard.ZstdDecompressor | None = None
        self._member_starts = RecordStartFinder(
            self.raw, _GZIP, lambda start: gunzip_start(start, len(_RECORD_MAGIC)) == _RECORD_MAGIC
        )
        self._frame_starts = RecordStartFinder(
            self.raw, _ZSTD, lambda start: may_hold_prefix(_RECORD_MAGIC, start, self._frame_decompressor())
        )
        self._head_starts = RecordStartFinder(self.raw, _PLAIN, self.is_record)
        self.start_finders = (self._member_starts, self._frame_starts, self._head_starts)
        self.plain_start_finder = self._head_starts

    def read_beginning(self) -> bool:
        """Look for an empty file and for a zstd dictionary, and go to the starting offset."""
        head = self.raw.peek(4)
        if not head and not self.start:
            self.report_flaw("empty-file", 0, "the file is empty")
            return False
        return head not in (ZSTD_MAGIC, ZSTD_DICTIONARY) or self._take_dictionary()

    def quick_records(self) -> Iterator[WarcRecord]:
        """The next records, as long as each is a small gzip member in order."""
        taken = yield from read_quick_records(self.raw, self.source)
        for _ in range(min(taken, 2)):  # the second stands behind one that was read, even if the first was merely found
            self.note_start_kind(self._member_starts)

    def next_segment(self) -> Segment | None:
        """A gzip member, a zstd frame or the plain rest of the file, told apart by its first bytes."""
        while head := self.raw.peek(8):
            if head[:3] == GZIP_MAGIC:
                self.note_start_kind(self._member_starts)
                return GzipSegment(self.raw)
            if head[:4] == ZSTD_MAGIC:
                self.note_start_kind(self._frame_starts)
                return ZstdSegment(self.raw, self._frame_decompressor())
            if self.is_record(head):
                self.note_start_kind(self._head_starts)
                return PlainSegment(self.raw)
            if head[0] in b"\r\n":
                self.raw.skip_line_ends()
            elif not skip_skippable_frame(self.raw) and not self._look_behind_garbage(head):
                break
        return None

    def is_compressed(self, start: bytes) -> bool:
        """Whether four bytes begin a gzip member or a zstd frame."""
        return start[:3] == GZIP_MAGIC or start == ZSTD_MAGIC

    def is_record(self, start: bytes) -> bool:
        """Whether decompressed bytes begin a record."""
        return start[:5].upper() == _RECORD_MAGIC

    def parse_record(self, window: DecompressedWindow, offset: int) -> WarcRecord | RecordFlaw:
        """Take the version line and the named fields."""
        if not window.data.startswith(_RECORD_MAGIC, window.position) and not self.is_record(start := window.peek(40)):
            return RecordFlaw("header-bad", f"not a WARC record: it begins with {start!r}", between=True)
        head = window.take_head()
        if head is None:
            return RecordFlaw("header-unended", "a record's header has no end")
        if (another := head.rfind(_RECORD_MAGIC)) > 0 and _PLAIN.match(head, another):
            self.inner_start = another
            if head[another - 1] == _LINE_FEED:
                return RecordFlaw("header-unended", "a record's header breaks off where another begins")
        version, headers = parse_named_fields(head)
        if version not in _KNOWN_VERSIONS:
            self.report_flaw("version-unknown", offset, f"WARC version {version[:20]!r} is not known; read as 1.1")
        first = headers.first
        length = first.get("content-length", "")
        size = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else UNKNOWN_SIZE
        record = WarcRecord(version, headers, size, self.source, offset, head, self)
        if size == UNKNOWN_SIZE:
            without = f"a record has no usable Content-Length ({length[:40]!r})"
            if record.missing_fields() or record.moment is None:
                return RecordFlaw("length-missing", without)
            self.report_flaw("length-missing", offset, f"{without}; it is taken to end where the next one begins")
        if not (first.get("warc-type") and first.get("warc-record-id") and (date := first.get("warc-date"))):
            self.report_flaw("field-missing", offset, f"a record lacks {', '.join(record.missing_fields())}")
        elif not is_plain_date(date) and record.moment is None:
            self.report_flaw("date-bad", offset, f"a record has no usable date ({date[:40]!r})")
        return record

    def take_trailer(self, window: DecompressedWindow) -> bool:
        """Two line ends follow every block."""
        found = window.data.startswith(_RECORD_END, window.position) or window.peek(4) == _RECORD_END
        if found:
            window.position += 4
        return found

    def note_lax_trailer(self, offset: int) -> None:
        """Say so; other readers may stumble."""
        self.report_flaw("trailer-bad", offset, "a block is not followed by two line ends")

    def _take_dictionary(self) -> bool:
        self.raw.seek(0)
        if self.raw.peek(4) == ZSTD_DICTIONARY:
            try:
                self._decompressor = read_dictionary(self.raw)
            except CorruptSegmentError as error:
                self.report_flaw("corrupt", 0, f"{error}; the file cannot be read without it")
                return False
        if self.start:
            self.raw.seek(self.start)
        return True

    def _frame_decompressor(self) -> zstandard.ZstdDecompressor:
        if self._decompressor is None:
            self._decompressor = new_decompressor()
        return self._decompressor

    def _look_behind_garbage(self, head: bytes) -> bool:
        at = self.raw.position
        what = "a WARC file" if at == 0 else "the start of a record"
        self.report_flaw("not-warc", at, f"not {what}: it begins with {head!r}")
        return self.look_for_record(at + 1)


def parse_named_fields(head: bytes) -> tuple[str, Headers]:
    """The version line and the named fields of a record's head."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = "\n".join(map(_decode_line, head.split(b"\n")))
    if text.endswith("\r\n\r\n") and (plain := parse_plain_head(text)):
        return plain
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    version, *lines = text.split("\n")
    return version.strip(), Headers.parse_lines(lines, " \t\r")


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")

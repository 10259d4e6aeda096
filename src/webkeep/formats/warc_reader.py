"""Reads WARC files: gzip members, zstd frames or plain, all versions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import zstandard

from webkeep.formats.beacon import Beacon
from webkeep.formats.flaws import Flaws
from webkeep.formats.plain_head import plain_head
from webkeep.formats.quick_member import is_plain_date, quick_records
from webkeep.formats.record import UNMEASURED, Record
from webkeep.formats.record_reader import Flaw, RecordReader
from webkeep.formats.segments import (
    GZIP_MAGIC,
    CorruptSegmentError,
    GzipSegment,
    PlainSegment,
    Segment,
    gunzipped_start,
)
from webkeep.formats.window import Window
from webkeep.formats.zstd_frames import (
    ZSTD_DICTIONARY,
    ZSTD_MAGIC,
    ZstdSegment,
    may_begin_with,
    new_decompressor,
    read_dictionary,
    skip_frame,
)
from webkeep.model import Headers

_START = b"WARC/"
_TRAILER = b"\r\n\r\n"
_LINE_FEED = 0x0A
_KNOWN_VERSIONS = frozenset({"WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"})
_GZIP = re.compile(re.escape(GZIP_MAGIC))
_ZSTD = re.compile(re.escape(ZSTD_MAGIC))
_PLAIN = re.compile(rb"WARC/[0-9]\.[0-9]{1,2}[ \t]*\r?\n[A-Za-z-]{1,40}[ \t]*:")
_FOLD = re.compile(r"[ \t]*\r?\n[ \t]+")


class WarcReader(RecordReader):
    """The records of one WARC file, in order; flaws go to `flaws` and reading goes on behind them."""

    end_of_record = _TRAILER

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None = None, start: int = 0) -> None:
        super().__init__(stream, source, flaws, start)
        self._decompressor: zstandard.ZstdDecompressor | None = None
        self._members = Beacon(self.raw, _GZIP, lambda start: gunzipped_start(start, len(_START)) == _START)
        self._frames = Beacon(self.raw, _ZSTD, lambda start: may_begin_with(_START, start, self._frame_decompressor()))
        self._heads = Beacon(self.raw, _PLAIN, self.is_record)
        self.beacons = (self._members, self._frames, self._heads)
        self.inner = self._heads

    def begin(self) -> bool:
        """Look for an empty file and for a zstd dictionary, and go to the starting offset."""
        head = self.raw.peek(4)
        if not head and not self.start:
            self.flaw("empty-file", 0, "the file is empty")
            return False
        return head not in (ZSTD_MAGIC, ZSTD_DICTIONARY) or self._take_dictionary()

    def quick(self) -> Iterator[Record]:
        """The next records, as long as each is a small gzip member in order."""
        taken = yield from quick_records(self.raw, self.source)
        for _ in range(min(taken, 2)):  # the second stands behind one that was read, even if the first was merely found
            self.is_at(self._members)

    def next_segment(self) -> Segment | None:
        """A gzip member, a zstd frame or the plain rest of the file, told apart by its first bytes."""
        while head := self.raw.peek(8):
            if head[:3] == GZIP_MAGIC:
                self.is_at(self._members)
                return GzipSegment(self.raw)
            if head[:4] == ZSTD_MAGIC:
                self.is_at(self._frames)
                return ZstdSegment(self.raw, self._frame_decompressor())
            if self.is_record(head):
                self.is_at(self._heads)
                return PlainSegment(self.raw)
            if head[0] in b"\r\n":
                self.raw.skip_line_ends()
            elif not skip_frame(self.raw) and not self._look_behind_garbage(head):
                break
        return None

    def is_compressed(self, start: bytes) -> bool:
        """Whether four bytes begin a gzip member or a zstd frame."""
        return start[:3] == GZIP_MAGIC or start == ZSTD_MAGIC

    def is_record(self, start: bytes) -> bool:
        """Whether decompressed bytes begin a record."""
        return start[:5].upper() == _START

    def parse(self, window: Window, offset: int) -> Record | Flaw:
        """Take the version line and the named fields."""
        if not window.data.startswith(_START, window.position) and not self.is_record(start := window.peek(40)):
            return Flaw("header-bad", f"not a WARC record: it begins with {start!r}", between=True)
        head = window.head()
        if head is None:
            return Flaw("header-unended", "a record's header has no end")
        if (another := head.rfind(_START)) > 0 and _PLAIN.match(head, another):
            self.inner_start = another
            if head[another - 1] == _LINE_FEED:
                return Flaw("header-unended", "a record's header breaks off where another begins")
        version, headers = parse_named_fields(head)
        if version not in _KNOWN_VERSIONS:
            self.flaw("version-unknown", offset, f"WARC version {version[:20]!r} is not known; read as 1.1")
        first = headers.first
        length = first.get("content-length", "")
        size = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else UNMEASURED
        record = Record(version, headers, size, self.source, offset, head, self)
        if size == UNMEASURED:
            without = f"a record has no usable Content-Length ({length[:40]!r})"
            if record.missing_fields() or record.moment is None:
                return Flaw("length-missing", without)
            self.flaw("length-missing", offset, f"{without}; it is taken to end where the next one begins")
        if not (first.get("warc-type") and first.get("warc-record-id") and (date := first.get("warc-date"))):
            self.flaw("field-missing", offset, f"a record lacks {', '.join(record.missing_fields())}")
        elif not is_plain_date(date) and record.moment is None:
            self.flaw("date-bad", offset, f"a record has no usable date ({date[:40]!r})")
        return record

    def trailer(self, window: Window) -> bool:
        """Two line ends follow every block."""
        found = window.data.startswith(_TRAILER, window.position) or window.peek(4) == _TRAILER
        if found:
            window.position += 4
        return found

    def lax_trailer(self, offset: int) -> None:
        """Say so; other readers may stumble."""
        self.flaw("trailer-bad", offset, "a block is not followed by two line ends")

    def _take_dictionary(self) -> bool:
        self.raw.seek(0)
        if self.raw.peek(4) == ZSTD_DICTIONARY:
            try:
                self._decompressor = read_dictionary(self.raw)
            except CorruptSegmentError as error:
                self.flaw("corrupt", 0, f"{error}; the file cannot be read without it")
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
        self.flaw("not-warc", at, f"not {what}: it begins with {head!r}")
        return self.look_for_record(at + 1)


def parse_named_fields(head: bytes) -> tuple[str, Headers]:
    """The version line and the named fields of a record's head."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = "\n".join(map(_line_text, head.split(b"\n")))
    if text.endswith("\r\n\r\n") and (plain := plain_head(text)):
        return plain
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    version, *lines = text.split("\n")
    return version.strip(), Headers.read(lines, " \t\r")


def _line_text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")

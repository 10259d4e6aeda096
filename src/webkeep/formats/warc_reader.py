"""Reads WARC files: gzip members, zstd frames or plain, all versions."""

from __future__ import annotations

from typing import BinaryIO

import zstandard

from webkeep.formats.flaws import Flaws
from webkeep.formats.record import Record
from webkeep.formats.record_reader import RecordReader
from webkeep.formats.segments import (
    GZIP_MAGIC,
    ZSTD_DICTIONARY,
    ZSTD_MAGIC,
    CorruptSegmentError,
    GzipSegment,
    PlainSegment,
    Segment,
    ZstdSegment,
    begins_with,
    zstd_dictionary,
)
from webkeep.formats.window import Window
from webkeep.model import Headers

_TRAILER = b"\r\n\r\n"
_KNOWN_VERSIONS = frozenset({"WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"})


class WarcReader(RecordReader):
    """The records of one WARC file, in order; flaws go to `flaws` and reading goes on behind them."""

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None = None, start: int = 0) -> None:
        super().__init__(stream, source, flaws, start)
        self._dictionary: zstandard.ZstdCompressionDict | None = None
        self._is_zstd = False

    def begin(self) -> bool:
        """Look for an empty file and for a zstd dictionary, and go to the starting offset."""
        head = self.raw.peek(8)
        if not head:
            self.flaw("empty-file", 0, "the file is empty")
            return False
        self._is_zstd = head[:4] in (ZSTD_DICTIONARY, ZSTD_MAGIC)
        if head[:4] == ZSTD_DICTIONARY:
            try:
                self._dictionary = zstd_dictionary(self.raw)
            except CorruptSegmentError as error:
                self.flaw("corrupt", 0, f"{error}; the file cannot be read without it")
                return False
        if self.start:
            self.raw.seek(self.start)
        return True

    def next_segment(self) -> Segment | None:
        """A gzip member, a zstd frame or the plain rest of the file, told apart by its first bytes."""
        head = self.raw.peek(8)
        if not head:
            return None
        if head[:3] == GZIP_MAGIC:
            return GzipSegment(self.raw)
        if head[:4] == ZSTD_MAGIC:
            return ZstdSegment(self.raw, self._dictionary)
        if head[:5].upper() == b"WARC/" or not head.strip(b"\r\n"):
            return PlainSegment(self.raw)
        at = self.raw.position
        what = "a WARC file" if at == 0 else "the start of a record"
        self.flaw("not-warc", at, f"not {what}: it begins with {head[:8]!r}")
        return self.next_segment() if self.look_for_record(at + 1) else None

    def parse(self, window: Window, offset: int) -> Record | None:
        """Take the version line and the named fields."""
        head = window.head()
        if head is None:
            self.flaw("header-unended", offset, "a record's header has no end")
            return None
        version, headers = parse_named_fields(head)
        if version[:5].upper() != "WARC/":
            self.flaw("header-bad", offset, f"not a WARC record: it begins with {version[:40]!r}")
            return None
        if version not in _KNOWN_VERSIONS:
            self.flaw("version-unknown", offset, f"WARC version {version[:20]!r} is not known; read as 1.1")
        length = headers.get("content-length")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            self.flaw("length-missing", offset, f"a record has no usable Content-Length ({length[:40]!r})")
            return None
        record = Record(version, headers, int(length), self.source, offset, head, self)
        if missing := record.missing_fields():
            self.flaw("field-missing", offset, f"a record lacks {', '.join(missing)}")
        return record

    def trailer(self, window: Window, record: Record) -> bool:  # noqa: ARG002
        """Two line ends follow every block."""
        return window.take(4) == _TRAILER

    def look_for_record(self, start: int) -> bool:
        """The next gzip member that holds a record, the next zstd frame, or the next line that begins one."""
        if self._is_zstd:
            return self._go_to(next(self.raw.find(ZSTD_MAGIC, start), -1))
        for at in self.raw.find(GZIP_MAGIC, start):
            if begins_with(self.raw, at, b"WARC/"):
                return self._go_to(at)
        return self._go_to(next(self.raw.find(b"\nWARC/", start - 1), -2) + 1)

    def _go_to(self, offset: int) -> bool:
        if offset >= 0:
            self.raw.seek(offset)
        return offset >= 0


def parse_named_fields(head: bytes) -> tuple[str, Headers]:
    """The version line and the named fields of a record's head."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    lines = text.split("\r\n") if "\r\n" in text else text.split("\n")
    fields: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and fields:
            name, value = fields[-1]
            fields[-1] = (name, f"{value} {line.strip()}")
            continue
        name, colon, value = line.partition(":")
        if colon:
            fields.append((name.strip(), value.strip()))
    return lines[0].strip(), Headers(tuple(fields))

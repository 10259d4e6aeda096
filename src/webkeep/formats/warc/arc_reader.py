"""Reads ARC version 1 files, the format before WARC, as records like those of a WARC file: how the one line of a head
is taken apart though its URL has spaces, and which WARC fields it becomes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.errors import UsageError
from webkeep.formats.flaws import Flaws
from webkeep.formats.warc.record import WarcRecord
from webkeep.formats.warc.record_reader import RecordFlaw, RecordReader
from webkeep.formats.warc.record_start import RecordStartFinder
from webkeep.formats.warc.segment_window import DecompressedWindow
from webkeep.formats.warc.segments import GLIMPSE_BYTES, GZIP_MAGIC, GzipSegment, PlainSegment, Segment, gunzip_start
from webkeep.model import Headers, Moment, RecordType

_ARC_VERSION = "ARC/1.0"
_MAX_LINE_BYTES = 64 * 1024
"""A longer line is no record's head."""
_GZIP = re.compile(re.escape(GZIP_MAGIC))
_PLAIN = re.compile(rb"\n[A-Za-z][A-Za-z0-9+.-]{0,30}:")
_ADDRESS = re.compile(rb"[0-9A-Fa-f.:]+|-")
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,30}:")
_FULL_DATE_DIGITS = 14
"""Year to second, as ARC writes dates."""


@dataclass(frozen=True, slots=True)
class ArcLine:
    """The one line that is an ARC record's head."""

    size: int
    url: str
    address: str
    date: str
    media_type: str


class ArcReader(RecordReader):
    """The records of one ARC file, in order; flaws go to `flaws` and reading goes on behind them."""

    end_of_record = b"\n"

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None = None, start: int = 0) -> None:
        super().__init__(stream, source, flaws, start)
        self._member_starts = RecordStartFinder(
            self.raw, _GZIP, lambda start: self.is_record(gunzip_start(start, GLIMPSE_BYTES))
        )
        self._line_starts = RecordStartFinder(self.raw, _PLAIN, self.is_record, lead=1)
        self.start_finders = (self._member_starts, self._line_starts)
        self.plain_start_finder = self._line_starts

    def read_beginning(self) -> bool:
        """Look for an empty file."""
        empty = not self.start and not self.raw.peek(1)
        if empty:
            self.report_flaw("empty-file", 0, "the file is empty")
        return not empty

    def next_segment(self) -> Segment | None:
        """A gzip member, or the plain rest of the file."""
        if self.raw.peek(1) in (b"\r", b"\n"):
            self.raw.skip_line_ends()
        head = self.raw.peek(3)
        if head == GZIP_MAGIC:
            self.note_start_kind(self._member_starts)
            return GzipSegment(self.raw)
        return PlainSegment(self.raw) if head else None

    def is_compressed(self, start: bytes) -> bool:
        """Whether bytes begin a gzip member."""
        return start[:3] == GZIP_MAGIC

    def is_record(self, start: bytes) -> bool:
        """Whether decompressed bytes begin a record; a line that goes on beyond them is trusted."""
        line, end, _ = start.partition(b"\n")
        return (
            parse_arc_line(line) is not None
            if end
            else len(start) >= GLIMPSE_BYTES and _SCHEME.match(start) is not None
        )

    def parse_record(self, window: DecompressedWindow, offset: int) -> WarcRecord | RecordFlaw:
        """Take the one line that is an ARC record's head."""
        raw = window.take_line(_MAX_LINE_BYTES)
        line = parse_arc_line(raw) if raw is not None else None
        if line is None or raw is None:
            start = window.peek(40) if raw is None else raw[:40]
            return RecordFlaw("header-bad", f"not an ARC record: it begins with {start!r}", between=True)
        if isinstance(window.segment, PlainSegment):
            self.note_start_kind(self._line_starts)
        moment = _parse_date(line.date)
        if moment is None:
            self.report_flaw("date-bad", offset, f"an ARC record has no usable date ({line.date!r})")
        return WarcRecord(_ARC_VERSION, _warc_headers(line, moment, offset), line.size, self.source, offset, raw, self)

    def take_trailer(self, window: DecompressedWindow) -> bool:
        """A line end follows a block."""
        found = window.peek(1) == b"\n"
        if found:
            window.position += 1
        return found


def parse_arc_line(line: bytes) -> ArcLine | None:
    """Read URL, address, date, type and length; the URL and the type may hold spaces that the format does not allow."""
    words = line.rstrip(b"\r\n").split(b" ")
    size = words[-1]
    at = _date_position(words)
    if at is None or not _SCHEME.match(line) or not (size.isdigit() and len(size) < 19):
        return None
    url, media_type = b" ".join(words[: at - 1]), b" ".join(words[at + 1 : -1])
    texts = [each.decode("utf-8", "replace") for each in (url, words[at - 1], words[at], media_type)]
    return ArcLine(int(size), *texts)


def _date_position(words: list[bytes]) -> int | None:
    """The last word that is a full date behind an address, else the last that is any date."""
    fallback = None
    for at in range(len(words) - 2, 1, -1):
        if words[at].isdigit() and 4 <= len(words[at]) <= 17:
            if len(words[at]) == _FULL_DATE_DIGITS and _ADDRESS.fullmatch(words[at - 1]):
                return at
            fallback = fallback or at
    return fallback


def _parse_date(date: str) -> Moment | None:
    try:
        return Moment.parse(date[:_FULL_DATE_DIGITS])
    except UsageError:
        return None


def _warc_headers(line: ArcLine, moment: Moment | None, offset: int) -> Headers:
    kind, content_type = RecordType.RESOURCE, line.media_type or "application/octet-stream"
    if line.url.startswith("filedesc:"):
        kind = RecordType.WARCINFO
    elif line.url.startswith(("http://", "https://")):
        kind, content_type = RecordType.RESPONSE, "application/http; msgtype=response"
    fields = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", f"<urn:arc:{line.date}:{offset}:{line.url}>"),
        ("WARC-Date", moment.iso() if moment else ""),
        ("WARC-Target-URI", line.url),
        ("WARC-IP-Address", line.address if line.address not in ("0.0.0.0", "-") else ""),
        ("Content-Type", content_type),
    ]
    return Headers(tuple((name, value) for name, value in fields if value))

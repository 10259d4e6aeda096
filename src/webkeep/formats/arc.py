"""Reads ARC version 1 files, the format before WARC, as records like those of a WARC file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.errors import UsageError
from webkeep.formats.beacon import Beacon
from webkeep.formats.flaws import Flaws
from webkeep.formats.record import Record
from webkeep.formats.record_reader import Flaw, RecordReader
from webkeep.formats.segments import GLIMPSE, GZIP_MAGIC, GzipSegment, PlainSegment, Segment, gunzipped_start
from webkeep.formats.window import Window
from webkeep.model import Headers, Moment

_VERSION = "ARC/1.0"
_LONGEST_LINE = 64 * 1024
_GZIP = re.compile(re.escape(GZIP_MAGIC))
_PLAIN = re.compile(rb"\n[A-Za-z][A-Za-z0-9+.-]{0,30}:")
_ADDRESS = re.compile(rb"[0-9A-Fa-f.:]+|-")
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,30}:")
_FULL_DATE = 14


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
        self._members = Beacon(self.raw, _GZIP, lambda start: self.is_record(gunzipped_start(start, GLIMPSE)))
        self._lines = Beacon(self.raw, _PLAIN, self.is_record, lead=1)
        self.beacons = (self._members, self._lines)
        self.inner = self._lines

    def begin(self) -> bool:
        """Look for an empty file."""
        empty = not self.start and not self.raw.peek(1)
        if empty:
            self.flaw("empty-file", 0, "the file is empty")
        return not empty

    def next_segment(self) -> Segment | None:
        """A gzip member, or the plain rest of the file."""
        if self.raw.peek(1) in (b"\r", b"\n"):
            self.raw.skip_line_ends()
        head = self.raw.peek(3)
        if head == GZIP_MAGIC:
            self.is_at(self._members)
            return GzipSegment(self.raw)
        return PlainSegment(self.raw) if head else None

    def is_compressed(self, start: bytes) -> bool:
        """Whether bytes begin a gzip member."""
        return start[:3] == GZIP_MAGIC

    def is_record(self, start: bytes) -> bool:
        """Whether decompressed bytes begin a record; a line that goes on beyond them is trusted."""
        line, end, _ = start.partition(b"\n")
        return read_arc_line(line) is not None if end else len(start) >= GLIMPSE and _SCHEME.match(start) is not None

    def parse(self, window: Window, offset: int) -> Record | Flaw:
        """Take the one line that is an ARC record's head."""
        raw = window.line(_LONGEST_LINE)
        line = read_arc_line(raw) if raw is not None else None
        if line is None or raw is None:
            start = window.peek(40) if raw is None else raw[:40]
            return Flaw("header-bad", f"not an ARC record: it begins with {start!r}", between=True)
        if isinstance(window.segment, PlainSegment):
            self.is_at(self._lines)
        moment = _moment(line.date)
        if moment is None:
            self.flaw("date-bad", offset, f"an ARC record has no usable date ({line.date!r})")
        return Record(_VERSION, _headers(line, moment, offset), line.size, self.source, offset, raw, self)

    def trailer(self, window: Window) -> bool:
        """A line end follows a block."""
        found = window.peek(1) == b"\n"
        if found:
            window.position += 1
        return found


def read_arc_line(line: bytes) -> ArcLine | None:
    """Read URL, address, date, type and length; the URL and the type may hold spaces that the format does not allow."""
    words = line.rstrip(b"\r\n").split(b" ")
    size = words[-1]
    at = _place_of_date(words)
    if at is None or not _SCHEME.match(line) or not (size.isdigit() and len(size) < 19):
        return None
    url, media_type = b" ".join(words[: at - 1]), b" ".join(words[at + 1 : -1])
    texts = [each.decode("utf-8", "replace") for each in (url, words[at - 1], words[at], media_type)]
    return ArcLine(int(size), *texts)


def _place_of_date(words: list[bytes]) -> int | None:
    """The last word that is a full date behind an address, else the last that is any date."""
    fallback = None
    for at in range(len(words) - 2, 1, -1):
        if words[at].isdigit() and 4 <= len(words[at]) <= 17:
            if len(words[at]) == _FULL_DATE and _ADDRESS.fullmatch(words[at - 1]):
                return at
            fallback = fallback or at
    return fallback


def _moment(date: str) -> Moment | None:
    try:
        return Moment.parse(date[:_FULL_DATE])
    except UsageError:
        return None


def _headers(line: ArcLine, moment: Moment | None, offset: int) -> Headers:
    kind, content_type = "resource", line.media_type or "application/octet-stream"
    if line.url.startswith("filedesc:"):
        kind = "warcinfo"
    elif line.url.startswith(("http://", "https://")):
        kind, content_type = "response", "application/http; msgtype=response"
    fields = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", f"<urn:arc:{line.date}:{offset}:{line.url}>"),
        ("WARC-Date", moment.iso() if moment else ""),
        ("WARC-Target-URI", line.url),
        ("WARC-IP-Address", line.address if line.address not in ("0.0.0.0", "-") else ""),
        ("Content-Type", content_type),
    ]
    return Headers(tuple((name, value) for name, value in fields if value))

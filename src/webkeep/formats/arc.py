"""Reads ARC version 1 files, the format before WARC, as records like those of a WARC file."""

from __future__ import annotations

import re
from typing import BinaryIO

from webkeep.errors import UsageError
from webkeep.formats.flaws import Flaws
from webkeep.formats.record import Record
from webkeep.formats.record_reader import RecordReader
from webkeep.formats.segments import GZIP_MAGIC, GzipSegment, PlainSegment, Segment
from webkeep.formats.window import Window
from webkeep.model import Headers, Moment

# URL, address, date, type, length; the URL or the type may hold spaces that the format does not allow.
_LINE = re.compile(rb"(\S.*?) (\S+) (\d{4,17}) (.*?) ?(\d{1,18})\r?\n$")
_PLAIN_RECORD = re.compile(rb"\n([a-z][a-z0-9+.-]*:[^ \n]+ [0-9A-Fa-f.:]+ \d{14} [^\n]*? ?\d+\r?\n)")
_VERSION = "ARC/1.0"


class ArcReader(RecordReader):
    """The records of one ARC file, in order; flaws go to `flaws` and reading goes on behind them."""

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws | None = None, start: int = 0) -> None:
        super().__init__(stream, source, flaws, start)
        self._is_gzip = False

    def begin(self) -> bool:
        """Look for an empty file, and go to the starting offset."""
        head = self.raw.peek(3)
        if not head:
            self.flaw("empty-file", 0, "the file is empty")
            return False
        self._is_gzip = head == GZIP_MAGIC
        if self.start:
            self.raw.seek(self.start)
        return True

    def next_segment(self) -> Segment | None:
        """A gzip member, or the plain rest of the file."""
        head = self.raw.peek(3)
        if not head:
            return None
        return GzipSegment(self.raw) if head == GZIP_MAGIC else PlainSegment(self.raw)

    def parse(self, window: Window, offset: int) -> Record | None:
        """Take the one line that is an ARC record's head."""
        line = window.line()
        match = _LINE.match(line) if line else None
        if match is None or line is None:
            self.flaw("header-bad", offset, f"not an ARC record: it begins with {(line or b'')[:40]!r}")
            return None
        url, address, date, media_type = (part.decode("utf-8", "replace") for part in match.groups()[:4])
        headers = _headers(url, address, date, media_type, offset)
        if headers is None:
            self.flaw("date-bad", offset, f"an ARC record has no usable date ({date!r})")
            return None
        return Record(_VERSION, headers, int(match[5]), self.source, offset, line, self)

    def trailer(self, window: Window, record: Record) -> bool:  # noqa: ARG002
        """A line end follows a block; writers differ in how many, and some leave it out."""
        window.line_feeds()
        return True

    def look_for_record(self, start: int) -> bool:
        """The next gzip member, or the next line that looks like a record's head."""
        magic = GZIP_MAGIC if self._is_gzip else b"\n"
        for at in self.raw.find(magic, start):
            self.raw.seek(at)
            if self._is_gzip or _PLAIN_RECORD.match(self.raw.peek(4096)):
                self.raw.seek(at if self._is_gzip else at + 1)
                return True
        return False


def _headers(url: str, address: str, date: str, media_type: str, offset: int) -> Headers | None:
    try:
        moment = Moment.parse(date[:14])
    except UsageError:
        return None
    kind, content_type = "resource", media_type or "application/octet-stream"
    if url.startswith("filedesc:"):
        kind = "warcinfo"
    elif url.startswith(("http://", "https://")):
        kind, content_type = "response", "application/http; msgtype=response"
    fields = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", f"<urn:arc:{date}:{offset}:{url}>"),
        ("WARC-Date", moment.iso()),
        ("WARC-Target-URI", url),
        ("Content-Type", content_type),
    ]
    if address not in ("", "0.0.0.0"):
        fields.insert(4, ("WARC-IP-Address", address))
    return Headers(tuple(fields))

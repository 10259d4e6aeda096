"""HTTrack's cache: a ZIP file whose entries are named by URLs, with the head of each answer in the entry's own header;
and HTTrack's logs, which tell when each URL was fetched.

The head stands in the extra field of the local header (the central directory has none), with fields of HTTrack's own
beside those of the server: whether the content is in the cache or in the mirror alone, and where it is there. An
entry's date is that of its last change, as the server told it; when it was fetched is in the logs (`parse_run_start`).
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate
from typing import BinaryIO

from webkeep.errors import FormatError

# HTTrack's logs: when a mirror was made, and when each URL was fetched.
#
# The cache itself dates its entries by what servers said of the last change, which may be years before the copying. The
# log of a run begins with its day and time; the list of what it got (`new.txt`) has the time of day of each URL, in the
# order they came. Both are by the clock of the machine that mirrored.

_RUN_START = re.compile(r"\b(?:launched|automatically) on (\w{3}, [0-9]{1,2} \w{3} [0-9]{4} [0-9:]{8})")
_LINE_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})\t")
_URL_COLUMN = 7
"""Of the lines that HTTrack writes of each transfer, apart by tabs, counted from zero."""
_DAY = timedelta(days=1)


def parse_run_start(log: str) -> datetime | None:
    """When the run of a log (`hts-log.txt`, or `hts-cache/doit.log`) began; None where it does not say."""
    found = _RUN_START.search(log)
    read = parsedate(found[1]) if found is not None else None
    try:
        return datetime(*read[:6]) if read is not None else None
    except ValueError:
        return None


def parse_fetch_times(lines: Iterable[str], begun: datetime) -> Iterator[tuple[str, datetime]]:
    """Each URL in a list of what a run got, and when it came; lines that cannot be read are passed over."""
    last = begun.replace(microsecond=0)
    for line in lines:
        told = _LINE_TIME.match(line)
        cells = line.split("\t")
        if told is None or len(cells) <= _URL_COLUMN:
            continue
        hour, minute, second = map(int, told.groups())
        if hour > 23 or minute > 59 or second > 59:
            continue
        came = last.replace(hour=hour, minute=minute, second=second)
        # A time of day much earlier than the one before is of the next day; a little earlier, and the clock was set.
        last = came + _DAY if came < last - _DAY / 2 else came
        yield cells[_URL_COLUMN], last


_LOCAL_HEADER = struct.Struct("<4s22xHH")
_LOCAL_MAGIC = b"PK\x03\x04"
_KEPT_FIELDS = ("content-type", "last-modified", "location", "etag", "content-disposition")
_MAX_CONTENT_BYTES = 256 << 20
"""Content is held whole; longer content is told and left out."""
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, OSError, EOFError, RuntimeError, OverflowError)
"""What the library raises over a broken file; NotImplementedError is among RuntimeErrors."""
_Fields = dict[str, str]


@dataclass(frozen=True, slots=True)
class HttrackResponse:
    """One answer as HTTrack keeps it."""

    url: str
    head: bytes
    """The status line and what is kept of the server's fields, as a message has them."""
    content: bytes | None
    """None where it is in the mirror alone."""
    mirror_path: str
    """Where the mirror has it, relative to its folder; empty where it has nothing."""


def read_httrack_cache(stream: BinaryIO, source: str) -> Iterator[HttrackResponse | FormatError]:
    """The answers in a cache; what cannot be read comes as an error in its place."""
    try:
        pack = zipfile.ZipFile(stream)
    except _ZIP_ERRORS as error:
        raise FormatError(f"this is no cache of HTTrack ({error}); mirror the site again", source) from error
    with pack:
        for entry in pack.infolist():
            try:
                yield _read_response(pack, entry, stream)
            except _ZIP_ERRORS as error:
                yield FormatError(f"{entry.filename[:200]} cannot be read ({error})", source, entry.header_offset)


def _read_response(pack: zipfile.ZipFile, entry: zipfile.ZipInfo, stream: BinaryIO) -> HttrackResponse:
    line, fields = _parse_head(_read_extra_field(stream, entry.header_offset))
    content: bytes | None = None
    if fields.get("x-in-cache") == "1" or (not fields.get("x-save") and entry.file_size):
        if entry.file_size > _MAX_CONTENT_BYTES:
            raise ValueError("it is too long")
        content = pack.read(entry)
    elif not fields.get("x-save"):
        content = b""
    return HttrackResponse(entry.filename, _build_head(line, fields), content, fields.get("x-save", ""))


def _read_extra_field(stream: BinaryIO, offset: int) -> bytes:
    """The extra field of the local header at an offset."""
    stream.seek(offset)
    signature, name, extra = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
    if signature != _LOCAL_MAGIC:
        raise ValueError("no entry begins where one should")
    stream.seek(name, 1)
    return stream.read(extra)


def _parse_head(extra: bytes) -> tuple[str, _Fields]:
    line, *rest = extra.decode("utf-8", "replace").split("\r\n")
    if not line.startswith("HTTP/"):
        raise ValueError("it has no head")
    pairs = (each.partition(":") for each in rest)
    return line, {name.strip().lower(): value.strip() for name, colon, value in pairs if colon}


def _build_head(line: str, fields: _Fields) -> bytes:
    kept = {name: fields[name] for name in _KEPT_FIELDS if fields.get(name)}
    charset = fields.get("x-charset", "")
    if charset and "content-type" in kept and "charset" not in kept["content-type"].lower():
        kept["content-type"] += f"; charset={charset}"
    lines = [line, *(f"{name.title()}: {value}" for name, value in kept.items()), "", ""]
    return "\r\n".join(lines).encode("utf-8", "replace")

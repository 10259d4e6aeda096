"""HTTrack's cache: a ZIP file whose entries are named by URLs, with the head of each answer in the entry's own header.

The head stands in the extra field of the local header (the central directory has none), with fields of HTTrack's own
beside those of the server: whether the content is in the cache or in the mirror alone, and where it is there. An
entry's date is that of its last change, as the server told it; when it was fetched is in the logs (`httrack_log`).
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from webkeep.errors import FormatError

_LOCAL = struct.Struct("<4s22xHH")
_SIGNATURE = b"PK\x03\x04"
_KEPT = ("content-type", "last-modified", "location", "etag", "content-disposition")
_LARGEST = 256 << 20
_TROUBLES = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, OSError, EOFError, RuntimeError, OverflowError)
"""What the library raises over a broken file; NotImplementedError is among RuntimeErrors."""
_Fields = dict[str, str]


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """One answer as HTTrack keeps it."""

    url: str
    head: bytes
    """The status line and what is kept of the server's fields, as a message has them."""
    content: bytes | None
    """None where it is in the mirror alone."""
    save: str
    """Where the mirror has it, relative to its folder; empty where it has nothing."""


def cached_answers(stream: BinaryIO, source: str) -> Iterator[CachedAnswer | FormatError]:
    """The answers in a cache; what cannot be read comes as an error in its place."""
    try:
        pack = zipfile.ZipFile(stream)
    except _TROUBLES as error:
        raise FormatError(f"this is no cache of HTTrack ({error}); mirror the site again", source) from error
    with pack:
        for entry in pack.infolist():
            try:
                yield _answer(pack, entry, stream)
            except _TROUBLES as error:
                yield FormatError(f"{entry.filename[:200]} cannot be read ({error})", source, entry.header_offset)


def _answer(pack: zipfile.ZipFile, entry: zipfile.ZipInfo, stream: BinaryIO) -> CachedAnswer:
    line, fields = _head(_extra(stream, entry.header_offset))
    content: bytes | None = None
    if fields.get("x-in-cache") == "1" or (not fields.get("x-save") and entry.file_size):
        if entry.file_size > _LARGEST:
            raise ValueError("it is too long")
        content = pack.read(entry)
    elif not fields.get("x-save"):
        content = b""
    return CachedAnswer(entry.filename, _message(line, fields), content, fields.get("x-save", ""))


def _extra(stream: BinaryIO, offset: int) -> bytes:
    """The extra field of the local header at an offset."""
    stream.seek(offset)
    signature, name, extra = _LOCAL.unpack(stream.read(_LOCAL.size))
    if signature != _SIGNATURE:
        raise ValueError("no entry begins where one should")
    stream.seek(name, 1)
    return stream.read(extra)


def _head(extra: bytes) -> tuple[str, _Fields]:
    line, *rest = extra.decode("utf-8", "replace").split("\r\n")
    if not line.startswith("HTTP/"):
        raise ValueError("it has no head")
    pairs = (each.partition(":") for each in rest)
    return line, {name.strip().lower(): value.strip() for name, colon, value in pairs if colon}


def _message(line: str, fields: _Fields) -> bytes:
    kept = {name: fields[name] for name in _KEPT if fields.get(name)}
    charset = fields.get("x-charset", "")
    if charset and "content-type" in kept and "charset" not in kept["content-type"].lower():
        kept["content-type"] += f"; charset={charset}"
    lines = [line, *(f"{name.title()}: {value}" for name, value in kept.items()), "", ""]
    return "\r\n".join(lines).encode("utf-8", "replace")

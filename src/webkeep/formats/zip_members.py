"""ZIP files from anywhere: their members listed after every check that needs no reading, and opened as streams.

Nothing is ever unpacked by the name it carries. A member that fails a check is reported and left out; a directory
that cannot be read at all is a FormatError.
"""

from __future__ import annotations

import errno
import io
import stat
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from webkeep.errors import FormatError
from webkeep.formats.flaws import Flaws
from webkeep.formats.zip_streams import ZIP_ERRORS, Inflated, Window
from webkeep.model import CHUNK

_LARGEST_DIRECTORY = 64 << 20
_RATIO = 300
_RATIO_MATTERS = 16 << 20
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8_NAME = 0x800
_END = struct.Struct("<4s8xI6x")
_END_SIZE = 22
_LONGEST_COMMENT = 65535
_LOCAL_HEADER = struct.Struct("<4s22xHH")


@dataclass(frozen=True, slots=True)
class Member:
    """One file in a ZIP."""

    path: str
    size: int
    offset: int
    """Where its header begins."""
    stored: bool
    """Whether it is not compressed, so that any part of it can be reached at once."""
    info: zipfile.ZipInfo


class ZipMembers:
    """The members of a ZIP that passed every check, by their paths, in the order of its directory."""

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws) -> None:
        self._stream = stream
        self._source = source
        self._zip = _opened(stream, source)
        self.members: dict[str, Member] = {}
        spilling = _spilling(self._zip)
        for info in self._zip.infolist():
            if not info.filename.endswith("/"):
                self._admit(info, spilling, flaws)

    def _admit(self, info: zipfile.ZipInfo, spilling: set[int], flaws: Flaws) -> None:
        code, message = _objection(info, self._zip.start_dir)
        if not code and id(info) in spilling:
            code, message = "zip-overlap", "overlaps the next member; left out"
        if not code and info.filename in self.members:
            code, message = "zip-duplicate", "comes twice; only the first is read"
        if code:
            flaws.report(code, self._source, max(info.header_offset, 0), f"{info.orig_filename[:200]!r} {message}")
            return
        stored = info.compress_type == zipfile.ZIP_STORED
        self.members[info.filename] = Member(info.filename, info.file_size, info.header_offset, stored, info)

    def open(self, member: Member) -> BinaryIO:
        """A seekable stream of the member's bytes; a compressed one raises FormatError where they are bad."""
        raw: io.RawIOBase
        if member.stored:
            raw = Window(self._stream, self.start(member), member.size)
        else:
            raw = Inflated(self._zip, member.info, self._source)
        return cast("BinaryIO", io.BufferedReader(raw, CHUNK))

    def chunks(self, member: Member) -> Iterator[bytes]:
        """The member's bytes in order, checked by its checksum; raises FormatError where they are bad."""
        stream = Inflated(self._zip, member.info, self._source)
        while data := stream.read(CHUNK):
            yield data

    def start(self, member: Member) -> int:
        """The offset in the ZIP file at which the member's bytes begin."""
        self._stream.seek(member.offset)
        header = self._stream.read(_LOCAL_HEADER.size)
        if len(header) == _LOCAL_HEADER.size and header.startswith(b"PK\3\4"):
            _, name, extra = _LOCAL_HEADER.unpack(header)
            if self._stream.read(name) == _raw_name(member.info):
                return member.offset + _LOCAL_HEADER.size + int(name) + int(extra)
        raise FormatError(f"{member.path!r} is not where the ZIP directory says", self._source, member.offset)


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8_NAME else "cp437")


def _opened(stream: BinaryIO, source: str) -> zipfile.ZipFile:
    try:
        if _directory_size(stream) > _LARGEST_DIRECTORY:
            raise FormatError(f"ZIP directory is larger than the {_LARGEST_DIRECTORY >> 20} MB that are read", source)
        return zipfile.ZipFile(stream)
    except ZIP_ERRORS as error:
        raise FormatError("not a ZIP file, or one cut short; get the file again", source) from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise FormatError("ZIP directory points outside the file; get the file again", source) from error


def _directory_size(stream: BinaryIO) -> int:
    end = stream.seek(0, io.SEEK_END)
    stream.seek(max(end - _END_SIZE - _LONGEST_COMMENT, 0))
    tail = stream.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < _END_SIZE:
        return 0
    size = int(_END.unpack_from(tail, at)[1])
    long_end = tail.rfind(b"PK\6\6", 0, at)
    if size == 0xFFFFFFFF and long_end >= 0:
        size = int.from_bytes(tail[long_end + 40 : long_end + 48], "little")
    return size


def _spilling(opened: zipfile.ZipFile) -> set[int]:
    """The members whose bytes run into the next one's, or into the directory."""
    entries = sorted(opened.infolist(), key=lambda info: info.header_offset)
    bounds = [*(info.header_offset for info in entries[1:]), opened.start_dir]
    return {id(info) for info, bound in zip(entries, bounds, strict=False) if _least_end(info) > bound}


def _least_end(info: zipfile.ZipInfo) -> int:
    return info.header_offset + _LOCAL_HEADER.size + len(info.orig_filename) + info.compress_size


def _objection(info: zipfile.ZipInfo, directory: int) -> tuple[str, str]:
    """The code and reason why a member is not read; empty where there is none."""
    if not _is_plain_path(info.orig_filename):
        return "zip-path", "is no plain relative path; left out"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "zip-link", "is a symbolic link; left out"
    if info.flag_bits & _ENCRYPTED:
        return "zip-encrypted", "is encrypted; left out"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "zip-method", f"is compressed by method {info.compress_type}, which WACZ does not use; left out"
    if not 0 <= info.header_offset < directory:
        return "zip-place", "lies outside the file; left out"
    if info.compress_type == zipfile.ZIP_STORED and info.file_size != info.compress_size:
        return "zip-size", "is stored under two sizes; left out"
    if info.file_size > max(_RATIO * info.compress_size, _RATIO_MATTERS):
        return "zip-ratio", f"claims {info.file_size} bytes out of {info.compress_size}; left out"
    return "", ""


def _is_plain_path(path: str) -> bool:
    if "\\" in path or ":" in path.partition("/")[0] or any(ord(char) < 32 for char in path):
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))

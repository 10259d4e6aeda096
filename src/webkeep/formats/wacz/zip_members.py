"""ZIP files from anywhere: their members listed after every check that needs no reading (path traversal, links,
encryption, overlaps, bombs), and opened as streams.

Nothing is ever unpacked by the name it carries. A member that fails a check is reported and left out; a directory
that cannot be read at all is a FormatError.
"""

from __future__ import annotations

import errno
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from webkeep.errors import FormatError
from webkeep.formats.flaws import Flaws
from webkeep.model import CHUNK_BYTES

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


# Members of a ZIP as seekable streams: a window for what is stored, inflation for what is not.

ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error,
    ValueError, RuntimeError, EOFError, IndexError, OverflowError, NotImplementedError,
)  # fmt: skip
"""What zipfile raises on hostile bytes."""


class StreamSlice(io.RawIOBase):
    """A stretch of another stream, which several windows may share in turn."""

    def __init__(self, stream: BinaryIO, start: int, size: int) -> None:
        self._stream = stream
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to an offset in the stretch."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read at the place the window is at, wherever the shared stream was."""
        view = memoryview(buffer)
        self._stream.seek(self._start + self._at)
        data = self._stream.read(max(min(len(view), self._size - self._at), 0))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)


class InflatedStream(io.RawIOBase):
    """A member read through zipfile, with its checksum; going back means to begin again."""

    def __init__(self, opened: zipfile.ZipFile, info: zipfile.ZipInfo, source: str) -> None:
        self._info = info
        self._source = source
        try:
            self._member = opened.open(info)
        except ZIP_ERRORS as error:
            raise self._damaged_error() from error

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """As far as the ZIP itself is."""
        return self._member.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to an offset among the inflated bytes."""
        try:
            return self._member.seek(offset, whence)
        except ZIP_ERRORS as error:
            raise self._damaged_error() from error

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read the next inflated bytes."""
        view = memoryview(buffer)
        try:
            data = self._member.read(len(view))
        except ZIP_ERRORS as error:
            raise self._damaged_error() from error
        view[: len(data)] = data
        return len(data)

    def _damaged_error(self) -> FormatError:
        message = f"{self._info.filename!r} cannot be read out of the ZIP file; its bytes are damaged"
        return FormatError(message, self._source, self._info.header_offset)


_MAX_DIRECTORY_BYTES = 64 << 20
"""A directory is held whole: it has room for half a million members."""
_MAX_EXPANSION_RATIO = 300
"""What claims to unpack to more is taken for a bomb."""
_ALWAYS_ALLOWED_BYTES = 16 << 20
"""So much may come out whatever the ratio: it hurts nobody, and indexes of zeros compress well."""
_ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000
"""Of a member: encrypted, strongly encrypted, its header encrypted."""
_UTF8_NAME_FLAG = 0x800
"""Of a member whose name is UTF-8 and not the code page of DOS."""
_END_RECORD = struct.Struct("<4s8xI6x")
_END_RECORD_BYTES = 22
"""The record that ends a ZIP file, without its comment."""
_MAX_COMMENT_BYTES = 65535
"""All that the 16 bits of its length can say."""
_LOCAL_HEADER = struct.Struct("<4s22xHH")


@dataclass(frozen=True, slots=True)
class ZipMember:
    """One file in a ZIP."""

    path: str
    size: int
    offset: int
    """Where its header begins."""
    is_stored: bool
    """Whether it is not compressed, so that any part of it can be reached at once."""
    info: zipfile.ZipInfo


class ZipMembers:
    """The members of a ZIP that passed every check, by their paths, in the order of its directory."""

    def __init__(self, stream: BinaryIO, source: str, flaws: Flaws) -> None:
        self._stream = stream
        self._source = source
        self._zip = _open_zip(stream, source)
        self.members: dict[str, ZipMember] = {}
        spilling = _overlapping_members(self._zip)
        for info in self._zip.infolist():
            if not info.filename.endswith("/"):
                self._add_member(info, spilling, flaws)

    def _add_member(self, info: zipfile.ZipInfo, spilling: set[int], flaws: Flaws) -> None:
        code, message = _refusal_reason(info, self._zip.start_dir)
        if not code and id(info) in spilling:
            code, message = "zip-overlap", "overlaps the next member; left out"
        if not code and info.filename in self.members:
            code, message = "zip-duplicate", "comes twice; only the first is read"
        if code:
            flaws.report(code, self._source, max(info.header_offset, 0), f"{info.orig_filename[:200]!r} {message}")
            return
        stored = info.compress_type == zipfile.ZIP_STORED
        self.members[info.filename] = ZipMember(info.filename, info.file_size, info.header_offset, stored, info)

    def open(self, member: ZipMember) -> BinaryIO:
        """A seekable stream of the member's bytes; a compressed one raises FormatError where they are bad."""
        raw: io.RawIOBase
        if member.is_stored:
            raw = StreamSlice(self._stream, self.data_offset(member), member.size)
        else:
            raw = InflatedStream(self._zip, member.info, self._source)
        return cast("BinaryIO", io.BufferedReader(raw, CHUNK_BYTES))

    def chunks(self, member: ZipMember) -> Iterator[bytes]:
        """The member's bytes in order, checked by its checksum; raises FormatError where they are bad."""
        stream = InflatedStream(self._zip, member.info, self._source)
        while data := stream.read(CHUNK_BYTES):
            yield data

    def data_offset(self, member: ZipMember) -> int:
        """The offset in the ZIP file at which the member's bytes begin."""
        self._stream.seek(member.offset)
        header = self._stream.read(_LOCAL_HEADER.size)
        if len(header) == _LOCAL_HEADER.size and header.startswith(b"PK\3\4"):
            _, name, extra = _LOCAL_HEADER.unpack(header)
            if self._stream.read(name) == _raw_name(member.info):
                return member.offset + _LOCAL_HEADER.size + int(name) + int(extra)
        raise FormatError(f"{member.path!r} is not where the ZIP directory says", self._source, member.offset)


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8_NAME_FLAG else "cp437")


def _open_zip(stream: BinaryIO, source: str) -> zipfile.ZipFile:
    try:
        if _read_directory_size(stream) > _MAX_DIRECTORY_BYTES:
            raise FormatError(f"ZIP directory is larger than the {_MAX_DIRECTORY_BYTES >> 20} MB that are read", source)
        return zipfile.ZipFile(stream)
    except ZIP_ERRORS as error:
        raise FormatError("not a ZIP file, or one cut short; get the file again", source) from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise FormatError("ZIP directory points outside the file; get the file again", source) from error


def _read_directory_size(stream: BinaryIO) -> int:
    end = stream.seek(0, io.SEEK_END)
    stream.seek(max(end - _END_RECORD_BYTES - _MAX_COMMENT_BYTES, 0))
    tail = stream.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < _END_RECORD_BYTES:
        return 0
    size = int(_END_RECORD.unpack_from(tail, at)[1])
    long_end = tail.rfind(b"PK\6\6", 0, at)
    if size == 0xFFFFFFFF and long_end >= 0:
        size = int.from_bytes(tail[long_end + 40 : long_end + 48], "little")
    return size


def _overlapping_members(opened: zipfile.ZipFile) -> set[int]:
    """The members whose bytes run into the next one's, or into the directory."""
    entries = sorted(opened.infolist(), key=lambda info: info.header_offset)
    bounds = [*(info.header_offset for info in entries[1:]), opened.start_dir]
    return {id(info) for info, bound in zip(entries, bounds, strict=False) if _min_end(info) > bound}


def _min_end(info: zipfile.ZipInfo) -> int:
    return info.header_offset + _LOCAL_HEADER.size + len(info.orig_filename) + info.compress_size


def _refusal_reason(info: zipfile.ZipInfo, directory: int) -> tuple[str, str]:
    """The code and reason why a member is not read; empty where there is none."""
    if not _is_plain_path(info.orig_filename):
        return "zip-path", "is no plain relative path; left out"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "zip-link", "is a symbolic link; left out"
    if info.flag_bits & _ENCRYPTED_FLAGS:
        return "zip-encrypted", "is encrypted; left out"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "zip-method", f"is compressed by method {info.compress_type}, which WACZ does not use; left out"
    if not 0 <= info.header_offset < directory:
        return "zip-place", "lies outside the file; left out"
    if info.compress_type == zipfile.ZIP_STORED and info.file_size != info.compress_size:
        return "zip-size", "is stored under two sizes; left out"
    if claims_too_much(info):
        return "zip-ratio", f"claims {info.file_size} bytes out of {info.compress_size}; left out"
    return "", ""


def claims_too_much(info: zipfile.ZipInfo) -> bool:
    """Whether a member claims to unpack to so much that it is taken for a bomb."""
    return info.file_size > max(_MAX_EXPANSION_RATIO * info.compress_size, _ALWAYS_ALLOWED_BYTES)


def _is_plain_path(path: str) -> bool:
    if "\\" in path or ":" in path.partition("/")[0] or any(ord(char) < 32 for char in path):
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))

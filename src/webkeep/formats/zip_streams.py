"""Members of a ZIP as seekable streams: a window for what is stored, inflation for what is not."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO

from webkeep.errors import FormatError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error,
    ValueError, RuntimeError, EOFError, IndexError, OverflowError, NotImplementedError,
)  # fmt: skip
"""What zipfile raises on hostile bytes."""


class Window(io.RawIOBase):
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


class Inflated(io.RawIOBase):
    """A member read through zipfile, with its checksum; going back means to begin again."""

    def __init__(self, opened: zipfile.ZipFile, info: zipfile.ZipInfo, source: str) -> None:
        self._info = info
        self._source = source
        try:
            self._member = opened.open(info)
        except ZIP_ERRORS as error:
            raise self._bad() from error

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
            raise self._bad() from error

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read the next inflated bytes."""
        view = memoryview(buffer)
        try:
            data = self._member.read(len(view))
        except ZIP_ERRORS as error:
            raise self._bad() from error
        view[: len(data)] = data
        return len(data)

    def _bad(self) -> FormatError:
        message = f"{self._info.filename!r} cannot be read out of the ZIP file; its bytes are damaged"
        return FormatError(message, self._source, self._info.header_offset)

"""Where a response's body goes while it comes: memory for little, an unnamed temporary file for much."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from webkeep.errors import StorageError
from webkeep.model import CHUNK_BYTES, Body, BytesBody

_MAX_MEMORY_BYTES = 1 << 20
"""A longer body goes to a temporary file: hundreds may be under way at once."""


class SpoolSink:
    """Takes chunks; holds few of them and writes many to an unnamed temporary file."""

    __slots__ = ("_chunks", "_file", "_folder", "size")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._chunks: list[bytes] = []
        self._file: IO[bytes] | None = None
        self.size = 0

    def write(self, chunk: bytes) -> None:
        """Take more of the body."""
        self.size += len(chunk)
        if self._file is None:
            self._chunks.append(chunk)
            if self.size > _MAX_MEMORY_BYTES:
                self._move_to_file()
            return
        try:
            self._file.write(chunk)
        except OSError as error:
            raise _spool_error(self._folder, error) from error

    def clear(self) -> None:
        """Let go of what was taken, and begin anew."""
        self.take_body()
        self.size = 0

    def _move_to_file(self) -> None:
        try:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - it lives as long as the body
            self._file.writelines(self._chunks)
        except OSError as error:
            raise _spool_error(self._folder, error) from error
        self._chunks.clear()

    def take_body(self) -> Body:
        """All that was taken; the sink is empty then."""
        file, self._file = self._file, None
        if file is None:
            chunks, self._chunks = self._chunks, []
            return BytesBody(chunks[0] if len(chunks) == 1 else b"".join(chunks))
        try:
            file.flush()
        except OSError as error:
            raise _spool_error(self._folder, error) from error
        return _FileBody(file, self.size)

    def discard(self) -> None:
        """Let go of all that was taken."""
        self._chunks.clear()
        if self._file is not None:
            with suppress(OSError):  # what could not be written does not matter any more
                self._file.close()
            self._file = None


def _spool_error(folder: Path, error: OSError) -> StorageError:
    reason = error.strerror or str(error)
    return StorageError(f"cannot keep a response in {folder} while it comes ({reason}); make room there")


class _FileBody:
    """A body in a file without a name, gone with the last reference to it; read by any number of threads at a time."""

    __slots__ = ("_file", "size")

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self.size = size

    def __del__(self) -> None:
        self._file.close()

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        while chunk := os.pread(self._file.fileno(), CHUNK_BYTES, start):
            yield chunk
            start += len(chunk)

"""Where a response's body goes while it comes: memory for little, a temporary file for much."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from webkeep.model import CHUNK, Body, BytesBody

_IN_MEMORY = 1 << 20


class SpoolSink:
    """Takes chunks; holds few of them and writes many to an unnamed temporary file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._chunks: list[bytes] = []
        self._size = 0
        self._file: BinaryIO | None = None

    def write(self, chunk: bytes, /) -> None:
        """Take more of the body."""
        self._size += len(chunk)
        if self._file is not None:
            self._file.write(chunk)
            return
        self._chunks.append(chunk)
        if self._size > _IN_MEMORY:
            self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115 - it lives as long as the body
            for held in self._chunks:
                self._file.write(held)
            self._chunks.clear()

    def body(self) -> Body:
        """All that was taken."""
        if self._file is None:
            return BytesBody(b"".join(self._chunks))
        return _FileBody(self._file, self._size)


class _FileBody:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.size = size

    def __del__(self) -> None:
        self._file.close()

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on; one reading at a time."""
        self._file.seek(start)
        while chunk := self._file.read(CHUNK):
            yield chunk

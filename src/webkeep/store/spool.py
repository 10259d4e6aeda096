"""Bodies on disk: files, and temporary files for what is too long for memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import FormatError
from webkeep.model import CHUNK, Body, BytesBody

_IN_MEMORY = 2 << 20


@dataclass(frozen=True, slots=True)
class FileBody:
    """A stretch of a file as a body."""

    path: Path
    size: int
    offset: int = 0

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        with self.path.open("rb") as file:
            file.seek(self.offset + start)
            left = self.size - start
            while left > 0 and (chunk := file.read(min(CHUNK, left))):
                left -= len(chunk)
                yield chunk
        if left > 0:
            raise FormatError(
                "the file became shorter while it was read; try again when nobody writes to it",
                str(self.path),
                self.offset + self.size - left,
            )


class SpooledBody:
    """A body in an unnamed temporary file that vanishes with it."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self.size = 0

    def write(self, chunk: bytes) -> None:
        """Take more bytes; only before the first reading."""
        self._file.write(chunk)
        self.size += len(chunk)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on; one reading at a time."""
        self._file.seek(start)
        while chunk := self._file.read(CHUNK):
            yield chunk


def spooled(chunks: Iterable[bytes], folder: Path) -> Body:
    """Take bytes of unknown length: in memory while they are few, else in a temporary file in `folder`."""
    held: list[bytes] = []
    size = 0
    source = iter(chunks)
    for chunk in source:
        held.append(chunk)
        size += len(chunk)
        if size > _IN_MEMORY:
            break
    else:
        return BytesBody(b"".join(held))
    body = SpooledBody(folder)
    for chunk in held:
        body.write(chunk)
    for chunk in source:
        body.write(chunk)
    return body

"""Files, or stretches of them, as bodies that are read in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import FormatError
from webkeep.model import CHUNK_BYTES


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
            while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
                left -= len(chunk)
                yield chunk
        if left > 0:
            raise FormatError(
                "the file became shorter while it was read; try again when nobody writes to it",
                str(self.path),
                self.offset + self.size - left,
            )

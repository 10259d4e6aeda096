"""Long answers on their way: in an unnamed temporary file, written by the archive writer alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from webkeep.model import CHUNK_BYTES
from webkeep.recorder.limits import ByteBudget


class BodySpool:
    """A body in a file that is gone with the last reference to it."""

    __slots__ = ("_budget", "_file", "_reserved_bytes", "has_failed", "size")

    def __init__(self, budget: ByteBudget) -> None:
        self._budget = budget
        self._file: IO[bytes] | None = None
        self._reserved_bytes = 0
        self.size = 0
        """How much of it is in the file."""
        self.has_failed = False
        """Whether some of it could not be written."""

    def __del__(self) -> None:
        self._budget.give(self._reserved_bytes)
        if self._file is not None:
            with suppress(OSError):  # what could not be written does not matter any more
                self._file.close()

    def fail(self) -> None:
        """Some of it could not be written."""
        self.has_failed = True

    def reserve(self, size: int) -> bool:
        """Make sure that there may be so much more in it."""
        taken = self._budget.take(size)
        self._reserved_bytes += size if taken else 0
        return taken

    def write(self, chunks: Iterable[bytes], folder: Path) -> None:
        """Take more of the body."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it lives as long as the body
        for chunk in chunks:
            self._file.write(chunk)
            self.size += len(chunk)
        self._file.flush()

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        while self._file is not None and (chunk := os.pread(self._file.fileno(), CHUNK_BYTES, start)):
            yield chunk
            start += len(chunk)

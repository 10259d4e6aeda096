"""How far a copy is, told as it is written: with no thread, as other processes are begun meanwhile."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from webkeep.cli.output import Output
from webkeep.cli.progress import Progress

_REDRAWN, _EVENTS, _PLAIN = 0.3, 1.0, 10.0


class Telling:
    """Counts files and bytes, and says now and then how many there are."""

    def __init__(self, out: Output, doing: str = "mirroring") -> None:
        self._out = out
        self._files = self._bytes = 0
        self._progress = Progress(out, doing, lambda: {"files": self._files, "bytes": self._bytes})
        self._pause = _EVENTS if out.as_json else _REDRAWN if out.is_watched else _PLAIN
        self._due = time.monotonic() + self._pause

    def told(self, files: int, size: int) -> None:
        """Hear of files that were written."""
        self._files += files
        self._bytes += size
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + self._pause
            self._progress.tell()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.status("")

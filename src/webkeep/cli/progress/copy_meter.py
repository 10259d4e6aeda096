"""How far a copy is, told as it is written: with no thread, as other processes are begun meanwhile."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from webkeep.cli.output.console import Output
from webkeep.cli.progress.meter import ProgressMeter

_REDRAW_SECONDS, _EVENT_SECONDS, _LOG_SECONDS = 0.3, 1.0, 10.0
"""Seconds between two words, to a terminal, a program and a log."""


class CopyProgressMeter:
    """Counts files and bytes, and says now and then how many there are."""

    def __init__(self, out: Output, doing: str = "mirroring") -> None:
        self._out = out
        self._files = self._bytes = 0
        self._progress = ProgressMeter(out, doing, lambda: {"files": self._files, "bytes": self._bytes})
        self._interval_seconds = _EVENT_SECONDS if out.as_json else _REDRAW_SECONDS if out.is_watched else _LOG_SECONDS
        self._due = time.monotonic() + self._interval_seconds

    def add_files(self, files: int, size: int) -> None:
        """Hear of files that were written."""
        self._files += files
        self._bytes += size
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + self._interval_seconds
            self._progress.print_progress()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.status("")

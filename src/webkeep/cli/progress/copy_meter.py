"""How far a copy is, told as it is written: files and bytes, with no thread, as other processes are begun meanwhile."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from webkeep.cli.output.console import Output
from webkeep.cli.progress.meter import ProgressMeter
from webkeep.cli.progress.progress_printer import ProgressPrinter


class CopyProgressMeter:
    """Counts files and bytes, and says now and then how many there are."""

    def __init__(self, out: Output, doing: str = "mirroring") -> None:
        self._out = out
        self._files = self._bytes = 0
        self._progress = ProgressMeter(out, doing, lambda: {"files": self._files, "bytes": self._bytes})
        self._printer = ProgressPrinter(out)

    def add_files(self, files: int, size: int) -> None:
        """Hear of files that were written."""
        self._files += files
        self._bytes += size
        if self._printer.is_due():
            self._progress.print_progress()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.status("")

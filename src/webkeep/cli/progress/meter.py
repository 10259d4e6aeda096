"""How far long work is, told while it goes on: counters that a thread of its own reads, and the line made of them with
its rate and the time it took so far.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from webkeep.cli.output.console import Output
from webkeep.cli.progress.progress_printer import ProgressPrinter, report_interval
from webkeep.presentation import format_count, format_duration, format_size


class ProgressMeter:
    """Reads counters in a thread of its own and tells them; the work only has to count."""

    def __init__(self, out: Output, doing: str, counters: Callable[[], Mapping[str, int]]) -> None:
        self._out = out
        self._doing = doing
        self._counters = counters
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._poll_counters, name="progress", daemon=True)
        self._printer = ProgressPrinter(out)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._out.status("")

    def print_progress(self) -> None:
        """Say now how far it is."""
        counted, seconds = dict(self._counters()), self._printer.seconds
        self._printer.print_progress(
            lambda: {"doing": self._doing, **counted, "seconds": round(seconds, 1)},
            lambda: [format_progress(self._doing, counted, seconds)],
        )

    def _poll_counters(self) -> None:
        while not self._ended.wait(report_interval(self._out)):
            self.print_progress()


def format_progress(doing: str, counted: Mapping[str, int], seconds: float) -> str:
    """What was counted, how fast that goes (bytes, or else the first thing) and since when."""
    parts = [format_size(count) if name == "bytes" else _format_counter(count, name) for name, count in counted.items()]
    pace = next((name for name in ("bytes", *counted) if counted.get(name)), "")
    if pace and seconds >= 1:
        rate = round(counted[pace] / seconds)
        parts.append(f"{format_size(rate) if pace == 'bytes' else _format_counter(rate, pace)} a second")
    parts += [format_duration(round(seconds))] if seconds >= 1 else []
    return f"{doing}: {', '.join(parts)}" if parts else doing


def _format_counter(count: int, name: str) -> str:
    things = name.replace("_", " ")
    return format_count(count, things.removesuffix("s"), things)

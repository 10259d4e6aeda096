"""How far long work is, told while it goes on: a line that is redrawn, a line now and then, or events."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from webkeep.cli import measure
from webkeep.cli.output import Output

_REDRAWN, _EVENTS, _PLAIN = 0.3, 1.0, 10.0
"""Seconds between two words, to a terminal, a program and a log."""


class Progress:
    """Reads counters in a thread of its own and tells them; the work only has to count."""

    def __init__(self, out: Output, doing: str, counters: Callable[[], Mapping[str, int]]) -> None:
        self._out = out
        self._doing = doing
        self._counters = counters
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._out.status("")

    def tell(self) -> None:
        """Say now how far it is."""
        counted, seconds = dict(self._counters()), time.monotonic() - self._began
        if self._out.as_json:
            self._out.event("progress", doing=self._doing, **counted, seconds=round(seconds, 1))
            return
        say = self._out.status if self._out.is_watched else self._out.note
        say(progress_line(self._doing, counted, seconds))

    def _watch(self) -> None:
        pause = _EVENTS if self._out.as_json else _REDRAWN if self._out.is_watched else _PLAIN
        while not self._ended.wait(pause):
            self.tell()


def progress_line(doing: str, counted: Mapping[str, int], seconds: float) -> str:
    """What was counted, how fast that goes (bytes, or else the first thing) and since when."""
    parts = [measure.size(count) if name == "bytes" else _counted(count, name) for name, count in counted.items()]
    pace = next((name for name in ("bytes", *counted) if counted.get(name)), "")
    if pace and seconds >= 1:
        rate = round(counted[pace] / seconds)
        parts.append(f"{measure.size(rate) if pace == 'bytes' else _counted(rate, pace)} a second")
    parts += [measure.duration(round(seconds))] if seconds >= 1 else []
    return f"{doing}: {', '.join(parts)}" if parts else doing


def _counted(count: int, name: str) -> str:
    things = name.replace("_", " ")
    return measure.counted(count, things.removesuffix("s"), things)

"""Python's garbage collection, held back where there is hardly any garbage."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Look for circles of garbage less often, where few are made and there is much to be looked at each time."""
    _RARITY.begin()
    try:
        yield
    finally:
        _RARITY.end()


class _Rarity:
    """Held back as long as any thread wants it so; the last one brings back what was usual before the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted = 0
        self._usual = gc.get_threshold()

    def begin(self) -> None:
        with self._lock:
            if not self._wanted:
                self._usual = gc.get_threshold()
                gc.set_threshold(50_000, 20, 100)
            self._wanted += 1

    def end(self) -> None:
        with self._lock:
            self._wanted -= 1
            if not self._wanted:
                gc.set_threshold(*self._usual)


_RARITY = _Rarity()

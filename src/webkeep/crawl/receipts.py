"""Receipts: what was handed to the archive's writer and is not on disk yet, in the order it was handed over."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from webkeep.crawl.studied import Studied
from webkeep.frontier.answer import Answer, Verdict
from webkeep.frontier.candidate import Candidate
from webkeep.store.acknowledgement import Acknowledgement

_MOST_BYTES = 24 << 20
_MOST = 2000


class Receipt(NamedTuple):
    """What is to be done about a candidate once its record is on disk."""

    candidate: Candidate
    answer: Answer
    verdict: Verdict
    is_last: bool = True
    """Whether no further record of the same answer follows."""
    studied: Studied | None = None
    """What was read out of it, where it was not studied with its record."""


class Receipts:
    """Waits for acknowledgements, which come from the writer's thread, on behalf of the loop it was made on."""

    def __init__(self, changed: asyncio.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = changed
        self._waiting: deque[tuple[Receipt, Acknowledgement, int]] = deque()
        self._size = 0
        self._rung = False

    @property
    def awaited(self) -> int:
        """How many are not taken yet."""
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether enough is on its way; the writer would make whoever hands over more wait."""
        return self._size >= _MOST_BYTES or len(self._waiting) >= _MOST

    def await_one(self, receipt: Receipt, acknowledgement: Acknowledgement, size: int) -> None:
        """Wait for one more."""
        held = min(size, 1 << 20)
        self._waiting.append((receipt, acknowledgement, held))
        self._size += held
        acknowledgement.add_done_callback(self._ring)

    def taken(self) -> Iterator[tuple[Receipt, Acknowledgement]]:
        """Those that are on disk by now, in order."""
        self._rung = False
        while self._waiting and self._waiting[0][1].done:
            receipt, acknowledgement, held = self._waiting.popleft()
            self._size -= held
            yield receipt, acknowledgement

    def _ring(self, _: Acknowledgement) -> None:
        if not self._rung:
            self._rung = True
            with suppress(RuntimeError):  # the loop saw by itself that all was done, and is closed
                self._loop.call_soon_threadsafe(self._changed.set)

"""Receipts: what was handed to the writer and is not on disk yet, in the order it was handed over; how much of it is
enough for now (backpressure).

The writer acknowledges from its own thread, and in order. The loop is called once for many of them, and then takes
what is on disk by now.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Generic

from webkeep.errors import StorageError
from webkeep.store.writing.acknowledgement import Acknowledgement, Subject

_MAX_WAITING_BYTES = 24 << 20
"""So much on its way to the disk is enough: the writer would make more wait."""
_MAX_WAITING_RECORDS = 2000
"""So many records on their way to the disk are enough."""
_MAX_COUNTED_BYTES = 1 << 20
"""One record counts for no more: a larger body lies in a file, not in memory."""


class Receipts(Generic[Subject]):
    """Waits for acknowledgements, each with what it is about, on behalf of the loop it was made on."""

    def __init__(self, on_acknowledged: Callable[[], object]) -> None:
        """`on_acknowledged` is called on the loop when there is something to take."""
        self._loop = asyncio.get_running_loop()
        self._on_acknowledged = on_acknowledged
        self._waiting: deque[tuple[Subject, Acknowledgement, int]] = deque()
        self._size = 0
        self._is_notified = False

    def __len__(self) -> int:
        return len(self._waiting)

    def subjects(self) -> Iterator[Subject]:
        """What those are about that are not taken yet."""
        return (subject for subject, _, _ in self._waiting)

    def is_full(self, extra_bytes: int = 0) -> bool:
        """Whether enough is on its way, together with so much that is still to be handed over."""
        return self._size + extra_bytes >= _MAX_WAITING_BYTES or len(self._waiting) >= _MAX_WAITING_RECORDS

    def add(self, subject: Subject, acknowledgement: Acknowledgement, size: int = 0) -> None:
        """Wait for one more, whose body has this size."""
        self._append(subject, acknowledgement, size)
        acknowledgement.add_done_callback(self._notify)

    def add_all(self, receipts: Iterable[tuple[Subject, Acknowledgement, int]]) -> None:
        """Wait for some that were handed over together, in this order."""
        for receipt in receipts:
            self._append(*receipt)
        self._waiting[-1][1].add_done_callback(self._notify)  # what was handed over before it is done by then

    def _append(self, subject: Subject, acknowledgement: Acknowledgement, size: int) -> None:
        held = counted_size(size)
        self._waiting.append((subject, acknowledgement, held))
        self._size += held

    def take_acknowledged(self) -> Iterator[tuple[Subject, Acknowledgement]]:
        """Those that are on disk by now, in order."""
        self._is_notified = False
        while self._waiting and self._waiting[0][1].done:
            subject, acknowledgement, held = self._waiting.popleft()
            self._size -= held
            yield subject, acknowledgement

    def wait_for_first(self) -> None:
        """Block until the first of them can be taken, whatever became of it."""
        with suppress(StorageError):  # whoever takes it is told
            self._waiting[0][1].result()

    def _notify(self, _: Acknowledgement) -> None:
        if not self._is_notified:
            self._is_notified = True
            with suppress(RuntimeError):  # the loop saw by itself that all was done, and is closed
                self._loop.call_soon_threadsafe(self._on_acknowledged)


def counted_size(size: int) -> int:
    """What a body of this size counts for while it waits."""
    return min(size, _MAX_COUNTED_BYTES)

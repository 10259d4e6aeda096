"""Receipts: what was handed to the archive's writer and is not on disk yet, in the order it was handed over."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from webkeep.crawl.links.extracted_links import ExtractedLinks
from webkeep.frontier.urls import Candidate, FetchOutcome, FetchVerdict
from webkeep.store.writing import Acknowledgement

_MAX_WAITING_BYTES = 24 << 20
"""So much on its way to the disk is enough: the writer would make more wait."""
_MAX_WAITING = 2000
"""So many records on their way to the disk are enough."""


class Receipt(NamedTuple):
    """What is to be done about a candidate once its record is on disk."""

    candidate: Candidate
    answer: FetchOutcome
    verdict: FetchVerdict
    is_last: bool = True
    """Whether no further record of the same answer follows."""
    studied: ExtractedLinks | None = None
    """What was read out of it, where it was not studied with its record."""


class Receipts:
    """Waits for acknowledgements, which come from the writer's thread, on behalf of the loop it was made on."""

    def __init__(self, changed: asyncio.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = changed
        self._waiting: deque[tuple[Receipt, Acknowledgement, int]] = deque()
        self._size = 0
        self._is_notified = False

    @property
    def awaited_count(self) -> int:
        """How many are not taken yet."""
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether enough is on its way; the writer would make whoever hands over more wait."""
        return self._size >= _MAX_WAITING_BYTES or len(self._waiting) >= _MAX_WAITING

    def add(self, receipt: Receipt, acknowledgement: Acknowledgement, size: int) -> None:
        """Wait for one more."""
        held = min(size, 1 << 20)
        self._waiting.append((receipt, acknowledgement, held))
        self._size += held
        acknowledgement.add_done_callback(self._on_acknowledged)

    def take_acknowledged(self) -> Iterator[tuple[Receipt, Acknowledgement]]:
        """Those that are on disk by now, in order."""
        self._is_notified = False
        while self._waiting and self._waiting[0][1].done:
            receipt, acknowledgement, held = self._waiting.popleft()
            self._size -= held
            yield receipt, acknowledgement

    def _on_acknowledged(self, _: Acknowledgement) -> None:
        if not self._is_notified:
            self._is_notified = True
            with suppress(RuntimeError):  # the loop saw by itself that all was done, and is closed
                self._loop.call_soon_threadsafe(self._changed.set)

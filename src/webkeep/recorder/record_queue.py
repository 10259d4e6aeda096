"""The record queue: what is to be written waits here, and there is only so much room; when something finds no place,
and how long records lie until there are enough to be written together.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from webkeep.model import Moment
from webkeep.recorder.app_message import AppRequest, AppResponse
from webkeep.recorder.body_spool import BodySpool
from webkeep.recorder.recent_responses import RecordedResponse


@dataclass(frozen=True, slots=True)
class SpoolChunks:
    """A part of a long answer, to be spooled."""

    spool: BodySpool
    chunks: list[bytes]
    held_bytes: int
    """The bytes of memory it takes."""


@dataclass(frozen=True, slots=True)
class PendingRecord:
    """An answer that is to be recorded, once it is whole."""

    request: AppRequest
    answer: AppResponse
    moment: Moment
    key: bytes
    response: RecordedResponse
    """What is remembered of it."""
    is_unknown_url: bool
    """Whether nothing was remembered of its URL, so that only the archive knows what was recorded last."""
    chunks: list[bytes]
    held_bytes: int
    """The bytes of memory it takes."""
    spool: BodySpool | None = None
    """What came before the chunks."""
    truncated: str = ""


QueueItem = SpoolChunks | PendingRecord


class RecordQueue:
    """A queue with so many places between the application, which never waits, and the archive writer, which does.

    What comes is left lying for a while, so that the archive writer has many to write at a time.
    """

    def __init__(self, places: int, patience: float) -> None:
        self._places = places
        self._enough = max(1, places // 2)
        self._linger_seconds = patience
        self._tasks: list[QueueItem] = []
        self._changed = threading.Condition()
        self._closed = False

    def put(self, task: QueueItem) -> bool:
        """Lay something on it; False where there is no room."""
        with self._changed:
            if self._closed or len(self._tasks) >= self._places:
                return False
            self._tasks.append(task)
            if len(self._tasks) in (1, self._enough):
                self._changed.notify()
            return True

    def take(self) -> list[QueueItem]:
        """Wait for enough to do, but not for long; nothing once it is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._tasks or self._closed)
            self._changed.wait_for(lambda: len(self._tasks) >= self._enough or self._closed, self._linger_seconds)
            tasks, self._tasks = self._tasks, []
            return tasks

    def close(self) -> None:
        """Take nothing more; what lies on it is still done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

"""The recorder: what middleware and archive writer share, and the thread that writes; to which requests answers are not
recorded, which share of URLs is, and what the log says of drops and failures.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path

import xxhash

from webkeep.clock import SystemClock
from webkeep.model import Clock
from webkeep.recorder.app_message import AppRequest, AppResponse
from webkeep.recorder.archive_writer import RecorderBooks, ServedResponseWriter
from webkeep.recorder.counters import OutcomeCounters, RecordingOutcome
from webkeep.recorder.identifying_fields import IdentifyingFields
from webkeep.recorder.limits import ByteBudget, RecorderLimits
from webkeep.recorder.recent_responses import RecentResponses
from webkeep.recorder.record_queue import QueueItem, RecordQueue
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.url.scope import ScopeVerdict

_LOG = logging.getLogger("webkeep.recorder")
_HELD_SHARE = 8
"""Of the memory that answers may take, one part in so many is for bodies that the next answers are compared with."""
_HASH_RANGE = 1 << 64
"""All values that the hash of a URL can have: the share to be recorded is the lowest of them."""


class Recorder:
    """Records the answers of one application, in one process, into one archive.

    The archive is opened when there is something to record, so nothing is opened before a server forks its workers.
    """

    def __init__(
        self,
        archive: str | os.PathLike[str],
        rules: RecorderRules | None = None,
        limits: RecorderLimits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.rules = rules or RecorderRules()
        self.limits = limits or RecorderLimits()
        self.clock = clock or SystemClock()
        self.path = Path(archive)
        self.counters = OutcomeCounters()
        self.recent = RecentResponses(self.limits.remembered, self.rules.origin, self.limits.memory // _HELD_SHARE)
        self.memory_budget = ByteBudget(self.limits.memory)
        """The memory that answers on their way may take."""
        self.disk_budget = ByteBudget(self.limits.disk)
        """The disk that they may take."""
        self._queue: RecordQueue | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    @property
    def counts(self) -> Mapping[RecordingOutcome, int]:
        """What became of the answers so far."""
        return self.counters.counts()

    @property
    def skipping_fields(self) -> IdentifyingFields:
        """Fields of requests to which the answers are not recorded."""
        return IdentifyingFields({b"range": b"range"}, not self.rules.credentials)

    def note_skipped(self, name: bytes) -> None:
        """Count the answer to a request with such a field, where that makes it private."""
        if name != b"range":
            self.counters.add(RecordingOutcome.PRIVATE)

    def is_wanted(self, request: AppRequest, response: AppResponse) -> bool:
        """Whether the rules want what is at a URL, as far as its head tells."""
        url = request.url(self.rules.origin)
        if url is None or self.rules.verdict(url, response.bare_media_type) is ScopeVerdict.OUT:
            return False
        return bool(xxhash.xxh3_64_intdigest(url.encode()) < self.rules.share * _HASH_RANGE)

    def queue(self, task: QueueItem) -> bool:
        """Have something written some time soon; False where too much is waiting."""
        queue = self._queue
        if queue is None:
            queue = self._open_queue()
        return queue.put(task)

    def close(self) -> None:
        """Write what is waiting and end the capture; what is recorded afterwards begins another."""
        with self._starting:
            queue, self._queue = self._queue, None
            thread, self._thread = self._thread, None
        if queue is not None and thread is not None:
            atexit.unregister(self.close)
            queue.close()
            thread.join(self.limits.closing)
            if thread.is_alive():
                _LOG.error("%s: the archive takes too long; what is not written by now is lost", self.path)

    def note_drop(self) -> None:
        """Count an answer that there was no room for, and tell the first time."""
        if self.counters.add(RecordingOutcome.DROPPED) == 1:
            _LOG.warning("%s: more is served than can be written; what is too much is counted as dropped", self.path)

    def note_failure(self, error: Exception) -> None:
        """Count an answer that could not be recorded, and tell the first time."""
        if self.counters.add(RecordingOutcome.FAILED) == 1:
            _LOG.error("%s: a response could not be recorded; more are counted as failed", self.path, exc_info=error)

    def _open_queue(self) -> RecordQueue:
        with self._starting:
            if self._queue is None:
                queue = RecordQueue(self.limits.waiting, self.limits.patience)
                books = RecorderBooks(self.counters, self.recent, self.memory_budget)
                writer = ServedResponseWriter(self.path, self.rules, self.limits.retry, self.clock, books)
                thread = threading.Thread(target=writer.write_all, args=(queue,), name="webkeep-recorder", daemon=True)
                thread.start()
                atexit.register(self.close)
                self._queue, self._thread = queue, thread
            return self._queue

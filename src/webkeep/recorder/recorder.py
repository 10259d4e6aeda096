"""The recorder: what middleware and scribe share, and the thread that writes."""

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
from webkeep.recorder.desk import Desk, Task
from webkeep.recorder.limits import Budget, Limits
from webkeep.recorder.memory import Memory
from webkeep.recorder.message import Answer, Request
from webkeep.recorder.rules import Rules
from webkeep.recorder.scribe import Scribe
from webkeep.recorder.tally import Count, Tally
from webkeep.recorder.telling_fields import TellingFields
from webkeep.url import Verdict

_LOG = logging.getLogger("webkeep.recorder")
_ALL = 1 << 64


class Recorder:
    """Records the answers of one application, in one process, into one archive.

    The archive is opened when there is something to record, so nothing is opened before a server forks its workers.
    """

    def __init__(
        self,
        archive: str | os.PathLike[str],
        rules: Rules | None = None,
        limits: Limits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.rules = rules or Rules()
        self.limits = limits or Limits()
        self.clock = clock or SystemClock()
        self.path = Path(archive)
        self.tally = Tally()
        self.memory = Memory(self.limits.remembered, self.rules.origin)
        self.held = Budget(self.limits.memory)
        """The memory that answers on their way may take."""
        self.spooled = Budget(self.limits.disk)
        """The disk that they may take."""
        self._desk: Desk | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    @property
    def counts(self) -> Mapping[Count, int]:
        """What became of the answers so far."""
        return self.tally.counts()

    @property
    def unheard(self) -> TellingFields:
        """Fields of requests to which the answers are not recorded."""
        return TellingFields({b"range": b"range"}, not self.rules.credentials)

    def note_unheard(self, name: bytes) -> None:
        """Count the answer to a request with such a field, where that makes it private."""
        if name != b"range":
            self.tally.add(Count.PRIVATE)

    def wants(self, request: Request, answer: Answer) -> bool:
        """Whether the rules want what is at a URL, as far as its head tells."""
        url = request.url(self.rules.origin)
        if url is None or self.rules.verdict(url, answer.essence) is Verdict.OUT:
            return False
        return bool(xxhash.xxh3_64_intdigest(url.encode()) < self.rules.share * _ALL)

    def hand_over(self, task: Task) -> bool:
        """Have something written some time soon; False where too much is waiting."""
        desk = self._desk
        if desk is None:
            desk = self._open_desk()
        return desk.put(task)

    def close(self) -> None:
        """Write what is waiting and end the capture; what is recorded afterwards begins another."""
        with self._starting:
            desk, self._desk = self._desk, None
            thread, self._thread = self._thread, None
        if desk is not None and thread is not None:
            atexit.unregister(self.close)
            desk.close()
            thread.join(self.limits.closing)
            if thread.is_alive():
                _LOG.error("%s: the archive takes too long; what is not written by now is lost", self.path)

    def note_drop(self) -> None:
        """Count an answer that there was no room for, and tell the first time."""
        if self.tally.add(Count.DROPPED) == 1:
            _LOG.warning("%s: more is served than can be written; what is too much is counted as dropped", self.path)

    def note_failure(self, error: Exception) -> None:
        """Count an answer that could not be recorded, and tell the first time."""
        if self.tally.add(Count.FAILED) == 1:
            _LOG.error("%s: an answer could not be recorded; more are counted as failed", self.path, exc_info=error)

    def _open_desk(self) -> Desk:
        with self._starting:
            if self._desk is None:
                desk = Desk(self.limits.waiting, self.limits.patience)
                scribe = Scribe(self.path, self.rules, self.limits, self.clock, self.tally, self.memory, self.held)
                thread = threading.Thread(target=scribe.write_all, args=(desk,), name="webkeep-recorder", daemon=True)
                thread.start()
                atexit.register(self.close)
                self._desk, self._thread = desk, thread
            return self._desk

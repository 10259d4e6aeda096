"""Preparing batches one after the other: in this process, or by a prepare worker where there is much to do; when it
pays to start one, and what happens where it is lost.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

from webkeep.errors import StorageError
from webkeep.model import Capture, Moment
from webkeep.store.index.payloads import StoredPayload
from webkeep.store.writing.acknowledgement import Acknowledgement
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.group_commit import WrittenRecord
from webkeep.store.writing.prepare_worker import PrepareResult, PrepareWorker, PrepareWorkerLostError, run_analysis
from webkeep.store.writing.record_draft import DedupLookup, PackedTask, PreparedRecord, WriteTask
from webkeep.store.writing.shared_buffers import SharedBuffer
from webkeep.store.writing.shared_payloads import SharedPayloads
from webkeep.store.writing.write_tasks import ExchangeTask

# Batches of work on their way to disk.


class PrepareItem:
    """One piece of work, and what has become of it so far."""

    __slots__ = ("acknowledgement", "analysis", "digest", "error", "packed", "prepared", "task", "weight", "written")

    def __init__(self, task: WriteTask | Capture, weight: int, changed: threading.Condition) -> None:
        self.task = task
        self.weight = weight
        self.acknowledgement = Acknowledgement(changed)
        self.packed: PackedTask | None = None if isinstance(task, Capture) else task.pack()
        self.digest = ""
        self.prepared: Sequence[PreparedRecord] = ()
        self.written: WrittenRecord | None = None
        self.analysis: object = None
        self.error: Exception | None = None

    def fail(self, error: Exception) -> None:
        """It comes to nothing, and whoever submitted it is told why."""
        self.error = error

    def mark_written(self, written: WrittenRecord | None) -> None:
        """Its records are appended."""
        self.written = written


class PrepareBatch:
    """Pieces of work that are prepared together; either all of them are packed, or none."""

    __slots__ = ("buffer", "items", "ready")

    def __init__(self, items: list[PrepareItem]) -> None:
        self.items = items
        self.ready = False
        self.buffer: SharedBuffer | None = None
        """The shared memory that its records lie in."""

    def mark_ready(self) -> None:
        """All of it is prepared, or never will be."""
        self.ready = True

    @property
    def is_packed(self) -> bool:
        """Whether it can be done by another process."""
        return self.items[0].packed is not None


TASKS_WORTH_A_WORKER = 300
"""After so many pieces of work that could be passed on, it pays to start a process for them."""

WorkerStarter = Callable[[Callable[[list[PrepareResult] | None], None]], PrepareWorker]
"""Starts a worker that gives its results to someone."""


class BatchPreparation:
    """Prepares batches in the order they come and says when each is ready.

    A prepare worker that is lost is not missed: what it had not answered for is prepared here.
    """

    def __init__(self, known: DedupIndex, hire: WorkerStarter, finish: Callable[[PrepareBatch], None]) -> None:
        self._dedup = known
        self._starter = hire
        self._finish = finish
        self._turn = threading.Lock()
        self._worker: PrepareWorker | None = None
        self._uses_worker = False
        self._cannot_start_worker = False
        self._unanswered: deque[PrepareBatch] = deque()
        self._packable = 0
        self._others: SharedPayloads | None = None
        self._knows_elsewhere = False
        self.failure: Exception | None = None
        """What ended it all."""

    def fail(self, error: Exception) -> None:
        """Nothing more can be prepared."""
        self.failure = error

    def expect_many_records(self) -> None:
        """Have a prepare worker ready soon."""
        self._packable = TASKS_WORTH_A_WORKER

    def share_payloads(self, others: SharedPayloads | None) -> None:
        """Ask what other archives hold from now on, or no more."""
        self._others = others

    def prepare_batch(self, batch: PrepareBatch, wait_for_others: Callable[[], None]) -> None:
        """Prepare a batch, or have it prepared; `wait_for_others` returns when all before it are on disk."""
        if not self._uses_worker and self._is_worker_ready(batch):
            # It knows what the catalog knows: from here on, that has to be everything.
            wait_for_others()
            self._uses_worker = True
        with self._turn:
            if self._uses_worker and self._worker is not None and not self._worker.lost:
                self._send_to_worker(batch, self._worker)
            else:
                self._prepare_unanswered()
                self._prepare_here(batch, self._dedup)

    def disclaim(self, digest: str) -> None:
        """The record that claimed a payload will not be written."""
        self._dedup.disclaim(digest)
        if self._worker is not None:
            self._worker.disclaim(digest)

    def release_batch(self, batch: PrepareBatch) -> None:
        """A batch has come to its end: what was shared for it is free."""
        buffer, batch.buffer = batch.buffer, None
        if buffer is not None and self._worker is not None:
            for item in batch.items:
                item.prepared = ()
            self._worker.release_buffer(buffer)

    def close(self) -> None:
        """Let the prepare worker go; nothing may be under way."""
        if self._worker is not None:
            self._worker.close()

    def _is_worker_ready(self, batch: PrepareBatch) -> bool:
        if self._worker is None:
            self._packable += len(batch.items) if batch.is_packed else 0
            if self._packable >= TASKS_WORTH_A_WORKER and (os.cpu_count() or 1) > 1 and not self._cannot_start_worker:
                self._start_worker()
            return False
        return self._worker.ready.is_set() and not self._worker.lost

    def _start_worker(self) -> None:
        try:
            self._worker = self._starter(self._receive_answers)
        except (OSError, RuntimeError):  # no process, memory or thread to be had: it goes on without
            self._cannot_start_worker = True

    def _send_to_worker(self, batch: PrepareBatch, worker: PrepareWorker) -> None:
        """Have a batch prepared; what cannot be packed is prepared here, but it is the worker that knows."""
        try:
            if batch.is_packed:
                batch.buffer = worker.take_buffer()
                self._unanswered.append(batch)
                self._ask_others(batch, _WorkerDedup(worker, self._dedup))
                worker.send_batch([item.packed for item in batch.items if item.packed is not None], batch.buffer)
            else:
                self._prepare_here(batch, _WorkerDedup(worker, self._dedup))
        except PrepareWorkerLostError:
            if not batch.is_packed:
                self._unanswered.append(batch)

    def _receive_answers(self, results: list[PrepareResult] | None) -> None:
        """Take the answers to a batch, or all of its work once it is lost."""
        if results is None:
            with self._turn:
                self._prepare_unanswered()
            return
        # It stays among those passed on until all of its answers are found good.
        batch, worker = self._unanswered[0], cast("PrepareWorker", self._worker)
        for item, answer in zip(batch.items, results, strict=True):
            item.prepared = worker.records_from(answer)
            *_, item.error, item.analysis = answer
        self._unanswered.popleft()
        self._finish(batch)

    def _prepare_unanswered(self) -> None:
        """Prepare what a lost prepare worker has not answered for, in its turn; whoever comes first does it before all
        else.

        A batch that overtook these could become the holder of a payload that an earlier record then refers to.
        """
        while self._unanswered:
            self._prepare_here(self._unanswered.popleft(), self._dedup)

    def _prepare_here(self, batch: PrepareBatch, known: DedupLookup) -> None:
        """Prepare a batch in this process."""
        try:
            _digest_items(batch.items)
            known.prefetch([item.digest for item in batch.items if item.digest])
            self._ask_others(batch, known)
            for item in batch.items:
                self._prepare_item(item, known)
        except PrepareWorkerLostError:
            raise
        except Exception as error:  # noqa: BLE001 - a writer that failed must say so, not leave its callers waiting
            self.failure = error
        self._finish(batch)

    def _ask_others(self, batch: PrepareBatch, known: DedupLookup) -> None:
        """Find out what of a batch other archives hold now, all at once; for the next it may be otherwise."""
        found: Sequence[StoredPayload] = ()
        if (others := self._others) is not None:
            asked = [digest for item in batch.items if (digest := _digest_to_ask(item, others))]
            missing = self._dedup.find_missing(asked)
            found = others.find(missing) if missing else ()
        if found or self._knows_elsewhere:
            known.learn(found)
            self._knows_elsewhere = bool(found)

    def _prepare_item(self, item: PrepareItem, known: DedupLookup) -> None:
        if isinstance(item.task, Capture):
            return
        item.analysis = run_analysis(item.task)
        if item.error is not None:
            return
        try:
            item.prepared = item.task.prepare_records(known)
        except (StorageError, PrepareWorkerLostError):
            raise
        except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
            item.error = error
            self.disclaim(item.digest)


def _digest_items(items: Sequence[PrepareItem]) -> None:
    for item in items:
        if isinstance(item.task, Capture):
            continue
        item.digest, item.error = "", None  # it may have been begun before, with a prepare worker that was lost
        try:
            item.digest = item.task.digest_payload()
        except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
            item.error = error


def _digest_to_ask(item: PrepareItem, others: SharedPayloads) -> str:
    """The digest by which other archives are asked for a payload; "" where they are not."""
    task = item.task
    if not isinstance(task, ExchangeTask) or item.error is not None:
        return ""
    if task.shareable_size < others.least_bytes or not others.shares(task.media_type):
        return ""
    try:
        # A prepare worker digests it once more: that takes less than a round of pipes.
        return item.digest or task.digest_payload()
    except Exception:  # noqa: BLE001 - it is told by whoever prepares it
        return ""


class _WorkerDedup:
    """What was stored before, as the prepare worker knows it."""

    def __init__(self, worker: PrepareWorker, known: DedupIndex) -> None:
        self._worker = worker
        self._dedup = known

    def prefetch(self, digests: Sequence[str]) -> None:
        """It recalls what it is asked about."""

    def learn(self, payloads: Sequence[StoredPayload]) -> None:
        """Have it know of payloads that other archives hold, and whoever takes its place where it is lost."""
        self._dedup.learn(payloads)
        self._worker.learn(payloads)

    def claim(self, payload: StoredPayload) -> StoredPayload | None:
        """The record that holds this payload already; None, and from now on this one, where there is none."""
        return self._worker.claim(payload)

    def latest_payload(self, url: str, before: Moment) -> StoredPayload | None:
        """The latest record of this URL that holds a payload."""
        return self._dedup.latest_payload(url, before)

"""The writer: takes work from any thread, prepares it on two, commits it in groups on another.

Theory of operation. `submit` hands over a piece of work and returns an acknowledgement to wait for. Two preparing
threads take batches of work: they digest each piece, look up at once which payloads are held already, then serialise
and compress; most of that runs outside the interpreter's lock. The committing thread takes the batches in the order
they were handed over, appends them to the growing WARC file, syncs once, puts them into index and catalog, and only
then acknowledges: what is acknowledged is on disk. Index and catalog need no sync of their own, because they say how
far into each file they reach and are brought up from the WARC files when an archive is opened.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from webkeep.errors import StorageError
from webkeep.model import Capture
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.committing import Committer, Written
from webkeep.store.drafting import Prepared, Work
from webkeep.store.recollection import Recollection

_PREPARERS = 1
_WAITING_BYTES = 32 << 20
_WAITING_ITEMS = 4096
_BATCH = 48


class _Item:
    __slots__ = ("acknowledgement", "error", "prepared", "task", "weight", "written")

    def __init__(self, task: Work | Capture, weight: int, changed: threading.Condition) -> None:
        self.task = task
        self.weight = weight
        self.acknowledgement = Acknowledgement(changed)
        self.prepared: Sequence[Prepared] = ()
        self.written: Written | None = None
        self.error: Exception | None = None


class _Batch:
    __slots__ = ("items", "ready")

    def __init__(self, items: list[_Item]) -> None:
        self.items = items
        self.ready = False


class Writer:
    """Appends records to an archive; acknowledged means on disk."""

    def __init__(self, committer: Committer, known: Recollection) -> None:
        self._committer = committer
        self._known = known
        self._changed = threading.Condition()
        self._submitted: deque[_Item] = deque()
        self._batches: deque[_Batch] = deque()
        self._weight = 0
        self._unsettled = 0
        self._closed = False
        self._failure: BaseException | None = None
        self._threads = [threading.Thread(target=self._commit_all, name="webkeep-commit", daemon=True)]
        self._threads += [
            threading.Thread(target=self._prepare_all, name="webkeep-prepare", daemon=True) for _ in range(_PREPARERS)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Work | Capture, weight: int = 0) -> Acknowledgement:
        """Hand over work that weighs so many bytes, or a capture to begin; waits while too much is under way."""
        item = _Item(task, min(weight, _WAITING_BYTES), self._changed)
        with self._changed:
            if not self._has_room(item.weight):
                self._changed.wait_for(lambda: self._has_room(item.weight))
            if self._failure is not None:
                raise self._failure
            if self._closed:
                raise StorageError("the archive is closed; open it again to write")
            self._weight += item.weight
            self._unsettled += 1
            self._submitted.append(item)
            if len(self._submitted) == 1:  # otherwise whoever prepares is awake and will come for it
                self._changed.notify_all()
        return item.acknowledgement

    def flush(self) -> None:
        """Wait until everything handed over is on disk."""
        with self._changed:
            self._changed.wait_for(lambda: self._unsettled == 0)
            if self._failure is not None:
                raise self._failure

    def close(self) -> None:
        """Finish what was handed over, then stop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _has_room(self, weight: int) -> bool:
        fits = self._weight + weight <= _WAITING_BYTES and self._unsettled < _WAITING_ITEMS
        return fits or self._failure is not None or self._closed

    def _prepare_all(self) -> None:
        while batch := self._next_batch():
            digests = [digest for item in batch.items if (digest := _examined(item))]
            try:
                self._known.recall(digests)
                for item in batch.items:
                    self._prepare(item)
            except StorageError as error:
                self._failure = error
            with self._changed:
                batch.ready = True
                self._changed.notify_all()

    def _next_batch(self) -> _Batch | None:
        with self._changed:
            self._changed.wait_for(lambda: self._submitted or self._closed)
            if not self._submitted:
                return None
            items = [self._submitted.popleft() for _ in range(min(_BATCH, len(self._submitted)))]
            batch = _Batch(items)
            self._batches.append(batch)
            return batch

    def _prepare(self, item: _Item) -> None:
        if isinstance(item.task, Capture) or item.error is not None:
            return
        try:
            item.prepared = item.task.prepare(self._known)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
            item.error = error

    def _commit_all(self) -> None:
        while items := self._ready_items():
            try:
                if self._failure is None:
                    self._commit(items)
            except Exception as error:  # noqa: BLE001 - a writer that failed must say so, not leave its callers waiting
                self._failure = error
            self._settle(items)

    def _ready_items(self) -> list[_Item]:
        """What is ready, in order; nothing once no more can come."""
        with self._changed:
            self._changed.wait_for(self._can_commit)
            items: list[_Item] = []
            while self._batches and self._batches[0].ready:
                items += self._batches.popleft().items
            return items

    def _can_commit(self) -> bool:
        if self._batches:
            return self._batches[0].ready
        return self._closed and not self._submitted

    def _commit(self, items: Sequence[_Item]) -> None:
        for item in items:
            if isinstance(item.task, Capture):
                self._committer.begin(item.task)
            elif item.prepared:
                item.written = self._committer.append(item.prepared)
        self._committer.commit()

    def _settle(self, items: Sequence[_Item]) -> None:
        for item in items:
            item.acknowledgement.settle(item.written, self._failure or item.error)
        with self._changed:
            self._weight -= sum(item.weight for item in items)
            self._unsettled -= len(items)
            self._changed.notify_all()


def _examined(item: _Item) -> str:
    if isinstance(item.task, Capture):
        return ""
    try:
        return item.task.examine()
    except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
        item.error = error
        return ""

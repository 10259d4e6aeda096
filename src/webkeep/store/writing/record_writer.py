"""The writer: takes work from any thread, prepares it in order, commits it in groups; how large these are, how long
they wait to share a sync, and how much may be under way.

Theory of operation. `submit` hands over a piece of work and returns an acknowledgement to wait for. The preparing
thread takes batches of work: it digests each piece, looks up at once which payloads are held already, then serialises
and compresses. Where much is handed over it starts a prepare worker, a process that does the same, and from then on
only passes batches on. Either way they are prepared one after the other, because a record may refer only to what was
handed over before it: otherwise an acknowledged revisit could be on disk before the payload it stands for. The
committing thread takes the batches in the order they were handed over, appends them to the growing WARC file, syncs
once, puts them into index and catalog, and only then acknowledges: what is acknowledged is on disk. Index and catalog
need no sync of their own, because they say how far into each file they reach and are brought up from the WARC files
when an archive is opened.

What goes wrong with one piece of work is told to whoever handed it over, and to those whose records refer to it; what
goes wrong with the disk ends the writing and is told to all. A prepare worker that is lost is not missed: what it had
not answered for is prepared here.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial

from webkeep.errors import StorageError
from webkeep.model import Capture, RecordType
from webkeep.store.index.payloads import StoredPayload, canonical_digest
from webkeep.store.writing.acknowledgement import Acknowledgement
from webkeep.store.writing.batch_preparation import BatchPreparation, PrepareBatch, PrepareItem, WorkerStarter
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.group_commit import Committer
from webkeep.store.writing.record_draft import WriteTask
from webkeep.store.writing.shared_payloads import SharedPayloads

_REVISIT = RecordType.REVISIT

_MAX_WAITING_BYTES = 32 << 20
"""Handed over and not yet on disk; whoever hands over more waits."""
_MAX_WAITING_ITEMS = 4096
"""Below what the deduplication remembers, so that nothing is forgotten before it is committed."""
_MAX_BATCH_ITEMS = 48
"""Items prepared together: enough to share one look-up, few enough to start soon."""
_FULL_BATCH_BYTES = 1 << 20
"""A batch that weighs so much takes no more items: more makes records wait for their sync and saves no time."""
_COMMIT_GROUP_ITEMS = 192
"""With so many ready a sync is not put off any longer."""
_COMMIT_WAIT_SECONDS = 0.02
"""How long what is ready waits for what is on its way, to share a sync with it."""


class RecordWriter:
    """Appends records to an archive; acknowledged means on disk."""

    def __init__(self, committer: Committer, known: DedupIndex, hire: WorkerStarter) -> None:
        self._committer = committer
        self._preparation = BatchPreparation(known, hire, self._mark_ready)
        self._changed = threading.Condition()
        self._submitted: deque[PrepareItem] = deque()
        self._batches: deque[PrepareBatch] = deque()
        self._weight = 0
        self._others: SharedPayloads | None = None
        self._taken = 0
        self._resting = False
        self._closed = False
        self._failure: BaseException | None = None
        self._unwritten: dict[str, Exception] = {}
        self._threads = [
            threading.Thread(target=self._run_commits, name="webkeep-commit", daemon=True),
            threading.Thread(target=self._run_preparation, name="webkeep-prepare", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def expect_many_records(self) -> None:
        """Be ready for much that is to come."""
        self._preparation.expect_many_records()

    def share_payloads(self, others: SharedPayloads | None) -> None:
        """Refer to what other archives hold, and tell them what is on disk here, from now on; None: no more."""
        self._others = others
        self._preparation.share_payloads(others)

    def submit(self, task: WriteTask | Capture, weight: int = 0) -> Acknowledgement:
        """Hand over work that weighs so many bytes, or a capture to begin; waits while too much is under way."""
        return self.submit_all([(task, weight)])[0]

    def submit_all(self, tasks: Iterable[tuple[WriteTask | Capture, int]]) -> list[Acknowledgement]:
        """Hand over several, each with its weight, and wake the preparing thread once for all of them."""
        items = [PrepareItem(task, min(weight, _MAX_WAITING_BYTES), self._changed) for task, weight in tasks]
        with self._changed:
            for item in items:
                self._enqueue(item)
            if self._resting:  # otherwise the preparing thread is awake and will come for them
                self._changed.notify_all()
        return [item.acknowledgement for item in items]

    def _enqueue(self, item: PrepareItem) -> None:
        if not self._has_room(item.weight):
            self._changed.notify_all()  # room may depend on what was taken in just now
            self._changed.wait_for(lambda: self._has_room(item.weight))
        if self._failure is not None:
            raise self._failure
        if self._closed:
            raise StorageError("the archive is closed; open it again to write")
        # An interrupt may come between any two of these lines: at worst some weight is not counted.
        self._submitted.append(item)
        self._weight += item.weight

    def flush(self) -> None:
        """Wait until everything handed over is on disk."""
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._unfinished_count == 0)
            if self._failure is not None:
                raise self._failure

    def close(self) -> None:
        """Finish what was handed over, then stop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        try:
            self._join_threads()
        except KeyboardInterrupt:  # the archive is let go after this, and nobody may still write to it then
            self._join_threads()
            raise
        finally:
            self._preparation.close()

    def _join_threads(self) -> None:
        for thread in self._threads:
            thread.join()

    @property
    def _unfinished_count(self) -> int:
        return len(self._submitted) + self._taken

    def _has_room(self, weight: int) -> bool:
        fits = self._weight + weight <= _MAX_WAITING_BYTES and self._unfinished_count < _MAX_WAITING_ITEMS
        return fits or self._failure is not None or self._closed

    def _run_preparation(self) -> None:
        while batch := self._next_batch():
            others_are_done = partial(self._wait_for_all_but, len(batch.items))
            try:
                self._preparation.prepare_batch(batch, others_are_done)
            except Exception as error:  # noqa: BLE001 - a writer that failed must say so, not leave its callers waiting
                self._preparation.fail(error)
                self._mark_ready(batch)

    def _next_batch(self) -> PrepareBatch | None:
        with self._changed:
            self._resting = True
            self._changed.wait_for(lambda: self._submitted or self._closed)
            self._resting = False
            if not self._submitted:
                return None
            batch = PrepareBatch(self._next_alike_items())
            self._taken += len(batch.items)
            self._batches.append(batch)
            return batch

    def _next_alike_items(self) -> list[PrepareItem]:
        """The next items, as long as all or none of them are packed."""
        submitted = self._submitted
        items = [submitted.popleft()]
        packed, weight = items[0].packed is not None, items[0].weight
        while (
            submitted
            and len(items) < _MAX_BATCH_ITEMS
            and weight < _FULL_BATCH_BYTES
            and (submitted[0].packed is not None) == packed
        ):
            items.append(submitted.popleft())
            weight += items[-1].weight
        return items

    def _wait_for_all_but(self, count: int) -> None:
        """Wait until all that was taken, but for so many, is settled."""
        with self._changed:
            self._changed.wait_for(lambda: self._taken == count)

    def _mark_ready(self, batch: PrepareBatch) -> None:
        with self._changed:
            self._failure = self._failure or self._preparation.failure
            batch.mark_ready()
            self._changed.notify_all()

    def _run_commits(self) -> None:
        while batches := self._ready_batches():
            items = [item for batch in batches for item in batch.items]
            try:
                if self._failure is None:
                    self._commit_items(items)
            except Exception as error:  # noqa: BLE001 - a writer that failed must say so, not leave its callers waiting
                self._failure = error
            for batch in batches:
                self._preparation.release_batch(batch)
            self._acknowledge(items)

    def _ready_batches(self) -> list[PrepareBatch]:
        """What is ready, in order; nothing once no more can come."""
        with self._changed:
            self._changed.wait_for(self._can_commit)
            if self._is_worth_waiting():
                self._changed.wait_for(lambda: not self._is_worth_waiting(), _COMMIT_WAIT_SECONDS)
            batches: list[PrepareBatch] = []
            while self._batches and self._batches[0].ready:
                batches.append(self._batches.popleft())
            return batches

    def _is_worth_waiting(self) -> bool:
        """Whether more is on its way that can share a commit with the little that is ready."""
        ready = 0
        for batch in self._batches:
            if not batch.ready:
                break
            ready += len(batch.items)
        return ready < min(_COMMIT_GROUP_ITEMS, self._unfinished_count)

    def _can_commit(self) -> bool:
        if self._batches:
            return self._batches[0].ready
        return self._closed and not self._submitted

    def _commit_items(self, items: Sequence[PrepareItem]) -> None:
        for item in items:
            if isinstance(item.task, Capture):
                self._committer.begin_capture(item.task)
            elif item.prepared:
                self._append_item(item)
        self._committer.commit()
        if self._others is not None:
            _note_stored(items, self._others)

    def _append_item(self, item: PrepareItem) -> None:
        facts = item.prepared[0].facts
        if facts is not None and facts.payload_digest in self._unwritten:
            if facts.record_type == _REVISIT:
                item.fail(self._unwritten[facts.payload_digest])
                return
            del self._unwritten[facts.payload_digest]
        try:
            item.mark_written(self._committer.append_group(item.prepared))
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
            item.fail(error)
            if facts is not None and facts.has_payload:  # records prepared in the meantime may refer to this one
                self._unwritten[facts.payload_digest] = error
                self._preparation.disclaim(facts.payload_digest)

    def _acknowledge(self, items: Sequence[PrepareItem]) -> None:
        with self._changed:
            for item in items:
                item.acknowledgement.complete(item.written, self._failure or item.error, item.analysis)
        for item in items:
            item.acknowledgement.run_callbacks()
        with self._changed:
            self._weight -= sum(item.weight for item in items)
            self._taken -= len(items)
            self._changed.notify_all()


def _note_stored(items: Sequence[PrepareItem], others: SharedPayloads) -> None:
    """Tell which payloads are on disk now, and not before: others refer to them from here on."""
    for item in items:
        if item.written is None or not item.written[1].has_payload:
            continue
        place, facts, _ = item.written
        digest = canonical_digest(facts.payload_digest)
        others.note_stored(
            StoredPayload(digest, facts.check, facts.content_digest, place, facts.record, facts.url, facts.moment)
        )

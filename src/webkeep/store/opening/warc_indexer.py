"""Learning what WARC files hold: in this process for little, with the help of others for much; from which size on, and
how many findings of a file are kept.

The helpers are programs of their own (`python -m webkeep.store.opening.warc_indexer`), told which files to read on
standard input
and answering in pickled batches on standard output, so that nothing of the calling program is copied or run twice.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import BinaryIO, cast

from webkeep.errors import StorageError
from webkeep.formats import Flaws
from webkeep.model import Finding
from webkeep.process import start_worker
from webkeep.store.index.index_rows import IndexRows
from webkeep.store.reading.record_scan import scan_records

_ROWS_PER_PART = 4000
"""Rows that are put into index and catalog in one transaction."""
MIN_BYTES_FOR_HELPERS = 48 << 20
"""From so many bytes on it pays to start helpers: each is a process, which takes time to start."""
_MAX_FINDINGS_PER_FILE = 10_000
"""A file of noise has no end of flaws; further ones tell nothing new."""


@dataclass(frozen=True, slots=True)
class IndexingTask:
    """A file to be read from an offset on, up to the size it has."""

    path: str
    start: int
    size: int
    capture: str
    """The capture it was in before the offset."""


@dataclass(slots=True)
class IndexedPart:
    """A part of what a file holds."""

    task: IndexingTask
    rows: IndexRows
    is_last: bool = False
    """Whether this is the last part."""
    findings: list[Finding] = field(default_factory=list)


def index_file(task: IndexingTask) -> Iterator[IndexedPart]:
    """Read one file; the last part says that it is the last, and reaches to the end of the file."""
    path = Path(task.path)
    flaws = Flaws(most=_MAX_FINDINGS_PER_FILE)
    rows = IndexRows(path.name)
    with path.open("rb") as stream:
        for seen in scan_records(stream, path.name, flaws, task.start, task.capture):
            if seen.facts is not None:
                rows.add(seen.place, seen.facts, seen.request)
            if seen.update is not None:
                rows.updates.append(seen.update)
            if len(rows.entries) >= _ROWS_PER_PART:
                rows.cover(seen.place.offset + seen.place.length)
                yield IndexedPart(task, rows)
                rows = IndexRows(path.name)
    rows.cover(task.size)
    yield IndexedPart(task, rows, True, flaws.findings)


def index_files(tasks: Sequence[IndexingTask]) -> Iterator[IndexedPart]:
    """Read many files, with the help of other processes where that pays."""
    work = sum(task.size - task.start for task in tasks)
    helpers = min(len(tasks), os.cpu_count() or 1) - 1
    if helpers < 1 or work < MIN_BYTES_FOR_HELPERS:
        for indexing_task in tasks:
            yield from index_file(indexing_task)
    else:
        yield from _IndexerPool(tasks, helpers).index_files()


class _IndexerPool:
    """Files that are read by several processes, this one among them."""

    def __init__(self, tasks: Sequence[IndexingTask], helpers: int) -> None:
        self._waiting = sorted(tasks, key=lambda task: task.size)
        self._lock = threading.Lock()
        self._parts: Queue[IndexedPart | StorageError | None] = Queue(maxsize=4)
        self._helpers = list(_start_helpers(helpers))
        self._running = len(self._helpers)

    def index_files(self) -> Iterator[IndexedPart]:
        """What all of them learn, as it comes."""
        try:
            for helper in self._helpers:
                threading.Thread(target=helper.run_tasks, args=(self._next_task, self._parts), daemon=True).start()
            while (task := self._next_task()) is not None:
                for part in index_file(task):
                    yield part
                    while not self._parts.empty():
                        yield from self._take_part()
            while self._running:
                yield from self._take_part()
        finally:
            for helper in self._helpers:
                helper.stop()

    def _next_task(self) -> IndexingTask | None:
        """The largest file nobody reads yet."""
        with self._lock:
            return self._waiting.pop() if self._waiting else None

    def _take_part(self) -> Iterator[IndexedPart]:
        part = self._parts.get()
        if isinstance(part, StorageError):
            raise part
        if part is None:
            self._running -= 1
        else:
            yield part


class _IndexerProcess:
    """One helper process."""

    def __init__(self) -> None:
        self._process = start_worker("webkeep.store.opening.warc_indexer")

    def run_tasks(
        self, next_lesson: Callable[[], IndexingTask | None], parts: Queue[IndexedPart | StorageError | None]
    ) -> None:
        """Give it one lesson after the other and pass on what it learns."""
        stdin, stdout = cast("BinaryIO", self._process.stdin), cast("BinaryIO", self._process.stdout)
        try:
            while (task := next_lesson()) is not None:
                pickle.dump(task, stdin)
                stdin.flush()
                for part in _read_parts(stdout):
                    parts.put(part)
            parts.put(None)
        except Exception as error:  # noqa: BLE001 - it is raised where the parts are taken
            parts.put(StorageError(f"a helper process that reads WARC files failed ({error}); run it again"))

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def _start_helpers(count: int) -> Iterator[_IndexerProcess]:
    """So many helpers, or as many as can be had: with fewer it takes longer and comes to the same."""
    for _ in range(count):
        try:
            helper = _IndexerProcess()
        except OSError:
            return
        yield helper


def _read_parts(stream: BinaryIO) -> Iterator[IndexedPart]:
    ended = False
    while not ended:
        part: IndexedPart = pickle.load(stream)
        ended = part.is_last
        yield part


def _serve() -> None:
    """Be a helper: answer lessons until there are no more."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            task: IndexingTask = pickle.load(source)
        except (EOFError, pickle.UnpicklingError):  # cut off where whoever sent it was killed
            return
        for part in index_file(task):
            pickle.dump(part, target, pickle.HIGHEST_PROTOCOL)
            target.flush()


if __name__ == "__main__":
    # Values must be those of the module as others import it, not of the program that is running.
    from webkeep.store.opening import warc_indexer as learning

    with contextlib.suppress(BrokenPipeError):
        learning._serve()

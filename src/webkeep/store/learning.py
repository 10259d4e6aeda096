"""Learning what WARC files hold: in this process for little, with the help of others for much.

The helpers are programs of their own (`python -m webkeep.store.learning`), told which files to read on standard input
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
from webkeep.formats.flaws import Flaws
from webkeep.model import Finding
from webkeep.store.rows import Rows
from webkeep.store.scanning import scan
from webkeep.store.side_program import started_beside

_BATCH = 4000
WORTH_HELPERS = 48 << 20
"""From so many bytes on it pays to start helpers."""
_MOST_FINDINGS = 10_000


@dataclass(frozen=True, slots=True)
class Lesson:
    """A file to be read from an offset on, up to the size it has."""

    path: str
    start: int
    size: int
    capture: str
    """The capture it was in before the offset."""


@dataclass(slots=True)
class Learned:
    """A part of what a file holds."""

    lesson: Lesson
    rows: Rows
    ended: bool = False
    """Whether this is the last part."""
    findings: list[Finding] = field(default_factory=list)


def learn(lesson: Lesson) -> Iterator[Learned]:
    """Read one file; the last part says that it is the last, and reaches to the end of the file."""
    path = Path(lesson.path)
    flaws = Flaws()
    flaws.listener = lambda finding: flaws.found.append(finding) if len(flaws.found) < _MOST_FINDINGS else None
    rows = Rows(path.name)
    with path.open("rb") as stream:
        for seen in scan(stream, path.name, flaws, lesson.start, lesson.capture):
            if seen.sight is not None:
                rows.add(seen.place, seen.sight, seen.request)
            if seen.news is not None:
                rows.news.append(seen.news)
            if len(rows.entries) >= _BATCH:
                rows.covered = seen.place.offset + seen.place.length
                yield Learned(lesson, rows)
                rows = Rows(path.name)
    rows.covered = lesson.size
    yield Learned(lesson, rows, True, flaws.found)


def learn_all(lessons: Sequence[Lesson]) -> Iterator[Learned]:
    """Read many files, with the help of other processes where that pays."""
    work = sum(lesson.size - lesson.start for lesson in lessons)
    helpers = min(len(lessons), os.cpu_count() or 1) - 1
    if helpers < 1 or work < WORTH_HELPERS:
        for lesson in lessons:
            yield from learn(lesson)
    else:
        yield from _Class(lessons, helpers).learn()


class _Class:
    """Files that are read by several processes, this one among them."""

    def __init__(self, lessons: Sequence[Lesson], helpers: int) -> None:
        self._waiting = sorted(lessons, key=lambda lesson: lesson.size)
        self._lock = threading.Lock()
        self._parts: Queue[Learned | StorageError | None] = Queue(maxsize=4)
        self._helpers = list(_started(helpers))
        self._running = len(self._helpers)

    def learn(self) -> Iterator[Learned]:
        """What all of them learn, as it comes."""
        try:
            for helper in self._helpers:
                threading.Thread(target=helper.work, args=(self._next_lesson, self._parts), daemon=True).start()
            while (lesson := self._next_lesson()) is not None:
                for part in learn(lesson):
                    yield part
                    while not self._parts.empty():
                        yield from self._taken()
            while self._running:
                yield from self._taken()
        finally:
            for helper in self._helpers:
                helper.stop()

    def _next_lesson(self) -> Lesson | None:
        """The largest file nobody reads yet."""
        with self._lock:
            return self._waiting.pop() if self._waiting else None

    def _taken(self) -> Iterator[Learned]:
        part = self._parts.get()
        if isinstance(part, StorageError):
            raise part
        if part is None:
            self._running -= 1
        else:
            yield part


class _Helper:
    """One helper process."""

    def __init__(self) -> None:
        self._process = started_beside("webkeep.store.learning")

    def work(self, next_lesson: Callable[[], Lesson | None], parts: Queue[Learned | StorageError | None]) -> None:
        """Give it one lesson after the other and pass on what it learns."""
        stdin, stdout = cast("BinaryIO", self._process.stdin), cast("BinaryIO", self._process.stdout)
        try:
            while (lesson := next_lesson()) is not None:
                pickle.dump(lesson, stdin)
                stdin.flush()
                for part in _parts_from(stdout):
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


def _started(count: int) -> Iterator[_Helper]:
    """So many helpers, or as many as can be had: with fewer it takes longer and comes to the same."""
    for _ in range(count):
        try:
            helper = _Helper()
        except OSError:
            return
        yield helper


def _parts_from(stream: BinaryIO) -> Iterator[Learned]:
    ended = False
    while not ended:
        part: Learned = pickle.load(stream)
        ended = part.ended
        yield part


def _help() -> None:
    """Be a helper: answer lessons until there are no more."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            lesson: Lesson = pickle.load(source)
        except (EOFError, pickle.UnpicklingError):  # cut off where whoever sent it was killed
            return
        for part in learn(lesson):
            pickle.dump(part, target, pickle.HIGHEST_PROTOCOL)
            target.flush()


if __name__ == "__main__":
    # Values must be those of the module as others import it, not of the program that is running.
    from webkeep.store import learning

    with contextlib.suppress(BrokenPipeError):
        learning._help()

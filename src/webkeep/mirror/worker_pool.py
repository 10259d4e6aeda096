"""Work shared out among processes: each takes the next piece when it is done with one; from how many pieces on there
are helpers and how many, and what becomes of signals and failures.

Theory of operation. This process and its children, which begin as copies of it and so know all it knows, take the
numbers of pieces out of one file, in which all have the same place, until they are at its end. Children tell of their
progress through a pipe, and leave what they came to in files. Nothing here needs a thread. Where something fails, the
place is moved to the end of the file, and all come to theirs.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import tempfile
from collections.abc import Callable, Generator, Iterator
from typing import IO, TypeVar

from webkeep.errors import StorageError, WebkeepError

T = TypeVar("T")
WorkFactory = Callable[[bool], tuple[Callable[[int], tuple[int, int]], Callable[[], T]]]
"""Told whether it is in the process that was called, gives what does one piece (and says how many files and bytes that
came to) and what tells the outcome of all pieces it did."""

_NUMBER = struct.Struct("<I")
_PROGRESS = struct.Struct("<IQ")
_MIN_FORKED_PIECES = 8
"""From so many pieces on, another process is worth its start."""
_MAX_HELPERS = 7
"""Processes beside the one that was called, however many processors there are."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_in_processes(pieces: int, work: WorkFactory[T], told: Callable[[int, int], None]) -> Generator[T]:
    """Do numbered pieces of work, on all processors where that is quicker; gives the outcome of each process."""
    helpers = _helper_count(pieces)
    if not helpers:
        do, outcome = work(True)
        for number in range(pieces):
            told(*do(number))
        yield outcome()
        return
    with _ForkPool(pieces, helpers) as pool:
        pool.start(work)
        yield pool.work_along(work, told)
        yield from pool.collect_results(told)


def _helper_count(pieces: int) -> int:
    if pieces < _MIN_FORKED_PIECES or not hasattr(os, "fork") or not hasattr(os, "sched_getaffinity"):
        return 0
    return min(len(os.sched_getaffinity(0)) - 1, _MAX_HELPERS)


class _ForkPool:
    """The process that was called, and its helpers."""

    def __init__(self, pieces: int, helpers: int) -> None:
        self._queue: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._queue.write(b"".join(map(_NUMBER.pack, range(pieces))))
        self._queue.seek(0)
        self._progress, self._progress_writer = os.pipe()
        self._results: list[IO[bytes]] = [tempfile.TemporaryFile() for _ in range(helpers)]  # noqa: SIM115
        self._children: list[int] = []

    def __enter__(self) -> _ForkPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        self._queue.seek(0, os.SEEK_END)  # nobody begins anything more
        os.close(self._progress)  # and nobody waits to be heard
        if kind is not None and not issubclass(kind, Exception):
            for child in self._children:  # what they are at may take long, and is of no use any more
                os.kill(child, signal.SIGKILL)
        for child in self._children:
            os.waitpid(child, 0)
        for file in (self._queue, *self._results):
            file.close()

    def start(self, work: WorkFactory[T]) -> None:
        """Start the helpers."""
        for result in self._results:
            self._fork_helper(work, result)
        os.close(self._progress_writer)

    def work_along(self, work: WorkFactory[T], told: Callable[[int, int], None]) -> T:
        """Do pieces here as well, until there are none."""
        do, outcome = work(True)
        os.set_blocking(self._progress, False)
        while (number := self._next_piece()) is not None:
            told(*do(number))
            self._relay_progress(told)
        return outcome()

    def collect_results(self, told: Callable[[int, int], None]) -> Iterator[T]:
        """What the helpers came to, once they are done."""
        os.set_blocking(self._progress, True)
        while self._relay_progress(told):
            pass
        while self._children:
            child = self._children.pop(0)
            _, status = os.waitpid(child, 0)
            result = self._results.pop(0)
            with result:
                result.seek(0)
                if os.waitstatus_to_exitcode(status):
                    raise StorageError(result.read().decode() or "a helper process ended before it was done; try again")
                yield pickle.load(result)

    def _next_piece(self) -> int | None:
        data = self._queue.read(_NUMBER.size)
        return _NUMBER.unpack(data)[0] if data else None

    def _relay_progress(self, told: Callable[[int, int], None]) -> bool:
        """Pass on what helpers tell; False once there is nobody to tell anything."""
        try:
            data = os.read(self._progress, _PROGRESS.size * 512)
        except BlockingIOError:
            return True
        for files, size in _PROGRESS.iter_unpack(data):
            told(files, size)
        return bool(data)

    def _fork_helper(self, work: WorkFactory[T], result: IO[bytes]) -> None:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # one that came within would be told and lost
        child = os.fork()
        if child:
            self._children.append(child)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            return
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that was called empties the queue
            for each in _SIGNALS[1:]:
                signal.signal(each, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            self._run_helper(work, result)
            result.flush()
            code = 0
        finally:
            os._exit(code)  # nothing of the parent's is to be closed or flushed here

    def _run_helper(self, work: WorkFactory[T], result: IO[bytes]) -> None:
        try:
            do, outcome = work(False)
            parent = os.getppid()
            while os.getppid() == parent and (number := self._next_piece()) is not None:
                os.write(self._progress_writer, _PROGRESS.pack(*do(number)))
            pickle.dump(outcome(), result, pickle.HIGHEST_PROTOCOL)
        except WebkeepError as error:
            result.write(str(error).encode())
            result.flush()
            raise

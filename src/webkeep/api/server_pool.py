"""The processes that a server answers with: how many there are, and how those that are lost are replaced."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from webkeep.errors import StorageError
from webkeep.presentation import format_count
from webkeep.process import start_worker
from webkeep.replay.endpoints import ServePlan

_WORKER_MODULE = "webkeep.web.server_worker"
_INDEXER_MODULE = "webkeep.web.text_indexer"
_MAX_WORKERS = 16
"""Processes that are started where nothing is said, however many processors there are: each takes memory."""
_WATCH_SECONDS = 1.0
"""So often it is looked whether all processes are still there."""
_EXIT_SECONDS = 5
"""So long a process may take to end by itself."""


class ServerPool:
    """The processes that answer, and a thread that watches over them."""

    def __init__(self, plan: ServePlan, listeners: Sequence[socket.socket], note: Callable[[str], object]) -> None:
        self._plan = plan
        self._listeners = listeners
        self._note = note
        self._indexer: subprocess.Popen[bytes] | None = None
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch_workers, name="webkeep-serve", daemon=True)
        self.running: list[subprocess.Popen[bytes]] = []
        self.restarts = 0
        self.failure: StorageError | None = None
        """Why lost ones cannot be replaced any more."""

    def start(self, count: int, with_words: bool) -> None:
        """Start so many, or one for each core, and wait until each is ready; and what reads words, if it is wanted."""
        self._start_workers(count or min(os.cpu_count() or 1, _MAX_WORKERS))
        if with_words:
            self._indexer = start_worker(_INDEXER_MODULE, self._plan.archives)
        self._watcher.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._watcher.is_alive():
            self._watcher.join()
        for worker in self.running:
            if worker.stdin is not None:
                worker.stdin.close()
        for worker in [*self.running, *([self._indexer] if self._indexer else [])]:
            _end_process(worker)

    def _start_workers(self, count: int) -> None:
        fresh = [self._start_worker() for _ in range(count)]
        self.running += fresh
        for worker in fresh:
            assert worker.stdout is not None
            if worker.stdout.readline() != b"ready\n":
                raise StorageError("a process that should answer did not start; what it said stands above")

    def _start_worker(self) -> subprocess.Popen[bytes]:
        numbers = [listener.fileno() for listener in self._listeners]
        worker = start_worker(_WORKER_MODULE, [str(number) for number in numbers], shared=numbers)
        assert worker.stdin is not None
        worker.stdin.write(self._plan.to_json().encode() + b"\n")
        worker.stdin.flush()
        return worker

    def _watch_workers(self) -> None:
        while not self._ended.wait(_WATCH_SECONDS):
            lost = [worker for worker in self.running if worker.poll() is not None]
            if not lost:
                continue
            self.running = [worker for worker in self.running if worker not in lost]
            self.restarts += len(lost)
            self._note(f"{format_count(len(lost), 'process', 'processes')} ended and was started again")
            try:
                self._start_workers(len(lost))
            except StorageError as error:
                self.failure = error
                return


def _end_process(program: subprocess.Popen[bytes]) -> None:
    """Let a program end, and end it where it does not."""
    if program.stdin is not None:
        program.stdin.close()
    try:
        program.wait(_EXIT_SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
    if program.stdout is not None:
        program.stdout.close()

"""Acknowledgements: promises that what was handed over is on disk, which are kept, or broken with what went wrong."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from webkeep.errors import StorageError, WebkeepError
from webkeep.model import Observation
from webkeep.store.writing.group_commit import WrittenRecord


class Acknowledgement:
    """The promise that work handed over will be on disk; kept or broken once it is `done`."""

    __slots__ = ("_analysis", "_callbacks", "_changed", "_error", "_written", "done")

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed
        self._callbacks: list[Callable[[Acknowledgement], object]] = []
        self._error: BaseException | None = None
        self._written: WrittenRecord | None = None
        self._analysis: object = None
        self.done = False

    def result(self) -> Observation | None:
        """Wait until it is on disk; gives the observation, where there is one, or raises what went wrong."""
        if not self.done:
            with self._changed:
                self._changed.wait_for(lambda: self.done)
        if self._error is not None:
            raise self._error
        if self._written is None:
            return None
        place, facts, request = self._written
        return facts.to_observation(place, facts.capture or facts.within, request)

    @property
    def written(self) -> WrittenRecord | None:
        """Where the record lies and what it says, once it is done; None where it can be looked up by nothing."""
        if self._error is not None:
            raise self._error
        return self._written

    def analysis(self) -> object:
        """What the analysis of it found, once it is done; raises what went wrong with the analysis."""
        if isinstance(self._analysis, Exception):
            raise self._analysis
        return self._analysis

    def add_done_callback(self, callback: Callable[[Acknowledgement], object]) -> None:
        """Call this once it is done, from the committing thread, which must not be kept waiting; at once if it is done.

        What a callback raises is shown as an error of that thread and has no other effect.
        """
        with self._changed:
            if not self.done:
                self._callbacks.append(callback)
                return
        callback(self)

    def complete(self, written: WrittenRecord | None, error: BaseException | None, analysis: object) -> None:
        """Keep or break the promise, with the condition held; the caller then wakes those who wait and calls back."""
        self._written, self._error, self._analysis = written, error, analysis
        self.done = True

    def run_callbacks(self) -> None:
        """Tell those who asked to be told."""
        for callback in self._callbacks:
            try:
                callback(self)
            except Exception as error:  # noqa: BLE001 - the records of others are not to suffer from it
                shown = (type(error), error, error.__traceback__, threading.current_thread())
                threading.excepthook(threading.ExceptHookArgs(shown))


# Work that was handed over and is looked at later, in order, by the thread that handed it over.

Subject = TypeVar("Subject")


class PendingAcknowledgements(Generic[Subject]):
    """Acknowledgements and what they are about; one that is not kept is told, unless the archive itself failed."""

    def __init__(self, failed: Callable[[Subject, Exception], None]) -> None:
        self._failed = failed
        self._pending: deque[tuple[Acknowledgement, Subject]] = deque()

    def add(self, acknowledgement: Acknowledgement, about: Subject) -> None:
        """Await one more; those that came in meanwhile are looked at."""
        self._pending.append((acknowledgement, about))
        while self._pending and self._pending[0][0].done:
            self._take_first()

    def wait_for_all(self) -> None:
        """Wait for all; raises StorageError where the archive failed."""
        while self._pending:
            self._take_first()

    def _take_first(self) -> None:
        acknowledgement, about = self._pending.popleft()
        try:
            acknowledgement.result()
        except StorageError:
            raise
        except (WebkeepError, OSError) as error:
            self._failed(about, error)

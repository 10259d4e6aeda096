"""The loop of every long run: begin what may be begun, wait until something happens, settle what came, repeat. Decides
how a run is stopped, lets go of its tasks, or ends with an error.

Theory of operation. A capture and a recovery differ in what they begin and when they are over, which each says as a
`Run`. The loop has what they share: tasks under way, waiting, being told to stop, to let go or to look again, and that
an error in any task ends the run once what came was settled. All of it happens on one thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Hashable, Iterator
from typing import Any, Protocol

MAX_WAIT_SECONDS = 0.5
"""So often it is looked what may be done, whatever was told."""


class Run(Protocol):
    """What is done in a loop."""

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end, or was stopped and nothing is under way."""
        ...

    def begin_tasks(self) -> float:
        """Begin what may be begun now; gives the seconds after which more can be, as far as that is known."""
        ...

    async def settle(self) -> None:
        """Take what came in the meantime."""

    async def finish(self) -> None:
        """Put everything in order, however the run came to its end; no task is under way any more."""


class TaskSet:
    """Tasks of one sort that are under way, each by its key."""

    def __init__(self, loop: RunLoop) -> None:
        self._loop = loop
        self._tasks: dict[Hashable, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._tasks

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tasks)

    def begin(self, work: Coroutine[Any, Any, None], key: Hashable = None) -> None:
        """Begin something; without a key it is known by itself."""
        task = asyncio.get_running_loop().create_task(work)
        key = task if key is None else key
        self._tasks[key] = task
        task.add_done_callback(lambda task: self._on_done(key, task))

    def cancel(self) -> list[asyncio.Task[None]]:
        """Let go of them all; gives those that have yet to end."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        return tasks

    def _on_done(self, key: Hashable, task: asyncio.Task[None]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._loop.fail(error)
        self._loop.wake()


class RunLoop:
    """Runs one thing from beginning to end."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self._task_sets: list[TaskSet] = []
        self._failure: BaseException | None = None
        self.is_stopping = False
        """Whether nothing more is to be begun."""

    def open_task_set(self) -> TaskSet:
        """A new sort of tasks."""
        tasks = TaskSet(self)
        self._task_sets.append(tasks)
        return tasks

    async def run(self, work: Run, before: Awaitable[None] | None = None) -> None:
        """Go on until it is over, after what comes `before` all else; raises the first error of a task."""
        try:
            if before is not None:
                await before
            while not work.is_over:
                seconds = work.begin_tasks()
                if not work.is_over:
                    await self.wait(seconds)
                await work.settle()
                if self._failure is not None:
                    raise self._failure
        finally:
            cancelled = [task for tasks in self._task_sets for task in tasks.cancel()]
            await asyncio.gather(*cancelled, return_exceptions=True)
            await work.finish()

    async def wait(self, seconds: float = MAX_WAIT_SECONDS) -> None:
        """Wait until something happens, though not for longer than these seconds, nor than half of one."""
        loop = asyncio.get_running_loop()
        timer = loop.call_later(min(max(seconds, 0.0), MAX_WAIT_SECONDS), self._changed.set)
        await self._changed.wait()
        timer.cancel()
        self._changed.clear()

    def wake(self) -> None:
        """Look again at what may be done, because something was changed."""
        self._changed.set()

    def stop(self) -> None:
        """Begin nothing more; what is under way is finished."""
        self.is_stopping = True
        self.wake()

    def abandon(self) -> None:
        """Let go of what is under way."""
        self.is_stopping = True
        for tasks in self._task_sets:
            tasks.cancel()

    def fail(self, error: BaseException) -> None:
        """End with an error; what is stored stays stored."""
        self._failure = self._failure or error
        self.wake()

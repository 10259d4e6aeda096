"""The loop of a run: what is begun, how it stops, and what an error does."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from webkeep.process import RunLoop, TaskSet, watch_run

Work = Callable[["Counting", int], Awaitable[None]]


@dataclass
class Counting:
    """A run that begins so many tasks, two at a time."""

    loop: RunLoop
    work: Work
    left: int = 5
    tasks: TaskSet = field(init=False)
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tasks = self.loop.open_task_set()

    @property
    def is_over(self) -> bool:
        return not self.tasks and (self.loop.is_stopping or not self.left)

    def begin_tasks(self) -> float:
        while self.left and len(self.tasks) < 2 and not self.loop.is_stopping:
            self.left -= 1
            self.tasks.begin(self.run_task(self.left), self.left)
        return 0.1

    async def run_task(self, number: int) -> None:
        await self.work(self, number)
        self.done.append(f"task {number}")

    async def settle(self) -> None:
        self.done.append("settled")

    async def finish(self) -> None:
        assert not self.tasks
        self.done.append("finished")


async def do_nothing(_: Counting, __: int) -> None:
    await asyncio.sleep(0)


async def wait_for_ever(_: Counting, __: int) -> None:
    await asyncio.Event().wait()


def run(work: Work, before: Callable[[Counting], Awaitable[None]] | None = None) -> Counting:
    async def begin() -> Counting:
        loop = RunLoop()
        counting = Counting(loop, work)
        await loop.run(counting, None if before is None else before(counting))
        return counting

    return asyncio.run(begin())


def test_all_is_begun_settled_and_finished() -> None:
    done = run(do_nothing).done
    assert {each for each in done if each.startswith("task")} == {f"task {number}" for number in range(5)}
    assert done[-2:] == ["settled", "finished"]


def test_what_comes_before_is_done_first() -> None:
    async def note(counting: Counting) -> None:
        counting.done.append("before")

    assert run(do_nothing, note).done[0] == "before"


def test_after_a_stop_nothing_is_begun_and_what_is_under_way_is_finished() -> None:
    async def stop(counting: Counting, number: int) -> None:
        counting.loop.stop()
        await asyncio.sleep(0)

    counting = run(stop)
    assert counting.left == 3
    assert {each for each in counting.done if each.startswith("task")} == {"task 4", "task 3"}


def test_what_is_abandoned_is_let_go_of() -> None:
    async def abandon(counting: Counting, number: int) -> None:
        if number == 3:
            counting.loop.abandon()
        await asyncio.Event().wait()

    assert set(run(abandon).done) == {"settled", "finished"}


def test_an_error_of_a_task_ends_the_run_once_all_is_settled() -> None:
    done: list[str] = []

    async def fail(counting: Counting, number: int) -> None:
        counting.done = done
        if number == 3:
            raise ValueError("broken")
        await asyncio.Event().wait()

    with pytest.raises(ValueError, match="broken"):
        run(fail)
    assert done == ["settled", "finished"]


def test_an_error_before_all_else_is_followed_by_the_finish() -> None:
    done: list[str] = []

    async def fail(counting: Counting) -> None:
        counting.done = done
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run(do_nothing, fail)
    assert done == ["finished"]


def test_a_run_that_cannot_be_watched_any_more_ends() -> None:
    looks: list[int] = []

    def look() -> float:
        looks.append(1)
        if len(looks) == 3:
            raise OSError("no more")
        return 0.0

    async def begin() -> None:
        loop = RunLoop()
        async with watch_run(loop, look, looks.append):  # type: ignore[arg-type]
            await loop.run(Counting(loop, wait_for_ever))

    with pytest.raises(OSError, match="no more"):
        asyncio.run(begin())
    assert len(looks) == 3

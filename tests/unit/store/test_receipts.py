"""Receipts: what waits for the disk is taken in order, and the loop is called once for many."""

import asyncio
import threading

import pytest

from webkeep.errors import StorageError
from webkeep.store.writing import Acknowledgement, Receipts


def acknowledge(*promises: Acknowledgement, error: Exception | None = None) -> None:
    """What the writer does, from a thread of its own."""

    def run() -> None:
        for each in promises:
            each.complete(None, error, None)
        for each in promises:
            each.run_callbacks()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def promises(count: int) -> list[Acknowledgement]:
    changed = threading.Condition()
    return [Acknowledgement(changed) for _ in range(count)]


def test_the_loop_is_called_once_for_many() -> None:
    async def run() -> None:
        calls: list[int] = []
        receipts: Receipts[str] = Receipts(lambda: calls.append(1))
        first, second, third = promises(3)
        for name, each in (("first", first), ("second", second), ("third", third)):
            receipts.add(name, each)
        acknowledge(first, second)
        await asyncio.sleep(0)
        assert len(calls) == 1
        assert [subject for subject, _ in receipts.take_acknowledged()] == ["first", "second"]
        assert list(receipts.subjects()) == ["third"]
        acknowledge(third)
        await asyncio.sleep(0)
        assert len(calls) == 2

    asyncio.run(run())


def test_what_is_not_on_disk_holds_up_what_comes_behind_it() -> None:
    async def run() -> None:
        receipts: Receipts[int] = Receipts(lambda: None)
        first, second = promises(2)
        receipts.add_all([(1, first, 0), (2, second, 0)])
        acknowledge(second)
        assert list(receipts.take_acknowledged()) == []
        acknowledge(first)
        assert [number for number, _ in receipts.take_acknowledged()] == [1, 2]

    asyncio.run(run())


def test_much_on_its_way_is_enough() -> None:
    async def run() -> None:
        receipts: Receipts[int] = Receipts(lambda: None)
        waiting = promises(24)
        for number, each in enumerate(waiting):
            assert not receipts.is_full()
            receipts.add(number, each, 1 << 30)
        assert receipts.is_full()
        acknowledge(*waiting)
        assert len(list(receipts.take_acknowledged())) == 24
        assert not receipts.is_full()
        assert receipts.is_full(24 << 20)

    asyncio.run(run())


def test_a_promise_that_was_broken_is_told_to_whoever_takes_it() -> None:
    async def run() -> None:
        receipts: Receipts[int] = Receipts(lambda: None)
        (broken,) = promises(1)
        receipts.add(1, broken)
        acknowledge(broken, error=StorageError("the disk is full"))
        receipts.wait_for_first()
        ((_, promise),) = receipts.take_acknowledged()
        with pytest.raises(StorageError, match="full"):
            promise.written  # noqa: B018

    asyncio.run(run())

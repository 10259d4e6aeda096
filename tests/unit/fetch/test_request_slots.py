"""Places for requests: never more than there are, and none lost by those who stop waiting."""

import asyncio
import random

from webkeep.fetch.client.request_slots import RequestSlots


async def turn() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def test_places_are_given_in_turn() -> None:
    async def run() -> None:
        gate, order = RequestSlots(3, 2), []

        async def visit(host: str, name: str) -> None:
            if not gate.try_acquire(host):
                await gate.acquire(host)
            order.append(name)

        tasks = [asyncio.create_task(visit(host, f"{host}{number}")) for host in "aab" for number in (1, 2)]
        await turn()
        assert order == ["a1", "a2", "b1"]
        gate.release("b")
        await turn()
        assert order[3:] == ["b2"]  # a is full, whoever waited there first
        gate.release("a")
        gate.release("a")
        await turn()
        assert order[4:] == ["a1", "a2"]
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_who_stops_waiting_takes_no_place_along() -> None:
    async def run() -> None:
        gate = RequestSlots(1, 1)
        assert gate.try_acquire("a")
        gone, given, last = (asyncio.create_task(gate.acquire("a")) for _ in range(3))
        await turn()
        gone.cancel()
        await turn()
        gate.release("a")  # gives it to the second, who is cancelled before it can take it
        given.cancel()
        await turn()
        assert gone.cancelled()
        assert given.cancelled()
        await asyncio.wait_for(last, 5)
        assert not gate.try_acquire("a")
        gate.release("a")
        assert gate.try_acquire("a")

    asyncio.run(run())


def test_no_more_are_inside_than_allowed_and_all_get_in() -> None:
    async def run(seed: int) -> None:
        chance, gate = random.Random(seed), RequestSlots(4, 2)
        inside: list[str] = []
        visits = 0

        async def visit(host: str) -> None:
            nonlocal visits
            if not gate.try_acquire(host):
                await gate.acquire(host)
            inside.append(host)
            assert len(inside) <= 4
            assert inside.count(host) <= 2
            try:
                for _ in range(chance.randrange(4)):
                    await asyncio.sleep(0)
                visits += 1
            finally:
                inside.remove(host)
                gate.release(host)

        tasks = [asyncio.create_task(visit(chance.choice("abcde"))) for _ in range(200)]
        await turn()
        for task in chance.sample(tasks, 20):
            task.cancel()
        ended = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        cancelled = sum(isinstance(each, asyncio.CancelledError) for each in ended)
        assert visits + cancelled == 200
        assert all(each is None or isinstance(each, asyncio.CancelledError) for each in ended)

    for seed in range(5):
        asyncio.run(run(seed))

"""A page is given a moment to learn of its service worker, and no more."""

import asyncio

from webkeep.browser.tabs.service_workers import ServiceWorkers


def updated(status: str) -> dict[str, object]:
    return {"versions": [{"registrationId": "1", "versionId": "1", "status": status}]}


def test_a_page_that_no_worker_takes_charge_of_is_not_waited_for_without_end() -> None:
    """Not even where whoever is asked is answered in the very moment in which the wait is over."""
    asked = 0

    async def is_controlled() -> bool:
        nonlocal asked
        asked += 1
        try:
            await asyncio.sleep(0.3)
        except asyncio.CancelledError:
            return False  # as `asyncio.wait_for` did of old
        return False

    async def wait() -> None:
        workers = ServiceWorkers()
        workers.update(updated("activated"))
        await workers.wait(is_controlled, 0.2)

    asyncio.run(wait())
    assert asked > 0


def test_a_worker_that_never_comes_is_waited_for_until_time_is_up() -> None:
    async def wait() -> None:
        workers = ServiceWorkers()
        workers.update(updated("installing"))
        await workers.wait(_never_asked, 0.05)

    asyncio.run(wait())


async def _never_asked() -> bool:
    raise AssertionError("the worker is still on its way")

"""What watches over a run: it heeds Ctrl-C and its kin, and looks at the run again and again; one that can no longer be
watched ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from webkeep.process.graceful_stop import stop_on_interrupt
from webkeep.process.run_loop import RunLoop


@asynccontextmanager
async def watch_run(loop: RunLoop, look: Callable[[], float], note: Callable[[str], None]) -> AsyncIterator[None]:
    """Heed signals, and look at the run again and again; `look` gives the seconds until the next time.

    A run that can no longer be watched is to end, and not to go on deaf.
    """

    async def keep_looking() -> None:
        try:
            while True:
                await asyncio.sleep(look())
        except Exception as error:  # noqa: BLE001 - told by the loop, which would go on for ever
            loop.fail(error)

    with stop_on_interrupt(loop, note):
        task = asyncio.get_running_loop().create_task(keep_looking())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

"""Work in a thread of its own, which its caller waits for or awaits; Ctrl-C and cancellation reach it by its switch."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

from webkeep.process.stop_switch import StopSwitch, current_stop_switch, use_stop_switch

_Result = TypeVar("_Result")


def call_cleanly(work: Callable[[], _Result]) -> _Result:
    """Do work that may have an event loop of its own, wherever it is called from; gives what it gives.

    Where a loop runs in this thread already, as in a notebook, the work has another thread and this one waits. Ctrl-C
    and SIGTERM have the work come to a clean end first, and are raised then.
    """
    switch = current_stop_switch()
    with use_stop_switch(switch):
        result = _wait_for(start_work(work, switch), switch) if _is_loop_running() else work()
    switch.raise_signal()
    return result


def start_work(work: Callable[[], _Result], switch: StopSwitch) -> Future[_Result]:
    """Begin work in a thread of its own that heeds a switch."""
    done: Future[_Result] = Future()
    context = copy_context()

    def work_and_tell() -> None:
        try:
            with use_stop_switch(switch):
                done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            done.set_exception(error)

    threading.Thread(target=context.run, args=(work_and_tell,), name="webkeep", daemon=True).start()
    return done


def _wait_for(done: Future[_Result], switch: StopSwitch) -> _Result:
    while True:
        try:
            return done.result()
        except KeyboardInterrupt:
            if done.done():
                raise
            switch.press("SIGINT")


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

"""Ctrl-C, SIGTERM and SIGHUP heeded by what runs: once, it may finish what is under way within a time of grace; twice,
it lets go of that at once.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from webkeep.process.stop_switch import current_stop_switch

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_USUAL_HANDLERS = ("_signal", "asyncio", "webkeep")
"""The packages whose handlers are nobody's choice but Python's and ours."""
GRACE_SECONDS = 5
"""How long what is under way may take to finish, before it is let go of: the other side may never come to an end."""


class Stoppable(Protocol):
    """Work that can be asked to finish what is under way, or to let go of it."""

    def stop(self) -> None:
        """Take up nothing new."""

    def abandon(self) -> None:
        """Let go of what is under way."""


@contextmanager
def stop_on_interrupt(work: Stoppable, note: Callable[[str], None]) -> Iterator[None]:
    """Ctrl-C once finishes what can be finished within seconds, twice lets go of it at once.

    The same holds for the switch that this work was given, whoever presses it.
    """
    pressed = 0
    loop = asyncio.get_running_loop()
    switch = current_stop_switch()

    def stop_or_abandon() -> None:
        nonlocal pressed
        pressed += 1
        # First the deed, then the word: after SIGHUP nobody may be there to hear it.
        if pressed == 1:
            work.stop()
            loop.call_later(GRACE_SECONDS, work.abandon)
            note(
                f"stopping: what is under way has {GRACE_SECONDS} seconds to finish; Ctrl-C again lets go of it at once"
            )
        else:
            work.abandon()

    with (
        switch.connect(lambda: loop.call_soon_threadsafe(stop_or_abandon)),
        call_on_signals(lambda number: switch.press(number.name)),
    ):
        yield


@contextmanager
def call_on_signals(press: Callable[[signal.Signals], object]) -> Iterator[None]:
    """Have a function called, in the running loop, at each signal that asks this process to end.

    A signal that is ignored, as by nohup, or that the program around has a handler of its own for, is left to that.
    """
    loop = asyncio.get_running_loop()
    installed = []
    for each in _STOP_SIGNALS:
        before = signal.getsignal(each)
        with suppress(ValueError, NotImplementedError, RuntimeError):  # not the main thread: then others handle them
            if _is_left_to_us(before):
                loop.add_signal_handler(each, press, each)
                installed.append((each, before))
    try:
        yield
    finally:
        for each, before in installed:
            loop.remove_signal_handler(each)
            signal.signal(each, before)


def _is_left_to_us(handler: object) -> bool:
    """Whether a signal has its usual effect: Python's, that of `asyncio.run`, or one that webkeep gave it."""
    own = getattr(handler, "func", handler)  # asyncio.run binds its task to the function
    return handler is signal.SIG_DFL or str(getattr(own, "__module__", "")).split(".")[0] in _USUAL_HANDLERS


@contextmanager
def stop_event() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, in place of their usual effect, for what runs in other threads."""
    told = threading.Event()
    before = {number: signal.signal(number, lambda *_: told.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""Ctrl-C and its kin, heeded by what runs."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Protocol

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MOMENT = 0.01
GRACE_SECONDS = 5
"""How long what is under way may take to finish, before it is let go of: the other side may never come to an end."""


class Stoppable(Protocol):
    """Work that can be asked to finish what is under way, or to let go of it."""

    def stop(self) -> None:
        """Take up nothing new."""

    def abandon(self) -> None:
        """Let go of what is under way."""


@contextmanager
def interrupts(work: Stoppable, note: Callable[[str], None]) -> Iterator[None]:
    """Ctrl-C once finishes what can be finished within seconds, twice lets go of it at once."""
    pressed = 0
    loop = asyncio.get_running_loop()

    def press() -> None:
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

    with heeded(press):
        yield


class EndedBySignal(KeyboardInterrupt):
    """The process was asked to end, by something else than Ctrl-C; what it holds open is closed as after that."""


@contextmanager
def ending_by_signals() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end what runs as Ctrl-C does, so that nothing unfinished is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.getsignal(each) for each in (*_SIGNALS[1:], signal.SIGALRM)}
    heeding = [each for each, handler in before.items() if handler is signal.SIG_DFL]
    hook = sys.unraisablehook
    for each in heeding:
        signal.signal(each, _end)
    sys.unraisablehook = partial(_end_later, hook)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for each in heeding:
            signal.signal(each, before[each])


def _end(number: int, _frame: object) -> None:
    global _ending
    _ending = _ending if number == signal.SIGALRM and _ending else signal.Signals(number).name
    raise EndedBySignal(_ending)


_ending = ""
"""Which signal asked for the end."""


def _end_later(otherwise: Callable[[sys.UnraisableHookArgs], object], told: sys.UnraisableHookArgs) -> None:
    """Raise once more what came where nothing can be raised, as in the end of an object's life."""
    if isinstance(told.exc_value, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    else:
        otherwise(told)


@contextmanager
def heeded(press: Callable[[], object]) -> Iterator[None]:
    """Have a function called, in the running loop, at each signal that asks this process to end."""
    loop = asyncio.get_running_loop()
    installed = []
    for each in _SIGNALS:
        before = signal.getsignal(each)
        with suppress(ValueError, NotImplementedError, RuntimeError):  # not the main thread: then others handle them
            if before is not signal.SIG_IGN:  # by nohup, or whoever started this
                loop.add_signal_handler(each, press)
                installed.append((each, before))
    try:
        yield
    finally:
        for each, before in installed:
            loop.remove_signal_handler(each)
            signal.signal(each, before)

"""Ctrl-C and its kin, heeded by what runs."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stoppable(Protocol):
    """Work that can be asked to finish what is under way, or to let go of it."""

    def stop(self) -> None:
        """Take up nothing new."""

    def abandon(self) -> None:
        """Let go of what is under way."""


@contextmanager
def interrupts(work: Stoppable, note: Callable[[str], None]) -> Iterator[None]:
    """Ctrl-C once finishes what is under way, twice lets go of it."""
    pressed = 0

    def press() -> None:
        nonlocal pressed
        pressed += 1
        # First the deed, then the word: after SIGHUP nobody may be there to hear it.
        if pressed == 1:
            work.stop()
            note("stopping: what is under way is finished first; Ctrl-C again lets go of it")
        else:
            work.abandon()

    with heeded(press):
        yield


@contextmanager
def heeded(press: Callable[[], object]) -> Iterator[None]:
    """Have a function called, in the running loop, at each signal that asks this process to end."""
    loop = asyncio.get_running_loop()
    installed = []
    for each in _SIGNALS:
        with suppress(ValueError, NotImplementedError, RuntimeError):  # not the main thread: then others handle them
            loop.add_signal_handler(each, press)
            installed.append(each)
    try:
        yield
    finally:
        for each in installed:
            loop.remove_signal_handler(each)

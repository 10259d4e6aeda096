"""The switch that stops work from outside its thread: another thread, a cancelled task or a signal presses it, and
whatever runs in the thread it was given to heeds it as it heeds Ctrl-C.

Theory of operation. Work of two sorts is stopped. A run with an event loop of its own (a capture, a recovery) connects
itself to the switch for as long as it lasts: pressed once, it finishes what is under way, pressed twice it lets go of
that. All other work asks the switch between two records, and gets `WorkStopped` as it would get Ctrl-C. Which switch is
heeded goes with the context of the call, so that nothing has to hand it on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from webkeep.process.signal_exit import SignalExit


class WorkStopped(KeyboardInterrupt):
    """Work was asked to stop by something else than Ctrl-C; what it holds open is closed as after that."""


class StopSwitch:
    """Pressed from any thread, heeded by the one that works."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._presses = 0
        self._signal = ""
        self._on_press: Callable[[], object] | None = None

    def press(self, signal_name: str = "") -> None:
        """Ask the work to stop; once more, to let go of what is under way."""
        with self._lock:
            self._presses += 1
            self._signal = self._signal or signal_name
            if self._on_press is not None:
                self._on_press()

    @property
    def is_pressed(self) -> bool:
        """Whether anybody pressed it so far."""
        return self._presses > 0

    def check(self) -> None:
        """End here, between two things, where that was asked for."""
        if self._presses:
            raise WorkStopped("stopped; what was acknowledged is on disk")

    @contextmanager
    def connect(self, on_press: Callable[[], object]) -> Iterator[None]:
        """Have a function called at each press, in whatever thread presses, and at once for those that were."""
        with self._lock:
            self._on_press = on_press
            for _ in range(self._presses):
                on_press()
        try:
            yield
        finally:
            with self._lock:
                self._on_press = None

    def raise_signal(self) -> None:
        """Raise what the signal that pressed it would have raised, now that the work has come to a clean end."""
        if self._signal:
            raise KeyboardInterrupt if self._signal == "SIGINT" else SignalExit(self._signal)


_CURRENT: ContextVar[StopSwitch | None] = ContextVar("stop_switch", default=None)


def current_stop_switch() -> StopSwitch:
    """The switch that is heeded here; one that nobody else has, where none was given."""
    return _CURRENT.get() or StopSwitch()


@contextmanager
def use_stop_switch(switch: StopSwitch) -> Iterator[None]:
    """Have everything within heed this switch."""
    token = _CURRENT.set(switch)
    try:
        yield
    finally:
        _CURRENT.reset(token)

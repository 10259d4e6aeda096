"""Signals such as SIGTERM and SIGHUP that end a process as Ctrl-C does, whatever it is doing; raised once more where
nothing could be raised.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

_EXIT_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
_RETRY_SECONDS = 0.01
"""After so long it is raised once more, where it can be."""


class SignalExit(KeyboardInterrupt):
    """The process was asked to end, by something else than Ctrl-C; what it holds open is closed as after that."""


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end what runs as Ctrl-C does, so that nothing unfinished is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.getsignal(each) for each in _EXIT_SIGNALS}
    heeding = [each for each, handler in before.items() if handler is signal.SIG_DFL]
    hook = sys.unraisablehook
    for each in heeding:
        signal.signal(each, _raise_exit)
    sys.unraisablehook = partial(_raise_later, hook)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for each in heeding:
            signal.signal(each, before[each])


def _raise_exit(number: int, _frame: object) -> None:
    global _exit_signal
    _exit_signal = _exit_signal if number == signal.SIGALRM and _exit_signal else signal.Signals(number).name
    raise SignalExit(_exit_signal)


_exit_signal = ""
"""Which signal asked for the end."""


def _raise_later(otherwise: Callable[[sys.UnraisableHookArgs], object], told: sys.UnraisableHookArgs) -> None:
    """Raise once more what came where nothing can be raised, as in the end of an object's life."""
    if isinstance(told.exc_value, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
    else:
        otherwise(told)

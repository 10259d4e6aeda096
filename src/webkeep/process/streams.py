"""The standard streams of a process, which whoever started it may have closed."""

from __future__ import annotations

import os
import sys

_NAMES = ("stdin", "stdout", "stderr")


def open_closed_streams() -> None:
    """Let standard streams that are closed lead nowhere.

    Without that, the next file that is opened would have their number, and what is printed would end in it.
    """
    for number, name in enumerate(_NAMES):
        if getattr(sys, name) is None and _is_closed(number):
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:  # one before it was closed and is not ours to open
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8"))  # noqa: SIM115, PTH123


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False

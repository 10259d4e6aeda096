"""The standard streams of a process, which whoever started it may have closed: those that are missing, and those that
nobody reads any more, lead nowhere.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

_NAMES = ("stdin", "stdout", "stderr")


def open_missing_streams() -> None:
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


def redirect_to_null(stream: TextIO) -> None:
    """Let a stream that nobody reads any more lead nowhere, so that what it still holds can do no harm at the end."""
    with suppress(OSError, ValueError):  # it is no file at all
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False

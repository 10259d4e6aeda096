"""webkeep under a clock that is wrong, and jumps: an hour to and fro whenever the process gets SIGUSR2.

.venv/bin/python -m bench.skewed_clock SECONDS COMMAND …

What Python tells of the time of day is moved by so many seconds before anything else is loaded; the steady clocks,
which nobody can set, stay what they are, as on a machine whose clock is wrong.
"""

from __future__ import annotations

import signal
import sys
import time

_JUMP_SECONDS = 3600
_offset_ns = int(sys.argv[1]) * 1_000_000_000
_true_ns = time.time_ns
_true_clock_ns = time.clock_gettime_ns


def _time_ns() -> int:
    return _true_ns() + _offset_ns


def _clock_ns(clock: int) -> int:
    return _true_clock_ns(clock) + (_offset_ns if clock == time.CLOCK_REALTIME else 0)


def _jump(_signal: int, _frame: object) -> None:
    global _offset_ns
    _offset_ns += _JUMP_SECONDS * 1_000_000_000 * (-1 if _offset_ns > 0 else 1)


time.time_ns = _time_ns
time.time = lambda: _time_ns() / 1e9
time.clock_gettime_ns = _clock_ns
time.clock_gettime = lambda clock: _clock_ns(clock) / 1e9
signal.signal(signal.SIGUSR2, _jump)

if __name__ == "__main__":
    from webkeep.cli.main import main

    sys.exit(main(sys.argv[2:]))

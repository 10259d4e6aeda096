"""Numbers as people read and write them: sizes, counts, dates, durations."""

from __future__ import annotations

import argparse
import sys

from webkeep.model import Moment

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def format_size(count: int) -> str:
    """A number of bytes in at most three digits and a unit: `812 bytes`, `4.6 kB`, `1.2 GB`."""
    amount, unit = float(count), 0
    # What would be rounded up to 1000 is one of the next unit already.
    while amount >= (999.5 if unit else 1000) and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    if unit == 0:
        return "1 byte" if count == 1 else f"{count} bytes"
    return f"{amount:.1f} {_UNITS[unit]}" if amount < 9.95 else f"{amount:,.0f} {_UNITS[unit]}"


def format_exact_size(count: int) -> str:
    """A number of bytes in full, and short where that is easier to read."""
    return format_size(count) if count < 1000 else f"{count:,} bytes ({format_size(count)})"


def format_count(number: int, one: str, many: str = "") -> str:
    """A number and what is counted: `1 record`, `2,104 records`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def format_moment(moment: Moment | None, missing: str = "") -> str:
    """A moment to the second, in UTC."""
    return missing if moment is None else moment.iso()[:19].replace("T", " ")


def format_duration(seconds: float) -> str:
    """A length of time in the unit that fits: `3.1 ms`, `42 s`, `5 min`, `2.5 h`, `3 days`."""
    for unit, factor, most in (("µs", 1e6, 1e-3), ("ms", 1e3, 1), ("s", 1, 120), ("min", 1 / 60, 7200)):
        if seconds < most:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds / 3600:.3g} h" if seconds < 172_800 else f"{seconds / 86_400:,.0f} days"


def format_elapsed(seconds: float) -> str:
    """How long something took, in seconds or more: `0.3 s`, `42 s`, `5 min`."""
    return f"{max(seconds, 0.01):.2g} s" if seconds < 10 else format_duration(round(seconds))


def parse_whole_number(text: str) -> int:
    """Read a whole number that is not negative, for `argparse`; larger than any list is as good as the largest."""
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be; give a whole number, 0 or more")
    return min(number, sys.maxsize)

"""Numbers and dates as people read them, such as 4.6 kB, 12.5%, 5 min and days in UTC, and times and sizes as options
take them (30m, 256MiB).
"""

from __future__ import annotations

from webkeep.model import Moment

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_DAY_SECONDS = 86_400
_YEAR_SECONDS = 365.25 * _DAY_SECONDS


def format_size(count: float) -> str:
    """A number of bytes in at most three digits and a unit: `812 bytes`, `4.6 kB`, `1.2 GB`."""
    amount, unit = float(count), 0
    # What would be rounded up to 1000 is one of the next unit already.
    while amount >= 999.5 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    if unit == 0:
        return format_count(round(count), "byte")
    return f"{amount:.1f} {_UNITS[unit]}" if amount < 9.95 else f"{amount:,.0f} {_UNITS[unit]}"


def format_exact_size(count: int) -> str:
    """A number of bytes in full, and short where that is easier to read."""
    return format_size(count) if count < 1000 else f"{count:,} bytes ({format_size(count)})"


def format_count(number: int, one: str, many: str = "") -> str:
    """A number and what is counted: `1 record`, `2,104 records`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def format_times_seen(number: int, is_more: bool = False) -> str:
    """How often something was seen: `once`, `12 times`, `20,000+ times`."""
    return "once" if number == 1 and not is_more else f"{number:,}{'+' if is_more else ''} times"


def format_share(share: float) -> str:
    """A share of a whole: `12.5%`."""
    return f"{share:.1%}"


def format_date(moment: Moment) -> str:
    """The day of a moment, in UTC: `2024-03-01`."""
    return moment.iso()[:10]


def format_moment(moment: Moment | None, missing: str = "") -> str:
    """A moment to the second, in UTC: `2024-03-01 12:00:00`."""
    return missing if moment is None else moment.iso()[:19].replace("T", " ")


def format_instant(moment: Moment) -> str:
    """A moment to the millisecond, in UTC; whole seconds without a fraction."""
    seconds, _, fraction = moment.iso().rstrip("Z").replace("T", " ").partition(".")
    return f"{seconds}.{fraction[:3]}" if fraction else seconds


def format_duration(seconds: float) -> str:
    """A length of time in the unit that fits: `3.1 ms`, `42 s`, `5 min`, `2.5 h`, `3 days`, `4.2 years`."""
    if not seconds:
        return "0 s"
    for unit, factor, most in (("µs", 1e6, 1e-3), ("ms", 1e3, 1), ("s", 1, 120), ("min", 1 / 60, 7200)):
        if seconds < most:
            return f"{seconds * factor:.3g} {unit}"
    if seconds < 2 * _DAY_SECONDS:
        return f"{seconds / 3600:.3g} h"
    if seconds < 2 * _YEAR_SECONDS:
        return f"{seconds / _DAY_SECONDS:,.0f} days"
    return f"{seconds / _YEAR_SECONDS:,.1f} years"


def format_elapsed(seconds: float) -> str:
    """How long something took, in seconds or more: `0.3 s`, `42 s`, `5 min`."""
    return f"{max(seconds, 0.01):.2g} s" if seconds < 10 else format_duration(round(seconds))


# Sizes and times as people write them behind an option; what is written so is read as the very same number.

_WRITTEN_TIMES = (("d", 86_400), ("h", 3600), ("m", 60))
_WRITTEN_SIZES = (("GiB", 1 << 30), ("MiB", 1 << 20), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


def write_time(seconds: float) -> str:
    """A length of time as an option takes it: `30m`, `90s`."""
    for unit, length in _WRITTEN_TIMES:
        if seconds >= length and seconds % length == 0:
            return f"{seconds / length:g}{unit}"
    return f"{seconds:g}s"


def write_size(count: int) -> str:
    """A number of bytes as an option takes it: `256MiB`, `2GB`."""
    for unit, length in _WRITTEN_SIZES:
        if count >= length and count % length == 0:
            return f"{count // length}{unit}"
    return str(count)

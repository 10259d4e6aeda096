"""Numbers and dates as pages show them."""

from __future__ import annotations

from webkeep.model import Moment

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_SPAN_SECONDS = (
    ("year", 365.25 * 86400),
    ("month", 30.44 * 86400),
    ("day", 86400.0),
    ("hour", 3600.0),
    ("minute", 60.0),
)


def format_size(count: int) -> str:
    """A number of bytes in a unit that fits."""
    amount, unit = float(count), 0
    while amount >= 999.5 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return (
        f"{count} bytes"
        if unit == 0
        else f"{amount:.1f} {_UNITS[unit]}"
        if amount < 9.95
        else f"{amount:,.0f} {_UNITS[unit]}"
    )


def format_count(number: int, one: str, many: str = "") -> str:
    """A number and what is counted."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def format_times_seen(number: int, is_more: bool = False) -> str:
    """How often something was seen."""
    return "once" if number == 1 and not is_more else f"{number:,}{'+' if is_more else ''} times"


def format_date(moment: Moment) -> str:
    """The day."""
    return moment.iso()[:10]


def format_moment(moment: Moment) -> str:
    """Day and time, in UTC."""
    return moment.iso()[:19].replace("T", " ")


def format_span(seconds: float) -> str:
    """A length of time in one unit, a second at least."""
    for name, length in _SPAN_SECONDS:
        if seconds >= length:
            return format_count(round(seconds / length), name)
    return format_count(max(round(seconds), 1), "second")

"""How this machine's clock stands to those of the servers, as far as the dates of their answers tell; which answers
tell nothing, and from when on the clocks are said to differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from webkeep.formats.http import parse_http_date
from webkeep.model import Headers, Moment
from webkeep.presentation import format_count

_HALF_SECOND = 0.5
"""Dates count whole seconds: an answer was made half a second after its date, on average."""
_AGREEING_SECONDS = 5.0
"""Clocks that differ by less agree, given that dates count whole seconds and answers take their time."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """By how much the clocks of servers are ahead of ours, in seconds."""

    answers: int
    middle: float
    least: float
    most: float

    @property
    def is_agreeing(self) -> bool:
        """Whether ours is about right, if theirs are."""
        return abs(self.middle) < _AGREEING_SECONDS

    def describe(self, machine: str = "this machine") -> str:
        """The offset in words."""
        told = f"by the dates of {format_count(self.answers, 'answer')}"
        if self.is_agreeing:
            return f"{machine}'s clock and those of the servers agree within {_AGREEING_SECONDS:g} s {told}"
        way = "ahead of" if self.middle > 0 else "behind"
        return f"the servers' clocks are {abs(self.middle):,.0f} s {way} {machine}'s, {told}: one of them is wrong"


def date_offset(headers: Headers, asked: Moment) -> float | None:
    """By how much a server's clock is ahead of ours, by one answer; None where that tells nothing.

    What a cache kept has the date of when it was made.
    """
    if headers.get("age").strip() not in ("", "0"):
        return None
    said = parse_http_date(headers.get("date"))
    return None if said is None else said.seconds_since(asked) + _HALF_SECOND


def measure_offset(offsets: Iterable[float]) -> ClockOffset | None:
    """What many answers tell; None where there is none."""
    told = sorted(offsets)
    return ClockOffset(len(told), round(median(told), 3), round(told[0], 3), round(told[-1], 3)) if told else None

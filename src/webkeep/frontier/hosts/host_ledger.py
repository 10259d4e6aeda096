"""The politeness ledger: proof of how a host was treated, out of the moments at which requests really began and ended:
gaps, overlaps, the delays in force and why, refusals by robots.txt.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webkeep.model import Moment

GAP_BOUNDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""The upper ends, in seconds, of the classes that gaps are counted in; the last class has none."""

_MAX_INTERVALS = 64
"""Requests remembered with their times, to tell which overlapped."""
_MAX_DELAY_CHANGES = 200
"""Changes of the delay that are listed; further ones are counted."""
_MAX_REFUSAL_RULES = 1000
"""Rules that refusals are counted by; further ones are counted together."""
_OTHER_RULES = "further rules"
_MIN_DELAY_FACTOR = 1.1
"""A delay that differs by less, for the same reason, is no change worth listing."""


@dataclass(frozen=True, slots=True)
class DelayChange:
    """From this moment on the host's delay was this, for this reason."""

    moment: Moment
    seconds: float
    reason: str


@dataclass(slots=True)
class HostLedger:
    """What was asked of one host, and how gently."""

    requests: int = 0
    overlapping: int = 0
    """Requests that began while another one was under way."""
    greatest_concurrency: int = 0
    smallest_gap: float | None = None
    """In seconds, between the end of a response and the beginning of the next request."""
    gaps: list[int] = field(default_factory=lambda: [0] * (len(GAP_BOUNDS) + 1))
    too_early: int = 0
    """Requests that began sooner than the delay in force allowed."""
    delays: list[DelayChange] = field(default_factory=list)
    delays_omitted: int = 0
    refusals: dict[str, int] = field(default_factory=dict)
    """How many URLs each rule of robots.txt kept from being asked for."""
    unproven: int = 0
    """Requests that only their records tell of, because a crash came first: counted, but without their gaps."""
    _intervals: list[list[int]] = field(default_factory=list, repr=False)
    """Lately, by their ends: end, beginning, and how many requests were under way at the beginning."""
    _forgotten: int = field(default=0, repr=False)

    def add_request(self, started: Moment, ended: Moment, delay: float) -> None:
        """Enter a request, with the delay that was in force when it was allowed."""
        begin, end = started.micros, max(ended.micros, started.micros)
        concurrency, before = self._concurrency_at(begin, end)
        self.requests += 1
        if concurrency > 1:
            self.overlapping += 1
            self.too_early += delay > 0
        elif before is not None:
            self._note_gap((begin - before) / 1e6, delay)
        self._raise_concurrency(concurrency)
        insort(self._intervals, [end, begin, concurrency])
        if len(self._intervals) > _MAX_INTERVALS:
            self._forgotten = max(self._forgotten, self._intervals.pop(0)[2])

    def _concurrency_at(self, begin: int, end: int) -> tuple[int, int | None]:
        """How many requests were under way at the beginning, and the latest end before it."""
        concurrency = 1
        for other in reversed(self._intervals):
            if other[0] <= begin:
                return concurrency, other[0]
            if other[1] <= begin:
                concurrency += 1
            elif other[1] < end:
                other[2] += 1
                self._raise_concurrency(other[2])
        if self._forgotten:
            # It began before the end of all that is remembered: it may have lain beside what is forgotten.
            self._raise_concurrency(self._forgotten + 1)
        return concurrency, None

    def _raise_concurrency(self, concurrency: int) -> None:
        if concurrency > self.greatest_concurrency:
            self.greatest_concurrency = concurrency

    def _note_gap(self, gap: float, delay: float) -> None:
        self.smallest_gap = gap if self.smallest_gap is None else min(gap, self.smallest_gap)
        self.gaps[sum(bound <= gap for bound in GAP_BOUNDS)] += 1
        self.too_early += gap < delay

    def add_delay(self, moment: Moment, seconds: float, reason: str) -> None:
        """Enter the delay in force, where it differs from the one before."""
        if self.delays:
            last = self.delays[-1]
            if (
                last.reason == reason
                and last.seconds / _MIN_DELAY_FACTOR <= seconds <= last.seconds * _MIN_DELAY_FACTOR
            ):
                return
        if len(self.delays) >= _MAX_DELAY_CHANGES:
            self.delays_omitted += 1
        else:
            self.delays.append(DelayChange(moment, seconds, reason))

    def add_refusal(self, rule: str) -> None:
        """Enter a URL that a rule kept from being asked for."""
        counted = rule if rule in self.refusals or len(self.refusals) < _MAX_REFUSAL_RULES else _OTHER_RULES
        self.refusals[counted] = self.refusals.get(counted, 0) + 1

    def add_unproven(self) -> None:
        """Enter a request of which only its record tells."""
        self.requests += 1
        self.unproven += 1

    def to_json(self) -> dict[str, Any]:
        """The ledger as plain values."""
        return {
            "requests": self.requests,
            "overlapping": self.overlapping,
            "greatest_concurrency": self.greatest_concurrency,
            "smallest_gap": self.smallest_gap,
            "gap_bounds": list(GAP_BOUNDS),
            "gaps": list(self.gaps),
            "too_early": self.too_early,
            "delays": [[each.moment.iso(), each.seconds, each.reason] for each in self.delays],
            "delays_omitted": self.delays_omitted,
            "refusals": dict(self.refusals),
            "unproven": self.unproven,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> HostLedger:
        """The ledger out of what `to_json` gave."""
        return cls(
            values["requests"],
            values["overlapping"],
            values["greatest_concurrency"],
            values["smallest_gap"],
            list(values["gaps"]),
            values["too_early"],
            [DelayChange(Moment.parse(moment), seconds, reason) for moment, seconds, reason in values["delays"]],
            values["delays_omitted"],
            dict(values["refusals"]),
            values["unproven"],
        )

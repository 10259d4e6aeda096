"""Limits: how many requests a repository allows in a stretch of time and how such a limit is written (`30/minute`), how
long it rests after a refusal, and what that makes a recovery take.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.errors import UsageError

MAX_WINDOW_SECONDS = 86400
"""Seconds; bookings are kept for that long after they have ended."""

_UNIT_SECONDS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "day": 86400}
_LIMIT_SYNTAX = re.compile(r"\s*([0-9]{1,9})\s*(?:/|per)\s*([0-9]{1,6}(?:\.[0-9]{1,6})?)?\s*([a-z]+)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """So many requests at most in any stretch of so many seconds."""

    requests: int
    seconds: float

    @classmethod
    def parse(cls, text: str) -> RateLimit:
        """Read `30/minute`, `1000 per day` or `8/s`."""
        match = _LIMIT_SYNTAX.fullmatch(text)
        unit = _UNIT_SECONDS.get(match[3].lower().removesuffix("s") or "s") if match else None
        if match is None or unit is None or not int(match[1]):
            raise UsageError(f"not a limit: {text!r}; write it as 30/minute or 1000/day")
        seconds = float(match[2] or 1) * unit
        if not 0 < seconds <= MAX_WINDOW_SECONDS:
            raise UsageError(f"not a limit: {text!r}; its window is a day at most")
        return cls(int(match[1]), seconds)

    @property
    def per_second(self) -> float:
        """How many requests a second it allows in the long run."""
        return self.requests / self.seconds

    def min_seconds(self, requests: int) -> float:
        """The fewest seconds in which so many requests can be sent."""
        return max(math.ceil(requests / self.requests) - 1, 0) * self.seconds

    def __str__(self) -> str:
        unit = next((name for name in ("day", "hour", "minute", "second") if _UNIT_SECONDS[name] == self.seconds), "")
        return f"{self.requests}/{unit or f'{self.seconds:g} s'}"


@dataclass(frozen=True, slots=True)
class RepositoryPoliteness:
    """How one class of a repository's addresses wants to be asked."""

    pool: str
    """Requests of one pool are counted together, over all processes of the user."""
    limits: tuple[RateLimit, ...] = ()
    max_concurrent: int = 0
    """How many requests may be under way at a time; 0 for no limit."""
    rest_seconds: float = 60
    """How long to leave it alone after it turned us away without saying for how long; doubled each time."""

    @property
    def is_limited(self) -> bool:
        """Whether requests must be booked."""
        return bool(self.limits or self.max_concurrent)

    def min_seconds(self, requests: int) -> float:
        """The fewest seconds in which so many requests can be sent."""
        return max((limit.min_seconds(requests) for limit in self.limits), default=0.0)


@dataclass(frozen=True, slots=True)
class RepositoryLoad:
    """What a recovery asks of one repository."""

    resources: int
    """How many versions it will be asked for."""
    listed: int
    """How many rows its listing has."""
    per_listing: int
    """How many of them one request brings."""
    per_resource: float
    """How many requests a version takes."""
    limit: RateLimit | None = None
    """The tightest of its limits."""

    @property
    def listing_requests(self) -> int:
        """How many requests the listing takes."""
        return math.ceil(self.listed / max(self.per_listing, 1))

    @property
    def requests(self) -> int:
        """How many requests it is in all."""
        return self.listing_requests + math.ceil(self.resources * self.per_resource)


@dataclass(frozen=True, slots=True)
class RecoveryEstimate:
    """What a recovery costs, by the published formulas and by tighter ones."""

    requests: int
    """To all repositories, each asked for what it alone is to give."""
    seconds: float
    """The fewest, by the slowest repository's limit; all work at a time."""
    max_requests: int
    """Where every repository is asked for every resource (the published C)."""
    max_seconds: float
    """Where all of those go at the pace of the strictest one (the published T)."""


def estimate_cost(loads: Iterable[RepositoryLoad]) -> RecoveryEstimate:
    """The cost and duration of a recovery with these loads."""
    every = list(loads)
    resources = sum(load.resources for load in every)
    most = sum(load.listing_requests for load in every) + math.ceil(
        resources * sum(load.per_resource for load in every)
    )
    slowest = min((load.limit.per_second for load in every if load.limit is not None), default=math.inf)
    return RecoveryEstimate(
        sum(load.requests for load in every),
        max((load.limit.min_seconds(load.requests) for load in every if load.limit is not None), default=0.0),
        most,
        most / slowest,
    )

"""Answers as the frontier sees them: what came of asking for a candidate (status, failure, Retry-After, redirect), and
what follows for it: settled, or retried later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from webkeep.model import Moment, UrlOutcome


# One is made for every request: in a third of the time that a frozen dataclass of as many fields takes.
class FetchOutcome(NamedTuple):
    """How a request ended, as far as the frontier needs to know."""

    started: Moment
    ended: Moment
    status: int = 0
    """The HTTP status; 0 where no response came."""
    failure: str = ""
    """Why there is no whole response; empty where there is one."""
    temporary: bool = False
    """Whether the failure may pass."""
    connected: bool = True
    """Whether there was a connection at all."""
    resolved: bool = True
    """Whether an address was found for the host's name."""
    address: str = ""
    """The IP address that was talked to."""
    loopback: bool = False
    """Whether that is this machine's own."""
    first_byte_seconds: float = 0.0
    retry_after: float | None = None
    """The seconds that the server asked to wait."""
    size: int = 0
    """Bytes that came."""
    duplicate: bool = False
    """Whether the archive held the payload already."""
    redirect: str = ""
    """Where a redirect leads, absolute; empty where it is none."""
    set_cookie: bool = False
    """Whether a redirect set a cookie."""
    cut: str = ""
    """At which limit of ours it was cut off, in words; what came is kept."""
    excluded: str = ""
    """The rule that turned it away once its media type or size was known."""
    spans: tuple[tuple[Moment, Moment], ...] = ()
    """When each request began and ended, where there were several or other ones than from `started` to `ended`."""
    is_unsent: bool = False
    """Whether it was held back before anything went out: the host was not asked."""

    @property
    def request_spans(self) -> tuple[tuple[Moment, Moment], ...]:
        """When each request that it took began and ended."""
        return self.spans or (() if self.is_unsent else ((self.started, self.ended),))

    @property
    def is_storable(self) -> bool:
        """Whether anything came that goes into the archive."""
        return not self.excluded and (self.status > 0 or not self.failure)


@dataclass(frozen=True, slots=True)
class Settled:
    """A candidate has come to its end."""

    outcome: UrlOutcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RetryLater:
    """A candidate is to be asked for once more."""

    not_before: Moment
    reason: str


FetchVerdict = Settled | RetryLater
"""What follows from an answer for its candidate."""

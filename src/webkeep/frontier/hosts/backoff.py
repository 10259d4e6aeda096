"""Backoff: how a host received a request (served, turned away, not reached), how often in a row it did so badly, and
how long it is left in peace then; when a name counts as unresolvable.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from webkeep.formats.status import SERVICE_UNAVAILABLE, THROTTLING_STATUSES
from webkeep.frontier.urls.fetch_outcome import FetchOutcome

_FIRST_BACKOFF_SECONDS = 2.0
"""After the first disappointment; each further one in a row doubles it."""
_MAX_BACKOFF_SECONDS = 300.0
"""No number of disappointments makes it longer: a server that recovers is noticed within five minutes."""
_MAX_DOUBLINGS = 20
"""Times after which a wait grows no more: twenty doublings of a second are twelve days."""
_DNS_RETRY_SECONDS = 1.0
"""Seconds before a name is looked up once more that has no address."""
_MAX_DNS_TRIES = 2
"""How often it is looked up before there is no such host; a resolver asks several times itself."""


class HostReaction(enum.Enum):
    """How a host received a request."""

    SERVED = "served"
    TURNED_AWAY = "turned away"
    UNREACHED = "not reached"
    UNTOLD = "untold"
    """The answer says nothing about the host."""


def reaction_of(outcome: FetchOutcome, is_known_refuser: bool = False) -> HostReaction:
    """How the host received it; of a URL that was turned away before, a plain 503 tells nothing about its host."""
    if outcome.status in THROTTLING_STATUSES:
        tells = not is_known_refuser or outcome.status != SERVICE_UNAVAILABLE or outcome.retry_after is not None
        return HostReaction.TURNED_AWAY if tells else HostReaction.UNTOLD
    if not outcome.connected:
        return HostReaction.UNREACHED
    return HostReaction.SERVED if outcome.status else HostReaction.UNTOLD


@dataclass(slots=True)
class FailureStreaks:
    """How often in a row one host disappointed."""

    rejections: int = 0
    """How often in a row it turned requests away."""
    failures: int = 0
    """How often in a row there was no connection."""
    unresolved: int = 0
    """How often in a row there was no address."""
    has_served: bool = False
    """Whether it ever served a request."""
    _rejected_at: int = 0

    def update_from(self, outcome: FetchOutcome, reaction: HostReaction) -> None:
        """Learn from an answer."""
        match reaction:
            case HostReaction.SERVED:
                self.rejections = self.failures = self.unresolved = 0
                self.has_served = True
            case HostReaction.UNREACHED:
                self.failures += 1
                self.unresolved = 0 if outcome.resolved else self.unresolved + 1
            # What was under way when the host first said so tells nothing new.
            case HostReaction.TURNED_AWAY if outcome.started.micros >= self._rejected_at:
                self.rejections += 1
                self._rejected_at = outcome.ended.micros

    @property
    def is_unresolvable(self) -> bool:
        """Whether there is no such host, as far as can be known; one that served before may be found again."""
        return not self.has_served and self.unresolved >= _MAX_DNS_TRIES

    @property
    def rest_seconds(self) -> float:
        """How long to leave it in peace after it was not reached."""
        return _DNS_RETRY_SECONDS if self.unresolved and not self.has_served else backoff_seconds(self.failures)


def backoff_seconds(times: int) -> float:
    """How long to wait after so many disappointments in a row."""
    return exponential_backoff(_FIRST_BACKOFF_SECONDS, times - 1, longest=_MAX_BACKOFF_SECONDS)


def exponential_backoff(first: float, times: int, factor: int = 2, longest: float = math.inf) -> float:
    """How long to wait after so many waits that were of no use, each so many times as long as the one before."""
    return float(min(first * factor ** min(max(times, 0), _MAX_DOUBLINGS), longest))

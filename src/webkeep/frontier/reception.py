"""Receptions: how a host received a request, and how often in a row it did so badly."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.frontier.answer import Answer

TURNED_AWAY = frozenset({429, 503})
"""Statuses by which a host says that it is asked too much."""

_UNAVAILABLE = 503
_FIRST_WAIT = 2.0
_LONGEST_WAIT = 300.0
_NAME_WAIT = 1.0
"""Seconds before a name is looked up once more that has no address."""
_NAME_TRIES = 2
"""How often it is looked up before there is no such host; a resolver asks several times itself."""


class Reception(enum.Enum):
    """How a host received a request."""

    SERVED = "served"
    TURNED_AWAY = "turned away"
    UNREACHED = "not reached"
    UNTOLD = "untold"
    """The answer says nothing about the host."""


def reception_of(answer: Answer, is_known_refuser: bool = False) -> Reception:
    """How the host received it; of a URL that was turned away before, a plain 503 tells nothing about its host."""
    if answer.status in TURNED_AWAY:
        tells = not is_known_refuser or answer.status != _UNAVAILABLE or answer.retry_after is not None
        return Reception.TURNED_AWAY if tells else Reception.UNTOLD
    if not answer.connected:
        return Reception.UNREACHED
    return Reception.SERVED if answer.status else Reception.UNTOLD


@dataclass(slots=True)
class Setbacks:
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

    def take(self, answer: Answer, reception: Reception) -> None:
        """Learn from an answer."""
        match reception:
            case Reception.SERVED:
                self.rejections = self.failures = self.unresolved = 0
                self.has_served = True
            case Reception.UNREACHED:
                self.failures += 1
                self.unresolved = 0 if answer.resolved else self.unresolved + 1
            # What was under way when the host first said so tells nothing new.
            case Reception.TURNED_AWAY if answer.started.micros >= self._rejected_at:
                self.rejections += 1
                self._rejected_at = answer.ended.micros

    @property
    def is_nowhere(self) -> bool:
        """Whether there is no such host, as far as can be known; one that served before may be found again."""
        return not self.has_served and self.unresolved >= _NAME_TRIES

    @property
    def rest(self) -> float:
        """How long to leave it in peace after it was not reached."""
        return _NAME_WAIT if self.unresolved and not self.has_served else backed_off(self.failures)


def backed_off(times: int) -> float:
    """How long to wait after so many disappointments in a row."""
    return float(min(_FIRST_WAIT * 2 ** min(max(times - 1, 0), 20), _LONGEST_WAIT))

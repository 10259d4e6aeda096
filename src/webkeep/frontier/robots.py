"""Robots: what a host's robots.txt allows, how long that is believed, and what holds while it cannot be read.

By RFC 9309: no file (4xx) allows everything, an unreachable one (5xx, no answer) forbids everything for the time
being, and a file that was read once goes on to hold while a newer one cannot be had. 429 is told apart from the other
4xx, for a host that asks for patience has not said that it has no rules.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from webkeep.formats.robots import Robots, RobotsRule, RobotsRules, read_robots
from webkeep.model import Moment

BELIEVED = 24 * 3600.0
"""For how many seconds a file that was read is believed."""

TRIED_AGAIN = 3600.0
"""After how many seconds a newer file that could not be had is tried again."""

_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The host has rules."""

    robots: Robots


@dataclass(frozen=True, slots=True)
class NoRobots:
    """The host has no rules."""


@dataclass(frozen=True, slots=True)
class RobotsUnreachable:
    """Whether the host has rules could not be found out."""

    reason: str
    temporary: bool = True
    answered: bool = False
    """Whether the host answered at all."""


UNKNOWN_RULES = ", asking for robots.txt"
"""How a reason ends of what was not asked for, as the rules of its host could not be had."""

RobotsNews = RobotsFile | NoRobots | RobotsUnreachable
"""What came of asking for a robots.txt."""


def robots_news(status: int, content: bytes, failure: str = "", temporary: bool = False) -> RobotsNews:
    """What an answer to the request for a robots.txt means, the last one where redirects were followed."""
    if failure:
        return RobotsUnreachable(failure, temporary, status > 0)
    if 200 <= status < 300:
        return RobotsFile(read_robots(content))
    # A redirect that is still one after five is taken as no file, as the RFC allows.
    if 300 <= status < 500 and status != _TOO_MANY_REQUESTS:
        return NoRobots()
    return RobotsUnreachable(f"status {status}", True, True)


class GateState(enum.Enum):
    """What is known of a host's rules."""

    UNKNOWN = "unknown"
    ASKED = "asked"
    KNOWN = "known"


@dataclass(slots=True)
class Gate:
    """A host's rules, as far as they are known."""

    state: GateState = GateState.UNKNOWN
    rules: RobotsRules = field(default_factory=RobotsRules)
    read: bool = False
    """Whether anything but the rules may be asked for, because they are known or need not be."""
    until: int = 0
    """When they are to be asked for again, in microseconds."""
    failures: int = 0

    def is_wanting(self, now: Moment) -> bool:
        """Whether the rules are to be asked for."""
        if self.state is GateState.ASKED:
            return False
        return self.state is GateState.UNKNOWN or now.micros >= self.until

    def know(self, rules: RobotsRules, now: Moment) -> None:
        """Take these rules, and believe them for a day."""
        self.state, self.rules, self.read, self.failures = GateState.KNOWN, rules, True, 0
        self.until = now.plus(BELIEVED).micros

    def miss(self, now: Moment) -> None:
        """Go on with the rules that were read before, if there are any, and try again some time."""
        self.failures += 1
        self.state = GateState.KNOWN if self.read else GateState.UNKNOWN
        self.until = now.plus(TRIED_AGAIN).micros

    @property
    def is_asked(self) -> bool:
        """Whether the rules are under way."""
        return self.state is GateState.ASKED

    @property
    def is_held(self) -> bool:
        """Whether nothing may be asked for before the rules come."""
        return self.is_asked and not self.read

    def refusal(self, target: str) -> RobotsRule | None:
        """The rule that forbids a path and query."""
        rule = self.rules.deciding_rule(target)
        return None if rule is None or rule.allows else rule

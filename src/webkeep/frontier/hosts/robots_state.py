"""Robots: what a host's robots.txt allows, how long that is believed, and what an answer to the request for it means:
no file (4xx) allows all, an unreachable one (5xx, 429) nothing for the time being.

By RFC 9309: no file (4xx) allows everything, an unreachable one (5xx, no answer) forbids everything for the time
being, and a file that was read once goes on to hold while a newer one cannot be had. 429 is told apart from the other
4xx, for a host that asks for patience has not said that it has no rules.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from webkeep.formats.site import RobotsRule, RobotsRules, RobotsTxt, parse_robots
from webkeep.formats.status import TOO_MANY_REQUESTS, is_client_error, is_redirection, is_successful
from webkeep.model import Moment

ROBOTS_TTL_SECONDS = 24 * 3600.0
"""For how many seconds a file that was read is believed."""

ROBOTS_RETRY_SECONDS = 3600.0
"""After how many seconds a newer file that could not be had is tried again."""


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The host has rules."""

    robots: RobotsTxt


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


UNKNOWN_RULES_SUFFIX = ", asking for robots.txt"
"""How a reason ends of what was not asked for, as the rules of its host could not be had."""

RobotsResult = RobotsFile | NoRobots | RobotsUnreachable
"""What came of asking for a robots.txt."""


def interpret_robots(status: int, content: bytes, failure: str = "", temporary: bool = False) -> RobotsResult:
    """What an answer to the request for a robots.txt means, the last one where redirects were followed."""
    if failure:
        return RobotsUnreachable(failure, temporary, status > 0)
    if is_successful(status):
        return RobotsFile(parse_robots(content))
    # A redirect that is still one after five is taken as no file, as the RFC allows.
    if is_redirection(status) or (is_client_error(status) and status != TOO_MANY_REQUESTS):
        return NoRobots()
    return RobotsUnreachable(f"status {status}", True, True)


class RobotsStage(enum.Enum):
    """What is known of a host's rules."""

    UNKNOWN = "unknown"
    ASKED = "asked"
    KNOWN = "known"


@dataclass(slots=True)
class RobotsState:
    """A host's rules, as far as they are known."""

    stage: RobotsStage = RobotsStage.UNKNOWN
    rules: RobotsRules = field(default_factory=RobotsRules)
    is_usable: bool = False
    """Whether anything but the rules may be asked for, because they are known or need not be."""
    expires_at: int = 0
    """When they are to be asked for again, in microseconds."""
    failures: int = 0

    def is_due(self, now: Moment) -> bool:
        """Whether the rules are to be asked for."""
        if self.stage is RobotsStage.ASKED:
            return False
        return self.stage is RobotsStage.UNKNOWN or now.micros >= self.expires_at

    def set_rules(self, rules: RobotsRules, now: Moment) -> None:
        """Take these rules, and believe them for a day."""
        self.stage, self.rules, self.is_usable, self.failures = RobotsStage.KNOWN, rules, True, 0
        self.expires_at = now.plus(ROBOTS_TTL_SECONDS).micros

    def restore(self, rules: RobotsRules, expires_at: int) -> None:
        """Go by rules that somebody else read, until they are to be asked for again."""
        self.stage, self.rules, self.is_usable, self.failures = RobotsStage.KNOWN, rules, True, 0
        self.expires_at = expires_at

    def mark_asked(self) -> None:
        """The rules are asked for, and not there yet."""
        self.stage = RobotsStage.ASKED

    def record_failure(self, now: Moment) -> None:
        """Go on with the rules that were read before, if there are any, and try again some time."""
        self.failures += 1
        self.stage = RobotsStage.KNOWN if self.is_usable else RobotsStage.UNKNOWN
        self.expires_at = now.plus(ROBOTS_RETRY_SECONDS).micros

    @property
    def is_in_flight(self) -> bool:
        """Whether the rules are under way."""
        return self.stage is RobotsStage.ASKED

    @property
    def is_blocking(self) -> bool:
        """Whether nothing may be asked for before the rules come."""
        return self.is_in_flight and not self.is_usable

    def forbidding_rule(self, target: str) -> RobotsRule | None:
        """The rule that forbids a path and query."""
        rule = self.rules.deciding_rule(target)
        return None if rule is None or rule.allows else rule

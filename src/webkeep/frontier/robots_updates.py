"""What robots.txt files change: when they are asked for, what they say of rules and Crawl-delay, and what holds where
they cannot be had: the old rules, another try, or the host is given up.
"""

from __future__ import annotations

from webkeep.formats.site import RobotsRules
from webkeep.frontier.admission.policy_state import PolicyState
from webkeep.frontier.host_turns import HostTurns
from webkeep.frontier.hosts.backoff import backoff_seconds
from webkeep.frontier.hosts.host import Host
from webkeep.frontier.hosts.robots_state import (
    UNKNOWN_RULES_SUFFIX,
    NoRobots,
    RobotsFile,
    RobotsResult,
    RobotsUnreachable,
)
from webkeep.frontier.policy.crawl_policy import RobotsMode
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.fetch_outcome import Settled
from webkeep.frontier.urls.url_store import UrlStore
from webkeep.model import Moment, UrlOutcome


class RobotsUpdates:
    """Keeps what is known of hosts' rules up to date."""

    def __init__(self, state: PolicyState, urls: UrlStore, turns: HostTurns) -> None:
        self._state, self._urls, self._turns = state, urls, turns

    def queue_robots(self, host: Host, count: int, now: Moment) -> int:
        """Put a host's robots.txt before everything else, and say how many may be asked for with it."""
        policy = self._state.policy
        if policy.needs_robots(host.key) or policy.record_robots:
            self._urls.requeue(Candidate(0, host.robots_url, host.key, UrlRole.ROBOTS))
            return count if host.robots.is_usable else 1
        host.robots.set_rules(RobotsRules(), now)
        return count

    def apply(self, host: Host, news: RobotsResult, now: Moment) -> None:
        """Have a host's robots state say what came of asking for its robots.txt."""
        match news:
            case RobotsFile(robots):
                host.robots.set_rules(robots.rules_for(self._state.policy.agent), now)
            case NoRobots():
                host.robots.set_rules(RobotsRules(), now)
            case RobotsUnreachable():
                self._handle_missing(host, news, now)

    def obey_crawl_delay(self, host: Host) -> None:
        """Leave a host in peace as long as its rules ask for, if they are obeyed."""
        obeys = self._state.policy.robots_for(f"{host.origin}/", host.key) is RobotsMode.OBEY
        host.pace.set_crawl_delay(host.key, (host.robots.rules.delay or 0.0) if obeys else 0.0)

    def restore(self, host: Host, rules: RobotsRules, expires_at: int, now: Moment) -> None:
        """Have a host go by the rules that somebody else read, until they are to be asked for again."""
        host.robots.restore(rules, expires_at)
        self.obey_crawl_delay(host)
        host.note_delay(now)
        self._turns.hosts.mark_changed(host)

    def _handle_missing(self, host: Host, result: RobotsUnreachable, now: Moment) -> None:
        robots, streaks, policy = host.robots, host.failure_streaks, self._state.policy
        robots.record_failure(now)
        if robots.is_usable:
            return
        if not policy.needs_robots(host.key):
            robots.set_rules(RobotsRules(), now)
        elif result.temporary and robots.failures <= policy.retries and not streaks.is_unresolvable:
            host.rest(now.micros, streaks.rest_seconds if streaks.unresolved else backoff_seconds(robots.failures))
        elif result.answered:
            self._turns.give_up(host, Settled(UrlOutcome.REFUSED, f"robots.txt unreachable: {result.reason}"))
        else:
            self._turns.give_up(host, Settled(UrlOutcome.FAILED, f"{result.reason}{UNKNOWN_RULES_SUFFIX}"))

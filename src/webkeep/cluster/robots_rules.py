"""The rules of hosts as they go with a host from worker to worker, so that a robots.txt is asked for once a day."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from webkeep.cluster.host_texts import RULES_PREFIX, rules_from_text, rules_text

if TYPE_CHECKING:
    from webkeep.cluster.leased_url_store import LeasedUrlStore
    from webkeep.crawl.run import CaptureContext
    from webkeep.frontier.hosts import Host
    from webkeep.model import Moment


class RobotsRulesTexts:
    """What one session hands over of rules, and takes over."""

    def __init__(self, store: LeasedUrlStore, context: CaptureContext) -> None:
        self._store, self._frontier, self._targets = store, context.frontier, context.robots_targets
        self._kept: dict[str, int] = {}
        """Until when the rules of each host are believed that were handed over."""

    def hosts_of(self, group: str) -> list[Host]:
        """The hosts of a group, as far as they were met."""
        hosts = self._frontier.turns.hosts
        found = (hosts.get(key) for key in self._store.hosts_by_group.get(group, ()))
        return [host for host in found if host is not None]

    def are_under_way(self, group: str) -> bool:
        """Whether a robots.txt of a group was asked for and is not there yet."""
        return any(host.robots.is_in_flight for host in self.hosts_of(group))

    def keep(self, groups: Iterable[str]) -> None:
        """Keep the rules of the hosts of these groups for whoever has them next."""
        if self._targets is not None and self._targets.awaits_any:
            return
        for group in groups:
            for host in self.hosts_of(group):
                robots = host.robots
                is_known = host.origin and robots.is_usable and not robots.is_in_flight
                if is_known and self._kept.get(host.key) != robots.expires_at:
                    self._kept[host.key] = robots.expires_at
                    self._store.save_group_text(group, RULES_PREFIX + host.key, rules_text(host))

    def restore(self, host: Host, now: Moment) -> None:
        """Have a host go by what whoever had it before read, unless its own rules are known or under way."""
        if host.robots.is_usable or host.robots.is_in_flight:
            return
        text = self._store.load_text(RULES_PREFIX + host.key)
        if text:
            rules, expires_at = rules_from_text(text)
            if expires_at > now.micros:
                self._kept[host.key] = expires_at
                self._frontier.robots.restore(host, rules, expires_at, now)

"""What is known of hosts as texts in the database, by name, so that it goes with a host from worker to worker: as the
frontier keeps it, and the rules of its robots.txt beside.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from webkeep.crawl.requests import PUBLIC_PREFIX
from webkeep.formats.site import RobotsRule, RobotsRules
from webkeep.frontier.hosts import Host

HOST_PREFIX, GROUP_PREFIX = "host ", "name "
"""How the names begin under which the frontier keeps hosts, and the groups that they belong to."""
RULES_PREFIX = "rules "
"""How the names begin under which the rules of hosts are kept for whoever has them next."""

PRIVATE_GROUP = "#private"
"""What stands in place of a group where it is kept which hosts lie in private networks, for all workers."""
ROBOTS_TARGET_PREFIX = "target "
"""How the names begin under which it is kept where robots.txt files had moved to."""


def group_of_text(name: str, group_of: Callable[[str], str]) -> str:
    """The politeness group that a text is about; empty for one that is about none."""
    if name.startswith((HOST_PREFIX, PUBLIC_PREFIX)):
        return group_of(name.partition(" ")[2])
    return name.removeprefix(GROUP_PREFIX) if name.startswith(GROUP_PREFIX) else ""


def rules_text(host: Host) -> str:
    """The rules of a host, and until when they are believed."""
    rules = host.robots.rules
    listed = [[rule.allows, rule.pattern, rule.line] for rule in rules.rules]
    return json.dumps([host.robots.expires_at, rules.agent, rules.delay, listed])


def rules_from_text(text: str) -> tuple[RobotsRules, int]:
    """What `rules_text` was made of."""
    expires_at, agent, delay, listed = json.loads(text)
    parsed = tuple(RobotsRule.parse(allows, pattern, line) for allows, pattern, line in listed)
    return RobotsRules(agent, parsed, delay), expires_at

"""Hosts: pace and politeness, robots.txt, failures in a row, and whose turn is next."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.hosts.backoff import exponential_backoff as exponential_backoff
    from webkeep.frontier.hosts.host import Host as Host, host_key_of as host_key_of
    from webkeep.frontier.hosts.host_leases import HostLeases as HostLeases
    from webkeep.frontier.hosts.politeness import HostPace as HostPace
    from webkeep.frontier.hosts.robots_state import (
        ROBOTS_TTL_SECONDS as ROBOTS_TTL_SECONDS,
        UNKNOWN_RULES_SUFFIX as UNKNOWN_RULES_SUFFIX,
        NoRobots as NoRobots,
        RobotsFile as RobotsFile,
        RobotsResult as RobotsResult,
        RobotsState as RobotsState,
        RobotsUnreachable as RobotsUnreachable,
        interpret_robots as interpret_robots,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "backoff": ("exponential_backoff",),
            "host": ("Host", "host_key_of"),
            "host_leases": ("HostLeases",),
            "politeness": ("HostPace",),
            "robots_state": (
                "NoRobots",
                "ROBOTS_TTL_SECONDS",
                "RobotsFile",
                "RobotsResult",
                "RobotsState",
                "RobotsUnreachable",
                "UNKNOWN_RULES_SUFFIX",
                "interpret_robots",
            ),
        },
    )

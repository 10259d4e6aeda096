"""The policy: what a person allows a capture to do, and how gently: scope, depth, limits, delays, robots.txt, retries
and traps, with exceptions by host.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.frontier.policy.robots_agent import ROBOTS_AGENT
from webkeep.url.scope import ScopeDecision


class RobotsMode(enum.StrEnum):
    """What to make of robots.txt files."""

    OBEY = "obey"
    IGNORE = "ignore"


class ScopeJudge(Protocol):
    """Whatever says which URLs belong to a capture, as `webkeep.url.scope.Scope` does."""

    def judge(
        self, url: str, media_type: str | None = None, size: int | None = None, embedded: bool = False
    ) -> ScopeDecision:
        """Whether the URL is to be captured."""
        ...

    @property
    def needs_responses(self) -> bool:
        """Whether media types or sizes matter, so that answers are to be judged as well."""
        ...


class HeldPages(Protocol):
    """Whatever knows which pages others hold already."""

    def find_holder(self, url: str) -> str:
        """Who holds a page; empty where nobody does."""
        ...


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """What holds for one host in place of the general policy; None leaves that as it is."""

    delay: float | None = None
    robots: RobotsMode | None = None
    connections: int | None = None
    max_urls: int | None = None


_NO_EXCEPTION = HostPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPolicy:
    """Everything the frontier goes by; what a person can say has its default in the plan alone."""

    scope: ScopeJudge
    places: tuple[str, ...] = ()
    """Beginnings of `ftp:` and `file:` URLs that belong to the capture besides."""
    depth: int | None
    """How many steps from a seed a reader may be followed."""
    external_depth: int
    """How many steps out of the scope."""
    requisite_depth: int = 3
    """How many levels of embedding out of the scope."""
    max_urls: int | None
    max_bytes: int | None
    max_urls_per_host: int | None
    delay: float | None
    """Seconds between the end of a response and the next request to its host; None where no one said."""
    default_delay: float
    """The delay where no one said, for hosts other than this machine."""
    max_delay: float
    """The longest delay that a host gets for its Crawl-delay or its slowness."""
    max_wait: float = 3600.0
    """The longest that a host which asked for it is waited for."""
    connections_per_host: int
    robots: RobotsMode
    sitemaps: bool
    """Whether the sitemaps that a host names are asked for."""
    robots_prefixes: tuple[tuple[str, RobotsMode], ...]
    """Beginnings of URLs for which another mode holds; the longest decides."""
    record_robots: bool = True
    """Whether robots.txt is asked for even where it is ignored."""
    requisites_exempt: bool
    """Whether what a page embeds is asked for though robots.txt forbids it."""
    agent: str = ROBOTS_AGENT
    """The product token that robots.txt files may speak of."""
    retries: int
    """How often a candidate is asked for again after failures that may pass."""
    host_failures: int = 10
    """After so many failures in a row to connect, or refusals to serve, a host is given up."""
    redirects: int = 20
    """How many redirects in a row are followed."""
    follows_seeds: bool = False
    """Whether redirects of seeds are followed wherever they lead: the page is meant, and not its address."""
    trap_budget: int | None
    """How many URLs of a suspicious pattern are asked for; None to suspect nothing."""
    guess_budget: int = 20
    """How many wrong guesses a directory may have before guessing there ends."""
    hosts: Mapping[str, HostPolicy] = field(default_factory=dict)
    """Exceptions, by `example.org` or `example.org:8080`."""

    taken_down: Mapping[str, str] = field(default_factory=dict)
    """URLs that were taken down, and are not asked for again: each with when and why that was."""
    held_elsewhere: HeldPages | None = None
    """Pages that links lead to are not asked for where they are among these."""

    @property
    def counts_ways(self) -> bool:
        """Whether it decides about anything how few links lead to a URL."""
        return self.depth is not None or self.external_depth > 0

    def host_exception(self, host: str) -> HostPolicy:
        """What holds for one host in particular."""
        if not self.hosts:
            return _NO_EXCEPTION
        return self.hosts.get(host) or self.hosts.get(_name_of(host)) or _NO_EXCEPTION

    def pace_key(self, host: str) -> str:
        """By what a host shares its pace: its name, or itself alone where a person set the delay of that very port."""
        return host if self.hosts.get(host, _NO_EXCEPTION).delay is not None else _name_of(host)

    def delay_for(self, host: str) -> float | None:
        """The delay that a person set for a host; None where no one said."""
        for named in (host, _name_of(host)):
            own = self.hosts.get(named, _NO_EXCEPTION).delay
            if own is not None:
                return own
        return self.delay

    def connections_for(self, host: str) -> int:
        """How many requests a host that needs no delay may have in flight."""
        return max(1, self.host_exception(host).connections or self.connections_per_host)

    def quota_for(self, host: str) -> int | None:
        """How many URLs of a host may be asked for."""
        own = self.host_exception(host).max_urls
        return self.max_urls_per_host if own is None else own

    def robots_for(self, url: str, host: str) -> RobotsMode:
        """What to make of robots.txt for a URL."""
        fitting = [(len(prefix), mode) for prefix, mode in self.robots_prefixes if url.startswith(prefix)]
        if fitting:
            return max(fitting)[1]
        return self.host_exception(host).robots or self.robots

    def needs_robots(self, host: str) -> bool:
        """Whether a host's robots.txt must be known before anything else is asked of it."""
        mode = self.host_exception(host).robots or self.robots
        return mode is RobotsMode.OBEY or any(mode is RobotsMode.OBEY for _, mode in self.robots_prefixes)


def _name_of(host: str) -> str:
    """The name of a host without its port; with a dot at its end it is the same."""
    return host.rpartition(":")[0].rstrip(".")

"""Robots and politeness for a recording, where `--robots` or `--delay` ask for them: when a request waits or is refused
and in which words, and how many hosts are remembered.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from webkeep.crawl.plan.capture_plan import MAX_DELAY_SECONDS
from webkeep.crawl.requests.outcome_builder import redirect_target
from webkeep.crawl.requests.robots_response import MAX_ROBOTS_REDIRECTS, MAX_ROBOTS_RESPONSE_BYTES, robots_from_result
from webkeep.errors import StorageError
from webkeep.fetch import FetchLimits, FetchRequest, FetchResult, authority_of, host_of
from webkeep.fetch.client import Fetcher
from webkeep.formats.http import parse_response
from webkeep.formats.site import RobotsRules
from webkeep.frontier.hosts import (
    HostPace,
    NoRobots,
    RobotsFile,
    RobotsResult,
    RobotsState,
    RobotsUnreachable,
)
from webkeep.frontier.policy import ROBOTS_AGENT
from webkeep.model import Clock

_ROBOTS_PATH = "/robots.txt"
_ROBOTS_LIMITS = FetchLimits(seconds=60, size=MAX_ROBOTS_RESPONSE_BYTES)
"""What asking for a robots.txt may take."""
_MAX_HOSTS = 1000
"""Hosts remembered; those asked longest ago are forgotten."""


KeepResult = Callable[[FetchResult], None]


@dataclass(slots=True)
class _HostState:
    """What is known of one host, and when it may be asked next."""

    pace: HostPace
    robots: RobotsState = field(default_factory=RobotsState)
    robots_task: asyncio.Task[None] | None = None
    free_at: float = 0.0


class RecordingPoliteness:
    """Has requests wait for their turn, and says which of them robots.txt forbids."""

    def __init__(self, delay: float, fetcher: Fetcher | None, clock: Clock) -> None:
        """Without a fetcher, robots.txt is not asked for."""
        self._delay, self._fetcher, self._clock = delay, fetcher, clock
        self._hosts: OrderedDict[str, _HostState] = OrderedDict()
        self._loop = asyncio.get_running_loop()

    async def await_turn(self, url: str, private: bool, keep: KeepResult) -> str:
        """Wait until a request may be made; gives why it may not be made at all.

        What comes of asking for a robots.txt is given to `keep`.
        """
        origin, target = _split_origin(url)
        host = self._host_at(origin)
        if self._fetcher is not None and target != _ROBOTS_PATH:
            if host.robots_task is None and host.robots.is_due(self._clock.now()):
                host.robots_task = self._loop.create_task(self._update_robots(origin, host, private, keep))
            if host.robots_task is not None and not host.robots.is_usable:
                await asyncio.shield(host.robots_task)
            if not host.robots.is_usable:
                return f"whether {origin}{_ROBOTS_PATH} allows it could not be found out"
            if (rule := host.robots.forbidding_rule(target)) is not None:
                return f"{origin}{_ROBOTS_PATH} forbids it: {rule}"
        await self._await_pace(host)
        return ""

    def record_end(self, url: str) -> None:
        """A response has ended, and its host is left in peace for a while."""
        host = self._host_at(_split_origin(url)[0])
        host.free_at = max(host.free_at, self._loop.time() + host.pace.delay)

    async def _await_pace(self, host: _HostState) -> None:
        now = self._loop.time()
        begin = max(now, host.free_at)
        host.free_at = begin + host.pace.delay
        if begin > now:
            await asyncio.sleep(begin - now)

    def _host_at(self, origin: str) -> _HostState:
        known = self._hosts.get(origin)
        if known is None:
            known = self._hosts[origin] = _HostState(HostPace(self._delay, 0.0, MAX_DELAY_SECONDS))
            if len(self._hosts) > _MAX_HOSTS:
                self._hosts.popitem(last=False)
        self._hosts.move_to_end(origin)
        return known

    async def _update_robots(self, origin: str, host: _HostState, private: bool, keep: KeepResult) -> None:
        try:
            result = await self._fetch_robots(f"{origin}{_ROBOTS_PATH}", private, keep)
        except StorageError as error:
            result = RobotsUnreachable(str(error))
        now = self._clock.now()
        if isinstance(result, RobotsFile):
            rules = result.robots.rules_for(ROBOTS_AGENT)
            host.robots.set_rules(rules, now)
            host.pace.set_crawl_delay(host_of(authority_of(origin)), rules.delay or 0.0)
        elif isinstance(result, NoRobots):
            host.robots.set_rules(RobotsRules(), now)
        else:
            host.robots.record_failure(now)
        host.robots_task = None

    async def _fetch_robots(self, url: str, private: bool, keep: KeepResult) -> RobotsResult:
        fetcher = self._fetcher
        if fetcher is None:
            return NoRobots()
        for _ in range(MAX_ROBOTS_REDIRECTS):
            fetched = await fetcher.fetch(FetchRequest(url, private=private, limits=_ROBOTS_LIMITS))
            keep(fetched)
            onward = redirect_target(url, parse_response(fetched.exchange.response)) if fetched.exchange else ""
            if not onward.startswith(("http:", "https:")):
                break
            url = onward
        return robots_from_result(fetched)


def _split_origin(url: str) -> tuple[str, str]:
    """The origin of a URL, and what robots.txt speaks of."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    return f"{scheme}://{authority}", f"/{path}"

"""Robots and politeness for a recording, where a person wants them: programs may browse faster than people."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from webkeep.crawl.answering import answer_of, redirect_of
from webkeep.errors import StorageError
from webkeep.fetch import Door, Fetched, Limits, Request
from webkeep.fetch.addresses import authority_of, host_of
from webkeep.formats.codings import decoded
from webkeep.formats.http1 import parse_response
from webkeep.formats.robots import RobotsRules
from webkeep.frontier.politeness import Pace
from webkeep.frontier.robots import Gate, NoRobots, RobotsFile, RobotsNews, RobotsUnreachable, robots_news
from webkeep.model import Clock

_AGENT = "webkeep"
_ROBOTS = "/robots.txt"
_LIMITS = Limits(seconds=60, size=1 << 20)
_REDIRECTS = 5
_LONGEST_DELAY = 120.0
_HELD = 1000


@dataclass(slots=True)
class _Host:
    """What is known of one host, and when it may be asked next."""

    pace: Pace
    gate: Gate = field(default_factory=Gate)
    asking: asyncio.Task[None] | None = None
    free_at: float = 0.0


class Manners:
    """Has requests wait for their turn, and says which of them robots.txt forbids."""

    def __init__(self, delay: float, door: Door | None, clock: Clock, keep: Callable[[Fetched], None]) -> None:
        """Without a door, robots.txt is not asked for; what comes through it is given to `keep`."""
        self._delay, self._door, self._clock, self._keep = delay, door, clock, keep
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._loop = asyncio.get_running_loop()

    async def refusal(self, url: str, private: bool) -> str:
        """Wait until a request may be made; gives why it may not be made at all."""
        origin, target = _split(url)
        host = self._host(origin)
        if self._door is not None and target != _ROBOTS:
            if host.asking is None and host.gate.is_wanting(self._clock.now()):
                host.asking = self._loop.create_task(self._ask(origin, host, private))
            if host.asking is not None and not host.gate.read:
                await asyncio.shield(host.asking)
            if not host.gate.read:
                return f"whether {origin}{_ROBOTS} allows it could not be found out"
            if (rule := host.gate.refusal(target)) is not None:
                return f"{origin}{_ROBOTS} forbids it: {rule}"
        await self._turn(host)
        return ""

    def ended(self, url: str) -> None:
        """A response has ended, and its host is left in peace for a while."""
        host = self._host(_split(url)[0])
        host.free_at = max(host.free_at, self._loop.time() + host.pace.delay)

    async def _turn(self, host: _Host) -> None:
        now = self._loop.time()
        begin = max(now, host.free_at)
        host.free_at = begin + host.pace.delay
        if begin > now:
            await asyncio.sleep(begin - now)

    def _host(self, origin: str) -> _Host:
        known = self._hosts.get(origin)
        if known is None:
            known = self._hosts[origin] = _Host(Pace(self._delay, 0.0, _LONGEST_DELAY))
            if len(self._hosts) > _HELD:
                self._hosts.popitem(last=False)
        self._hosts.move_to_end(origin)
        return known

    async def _ask(self, origin: str, host: _Host, private: bool) -> None:
        try:
            news = await self._news(f"{origin}{_ROBOTS}", private)
        except StorageError as error:
            news = RobotsUnreachable(str(error))
        now = self._clock.now()
        if isinstance(news, RobotsFile):
            rules = news.robots.rules_for(_AGENT)
            host.gate.know(rules, now)
            host.pace.obey(host_of(authority_of(origin)), min(rules.delay or 0.0, _LONGEST_DELAY))
        elif isinstance(news, NoRobots):
            host.gate.know(RobotsRules(), now)
        else:
            host.gate.miss(now)
        host.asking = None

    async def _news(self, url: str, private: bool) -> RobotsNews:
        door = self._door
        if door is None:
            return NoRobots()
        for _ in range(_REDIRECTS):
            fetched = await door.fetch(Request(url, private=private, limits=_LIMITS))
            self._keep(fetched)
            onward = redirect_of(url, parse_response(fetched.exchange.response)) if fetched.exchange else ""
            if not onward.startswith(("http:", "https:")):
                break
            url = onward
        answer = answer_of(fetched)
        return robots_news(answer.status, _content(fetched), answer.failure, answer.temporary)


def _split(url: str) -> tuple[str, str]:
    """The origin of a URL, and what robots.txt speaks of."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    return f"{scheme}://{authority}", f"/{path}"


def _content(fetched: Fetched) -> bytes:
    if fetched.exchange is None:
        return b""
    headers = parse_response(fetched.exchange.response).headers
    return b"".join(decoded(headers, fetched.exchange.body.chunks(), _LIMITS.size))

"""A client of a repository: sends requests when the ledger lets it, and takes no for an answer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from webkeep.fetch import Door, Failure, Fetched, Limits, Request
from webkeep.fetch.addresses import authority_of, host_of, names_private
from webkeep.formats.http1 import ResponseHead, parse_response
from webkeep.formats.http_date import read_date
from webkeep.memento.web_link import harmless_target
from webkeep.model import Clock, Exchange, Moment
from webkeep.recover.ledger import Booked, Ledger, Wait
from webkeep.recover.limits import Manners
from webkeep.recover.repositories.uri_m import led_to
from webkeep.recover.repository import Miss, Reason

TURNED_AWAY = frozenset({429, 503})
_CODING = "Accept-Encoding"
_ENCODINGS = "gzip, deflate, br, zstd"
"""All that can be undone, so that what was recorded compressed is sent as it is."""
_JITTER = 0.2
_SLACK = 30
"""Seconds for what no limit of a request counts, as the look-up of a name."""
_MOST_REDIRECTS = 5
_MOST_FAILURES = 5
"""So many URLs on end that fail, each tried again, are no chance."""
_PRIVATE_ADVICE = "is at a private address; name it yourself to allow that"
_TROUBLES = {
    Failure.NAME: "has no address",
    Failure.CONNECT: "cannot be reached",
    Failure.CERTIFICATE: "shows an invalid certificate",
    Failure.TLS: "cannot be talked to over TLS",
    Failure.TIMEOUT: "took too long",
    Failure.STALLED: "stopped in the middle of its answer",
    Failure.DISCONNECTED: "broke off in the middle of its answer",
    Failure.TOO_LARGE: "sent more than is taken",
    Failure.FORBIDDEN_ADDRESS: _PRIVATE_ADVICE,
    Failure.PROXY: "is not reached by way of the proxy",
}
_TRANSIENT = frozenset({Failure.TIMEOUT, Failure.STALLED, Failure.DISCONNECTED, Failure.TLS})
_CLOSED = frozenset({Failure.CONNECT})
_UNREACHABLE = frozenset({Failure.NAME, Failure.CONNECT, Failure.CERTIFICATE, Failure.PROXY, Failure.FORBIDDEN_ADDRESS})
_FIRST_CONNECT_SECONDS = 10
"""For how long somebody is waited for who has not answered yet."""


LARGEST_VERSION = 256 << 20
"""How many bytes are taken of one version, where no one said."""
LARGEST_TIMEMAP = 64 << 20
LARGEST_LISTING = 1 << 30
"""How many bytes are taken of one answer that lists versions: of a URL, or of a site."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a repository is waited for before its URLs are put off."""

    turn_seconds: float = 20
    """The longest wait for a turn, all limits considered."""
    pause_seconds: float = 1
    """Before the second try of what failed in passing; four times as long before the third."""
    tries: int = 3
    limits: Limits = field(default_factory=lambda: Limits(seconds=300, size=LARGEST_VERSION))
    """How much one answer may take."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the repository's server."""

    url: str
    exchange: Exchange
    head: ResponseHead
    requests: int
    received: Moment
    cut: str = ""
    """Why the body is not whole; "" where it is."""
    truncation: str = ""
    """The same, as WARC-Truncated says it."""
    is_too_large: bool = False
    """Whether it was cut off because it was longer than is taken; asking again would not help."""

    @property
    def status(self) -> int:
        """The status; 0 where there is none."""
        return self.head.status or 0

    @property
    def is_memento(self) -> bool:
        """Whether this is an archived answer, whatever its status, and not one of the archive itself."""
        return "memento-datetime" in self.head.headers


class _TurnTooLateError(Exception):
    """The ledger allows no request soon."""

    def __init__(self, wait: Wait) -> None:
        super().__init__(wait.seconds)
        self.wait = wait


class Client:
    """Sends the requests of one repository; only hosts that a person named may lie at private addresses.

    `lane` has as many places as the door has connections: what is booked is sent at once, and waits for none of them.
    """

    def __init__(
        self,
        name: str,
        door: Door,
        ledger: Ledger,
        clock: Clock,
        private: Collection[str],
        patience: Patience,
        lane: asyncio.Semaphore,
    ) -> None:
        self._name = name
        self._door = door
        self._ledger = ledger
        self.clock = clock
        self._private = frozenset(private)
        # What lies at a private address itself may lead to others; it would be no use otherwise.
        self._all_private = any(map(names_private, self._private))
        self._failures = 0
        self._has_answered = False
        self._struck: set[str] = set()
        """Pools that turned us away and have not answered since."""
        self._patience = patience
        self._lane = lane

    async def read(self, url: str, manners: Manners, largest: int = LARGEST_LISTING) -> Reply | Miss:
        """The list that a server has at an address, wherever that moved to, and so many bytes of it at most."""
        requests, seen = 0, set[str]()
        while len(seen) < _MOST_REDIRECTS and url not in seen:
            seen.add(url)
            reply = await self.get(url, manners, largest=largest)
            requests += reply.requests
            if isinstance(reply, Miss):
                return replace(reply, requests=requests)
            location = reply.head.headers.get("location")
            if not (300 <= reply.status < 400 and location):
                return replace(reply, requests=requests)
            url = led_to(url, location)
        detail = f"{self._name} redirects in a circle, or too often, at {_short(url)}"
        return Miss(Reason.TROUBLE, detail, requests=requests)

    async def get(
        self,
        url: str,
        manners: Manners,
        headers: tuple[tuple[str, str], ...] = (),
        method: str = "GET",
        largest: int | None = None,
    ) -> Reply | Miss:
        """What a server says to a request; a miss where it says nothing, or that we ask too much."""
        url = harmless_target(url)
        if not url.startswith(("http://", "https://")):
            return Miss(Reason.TROUBLE, f"{self._name} leads to {_short(url)}, which is no web address")
        requests = 0
        limits = self._patience.limits if largest is None else replace(self._patience.limits, size=largest)
        for attempt in range(self._patience.tries):
            outcome = await self._tried(url, manners, headers, method, limits)
            requests += outcome.requests
            last = attempt + 1 == self._patience.tries
            if isinstance(outcome, Reply):
                return outcome if requests == outcome.requests else replace(outcome, requests=requests)
            if outcome.reason is Reason.UNREACHABLE and not attempt and outcome.again is not None:
                await asyncio.sleep(self._patience.pause_seconds * _jittered())
                continue
            again = outcome.again
            soon = again is not None and again.seconds_since(self.clock.now()) <= self._patience.turn_seconds
            if last or outcome.is_final or not soon:
                return self._given_up(replace(outcome, requests=requests), manners)
            if outcome.reason is Reason.TROUBLE:
                await asyncio.sleep(self._patience.pause_seconds * 4**attempt * _jittered())
        raise AssertionError("the last try returns")

    def _given_up(self, miss: Miss, manners: Manners) -> Miss:
        """A miss after the last try; a repository that fails again and again is left alone for a while."""
        if miss.reason is Reason.UNREACHABLE:
            return replace(miss, again=None)
        if miss.reason is not Reason.TROUBLE or miss.again is None:
            return miss
        self._failures += 1
        if self._failures < _MOST_FAILURES:
            seconds = max(manners.rest_seconds, miss.again.seconds_since(self.clock.now()))
        else:
            seconds = self._rest(manners, None)
        return replace(miss, again=self.clock.now().plus(seconds))

    async def _tried(
        self, url: str, manners: Manners, headers: tuple[tuple[str, str], ...], method: str, limits: Limits
    ) -> Reply | Miss:
        bookings: list[Booked] = []

        async def turn() -> None:
            bookings.append(await self._turn(manners))

        request = Request(
            url,
            method,
            headers=headers if any(name == _CODING for name, _ in headers) else ((_CODING, _ENCODINGS), *headers),
            private=self._all_private or host_of(authority_of(url)) in self._private,
            limits=self._first_limits(limits),
            before_more=turn,
        )
        try:
            bookings.append(await self._entered(manners))
        except _TurnTooLateError as late:
            return self._limited(late.wait, 0)
        try:
            fetched = await self._door.fetch(request)
        except _TurnTooLateError as late:
            return self._limited(late.wait, len(bookings))
        finally:
            self._lane.release()
            for booked in bookings:
                self._ledger.finish(booked)
        if manners.is_limited and fetched.requests > len(bookings):
            # A connection that had died was opened anew without asking.
            self._ledger.assume(manners, fetched.requests - len(bookings))
        return self._judged(fetched, manners)

    def _first_limits(self, limits: Limits) -> Limits:
        """Limits on a request, with less patience for somebody who has not answered yet."""
        if self._has_answered:
            return limits
        return replace(limits, connect_seconds=min(limits.connect_seconds, _FIRST_CONNECT_SECONDS))

    async def _entered(self, manners: Manners) -> Booked:
        """Wait for the ledger, unless that would take too long, and for a connection; the lane is to be left after."""
        waited = 0.0
        while True:
            await self._lane.acquire()
            try:
                answer = self._ledger.book(manners, self._longest)
            except BaseException:
                self._lane.release()
                raise
            if isinstance(answer, Booked):
                return answer
            self._lane.release()
            waited += await self._waited(answer, waited)

    async def _turn(self, manners: Manners) -> Booked:
        """Wait for the ledger, unless that would take too long."""
        waited = 0.0
        while isinstance(answer := self._ledger.book(manners, self._longest), Wait):
            waited += await self._waited(answer, waited)
        return answer

    @property
    def largest(self) -> int:
        """How many bytes are taken of one version."""
        return self._patience.limits.size

    @property
    def _longest(self) -> float:
        """How many seconds a request may take from its booking on."""
        return self._patience.limits.connect_seconds + self._patience.limits.seconds + _SLACK

    async def _waited(self, wait: Wait, before: float) -> float:
        if before + wait.seconds > self._patience.turn_seconds:
            raise _TurnTooLateError(wait)
        seconds = wait.seconds * _jittered() + 0.001
        await asyncio.sleep(seconds)
        return seconds

    def _limited(self, wait: Wait, requests: int) -> Miss:
        why = "asked to be left alone" if wait.turned_away else "has a limit that is used up"
        again = self.clock.now().plus(wait.seconds)
        return Miss(Reason.LIMIT, f"{self._name} {why} until {_shown(again)}", again, requests)

    def _judged(self, fetched: Fetched, manners: Manners) -> Reply | Miss:
        exchange = fetched.exchange
        head = parse_response(exchange.response) if exchange is not None else ResponseHead()
        requests = max(fetched.requests, 1)
        if exchange is None or not head.status:
            return self._failed(fetched, manners, requests)
        self._has_answered = True
        failure = fetched.failure
        truncation = failure.truncation if failure is not None else ""
        is_too_large = failure is Failure.TOO_LARGE
        reply = Reply(
            fetched.request.url, exchange, head, requests, fetched.ended, _cut(fetched), truncation, is_too_large
        )
        if reply.is_memento:
            self._answered(manners)
            return reply
        if reply.status in TURNED_AWAY or (reply.status == 403 and "retry-after" in head.headers):
            return self._turned_away(reply, manners)
        if reply.status >= 500:
            detail = f"{self._name} answers with its own error {reply.status} at {_short(reply.url)}"
            return Miss(Reason.TROUBLE, detail, self.clock.now(), requests)
        self._answered(manners)
        return reply

    def _answered(self, manners: Manners) -> None:
        self._failures = 0
        if manners.pool in self._struck:
            self._struck.discard(manners.pool)
            self._ledger.welcomed(manners)

    def _failed(self, fetched: Fetched, manners: Manners, requests: int) -> Miss:
        failure = fetched.failure or Failure.PROTOCOL
        authority = authority_of(fetched.request.url)
        what = _TROUBLES.get(failure, "answers nothing that can be read")
        named = authority if self._name == authority else f"{self._name}: {authority}"
        detail = f"{named} {what}" + (f" ({fetched.detail})" if fetched.detail else "")
        is_silent = failure in _UNREACHABLE or (failure is Failure.TIMEOUT and not fetched.requests)
        if is_silent and not self._has_answered:
            # A connection that was refused may be taken a moment later; a name, or silence, would be no other.
            again = self.clock.now() if failure in _CLOSED else None
            return Miss(Reason.UNREACHABLE, detail, again, requests)
        if failure in _CLOSED:
            # Archives close their doors to those who asked too much; knocking on makes it worse.
            seconds = self._rest(manners, None)
            return Miss(Reason.TROUBLE, detail, self.clock.now().plus(seconds), requests)
        again = self.clock.now() if failure in _TRANSIENT else None
        return Miss(Reason.TROUBLE, detail, again, requests)

    def _rest(self, manners: Manners, seconds: float | None) -> float:
        self._struck.add(manners.pool)
        return self._ledger.turned_away(manners, seconds)

    def _turned_away(self, reply: Reply, manners: Manners) -> Miss:
        asked = retry_after(reply.head, reply.received)
        seconds = self._rest(manners, asked)
        again = self.clock.now().plus(seconds)
        detail = f"{self._name} answers {reply.status} and is left alone until {_shown(again)}"
        return Miss(Reason.LIMIT, detail, again, reply.requests)


def retry_after(head: ResponseHead, received: Moment) -> float | None:
    """The seconds that `Retry-After` asks for; a date is taken against the server's own clock."""
    text = head.headers.get("retry-after").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    date = read_date(text) if text else None
    if date is None:
        return None
    return max(date.seconds_since(read_date(head.headers.get("date")) or received), 0.0)


def _cut(fetched: Fetched) -> str:
    if fetched.failure is None:
        return ""
    return fetched.detail or _TROUBLES.get(fetched.failure, str(fetched.failure))


def _jittered() -> float:
    """A factor that keeps those who wait for the same thing from coming at the same time."""
    return 1 + random.random() * _JITTER


def _shown(moment: Moment) -> str:
    return moment.plus(0.5).datetime.strftime("%Y-%m-%d %H:%M:%S UTC")


def _short(url: str) -> str:
    return url if len(url) <= 160 else url[:159] + "…"

"""A client of a repository: sends requests when the ledger lets it, and takes no for an answer; how often it tries
again, how long it waits, how much it takes, and when a repository is left alone.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from webkeep.fetch import FetchFailure, FetchLimits, FetchRequest, FetchResult, authority_of, host_of, is_private_name
from webkeep.fetch.client import Fetcher
from webkeep.formats.http import ResponseHead, parse_response, parse_retry_after
from webkeep.formats.status import FORBIDDEN, THROTTLING_STATUSES, is_redirection, is_server_error
from webkeep.frontier.hosts import exponential_backoff
from webkeep.memento import escape_target
from webkeep.model import Clock, Exchange, Moment
from webkeep.presentation import format_moment
from webkeep.recover.politeness.rate_limits import RepositoryPoliteness
from webkeep.recover.politeness.request_ledger import LedgerWait, RequestBooking, RequestLedger
from webkeep.recover.repositories.repository import MissReason, RepositoryMiss
from webkeep.recover.repositories.uri_m import resolve_reference

_ACCEPT_ENCODING = "Accept-Encoding"
_ENCODINGS = "gzip, deflate, br, zstd"
"""All that can be undone, so that what was recorded compressed is sent as it is."""
_JITTER_SHARE = 0.2
"""Of a wait, added by chance, so that processes of one person do not ask in step."""
_SLACK_SECONDS = 30
"""Seconds for what no limit of a request counts, as the look-up of a name."""
MAX_REDIRECTS = 5
"""So many redirects of a repository are followed, to a list or to a version."""
_MAX_CONSECUTIVE_FAILURES = 5
"""So many URLs on end that fail, each tried again, are no chance."""
_PRIVATE_ADVICE = "is at a private address; name it yourself to allow that"
_FAILURE_WORDS = {
    FetchFailure.NAME: "has no address",
    FetchFailure.CONNECT: "cannot be reached",
    FetchFailure.CERTIFICATE: "shows an invalid certificate",
    FetchFailure.TLS: "cannot be talked to over TLS",
    FetchFailure.TIMEOUT: "took too long",
    FetchFailure.STALLED: "stopped in the middle of its response",
    FetchFailure.DISCONNECTED: "broke off in the middle of its response",
    FetchFailure.TOO_LARGE: "sent more than is taken",
    FetchFailure.FORBIDDEN_ADDRESS: _PRIVATE_ADVICE,
    FetchFailure.PROXY: "is not reached by way of the proxy",
}
_FIRST_CONNECT_SECONDS = 10
"""For how long somebody is waited for who has not answered yet."""


MAX_VERSION_BYTES = 256 << 20
"""How many bytes are taken of one version, where no one said."""
MAX_TIMEMAP_BYTES = 64 << 20
"""A TimeMap of half a million mementos."""
MAX_LISTING_BYTES = 1 << 30
"""How many bytes are taken of one answer that lists versions: of a URL, or of a site."""


@dataclass(frozen=True, slots=True)
class RepositoryTimeouts:
    """How long a repository is waited for before its URLs are put off."""

    booking_seconds: float = 20
    """The longest wait for a turn, all limits considered."""
    pause_seconds: float = 1
    """Before the second try of what failed in passing; four times as long before the third."""
    tries: int = 3
    fetch_limits: FetchLimits = field(default_factory=lambda: FetchLimits(seconds=300, size=MAX_VERSION_BYTES))
    """How much one answer may take."""
    timemap_bytes: int = MAX_TIMEMAP_BYTES
    """How many bytes are taken of one TimeMap."""


@dataclass(frozen=True, slots=True)
class RepositoryResponse:
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

    def __init__(self, wait: LedgerWait) -> None:
        super().__init__(wait.seconds)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class SharedTransport:
    """What the transports of all repositories share."""

    fetcher: Fetcher
    ledger: RequestLedger
    clock: Clock
    timeouts: RepositoryTimeouts
    connection_slots: asyncio.Semaphore
    """As many as the fetcher has connections: what is booked is sent at once, and waits for none of them."""


class RepositoryTransport:
    """Sends the requests of one repository; only hosts that a person named may lie at private addresses."""

    def __init__(self, name: str, shared: SharedTransport, private: Collection[str]) -> None:
        self._name = name
        self._fetcher, self._ledger, self.clock = shared.fetcher, shared.ledger, shared.clock
        self._timeouts, self._connection_slots = shared.timeouts, shared.connection_slots
        self._private = frozenset(private)
        # What lies at a private address itself may lead to others; it would be no use otherwise.
        self._all_private = any(map(is_private_name, self._private))
        self._failures = 0
        self._has_answered = False
        self._refused_pools: set[str] = set()
        """Pools that turned us away and have not answered since."""

    async def read_list(
        self, url: str, politeness: RepositoryPoliteness, largest: int = MAX_LISTING_BYTES
    ) -> RepositoryResponse | RepositoryMiss:
        """The list that a server has at an address, wherever that moved to, and so many bytes of it at most."""
        requests, seen = 0, set[str]()
        while len(seen) < MAX_REDIRECTS and url not in seen:
            seen.add(url)
            response = await self.get(url, politeness, largest=largest)
            requests += response.requests
            if isinstance(response, RepositoryMiss):
                return replace(response, requests=requests)
            location = response.head.headers.get("location")
            if not (is_redirection(response.status) and location):
                return replace(response, requests=requests)
            url = resolve_reference(url, location)
        detail = f"{self._name} redirects in a circle, or too often, at {_shorten_url(url)}"
        return RepositoryMiss(MissReason.TROUBLE, detail, requests=requests)

    async def get(
        self,
        url: str,
        politeness: RepositoryPoliteness,
        headers: tuple[tuple[str, str], ...] = (),
        method: str = "GET",
        largest: int | None = None,
    ) -> RepositoryResponse | RepositoryMiss:
        """What a server says to a request; a miss where it says nothing, or that we ask too much."""
        url = escape_target(url)
        if not url.startswith(("http://", "https://")):
            return RepositoryMiss(
                MissReason.TROUBLE, f"{self._name} leads to {_shorten_url(url)}, which is no web address"
            )
        requests = 0
        limits = self._timeouts.fetch_limits if largest is None else replace(self._timeouts.fetch_limits, size=largest)
        for attempt in range(self._timeouts.tries):
            outcome = await self._try_request(url, politeness, headers, method, limits)
            requests += outcome.requests
            last = attempt + 1 == self._timeouts.tries
            if isinstance(outcome, RepositoryResponse):
                return outcome if requests == outcome.requests else replace(outcome, requests=requests)
            may_be_short = outcome.reason is MissReason.UNREACHABLE and not attempt and not last
            if may_be_short and outcome.retry_at is not None:
                await asyncio.sleep(self._timeouts.pause_seconds * _jitter_factor())
                continue
            again = outcome.retry_at
            soon = again is not None and again.seconds_since(self.clock.now()) <= self._timeouts.booking_seconds
            if last or outcome.is_final or not soon:
                return self._give_up(replace(outcome, requests=requests), politeness)
            if outcome.reason is MissReason.TROUBLE:
                await asyncio.sleep(exponential_backoff(self._timeouts.pause_seconds, attempt, 4) * _jitter_factor())
        raise AssertionError("the last try returns")

    def _give_up(self, miss: RepositoryMiss, politeness: RepositoryPoliteness) -> RepositoryMiss:
        """A miss after the last try; a repository that fails again and again is left alone for a while."""
        if miss.reason is MissReason.UNREACHABLE:
            return replace(miss, retry_at=None)
        if miss.reason is not MissReason.TROUBLE or miss.retry_at is None:
            return miss
        self._failures += 1
        if self._failures < _MAX_CONSECUTIVE_FAILURES:
            seconds = max(politeness.rest_seconds, miss.retry_at.seconds_since(self.clock.now()))
        else:
            seconds = self._start_rest(politeness, None)
        return replace(miss, retry_at=self.clock.now().plus(seconds))

    async def _try_request(
        self,
        url: str,
        politeness: RepositoryPoliteness,
        headers: tuple[tuple[str, str], ...],
        method: str,
        limits: FetchLimits,
    ) -> RepositoryResponse | RepositoryMiss:
        bookings: list[RequestBooking] = []

        async def turn() -> None:
            bookings.append(await self._await_booking(politeness))

        request = FetchRequest(
            url,
            method,
            headers=headers
            if any(name == _ACCEPT_ENCODING for name, _ in headers)
            else ((_ACCEPT_ENCODING, _ENCODINGS), *headers),
            private=self._all_private or host_of(authority_of(url)) in self._private,
            limits=self._first_limits(limits),
            before_next_request=turn,
        )
        try:
            bookings.append(await self._enter_slot(politeness))
        except _TurnTooLateError as late:
            return self._limit_miss(late.wait, 0)
        try:
            fetched = await self._fetcher.fetch(request)
        except _TurnTooLateError as late:
            return self._limit_miss(late.wait, len(bookings))
        finally:
            self._connection_slots.release()
            for booked in bookings:
                self._ledger.finish_request(booked)
        if politeness.is_limited and fetched.request_count > len(bookings):
            # A connection that had died was opened anew without asking.
            self._ledger.book_past_requests(politeness, fetched.request_count - len(bookings))
        return self._classify(fetched, politeness)

    def _first_limits(self, limits: FetchLimits) -> FetchLimits:
        """Limits on a request, with less patience for somebody who has not answered yet."""
        if self._has_answered:
            return limits
        return replace(limits, connect_seconds=min(limits.connect_seconds, _FIRST_CONNECT_SECONDS))

    async def _enter_slot(self, politeness: RepositoryPoliteness) -> RequestBooking:
        """Wait for the ledger, unless that would take too long, and for a connection; its slot is to be freed after."""
        waited = 0.0
        while True:
            await self._connection_slots.acquire()
            try:
                result = self._ledger.book_request(politeness, self._max_request_seconds)
            except BaseException:
                self._connection_slots.release()
                raise
            if isinstance(result, RequestBooking):
                return result
            self._connection_slots.release()
            waited += await self._sleep_for(result, waited)

    async def _await_booking(self, politeness: RepositoryPoliteness) -> RequestBooking:
        """Wait for the ledger, unless that would take too long."""
        waited = 0.0
        while isinstance(result := self._ledger.book_request(politeness, self._max_request_seconds), LedgerWait):
            waited += await self._sleep_for(result, waited)
        return result

    @property
    def max_version_bytes(self) -> int:
        """How many bytes are taken of one version."""
        return self._timeouts.fetch_limits.size

    @property
    def max_timemap_bytes(self) -> int:
        """How many bytes are taken of one TimeMap."""
        return self._timeouts.timemap_bytes

    @property
    def _max_request_seconds(self) -> float:
        """How many seconds a request may take from its booking on."""
        return self._timeouts.fetch_limits.connect_seconds + self._timeouts.fetch_limits.seconds + _SLACK_SECONDS

    async def _sleep_for(self, wait: LedgerWait, before: float) -> float:
        if before + wait.seconds > self._timeouts.booking_seconds:
            raise _TurnTooLateError(wait)
        seconds = wait.seconds * _jitter_factor() + 0.001
        await asyncio.sleep(seconds)
        return seconds

    def _limit_miss(self, wait: LedgerWait, requests: int) -> RepositoryMiss:
        why = "asked to be left alone" if wait.is_refusal else "has a limit that is used up"
        again = self.clock.now().plus(wait.seconds)
        return RepositoryMiss(MissReason.LIMIT, f"{self._name} {why} until {_format_moment(again)}", again, requests)

    def _classify(self, fetched: FetchResult, politeness: RepositoryPoliteness) -> RepositoryResponse | RepositoryMiss:
        exchange = fetched.exchange
        head = parse_response(exchange.response) if exchange is not None else ResponseHead()
        requests = max(fetched.request_count, 1)
        if exchange is None or not head.status:
            return self._failure_miss(fetched, politeness, requests)
        self._has_answered = True
        failure = fetched.failure
        truncation = failure.truncation if failure is not None else ""
        is_too_large = failure is FetchFailure.TOO_LARGE
        response = RepositoryResponse(
            fetched.request.url,
            exchange,
            head,
            requests,
            fetched.ended,
            _truncation_detail(fetched),
            truncation,
            is_too_large,
        )
        if response.is_memento:
            self._note_success(politeness)
            return response
        if response.status in THROTTLING_STATUSES or (response.status == FORBIDDEN and "retry-after" in head.headers):
            return self._refusal_miss(response, politeness)
        if is_server_error(response.status):
            detail = f"{self._name} answers with its own error {response.status} at {_shorten_url(response.url)}"
            return RepositoryMiss(MissReason.TROUBLE, detail, self.clock.now(), requests)
        self._note_success(politeness)
        return response

    def _note_success(self, politeness: RepositoryPoliteness) -> None:
        self._failures = 0
        if politeness.pool in self._refused_pools:
            self._refused_pools.discard(politeness.pool)
            self._ledger.clear_refusals(politeness)

    def _failure_miss(self, fetched: FetchResult, politeness: RepositoryPoliteness, requests: int) -> RepositoryMiss:
        failure = fetched.failure or FetchFailure.PROTOCOL
        authority = authority_of(fetched.request.url)
        what = _FAILURE_WORDS.get(failure, "answers nothing that can be read")
        named = authority if self._name == authority else f"{self._name}: {authority}"
        detail = f"{named} {what}" + (f" ({fetched.detail})" if fetched.detail else "")
        is_unreachable = not failure.is_connected or failure is FetchFailure.CERTIFICATE
        is_silent = is_unreachable or (failure is FetchFailure.TIMEOUT and not fetched.request_count)
        if is_silent and not self._has_answered:
            # A connection that was refused may be taken a moment later; a name, or silence, would be no other.
            again = self.clock.now() if failure is FetchFailure.CONNECT else None
            return RepositoryMiss(MissReason.UNREACHABLE, detail, again, requests)
        if failure is FetchFailure.CONNECT:
            # Archives close their doors to those who asked too much; knocking on makes it worse.
            seconds = self._start_rest(politeness, None)
            return RepositoryMiss(MissReason.TROUBLE, detail, self.clock.now().plus(seconds), requests)
        again = self.clock.now() if failure.is_interruption or failure is FetchFailure.TLS else None
        return RepositoryMiss(MissReason.TROUBLE, detail, again, requests)

    def _start_rest(self, politeness: RepositoryPoliteness, seconds: float | None) -> float:
        self._refused_pools.add(politeness.pool)
        return self._ledger.record_refusal(politeness, seconds)

    def _refusal_miss(self, response: RepositoryResponse, politeness: RepositoryPoliteness) -> RepositoryMiss:
        asked = parse_retry_after(response.head.headers, response.received)
        seconds = self._start_rest(politeness, asked)
        again = self.clock.now().plus(seconds)
        detail = f"{self._name} answers {response.status} and is left alone until {_format_moment(again)}"
        return RepositoryMiss(MissReason.LIMIT, detail, again, response.requests)


def _truncation_detail(fetched: FetchResult) -> str:
    if fetched.failure is None:
        return ""
    return fetched.detail or _FAILURE_WORDS.get(fetched.failure, str(fetched.failure))


def _jitter_factor() -> float:
    """A factor that keeps those who wait for the same thing from coming at the same time."""
    return 1 + random.random() * _JITTER_SHARE


def _format_moment(moment: Moment) -> str:
    return f"{format_moment(moment.plus(0.5))} UTC"


def _shorten_url(url: str) -> str:
    return url if len(url) <= 160 else url[:159] + "…"

"""Bandwidth limits: how fast bytes may come, in all, per host and per transfer, by token buckets that fill at a steady
rate.
"""

from __future__ import annotations

from collections import OrderedDict

_BURST_SECONDS = 0.25
"""A bucket holds no more than its rate brings in so long, so that bursts stay short."""
_MAX_HOSTS = 10_000
"""Hosts whose buckets are remembered; those used longest ago are forgotten."""


class TokenBucket:
    """An allowance of bytes: it fills by the second, and what came already may draw it below nothing."""

    __slots__ = ("_filled_at", "_held", "_rate")

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._held = rate * _BURST_SECONDS
        self._filled_at = now

    def seconds_owed(self, now: float) -> float:
        """How many seconds until more may be taken; 0 for now."""
        self._fill(now)
        return -self._held / self._rate if self._held < 0 else 0.0

    def draw(self, count: int, now: float) -> None:
        """Take note of bytes that came."""
        self._fill(now)
        self._held -= count

    def _fill(self, now: float) -> None:
        self._held = min(self._held + (now - self._filled_at) * self._rate, self._rate * _BURST_SECONDS)
        self._filled_at = now


class BandwidthLimits:
    """The buckets that a transfer draws from: of all transfers, of its host's, and its own."""

    def __init__(self, rate: int, rate_per_host: int) -> None:
        self._rate_per_host = rate_per_host
        self._all: TokenBucket | None = None
        self._rate = rate
        self._hosts: OrderedDict[str, TokenBucket] = OrderedDict()

    def buckets_for(self, host: str, rate: int, now: float) -> tuple[TokenBucket, ...]:
        """The buckets for a transfer from a host that has a limit of its own, or 0."""
        if not (rate or self._rate or self._rate_per_host):
            return ()
        buckets: list[TokenBucket] = [TokenBucket(rate, now)] if rate else []
        if self._rate:
            self._all = self._all or TokenBucket(self._rate, now)
            buckets.append(self._all)
        if self._rate_per_host:
            buckets.append(self._host_bucket(host, now))
        return tuple(buckets)

    def _host_bucket(self, host: str, now: float) -> TokenBucket:
        bucket = self._hosts.setdefault(host, TokenBucket(self._rate_per_host, now))
        self._hosts.move_to_end(host)
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)
        return bucket


def seconds_owed(buckets: tuple[TokenBucket, ...], now: float) -> float:
    """How many seconds to wait until all of them allow for more."""
    return max((bucket.seconds_owed(now) for bucket in buckets), default=0.0)


def draw_bytes(buckets: tuple[TokenBucket, ...], count: int, now: float) -> None:
    """Take note of bytes that came, in all of them."""
    for bucket in buckets:
        bucket.draw(count, now)

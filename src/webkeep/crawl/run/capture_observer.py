"""How a capture is doing, for whoever watches it: what an observer is told, how many hosts a snapshot shows, and the
words for what a host is doing (asking, waiting, given up).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.frontier.hosts import Host
from webkeep.frontier.urls import Candidate
from webkeep.model import Moment, UrlOutcome

_MAX_HOSTS_SHOWN = 10
"""Hosts that a snapshot shows, the busiest first."""


@dataclass(frozen=True, slots=True)
class HostProgress:
    """One host as it is now."""

    name: str
    asked: int
    queued: int
    in_flight: int
    state: str
    """Such as `asking`, `waiting 3 s`, `given up`."""


def describe_host(host: Host, now: int) -> str:
    """What is going on with a host, in a few words."""
    if host.closed is not None:
        return f"given up: {host.closed.reason}"
    if host.in_flight:
        return "asking" if len(host.in_flight) == 1 else f"asking for {len(host.in_flight)} at once"
    if host.free_at > now:
        return f"waiting {(host.free_at - now) / 1e6:.1f} s ({host.pace.reason})"
    return "ready"


def busiest_hosts(hosts: Iterable[Host], queued_count: Callable[[str], int], now: Moment) -> list[HostProgress]:
    """Some hosts as they are now, the busiest first."""
    views = (
        HostProgress(host.key, host.asked, queued_count(host.key), len(host.in_flight), describe_host(host, now.micros))
        for host in hosts
    )
    return heapq.nlargest(_MAX_HOSTS_SHOWN, views, key=lambda view: (view.in_flight, view.queued, view.asked))


@dataclass(frozen=True, slots=True)
class CaptureProgress:
    """A capture as it is now."""

    moment: Moment
    counts: dict[UrlOutcome, int]
    bytes: int
    in_flight: int
    paused: bool
    hosts: list[HostProgress] = field(default_factory=list)
    """The busiest first."""
    revisits: int = 0
    """How many URLs are still to be asked for again."""
    pages_run: int | None = None
    """How many pages were run in a browser so far, where there is one."""


class CaptureObserver(Protocol):
    """Someone who is told what happens."""

    def on_started(self, capture: str, resumed: bool) -> None:
        """The capture was begun, or is gone on with."""

    def on_settled(self, candidate: Candidate, outcome: UrlOutcome, reason: str, status: int) -> None:
        """A candidate has come to its end."""

    def on_note(self, text: str) -> None:
        """Something that a person should know."""

    def on_progress(self, progress: CaptureProgress) -> None:
        """How it is doing now; told about twice a second."""


class NullCaptureObserver:
    """A watcher that looks away."""

    def on_started(self, capture: str, resumed: bool) -> None:
        """The capture was begun, or is gone on with."""

    def on_settled(self, candidate: Candidate, outcome: UrlOutcome, reason: str, status: int) -> None:
        """A candidate has come to its end."""

    def on_note(self, text: str) -> None:
        """Something that a person should know."""

    def on_progress(self, progress: CaptureProgress) -> None:
        """How it is doing now."""

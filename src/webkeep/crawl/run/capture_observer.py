"""How a capture is doing, for whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from webkeep.frontier.hosts import Host
from webkeep.frontier.urls import Candidate
from webkeep.model import Moment, UrlOutcome


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

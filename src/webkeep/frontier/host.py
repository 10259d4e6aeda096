"""Hosts: what the frontier knows of each server, and whether it may be asked."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.frontier.answer import Settled
from webkeep.frontier.ledger import HostLedger
from webkeep.frontier.policy import Policy
from webkeep.frontier.politeness import Pace
from webkeep.frontier.robots import Gate
from webkeep.model import Moment, Outcome
from webkeep.url import split

_LONGEST_CACHED_SITE = 300
_PACE = ("loopback", "spacing", "waits_until", "ended")
_NEVER_AGAIN = Moment(1 << 62)
_WEB = ("http://", "https://")


class Host:
    """One server, known by its name and port."""

    __slots__ = ("asked", "closed", "gate", "in_flight", "key", "ledger", "origin", "pace", "unsettled")

    def __init__(self, key: str, origin: str, policy: Policy) -> None:
        self.key = key
        self.origin = origin
        """Scheme, name and port, as its URLs begin; empty where the scheme knows no robots.txt."""
        self.pace = Pace.of(key, policy)
        self.gate = Gate()
        self.ledger = HostLedger()
        self.in_flight: dict[int, float] = {}
        """The candidates under way, each with the delay in force when it was allowed."""
        self.unsettled = 0
        """How many of its URLs were asked for and have no fate yet."""
        self.asked = 0
        """How many of its URLs were asked for or are under way."""
        self.closed: Settled | None = None
        """What becomes of all its URLs, where it was given up."""
        if not origin:
            self.gate.know(self.gate.rules, _NEVER_AGAIN)

    @property
    def robots_url(self) -> str:
        """Where its rules lie."""
        return f"{self.origin}/robots.txt"

    def capacity(self, policy: Policy) -> int:
        """How many further requests it may get at this moment, its delay apart."""
        if not self.gate.read or not self.pace.is_parallel:
            return 0 if self.in_flight else 1
        return max(0, policy.connections_for(self.key) - len(self.in_flight))

    @property
    def is_idle(self) -> bool:
        """Whether nothing is awaited of it."""
        return not self.in_flight and not self.unsettled and not self.gate.is_asked

    def note_delay(self, now: Moment) -> None:
        """Enter the delay in force into the ledger."""
        if not self.ledger.delays or self.ledger.delays[-1].seconds != self.pace.delay:
            self.ledger.delay_is(now, self.pace.delay, self.pace.reason)

    def to_text(self) -> str:
        """What must outlast the process; the rules are asked for again."""
        values: dict[str, Any] = {
            "origin": self.origin,
            "asked": self.asked - self.unsettled,
            **{name: getattr(self.pace, name) for name in _PACE},
            "closed": None if self.closed is None else [self.closed.outcome.value, self.closed.reason],
            "ledger": self.ledger.to_json(),
        }
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_text(cls, key: str, text: str, policy: Policy) -> Host:
        """A host out of what `to_text` gave."""
        try:
            values = json.loads(text)
            host = cls(key, values["origin"], policy)
            host.asked = values["asked"]
            host.pace.restore(*(values[name] for name in _PACE))
            if values["closed"] is not None:
                host.closed = Settled(Outcome(values["closed"][0]), values["closed"][1])
            host.ledger = HostLedger.from_json(values["ledger"])
        except (ValueError, KeyError, TypeError, IndexError, UsageError) as error:
            raise StorageError(f"what the job kept of host {key} cannot be read; begin the capture anew") from error
        return host


def host_and_origin(url: str) -> tuple[str, str]:
    """The key of the host that a URL in its normal form is asked of, and its origin if it may have a robots.txt."""
    site = url[: url.find("/", url.find("://") + 3)] if url.count("/") > 2 else url
    return _host_and_origin(site) if len(site) <= _LONGEST_CACHED_SITE else _host_and_origin.__wrapped__(site)


def host_of(url: str) -> str:
    """The key of the host that a URL in its normal form is asked of: `example.org:443`."""
    return host_and_origin(url)[0]


@lru_cache(16384)
def _host_and_origin(site: str) -> tuple[str, str]:
    parts = split(site)
    port = parts.effective_port
    key = f"{parts.scheme}:{parts.host}" if port is None else f"{parts.host}:{port}"
    return key, parts.origin if site.startswith(_WEB) else ""

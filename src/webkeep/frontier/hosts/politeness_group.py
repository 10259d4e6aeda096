"""Politeness by name: what the hosts of one name have in common, whatever their ports: the pace, the count of requests
under way, and the ledger that proves that the pace was kept.
"""

from __future__ import annotations

import json

from webkeep.errors import StorageError, UsageError
from webkeep.frontier.hosts.host_ledger import HostLedger
from webkeep.frontier.hosts.politeness import HostPace
from webkeep.frontier.policy.crawl_policy import CrawlPolicy

_PACE_FIELDS = ("loopback", "spacing", "waits_until", "ended")
"""What of a pace outlasts the process: names of its fields, and of the values kept."""


class PolitenessGroup:
    """The name of one or more hosts, which get one request at a time between them unless there is no delay."""

    __slots__ = ("_stance", "first_host", "host_turns", "in_flight", "key", "ledger", "pace", "reserved_until")

    def __init__(self, key: str, pace: HostPace) -> None:
        self.key = key
        self.pace = pace
        self.host_turns: dict[str, None] = {}
        """The keys of its hosts, first the one that was not asked for longest."""
        self.in_flight = 0
        """How many requests its hosts have under way."""
        self.reserved_until = 0
        """Until then, in microseconds, its next turn is for something that is in no queue."""
        self.first_host = ""
        """The host that was met first."""
        self.ledger: HostLedger | None = None
        """Of all its hosts together, where they are several; that of the first one says the same while it is alone."""
        self._stance: int | None = None

    def add_host(self, key: str, in_flight: int) -> None:
        """Count a host in, with what it has under way."""
        self.first_host = self.first_host or key
        self.host_turns[key] = None
        self.in_flight += in_flight

    def remove_host(self, key: str, in_flight: int) -> None:
        """Count a host out again."""
        self.in_flight -= in_flight
        self.pace.set_crawl_delay(key, 0.0)
        del self.host_turns[key]

    def begin_ledger(self, ledger: HostLedger) -> None:
        """Its hosts are several from now on: go on with the ledger of the first."""
        self.ledger = ledger

    def reserve_until(self, micros: int) -> None:
        """Keep its next turn, until that moment, for something that is in no queue."""
        self.reserved_until = micros

    def end_request(self) -> None:
        """Count a request as no longer under way."""
        self.in_flight -= 1

    def begin_request(self, host: str) -> None:
        """Count a request of a host as under way."""
        self.in_flight += 1
        self.host_turns[host] = self.host_turns.pop(host)

    def has_changed_pace(self) -> bool:
        """Whether all its hosts need a new look, asked after each answer: not if they go side by side as before."""
        before, self._stance = self._stance, self.pace.waits_until if self.pace.is_parallel else None
        return self._stance is None or self._stance != before

    def merge_pace(self, other: HostPace) -> None:
        """Be as gentle as another pace was."""
        self.pace.restore(*(getattr(other, name) for name in _PACE_FIELDS))

    def to_text(self) -> str:
        """What must outlast the process."""
        values = {
            "first": self.first_host,
            **{name: getattr(self.pace, name) for name in _PACE_FIELDS},
            "ledger": None if self.ledger is None else self.ledger.to_json(),
        }
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_text(cls, key: str, text: str, host: str, policy: CrawlPolicy) -> PolitenessGroup:
        """The name of a host out of what `to_text` gave; a new one out of nothing."""
        name = cls(key, HostPace.for_host(host, policy))
        if not text:
            return name
        try:
            values = json.loads(text)
            name.first_host = values["first"]
            name.pace.restore(*(values[each] for each in _PACE_FIELDS))
            name.ledger = None if values["ledger"] is None else HostLedger.from_json(values["ledger"])
        except (ValueError, KeyError, TypeError, IndexError, UsageError) as error:
            raise StorageError(f"what the job kept of {key} cannot be read; begin the capture anew") from error
        return name

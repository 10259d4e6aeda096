"""Hosts: what the frontier knows of each server, by name and port, whether it may be asked, and how many requests it
may have at once.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.frontier.hosts.backoff import FailureStreaks, HostReaction, backoff_seconds, reaction_of
from webkeep.frontier.hosts.host_ledger import HostLedger
from webkeep.frontier.hosts.politeness import HostPace
from webkeep.frontier.hosts.politeness_group import PolitenessGroup
from webkeep.frontier.hosts.robots_state import RobotsState
from webkeep.frontier.policy.crawl_policy import CrawlPolicy
from webkeep.frontier.urls.fetch_outcome import FetchOutcome, Settled
from webkeep.model import Moment, UrlOutcome
from webkeep.url import split_url

_MAX_CACHED_SITE_CHARS = 300
"""Longer sites are read each time: a cache of endless names would have no bound."""
_END_OF_TIME = Moment(1 << 62)
_HTTP_PREFIXES = ("http://", "https://")
_USUAL_SCHEMES = {80: "http", 443: "https"}


class Host:
    """One server, known by its name and port."""

    __slots__ = (
        "asked",
        "closed",
        "failure_streaks",
        "group",
        "in_flight",
        "key",
        "ledger",
        "origin",
        "rests_until",
        "robots",
        "sitemaps",
        "unsettled",
    )

    def __init__(self, key: str, origin: str, name: PolitenessGroup) -> None:
        self.key = key
        self.group = name
        """What it shares with the other ports of its name."""
        self.origin = origin
        """Scheme, name and port, as its URLs begin; empty where the scheme knows no robots.txt."""
        self.robots = RobotsState()
        self.failure_streaks = FailureStreaks()
        self.rests_until = 0
        """Before that moment, in microseconds, this port is not asked, whatever holds for its name."""
        self.ledger = HostLedger()
        self.in_flight: dict[int, float] = {}
        """The candidates under way, each with the delay in force when it was allowed."""
        self.unsettled = 0
        """How many of its URLs were asked for and have no fate yet."""
        self.asked = 0
        """How many of its URLs were asked for or are under way."""
        self.sitemaps = 0
        """How many of these were sitemaps."""
        self.closed: Settled | None = None
        """What becomes of all its URLs, where it was given up."""
        if not origin:
            self.robots.set_rules(self.robots.rules, _END_OF_TIME)

    @property
    def robots_url(self) -> str:
        """Where its rules lie."""
        return f"{self.origin}/robots.txt"

    @property
    def pace(self) -> HostPace:
        """The pace that it shares with the other ports of its name."""
        return self.group.pace

    @property
    def free_at(self) -> int:
        """From when on it may be asked, in microseconds, where nothing is under way."""
        return max(self.pace.free_at, self.rests_until)

    @property
    def queue_free_at(self) -> int:
        """From when on it may be asked for what is queued, in microseconds: others may have reserved its next turn."""
        return max(self.free_at, self.group.reserved_until)

    def capacity(self, policy: CrawlPolicy) -> int:
        """How many further requests it may get at this moment, its delay apart."""
        if not self.pace.is_parallel:
            return 0 if self.group.in_flight else 1
        if not self.robots.is_usable:
            return 0 if self.in_flight else 1
        return max(0, policy.connections_for(self.key) - len(self.in_flight))

    def begin_request(self, number: int) -> None:
        """Count a candidate as under way."""
        self.in_flight[number] = self.pace.delay
        self.group.begin_request(self.key)

    def end_request(self, number: int) -> float:
        """Count a candidate as no longer under way; the answer is the delay under which it was allowed."""
        self.group.end_request()
        return self.in_flight.pop(number)

    def count_dispatched(self, count: int, is_sitemap: bool) -> None:
        """Count its URLs as asked for, or not so after all."""
        self.asked += count
        self.unsettled += count
        self.sitemaps += count * is_sitemap

    def count_settled(self) -> None:
        """Count one of its URLs as having its fate."""
        self.unsettled -= 1

    def count_unproven(self, is_counted: bool) -> None:
        """Count a URL that an earlier process asked for, of which it is not known when."""
        self.asked += is_counted
        for ledger in self.ledgers:
            ledger.add_unproven()

    def close(self, settled: Settled) -> None:
        """Give it up: all its URLs have this fate."""
        self.closed = settled

    def join(self, group: PolitenessGroup) -> None:
        """Share the pace of another name, as gentle as it was."""
        before, self.group = self.group, group
        group.merge_pace(before.pace)

    def rest(self, since: int, seconds: float) -> None:
        """Leave this port in peace until so many seconds after a moment."""
        self.rests_until = max(self.rests_until, since + round(seconds * 1_000_000))

    def update_from(self, outcome: FetchOutcome, delay: float, is_known_refuser: bool) -> None:
        """Take note of what an answer says, to a request that was allowed under a delay."""
        for started, ended in outcome.request_spans:
            for ledger in self.ledgers:
                ledger.add_request(started, ended, delay)
        reaction = reaction_of(outcome, is_known_refuser)
        self.failure_streaks.update_from(outcome, reaction)
        self.pace.update_from(outcome, reaction)
        if reaction is HostReaction.TURNED_AWAY:
            self.pace.leave_alone(outcome.ended.micros, backoff_seconds(self.failure_streaks.rejections))
        elif reaction is HostReaction.UNREACHED:
            self.rest(outcome.ended.micros, self.failure_streaks.rest_seconds)

    @property
    def ledgers(self) -> tuple[HostLedger, ...]:
        """Its own ledger, and that of its name where others have it too."""
        return (self.ledger,) if self.group.ledger is None else (self.ledger, self.group.ledger)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is awaited of it."""
        return not self.in_flight and not self.unsettled and not self.robots.is_in_flight

    def note_delay(self, now: Moment) -> None:
        """Enter the delay in force into the ledgers."""
        for ledger in self.ledgers:
            if not ledger.delays or ledger.delays[-1].seconds != self.pace.delay:
                ledger.add_delay(now, self.pace.delay, self.pace.reason)

    def to_text(self) -> str:
        """What must outlast the process, its name apart; the rules are asked for again."""
        values: dict[str, Any] = {
            "origin": self.origin,
            "asked": self.asked - self.unsettled,
            "sitemaps": self.sitemaps,
            "rests_until": self.rests_until,
            "closed": None if self.closed is None else [self.closed.outcome.value, self.closed.reason],
            "ledger": self.ledger.to_json(),
        }
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_text(cls, key: str, text: str, name: PolitenessGroup) -> Host:
        """A host out of what `to_text` gave."""
        try:
            values = json.loads(text)
            host = cls(key, values["origin"], name)
            host.asked = values["asked"]
            host.sitemaps = values.get("sitemaps", 0)
            host.rests_until = values["rests_until"]
            if values["closed"] is not None:
                host.closed = Settled(UrlOutcome(values["closed"][0]), values["closed"][1])
            host.ledger = HostLedger.from_json(values["ledger"])
        except (ValueError, KeyError, TypeError, IndexError, UsageError) as error:
            raise StorageError(f"what the job kept of host {key} cannot be read; begin the capture anew") from error
        return host


def host_key_and_origin(url: str) -> tuple[str, str]:
    """The key of the host that a URL in its normal form is asked of, and its origin if it may have a robots.txt."""
    site = url[: url.find("/", url.find("://") + 3)] if url.count("/") > 2 else url
    return _host_key_and_origin(site) if len(site) <= _MAX_CACHED_SITE_CHARS else _host_key_and_origin.__wrapped__(site)


def host_key_of(url: str) -> str:
    """The key of the host that a URL in its normal form is asked of: `example.org:443`.

    The other scheme at a port that belongs to one is another host, `example.org:443/http`: else a link to it could make
    us look for the rules of `https://example.org/` where they are not.
    """
    return host_key_and_origin(url)[0]


@lru_cache(16384)
def _host_key_and_origin(site: str) -> tuple[str, str]:
    parts = split_url(site)
    port = parts.effective_port
    if port is None or not site.startswith(_HTTP_PREFIXES):
        return f"{parts.scheme}:{parts.host}" if port is None else f"{parts.host}:{port}", ""
    odd = "" if _USUAL_SCHEMES.get(port, parts.scheme) == parts.scheme else f"/{parts.scheme}"
    return f"{parts.host}:{port}{odd}", parts.origin


def path_and_query_of(url: str) -> str:
    """Path and query of a URL in its normal form, as robots.txt files speak of them."""
    return url[url.find("/", url.find("://") + 3) :]

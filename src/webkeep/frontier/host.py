"""Hosts: what the frontier knows of each server, and whether it may be asked."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from webkeep.errors import StorageError, UsageError
from webkeep.frontier.answer import Answer, Settled
from webkeep.frontier.ledger import HostLedger
from webkeep.frontier.name import Name
from webkeep.frontier.policy import Policy
from webkeep.frontier.politeness import Pace
from webkeep.frontier.reception import Reception, Setbacks, backed_off, reception_of
from webkeep.frontier.robots import Gate
from webkeep.model import Moment, Outcome
from webkeep.url import split

_LONGEST_CACHED_SITE = 300
_NEVER_AGAIN = Moment(1 << 62)
_WEB = ("http://", "https://")
_USUAL_SCHEMES = {80: "http", 443: "https"}


class Host:
    """One server, known by its name and port."""

    __slots__ = (
        "asked",
        "closed",
        "gate",
        "in_flight",
        "key",
        "ledger",
        "name",
        "origin",
        "rests_until",
        "setbacks",
        "sitemaps",
        "unsettled",
    )

    def __init__(self, key: str, origin: str, name: Name) -> None:
        self.key = key
        self.name = name
        """What it shares with the other ports of its name."""
        self.origin = origin
        """Scheme, name and port, as its URLs begin; empty where the scheme knows no robots.txt."""
        self.gate = Gate()
        self.setbacks = Setbacks()
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
            self.gate.know(self.gate.rules, _NEVER_AGAIN)

    @property
    def robots_url(self) -> str:
        """Where its rules lie."""
        return f"{self.origin}/robots.txt"

    @property
    def pace(self) -> Pace:
        """The pace that it shares with the other ports of its name."""
        return self.name.pace

    @property
    def free_at(self) -> int:
        """From when on it may be asked, in microseconds, where nothing is under way."""
        return max(self.pace.free_at, self.rests_until)

    def capacity(self, policy: Policy) -> int:
        """How many further requests it may get at this moment, its delay apart."""
        if not self.pace.is_parallel:
            return 0 if self.name.under_way else 1
        if not self.gate.read:
            return 0 if self.in_flight else 1
        return max(0, policy.connections_for(self.key) - len(self.in_flight))

    def begin(self, number: int) -> None:
        """Count a candidate as under way."""
        self.in_flight[number] = self.pace.delay
        self.name.begin(self.key)

    def end(self, number: int) -> float:
        """Count a candidate as no longer under way; the answer is the delay under which it was allowed."""
        self.name.under_way -= 1
        return self.in_flight.pop(number)

    def rest(self, since: int, seconds: float) -> None:
        """Leave this port in peace until so many seconds after a moment."""
        self.rests_until = max(self.rests_until, since + round(seconds * 1_000_000))

    def learn(self, answer: Answer, delay: float, is_known_refuser: bool) -> None:
        """Take note of what an answer says, to a request that was allowed under a delay."""
        for started, ended in answer.requests:
            for ledger in self.ledgers:
                ledger.asked(started, ended, delay)
        reception = reception_of(answer, is_known_refuser)
        self.setbacks.take(answer, reception)
        self.pace.take(answer, reception)
        if reception is Reception.TURNED_AWAY:
            self.pace.wait(answer.ended.micros, backed_off(self.setbacks.rejections))
        elif reception is Reception.UNREACHED:
            self.rest(answer.ended.micros, self.setbacks.rest)

    @property
    def ledgers(self) -> tuple[HostLedger, ...]:
        """Its own ledger, and that of its name where others have it too."""
        return (self.ledger,) if self.name.ledger is None else (self.ledger, self.name.ledger)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is awaited of it."""
        return not self.in_flight and not self.unsettled and not self.gate.is_asked

    def note_delay(self, now: Moment) -> None:
        """Enter the delay in force into the ledgers."""
        for ledger in self.ledgers:
            if not ledger.delays or ledger.delays[-1].seconds != self.pace.delay:
                ledger.delay_is(now, self.pace.delay, self.pace.reason)

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
    def from_text(cls, key: str, text: str, name: Name) -> Host:
        """A host out of what `to_text` gave."""
        try:
            values = json.loads(text)
            host = cls(key, values["origin"], name)
            host.asked = values["asked"]
            host.sitemaps = values.get("sitemaps", 0)
            host.rests_until = values["rests_until"]
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
    """The key of the host that a URL in its normal form is asked of: `example.org:443`.

    The other scheme at a port that belongs to one is another host, `example.org:443/http`: else a link to it could make
    us look for the rules of `https://example.org/` where they are not.
    """
    return host_and_origin(url)[0]


@lru_cache(16384)
def _host_and_origin(site: str) -> tuple[str, str]:
    parts = split(site)
    port = parts.effective_port
    if port is None or not site.startswith(_WEB):
        return f"{parts.scheme}:{parts.host}" if port is None else f"{parts.host}:{port}", ""
    odd = "" if _USUAL_SCHEMES.get(port, parts.scheme) == parts.scheme else f"/{parts.scheme}"
    return f"{parts.host}:{port}{odd}", parts.origin


def target_of(url: str) -> str:
    """Path and query of a URL in its normal form, as robots.txt files speak of them."""
    return url[url.find("/", url.find("://") + 3) :]

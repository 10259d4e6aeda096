"""What a person or a program sees of a capture while it runs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict

from webkeep.cli import measure
from webkeep.cli.outcome_words import outcome_counts
from webkeep.cli.output import Output
from webkeep.cli.unreached import plain
from webkeep.crawl.answering import CUT_OFF
from webkeep.crawl.capture import FAILURES_TOLD
from webkeep.crawl.watching import Glance, HostView
from webkeep.fetch.request import Failure
from webkeep.frontier.candidate import Candidate, Role
from webkeep.model import Fate, Outcome

_REDRAWN, _EVENTS, _PLAIN = 0.3, 1.0, 10.0
"""Seconds between two words, to a terminal, a program and a log."""

_HOSTS_SHOWN = 5
_WINDOW = 40
_TOLD_ONE_BY_ONE = frozenset({Outcome.FAILED})
_MAY_COME = (str(Failure.CONNECT), str(Failure.TIMEOUT))
"""How the reasons begin of hosts that may answer in a while."""


class Board:
    """Shows how a capture is doing: lines that are redrawn, a line now and then, or events."""

    def __init__(self, out: Output, asks_again: bool = True) -> None:
        """`asks_again` says whether hosts that do not answer are asked again."""
        self._out = out
        self._asks_again = asks_again
        self._pause = _EVENTS if out.as_json else _REDRAWN if out.is_watched else _PLAIN
        self._began = self._told_at = time.monotonic()
        self._lately: deque[tuple[float, int]] = deque(maxlen=_WINDOW)
        self._told: set[str] = set()
        self._awaited: set[str] = set()
        """Hosts of which it was told that they do not answer yet."""
        self._is_cut_short = False

    def begun(self, capture: str, resumed: bool) -> None:
        """The capture was begun, or is gone on with."""
        self._out.event("capture", capture=capture, resumed=resumed)
        if resumed:
            self._out.note(f"going on with capture {capture[:8]}")

    def settled(self, candidate: Candidate, outcome: Outcome, reason: str, status: int) -> None:
        """A candidate has come to its end."""
        # A robots.txt that cannot be had is tried again, and told with what is not asked for because of it.
        if candidate.revisit:
            if outcome in _TOLD_ONE_BY_ONE:
                self.noted(f"{candidate.url} could not be seen again ({plain(reason)})")
        elif outcome in _TOLD_ONE_BY_ONE and candidate.role is not Role.ROBOTS:
            self._tell(candidate.url, outcome, reason, status)
        elif outcome in _TOLD_ONE_BY_ONE and self._asks_again and reason.startswith(_MAY_COME):
            self._tell_waiting(candidate.host, reason)
        elif reason.startswith(CUT_OFF):
            self.noted(f"{candidate.url}: {reason}")

    def _tell_waiting(self, host: str, reason: str) -> None:
        if host not in self._awaited:
            self._awaited.add(host)
            self.noted(f"{host}: {plain(reason)}; it is asked again a few times")

    def tell_failures(self, failures: Iterable[Fate]) -> None:
        """Those that are not told yet, of hosts that were given up."""
        for fate in failures:
            if fate.url not in self._told:
                self._tell(fate.url, fate.outcome, fate.reason, 0)

    def _tell(self, url: str, outcome: Outcome, reason: str, status: int) -> None:
        self._out.event(outcome.value, url=url, reason=reason, status=status)
        if len(self._told) < FAILURES_TOLD:
            self._told.add(url)
            self._out.note(f"{outcome}: {url} ({plain(reason)})")
        elif not self._is_cut_short:
            self._is_cut_short = True
            self._out.note("further failures are counted; webkeep list ARCHIVE --fates --outcome failed tells them all")

    def noted(self, text: str) -> None:
        """Something that a person should know."""
        self._out.event("note", text=text)
        self._out.note(text)

    def glanced(self, glance: Glance) -> None:
        """How it is doing now."""
        now = time.monotonic()
        self._lately.append((now, _done(glance)))
        if now - self._told_at < self._pause:
            return
        self._told_at = now
        if self._out.as_json:
            self._out.event("progress", **self._facts(glance))
        elif self._out.is_watched:
            self._out.status("\n".join([self._line(glance), *map(_host_line, glance.hosts[:_HOSTS_SHOWN])]))
        else:
            self._out.note(self._line(glance))

    def _facts(self, glance: Glance) -> dict[str, object]:
        return {
            **{outcome.value.replace("-", "_"): count for outcome, count in glance.counts.items()},
            "bytes": glance.bytes,
            "in_flight": glance.in_flight,
            "rate": round(self._rate(), 1),
            "seconds": round(time.monotonic() - self._began, 1),
            "seconds_left": self._seconds_left(glance),
            "paused": glance.paused,
            "revisits_left": glance.revisits,
            **({} if glance.run is None else {"pages_run": glance.run}),
            "hosts": [asdict(host) for host in glance.hosts[:_HOSTS_SHOWN]],
        }

    def _line(self, glance: Glance) -> str:
        counts = glance.counts
        parts = [f"{counts.get(Outcome.STORED, 0) + counts.get(Outcome.DUPLICATE, 0):,} stored"]
        parts += outcome_counts(counts, _SHOWN)
        if glance.revisits:
            parts.append(f"{glance.revisits:,} to be seen again")
        if glance.run:
            parts.append(f"{measure.counted(glance.run, 'page')} run in the browser")
        parts.append(measure.size(glance.bytes))
        rate = self._rate()
        parts += [f"{rate:,.0f} URLs a second" if rate >= 10 else f"{rate:.1f} URLs a second"]
        left = self._seconds_left(glance)
        if left:
            parts.append(f"about {measure.elapsed(left)} left for those known so far")
        return ("paused: " if glance.paused else "capturing: ") + ", ".join(parts)

    def _seconds_left(self, glance: Glance) -> int | None:
        """How long what is queued will take at the rate it went lately; None where that cannot be told."""
        queued, rate = glance.counts.get(Outcome.QUEUED, 0), self._rate()
        return round(queued / rate) if queued and rate and not glance.paused else None

    def _rate(self) -> float:
        """URLs a second, lately."""
        if len(self._lately) < 2:
            return 0.0
        (then, before), (now, after) = self._lately[0], self._lately[-1]
        return (after - before) / (now - then) if now > then else 0.0


_SHOWN = (Outcome.FAILED, Outcome.REFUSED, Outcome.TRAPPED, Outcome.QUEUED)


def _done(glance: Glance) -> int:
    return sum(glance.counts.get(each, 0) for each in (Outcome.STORED, Outcome.DUPLICATE, Outcome.FAILED))


def _host_line(host: HostView) -> str:
    return f"  {host.name}: {host.asked:,} asked for, {host.queued:,} still queued, {host.state}"

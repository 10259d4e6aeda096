"""What a person or a program sees of a recovery while it runs."""

from __future__ import annotations

import time
from collections import deque

from webkeep.cli import measure
from webkeep.cli.output import Output
from webkeep.recover.book import Desk, Resource
from webkeep.recover.reason_words import plain_reason
from webkeep.recover.watching import Glance

_REDRAWN, _EVENTS, _PLAIN = 0.3, 1.0, 10.0
"""Seconds between two words, to a terminal, a program and a log."""
_TOLD = 20
_WINDOW = 40
_LONGEST = 300
_REMEMBERED = 1000


class Board:
    """Shows how a recovery is doing: lines that are redrawn, a line now and then, or events."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._pause = _EVENTS if out.as_json else _REDRAWN if out.is_watched else _PLAIN
        self._told_at = self._began = time.monotonic()
        self._lately: deque[tuple[float, int]] = deque(maxlen=_WINDOW)
        self._listed_at = 0.0
        self._missed = 0
        self._noted: set[str] = set()
        self._first = False

    def begun(self, capture: str, resumed: bool) -> None:
        """The recovery was begun, or is gone on with."""
        self._out.event("recovery", capture=capture, resumed=resumed)
        if resumed:
            self._out.note(f"going on with recovery {capture[:8]}")

    def listed(self, desk: Desk) -> None:
        """A repository has told more of what it holds."""
        now = time.monotonic()
        if now - self._listed_at >= self._pause:
            self._listed_at = now
            self._out.event("listing", repository=desk.name, versions=desk.listed, requests=desk.requests)
            say = self._out.status if self._out.is_watched else self._out.note
            if not self._out.as_json:
                say(f"{desk.name} has listed {measure.counted(desk.listed, 'capture')} of URLs so far")

    def recovered(self, resource: Resource, repository: str) -> None:
        """A resource is back."""
        if not self._first:
            self._first = True
            self._out.note(f"the first is back: {_short(resource.url)} from {repository}")

    def cut_off(self, resource: Resource, repository: str) -> None:
        """A resource is back, and its end is missing."""
        self._out.event("cut-off", url=resource.url, repository=repository)
        self._tell_gap(f"cut off: {_short(resource.url)} from {repository} (no whole version came)")

    def missed(self, resource: Resource, note: str) -> None:
        """A resource could not be had."""
        self._out.event("missing", url=resource.url, reason=note)
        self._tell_gap(f"missing: {_short(resource.url)} ({_short(plain_reason(note))})")

    def _tell_gap(self, words: str) -> None:
        self._missed += 1
        if self._missed <= _TOLD and not self._out.as_json:
            self._out.note(words)
        elif self._missed == _TOLD + 1 and not self._out.as_json:
            self._out.note("further gaps are counted; the report and the summary tell them all")

    def noted(self, text: str) -> None:
        """Something that a person should know; once is enough."""
        if text in self._noted:
            return
        if len(self._noted) < _REMEMBERED:
            self._noted.add(text)
        self._out.event("note", text=text)
        self._out.note(_short(text, 2 * _LONGEST))

    def glanced(self, glance: Glance) -> None:
        """How it is doing now."""
        now = time.monotonic()
        self._lately.append((now, glance.recovered + glance.missing))
        if now - self._told_at < self._pause:
            return
        self._told_at = now
        if self._out.as_json:
            self._out.event("progress", **_facts(glance), rate=round(self._rate(), 1),
                            seconds=round(now - self._began, 1))  # fmt: skip
        elif self._out.is_watched:
            self._out.status(self._line(glance))
        else:
            self._out.note(self._line(glance))

    def _line(self, glance: Glance) -> str:
        parts = [f"{glance.recovered:,} recovered"]
        parts += [
            f"{count:,} {what}" for count, what in ((glance.missing, "missing"), (glance.queued, "queued")) if count
        ]
        parts += [
            measure.size(glance.bytes),
            f"{self._rate():,.0f} a second",
        ]
        parts += [f"{glance.progress:.0%} of what is known"] if glance.recovered + glance.missing else []
        left = self._seconds_left(glance)
        return "recovering: " + ", ".join(parts) + (f", about {measure.elapsed(left)} left" if left else "")

    def _seconds_left(self, glance: Glance) -> float:
        rate = self._rate()
        return glance.queued / rate if rate else 0.0

    def _rate(self) -> float:
        """Resources a second, lately."""
        if len(self._lately) < 2:
            return 0.0
        (then, before), (now, after) = self._lately[0], self._lately[-1]
        return (after - before) / (now - then) if now > then else 0.0


def _short(text: str, longest: int = _LONGEST) -> str:
    """A text that fits on a few lines of a terminal."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _facts(glance: Glance) -> dict[str, object]:
    return {
        "recovered": glance.recovered,
        "missing": glance.missing,
        "queued": glance.queued,
        "bytes": glance.bytes,
        "requests": {desk.name: desk.requests for desk in glance.desks},
        "progress": round(glance.progress, 4),
    }

"""Crawler traps: sites with more URLs than pages, and how far the frontier goes into them: the budget of each kind
(`--trap-budget`), what was left out, and advice how to have it.

An address that no site has on purpose is left out when it is found. Everything else is decided when its turn comes,
by what its host gave so far: suspicious kinds have a budget for each shape, and a shape that keeps giving the same
content, or leads to nothing but itself, is barred. So a site with ten thousand numbered articles is captured whole,
and one that has a page for every day of the next millennium is not.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.extract.links import Link
from webkeep.formats.status import is_answered
from webkeep.frontier.traps.calendar import calendar_suspicion
from webkeep.frontier.traps.guessed_links import GuessTracker
from webkeep.frontier.traps.page_series import PageSeriesTracker
from webkeep.frontier.traps.parameter_combinations import ParameterCombinations
from webkeep.frontier.traps.repeated_content import RepeatedContent
from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.url_shape import is_whole_host, rule_text, shape_of
from webkeep.frontier.traps.url_spelling import UrlSpellings
from webkeep.frontier.traps.url_structure import structural_suspicion
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.fetch_outcome import FetchOutcome
from webkeep.frontier.urls.lru_map import LruMap
from webkeep.model import Moment

TRAP_KEY_PREFIX = "trap "
"""How the names begin under which suspicions are kept."""

_MAX_SUSPICIONS = 5000
"""Suspicions of which it is remembered what was spent on them."""
_BUDGET_SHARES = {TrapKind.SESSION: 0.02, TrapKind.PERMUTATION: 0.1, TrapKind.CALENDAR: 1.0, TrapKind.COMBINATION: 10.0}
"""What part of the budget each kind has; kinds that are not here have none."""


@dataclass(slots=True)
class _TrapCounts:
    asked: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Trap:
    """A kind of URL of which some were left out."""

    kind: TrapKind
    shape: str
    asked: int
    """How many of them were asked for since they looked suspicious."""
    left_out: int
    advice: str
    """How to have them all."""


class TrapDetector:
    """The suspicions of a capture, with what was spent on each."""

    def __init__(self) -> None:
        self._spellings = UrlSpellings()
        self._combinations = ParameterCombinations()
        self._page_series = PageSeriesTracker()
        self._repeated_content = RepeatedContent()
        self._guesses = GuessTracker()
        self._counts: LruMap[TrapSuspicion, _TrapCounts] = LruMap(_MAX_SUSPICIONS)
        self._changed: set[TrapSuspicion] = set()

    def check_found(self, url: str, role: UrlRole, redirects: int, most_redirects: int) -> TrapSuspicion | None:
        """Whether a URL is left out as soon as it is found."""
        if redirects > most_redirects:
            suspicion: TrapSuspicion | None = TrapSuspicion(TrapKind.REDIRECTS, shape_of(url))
        else:
            suspicion = structural_suspicion(url, role)
        return suspicion

    def check_due(self, candidate: Candidate, budget: int, guess_budget: int, now: Moment) -> TrapSuspicion | None:
        """Whether a URL is left out now that its turn has come."""
        url = candidate.url
        if candidate.guess and (guess := self._guesses.suspicion(url, candidate.host, guess_budget)):
            return guess
        if candidate.role is not UrlRole.NAVIGATE:
            return None
        suspicion = self._suspect(url, now)
        if suspicion is not None:
            counts = self._counts_of(suspicion)
            if counts.asked >= round(budget * _BUDGET_SHARES[suspicion.kind]):
                return suspicion
            counts.asked += 1
            self._changed.add(suspicion)
        return self._page_series.suspicion(candidate, budget) or self._repeated_content.suspicion(url, budget)

    def _suspect(self, url: str, now: Moment) -> TrapSuspicion | None:
        if not any(sign in url for sign in "?;(") and not any(digit in url for digit in "0123456789"):
            return None
        return (
            self._spellings.suspicion(url)
            or calendar_suspicion(url, now.datetime.year)
            or self._combinations.suspicion(url)
        )

    def count_left_out(self, suspicion: TrapSuspicion) -> str:
        """Count a URL that was left out, and say why in one line."""
        self._counts_of(suspicion).left_out += 1
        self._changed.add(suspicion)
        return f"{suspicion.kind}: {suspicion.shape}"

    def _counts_of(self, suspicion: TrapSuspicion) -> _TrapCounts:
        counts = self._counts.get(suspicion)
        if counts is None:
            counts = self._counts[suspicion] = _TrapCounts()
        return counts

    def learn_outcome(self, candidate: Candidate, outcome: FetchOutcome, budget: int) -> None:
        """Take note of how a URL was answered."""
        is_same = bool(outcome.redirect) and self.learn_content(candidate, outcome.redirect, budget)
        if candidate.guess:
            self._guesses.learn(candidate.url, candidate.host, is_answered(outcome.status) and not is_same)

    def learn_content(self, candidate: Candidate, digest: str, budget: int, seen: bytes = b"") -> bool:
        """Take note of what a URL gave; the answer is whether another one gave the same, or what differs from it in
        nothing that matters.
        """
        if candidate.role not in (UrlRole.NAVIGATE, UrlRole.SEED):
            return False
        contents = (digest, seen) if seen else (digest,)
        return self._repeated_content.learn(candidate.url, candidate.id, candidate.host, contents, budget)

    def watch_links(self, page: Candidate, links: Iterable[Link]) -> Iterable[Link]:
        """The links of a page as they are, of which note is taken as they pass."""
        return self._page_series.watch_links(page, links)

    def take_changes(self) -> Iterator[tuple[str, str]]:
        """Names and texts that must outlast the process: what was spent on each suspicion since this was asked last."""
        for suspicion in self._changed:
            counts = self._counts_of(suspicion)
            yield f"{TRAP_KEY_PREFIX}{suspicion.kind}: {suspicion.shape}", f"{counts.asked} {counts.left_out}"
        self._changed.clear()

    def restore(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take up what `take_changes` gave earlier."""
        kinds = {kind.value: kind for kind in TrapKind}
        for name, text in kept:
            kind, _, shape = name.removeprefix(TRAP_KEY_PREFIX).partition(": ")
            asked, _, left_out = text.partition(" ")
            if kind in kinds and asked.isdecimal() and left_out.isdecimal():
                self._counts[TrapSuspicion(kinds[kind], shape)] = _TrapCounts(int(asked), int(left_out))

    def report(self) -> Iterator[Trap]:
        """The kinds of URL of which some were left out, the greatest first."""
        for suspicion, counts in sorted(self._counts.items(), key=lambda each: -each[1].left_out):
            if counts.left_out:
                yield Trap(*suspicion, counts.asked, counts.left_out, _advice(suspicion))


def _advice(suspicion: TrapSuspicion) -> str:
    if suspicion.kind is TrapKind.SITEMAPS:
        return "name those that you want as seeds"
    has_budget = suspicion.kind in _BUDGET_SHARES or suspicion.kind in (TrapKind.SAME_CONTENT, TrapKind.CHAIN)
    if has_budget and is_whole_host(suspicion.shape):
        return "a greater --trap-budget"
    rule = f"--include {shlex.quote(rule_text(suspicion.shape))}"
    return f"{rule}, or a greater --trap-budget" if has_budget else rule

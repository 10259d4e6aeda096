"""Traps: sites with more URLs than pages, and how far the frontier goes into them.

An address that no site has on purpose is left out when it is found. Everything else is decided when its turn comes,
by what its host gave so far: suspicious kinds have a budget for each shape, and a shape that keeps giving the same
content, or leads to nothing but itself, is barred. So a site with ten thousand numbered articles is captured whole,
and one that has a page for every day of the next millennium is not.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.extract import Link
from webkeep.frontier.answer import Answer
from webkeep.frontier.calendar import calendar_suspicion
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.chain import Chains
from webkeep.frontier.combination import Combinations
from webkeep.frontier.guesses import Guesses
from webkeep.frontier.lately import Lately
from webkeep.frontier.sameness import Sameness
from webkeep.frontier.shape import is_whole_host, rule_text, shape_of
from webkeep.frontier.spelling import Spellings
from webkeep.frontier.structure import structural_suspicion
from webkeep.frontier.suspicion import Kind, Suspicion
from webkeep.model import Moment

KEPT = "trap "
"""How the names begin under which suspicions are kept."""

_REMEMBERED = 5000
_ERRORS = 400
_SHARES = {Kind.SESSION: 0.02, Kind.PERMUTATION: 0.1, Kind.CALENDAR: 1.0, Kind.COMBINATION: 10.0}
"""What part of the budget each kind has; kinds that are not here have none."""


@dataclass(slots=True)
class _Account:
    asked: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Trap:
    """A kind of URL of which some were left out."""

    kind: Kind
    shape: str
    asked: int
    """How many of them were asked for since they looked suspicious."""
    left_out: int
    advice: str
    """How to have them all."""


class Traps:
    """The suspicions of a capture, with what was spent on each."""

    def __init__(self) -> None:
        self._spellings = Spellings()
        self._combinations = Combinations()
        self._chains = Chains()
        self._sameness = Sameness()
        self._guesses = Guesses()
        self._accounts: Lately[Suspicion, _Account] = Lately(_REMEMBERED)
        self._changed: set[Suspicion] = set()

    def found(self, url: str, role: Role, redirects: int, most_redirects: int) -> Suspicion | None:
        """Whether a URL is left out as soon as it is found."""
        if redirects > most_redirects:
            suspicion: Suspicion | None = Suspicion(Kind.REDIRECTS, shape_of(url))
        else:
            suspicion = structural_suspicion(url, role)
        return suspicion

    def due(self, candidate: Candidate, budget: int, guess_budget: int, now: Moment) -> Suspicion | None:
        """Whether a URL is left out now that its turn has come."""
        url = candidate.url
        if candidate.guess and (guess := self._guesses.suspicion(url, candidate.host, guess_budget)):
            return guess
        if candidate.role is not Role.NAVIGATE:
            return None
        suspicion = self._suspicion(url, now)
        if suspicion is not None:
            account = self._account(suspicion)
            if account.asked >= round(budget * _SHARES[suspicion.kind]):
                return suspicion
            account.asked += 1
            self._changed.add(suspicion)
        return self._chains.suspicion(candidate, budget) or self._sameness.suspicion(url, budget)

    def _suspicion(self, url: str, now: Moment) -> Suspicion | None:
        if not any(sign in url for sign in "?;(") and not any(digit in url for digit in "0123456789"):
            return None
        return (
            self._spellings.suspicion(url)
            or calendar_suspicion(url, now.datetime.year)
            or self._combinations.suspicion(url)
        )

    def leave_out(self, suspicion: Suspicion) -> str:
        """Count a URL that was left out, and say why in one line."""
        self._account(suspicion).left_out += 1
        self._changed.add(suspicion)
        return f"{suspicion.kind}: {suspicion.shape}"

    def _account(self, suspicion: Suspicion) -> _Account:
        account = self._accounts.get(suspicion)
        if account is None:
            account = self._accounts[suspicion] = _Account()
        return account

    def learn_answer(self, candidate: Candidate, answer: Answer, budget: int) -> None:
        """Take note of how a URL was answered."""
        is_same = bool(answer.redirect) and self.learn_content(candidate, answer.redirect, budget)
        if candidate.guess:
            self._guesses.learn(candidate.url, candidate.host, 0 < answer.status < _ERRORS and not is_same)

    def learn_content(self, candidate: Candidate, digest: str, budget: int) -> bool:
        """Take note of what a URL gave; the answer is whether another one gave the same."""
        if candidate.role not in (Role.NAVIGATE, Role.SEED):
            return False
        return self._sameness.learn(candidate.url, candidate.id, candidate.host, digest, budget)

    def watched(self, page: Candidate, links: Iterable[Link]) -> Iterable[Link]:
        """The links of a page as they are, of which note is taken as they pass."""
        return self._chains.watched(page, links)

    def changes(self) -> Iterator[tuple[str, str]]:
        """Names and texts that must outlast the process: what was spent on each suspicion since this was asked last."""
        for suspicion in self._changed:
            account = self._account(suspicion)
            yield f"{KEPT}{suspicion.kind}: {suspicion.shape}", f"{account.asked} {account.left_out}"
        self._changed.clear()

    def recall(self, kept: Iterable[tuple[str, str]]) -> None:
        """Take up what `changes` told of earlier."""
        kinds = {kind.value: kind for kind in Kind}
        for name, text in kept:
            kind, _, shape = name.removeprefix(KEPT).partition(": ")
            asked, _, left_out = text.partition(" ")
            if kind in kinds and asked.isdecimal() and left_out.isdecimal():
                self._accounts[Suspicion(kinds[kind], shape)] = _Account(int(asked), int(left_out))

    def report(self) -> Iterator[Trap]:
        """The kinds of URL of which some were left out, the greatest first."""
        for suspicion, account in sorted(self._accounts.items(), key=lambda each: -each[1].left_out):
            if account.left_out:
                yield Trap(*suspicion, account.asked, account.left_out, _advice(suspicion))


def _advice(suspicion: Suspicion) -> str:
    if suspicion.kind is Kind.SITEMAPS:
        return "name those that you want as seeds"
    has_budget = suspicion.kind in _SHARES or suspicion.kind in (Kind.SAME_CONTENT, Kind.CHAIN)
    if has_budget and is_whole_host(suspicion.shape):
        return "a greater --trap-budget"
    rule = f"--include {shlex.quote(rule_text(suspicion.shape))}"
    return f"{rule}, or a greater --trap-budget" if has_budget else rule

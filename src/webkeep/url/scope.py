"""Scope: which URLs a capture goes for, and why.

A seed is always in scope: someone named it. Beyond that, rules are asked from the last to the first, and the first
that holds decides; where none does, a URL is in scope if it lies within the bounds of any seed. http and https
count as one, and so do hosts with and without `www.`, for sites send visitors from one to the other.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.url import escapes
from webkeep.url.rules import Effect, MediaTypeLike, Rule, SizeIs, Subject
from webkeep.url.suffix import registrable_domain
from webkeep.url.surt_prefix import SurtPrefixes, turned

_WEB = re.compile(r"(https?://[^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE).match
_SITE = re.compile(r"https?://(?:.*@)?(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", re.IGNORECASE | re.DOTALL).fullmatch
_WWW = re.compile(r"www[0-9]*\.(?=[^.]+\.)").match
_LONGEST_CACHED_SITE = 300


class Extent(enum.StrEnum):
    """How far around a seed a scope reaches."""

    PAGE = "page"
    PREFIX = "prefix"
    """The seed's directory and all below it."""
    HOST = "host"
    DOMAIN = "domain"
    """All hosts under the domain someone registered."""


class Verdict(enum.StrEnum):
    """What a scope says of a URL."""

    IN = "in"
    OUT = "out"
    OPEN = "open"
    """It may be asked for; its media type or size will decide."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and what it rests on."""

    verdict: Verdict
    rule: str
    reason: str

    @property
    def allowed(self) -> bool:
        """Whether the URL may be asked for."""
        return self.verdict is not Verdict.OUT


@dataclass(frozen=True, slots=True)
class Bound:
    """A seed and how far around it to go."""

    seed: str
    extent: Extent = Extent.PREFIX


_NOT_WEB = Decision(Verdict.OUT, "scheme", "not an http or https address")
BOUNDS = "bounds"
"""What a decision rests on where no rule and no seed took a URL in."""
_OUTSIDE = Decision(Verdict.OUT, BOUNDS, "outside the bounds of every seed")
_REQUISITE = Decision(Verdict.IN, "requisite", "part of a page in scope")


class Scope:
    """The bounds of some seeds, and the rules that widen and narrow them."""

    __slots__ = ("_decisions", "_prefixes", "_requisites", "_rules", "_seeds")

    def __init__(self, bounds: Iterable[Bound], rules: Iterable[Rule] = (), requisites: bool = True) -> None:
        self._rules = tuple(reversed([(rule, _of_rule(rule), _of_open_rule(rule)) for rule in rules]))
        self._requisites = requisites
        self._seeds: dict[str, Decision] = {}
        self._decisions: dict[str, Decision] = {}
        for bound in bounds:
            self._add(bound)
        self._prefixes = SurtPrefixes(self._decisions)

    def _add(self, bound: Bound) -> None:
        form = _form(bound.seed)
        if form is None:
            raise UsageError(f"seed {bound.seed[:200]!r} is no web address: write it as https://example.org/")
        self._seeds.setdefault(form, Decision(Verdict.IN, "seed", "named as a seed"))
        if bound.extent is not Extent.PAGE:
            reason = f"within the {bound.extent} bounds of {bound.seed}"
            self._decisions.setdefault(_prefix(form, bound.extent), Decision(Verdict.IN, bound.extent, reason))

    def judge(
        self, url: str, media_type: str | None = None, size: int | None = None, embedded: bool = False
    ) -> Decision:
        """Whether the URL, in its normal form, is to be captured; `embedded` says a page in scope needs it to show.

        Leave media type and size None while they are unknown, and ask again when they are known.
        """
        form = _form(url)
        if form is None:
            return _NOT_WEB
        decision = self._seeds.get(form)
        if decision is None:
            decision = self._by_bounds(form, embedded)
            if self._rules:
                decision = self._by_rules(_subject(url, media_type, size), decision)
        return decision

    @property
    def looks_at_answers(self) -> bool:
        """Whether a rule looks at media types or sizes, so that answers are to be judged as well as URLs."""
        return any(isinstance(each, MediaTypeLike | SizeIs) for rule, *_ in self._rules for each in rule.conditions)

    def _by_bounds(self, form: str, embedded: bool) -> Decision:
        prefix = self._prefixes.find(form)
        if prefix is not None:
            return self._decisions[prefix]
        return _REQUISITE if embedded and self._requisites else _OUTSIDE

    def _by_rules(self, subject: Subject, decision: Decision) -> Decision:
        undecided: list[tuple[Rule, Decision]] = []
        for rule, settled, still_open in self._rules:
            held = rule.holds(subject)
            if held:
                decision = settled
                break
            if held is None:
                undecided.append((rule, still_open))
        # A rule that may yet hold matters only where it would change the outcome.
        for rule, still_open in undecided:
            if (rule.effect is Effect.INCLUDE) is not decision.allowed:
                return still_open
        return decision


def scope_around(
    seeds: Iterable[str], extent: Extent = Extent.PREFIX, rules: Iterable[Rule] = (), requisites: bool = True
) -> Scope:
    """The scope that reaches equally far around each seed."""
    return Scope([Bound(seed, extent) for seed in seeds], rules, requisites)


def _of_rule(rule: Rule) -> Decision:
    verdict = Verdict.IN if rule.effect is Effect.INCLUDE else Verdict.OUT
    return Decision(verdict, str(rule), rule.reason or f"the rule {rule.text!r} {rule.effect}s it")


def _of_open_rule(rule: Rule) -> Decision:
    return Decision(Verdict.OPEN, str(rule), f"the rule {rule.text!r} may {rule.effect} it once it has been asked for")


def _subject(url: str, media_type: str | None, size: int | None) -> Subject:
    essence = None if media_type is None else media_type.partition(";")[0].strip().lower()
    return Subject(url.partition("#")[0], essence, size)


def _form(url: str) -> str | None:
    """The URL turned round for comparing: no scheme, no `www.`, no userinfo, no needless escapes, no fragment."""
    match = _WEB(url)
    if match is None:
        return None
    site, path, query = match.groups("")
    place = _place(site) if len(site) <= _LONGEST_CACHED_SITE else _place.__wrapped__(site)
    return None if place is None else f"{place}{escapes.decoded(path, escapes.UNRESERVED) or '/'}{query}"


@lru_cache(8192)
def _place(site: str) -> str | None:
    match = _SITE(site)
    if match is None or not match[1]:
        return None
    host, port = match[1].lower(), match[2]
    www = _WWW(host)
    own_port = {"http:": "80", "https": "443"}[site[:5].lower()]
    shown = "" if port in {None, "", own_port} else f":{port}"
    return f"({turned(host[www.end() :] if www else host)}{shown})"


def _prefix(form: str, extent: Extent) -> str:
    place, _, rest = form.partition(")/")
    if extent is Extent.HOST:
        return f"{place})/"
    if extent is Extent.PREFIX:
        path = "/" + rest.partition("?")[0]
        return f"{place}){path[: path.rindex('/') + 1]}"
    hosted = place[1:].rpartition(",")[0]
    domain = registrable_domain(".".join(reversed(hosted.split(","))))
    return f"({turned(domain)}" if domain else f"({hosted},"

"""Scope: which URLs a capture goes for, and why: the page, prefix, host or domain around a seed, what a page in scope
embeds, and before these the last rule that holds.

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
from webkeep.url import percent_escapes as escapes
from webkeep.url.public_suffix import registrable_domain
from webkeep.url.scope.url_rules import MediaTypeCondition, RuleEffect, RuleSubject, SizeCondition, UrlRule
from webkeep.url.surt_prefix import SurtPrefixes, reverse_host

_WEB = re.compile(r"(https?://[^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE).match
_SITE = re.compile(r"https?://(?:.*@)?(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", re.IGNORECASE | re.DOTALL).fullmatch
_WWW = re.compile(r"www[0-9]*\.(?=[^.]+\.)").match
_MAX_CACHED_SITE_CHARS = 300
"""Longer sites are not remembered: no host's name is longer than 253 characters."""


class ScopeExtent(enum.StrEnum):
    """How far around a seed a scope reaches."""

    PAGE = "page"
    PREFIX = "prefix"
    """The seed's directory and all below it."""
    HOST = "host"
    DOMAIN = "domain"
    """All hosts under the domain someone registered."""


class ScopeVerdict(enum.StrEnum):
    """What a scope says of a URL."""

    IN = "in"
    OUT = "out"
    OPEN = "open"
    """It may be asked for; its media type or size will decide."""


@dataclass(frozen=True, slots=True)
class ScopeDecision:
    """A verdict, and what it rests on."""

    verdict: ScopeVerdict
    rule: str
    reason: str

    @property
    def is_allowed(self) -> bool:
        """Whether the URL may be asked for."""
        return self.verdict is not ScopeVerdict.OUT


@dataclass(frozen=True, slots=True)
class ScopeBound:
    """A seed and how far around it to go."""

    seed: str
    extent: ScopeExtent = ScopeExtent.PREFIX


_NOT_WEB = ScopeDecision(ScopeVerdict.OUT, "scheme", "not an http or https address")
BOUNDS_RULE = "bounds"
"""What a decision rests on where no rule and no seed took a URL in."""
OUTSIDE_REASON = "outside the bounds of every seed"
"""Why such a URL is out of scope."""
_OUTSIDE = ScopeDecision(ScopeVerdict.OUT, BOUNDS_RULE, OUTSIDE_REASON)
_REQUISITE = ScopeDecision(ScopeVerdict.IN, "requisite", "part of a page in scope")


class Scope:
    """The bounds of some seeds, and the rules that widen and narrow them."""

    __slots__ = ("_decisions", "_prefixes", "_requisites", "_rules", "_seeds")

    def __init__(self, bounds: Iterable[ScopeBound], rules: Iterable[UrlRule] = (), requisites: bool = True) -> None:
        self._rules = tuple(reversed([(rule, _rule_decision(rule), _open_decision(rule)) for rule in rules]))
        self._requisites = requisites
        self._seeds: dict[str, ScopeDecision] = {}
        self._decisions: dict[str, ScopeDecision] = {}
        for bound in bounds:
            self._add_bound(bound)
        self._prefixes = SurtPrefixes(self._decisions)

    def _add_bound(self, bound: ScopeBound) -> None:
        form = _scope_key(bound.seed)
        if form is None:
            raise UsageError(f"seed {bound.seed[:200]!r} is no web address: write it as https://example.org/")
        self._seeds.setdefault(form, ScopeDecision(ScopeVerdict.IN, "seed", "named as a seed"))
        if bound.extent is not ScopeExtent.PAGE:
            reason = f"within the {bound.extent} bounds of {bound.seed}"
            self._decisions.setdefault(
                _bound_prefix(form, bound.extent), ScopeDecision(ScopeVerdict.IN, bound.extent, reason)
            )

    def judge(
        self, url: str, media_type: str | None = None, size: int | None = None, embedded: bool = False
    ) -> ScopeDecision:
        """Whether the URL, in its normal form, is to be captured; `embedded` says a page in scope needs it to show.

        Leave media type and size None while they are unknown, and ask again when they are known.
        """
        form = _scope_key(url)
        if form is None:
            return _NOT_WEB
        decision = self._seeds.get(form)
        if decision is None:
            decision = self._decide_by_bounds(form, embedded)
            if self._rules:
                decision = self._decide_by_rules(_build_subject(url, media_type, size), decision)
        return decision

    @property
    def needs_responses(self) -> bool:
        """Whether a rule looks at media types or sizes, so that answers are to be judged as well as URLs."""
        return any(
            isinstance(each, MediaTypeCondition | SizeCondition) for rule, *_ in self._rules for each in rule.conditions
        )

    def _decide_by_bounds(self, form: str, embedded: bool) -> ScopeDecision:
        prefix = self._prefixes.find_prefix(form)
        if prefix is not None:
            return self._decisions[prefix]
        return _REQUISITE if embedded and self._requisites else _OUTSIDE

    def _decide_by_rules(self, subject: RuleSubject, decision: ScopeDecision) -> ScopeDecision:
        undecided: list[tuple[UrlRule, ScopeDecision]] = []
        for rule, settled, still_open in self._rules:
            held = rule.holds(subject)
            if held:
                decision = settled
                break
            if held is None:
                undecided.append((rule, still_open))
        # A rule that may yet hold matters only where it would change the outcome.
        for rule, still_open in undecided:
            if (rule.effect is RuleEffect.INCLUDE) is not decision.is_allowed:
                return still_open
        return decision


def scope_around(
    seeds: Iterable[str],
    extent: ScopeExtent = ScopeExtent.PREFIX,
    rules: Iterable[UrlRule] = (),
    requisites: bool = True,
) -> Scope:
    """The scope that reaches equally far around each seed."""
    return Scope([ScopeBound(seed, extent) for seed in seeds], rules, requisites)


def _rule_decision(rule: UrlRule) -> ScopeDecision:
    verdict = ScopeVerdict.IN if rule.effect is RuleEffect.INCLUDE else ScopeVerdict.OUT
    return ScopeDecision(verdict, str(rule), rule.reason or f"the rule {rule.text!r} {rule.effect}s it")


def _open_decision(rule: UrlRule) -> ScopeDecision:
    return ScopeDecision(
        ScopeVerdict.OPEN, str(rule), f"the rule {rule.text!r} may {rule.effect} it once it has been asked for"
    )


def _build_subject(url: str, media_type: str | None, size: int | None) -> RuleSubject:
    essence = None if media_type is None else media_type.partition(";")[0].strip().lower()
    return RuleSubject(url.partition("#")[0], essence, size)


def _scope_key(url: str) -> str | None:
    """The URL turned round for comparing: no scheme, no `www.`, no userinfo, no needless escapes, no fragment."""
    match = _WEB(url)
    if match is None:
        return None
    site, path, query = match.groups("")
    place = _site_key(site) if len(site) <= _MAX_CACHED_SITE_CHARS else _site_key.__wrapped__(site)
    return None if place is None else f"{place}{escapes.decode_escapes(path, escapes.UNRESERVED) or '/'}{query}"


@lru_cache(8192)
def _site_key(site: str) -> str | None:
    match = _SITE(site)
    if match is None or not match[1]:
        return None
    host, port = match[1].lower(), match[2]
    www = _WWW(host)
    own_port = {"http:": "80", "https": "443"}[site[:5].lower()]
    shown = "" if port in {None, "", own_port} else f":{port}"
    return f"({reverse_host(host[www.end() :] if www else host)}{shown})"


def _bound_prefix(form: str, extent: ScopeExtent) -> str:
    place, _, rest = form.partition(")/")
    if extent is ScopeExtent.HOST:
        return f"{place})/"
    if extent is ScopeExtent.PREFIX:
        path = "/" + rest.partition("?")[0]
        return f"{place}){path[: path.rindex('/') + 1]}"
    hosted = place[1:].rpartition(",")[0]
    domain = registrable_domain(".".join(reversed(hosted.split(","))))
    return f"({reverse_host(domain)}" if domain else f"({hosted},"

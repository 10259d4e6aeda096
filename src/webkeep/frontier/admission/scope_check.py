"""Admission: whether a candidate belongs to the capture. Decides who may lie out of the scope's bounds, how deep links
are followed, and that URLs taken down or trapped are left out, and why.
"""

from __future__ import annotations

from webkeep.frontier.policy.crawl_policy import CrawlPolicy
from webkeep.frontier.traps.suspicion import TrapSuspicion
from webkeep.frontier.traps.trap_detector import TrapDetector
from webkeep.frontier.traps.url_shape import rule_text
from webkeep.frontier.traps.url_structure import MAX_EMBED_URL_CHARS
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.url_store import Admission
from webkeep.model import UrlOutcome
from webkeep.url.scope import ScopeDecision, ScopeVerdict

_HTTP_PREFIXES = ("http://", "https://")
_BOUNDS_RULE, _REQUISITE_RULE = "bounds", "requisite"
"""What a scope's decision rests on where no rule made it."""

_TAKEN_DOWN_RULE = "taken down"
"""What a decision rests on where the URL was taken down from the archive."""
_NOT_HTTP = ScopeDecision(ScopeVerdict.OUT, "scheme", "not an http or https address")
_IN_NAMED_PLACE = ScopeDecision(ScopeVerdict.IN, "place", "within a place that was named")


def is_http_url(url: str) -> bool:
    """Whether a URL is asked for over HTTP."""
    return url.startswith(_HTTP_PREFIXES)


def judge_scope(
    policy: CrawlPolicy, candidate: Candidate, media_type: str | None = None, size: int | None = None
) -> ScopeDecision:
    """What the scope says of a candidate, with its media type and size where they are known."""
    if policy.taken_down and candidate.role is not UrlRole.ROBOTS and candidate.url in policy.taken_down:
        return ScopeDecision(ScopeVerdict.OUT, _TAKEN_DOWN_RULE, policy.taken_down[candidate.url])
    if not is_http_url(candidate.url):
        return _IN_NAMED_PLACE if candidate.url.startswith(policy.places) else _NOT_HTTP
    embedded = candidate.role is UrlRole.EMBED and candidate.requisite <= policy.requisite_depth
    decision = policy.scope.judge(candidate.url, media_type, size, embedded)
    if not decision.is_allowed and decision.rule == _BOUNDS_RULE and _may_leave_scope(policy, candidate):
        return ScopeDecision(ScopeVerdict.IN, _BOUNDS_RULE, decision.reason)
    return decision


def exclusion_outcome(decision: ScopeDecision) -> UrlOutcome:
    """What becomes of a candidate that is not allowed."""
    return UrlOutcome.TAKEN_DOWN if decision.rule == _TAKEN_DOWN_RULE else UrlOutcome.OUT_OF_SCOPE


def _may_leave_scope(policy: CrawlPolicy, candidate: Candidate) -> bool:
    """Whether a candidate may lie out of bounds."""
    match candidate.role:
        case UrlRole.ROBOTS | UrlRole.SITEMAP:
            return True
        case UrlRole.SEED:
            return candidate.redirects == 0 or policy.follows_seeds
        case UrlRole.NAVIGATE:
            return 0 < candidate.outside <= policy.external_depth
    return False


def admit_candidate(policy: CrawlPolicy, traps: TrapDetector, candidate: Candidate) -> Admission:
    """The candidate as it goes into the URL store.

    It comes with as many steps outside as if it were outside, and with one level of embedding more than its page.
    """
    decision = judge_scope(policy, candidate)
    if not decision.is_allowed:
        return Admission(_truncate_url(candidate), exclusion_outcome(decision), decision.reason)
    if (candidate.outside or candidate.requisite) and decision.rule not in (_BOUNDS_RULE, _REQUISITE_RULE):
        candidate = candidate._replace(outside=0, requisite=0)
    if policy.depth is not None and candidate.depth > policy.depth:
        return Admission(_truncate_url(candidate), UrlOutcome.CUT, f"depth: more than {policy.depth} steps from a seed")
    if policy.trap_budget is not None:
        suspicion = traps.check_found(candidate.url, candidate.role, candidate.redirects, policy.redirects)
        if suspicion is not None and not is_included_by_rule(decision, suspicion):
            return Admission(_truncate_url(candidate), UrlOutcome.TRAPPED, traps.count_left_out(suspicion))
    return Admission(candidate)


def is_included_by_rule(decision: ScopeDecision, suspicion: TrapSuspicion) -> bool:
    """Whether a person asked for just the kind of URL that looks suspicious, as the report of traps advises."""
    return decision.rule == f"include {rule_text(suspicion.shape)}"


def _truncate_url(candidate: Candidate) -> Candidate:
    """What is not asked for is known by its beginning where it is endless."""
    return (
        candidate
        if len(candidate.url) <= MAX_EMBED_URL_CHARS
        else candidate._replace(url=candidate.url[:MAX_EMBED_URL_CHARS])
    )

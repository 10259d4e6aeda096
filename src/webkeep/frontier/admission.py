"""Admission: what becomes of a link that leads somewhere new."""

from __future__ import annotations

from webkeep.frontier.book import Note
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.policy import Policy
from webkeep.frontier.shape import rule_text
from webkeep.frontier.structure import LONGEST_EMBED
from webkeep.frontier.suspicion import Suspicion
from webkeep.frontier.traps import Traps
from webkeep.model import Outcome
from webkeep.url import Decision, Verdict

_WEB = ("http://", "https://")
_BOUNDS, _REQUISITE = "bounds", "requisite"
"""What a scope's decision rests on where no rule made it."""

_TAKEN_DOWN = "taken down"
_ELSEWHERE = Decision(Verdict.OUT, "scheme", "not an http or https address")
_PLACE = Decision(Verdict.IN, "place", "within a place that was named")


def is_web(url: str) -> bool:
    """Whether a URL is asked for over HTTP."""
    return url.startswith(_WEB)


def decide(policy: Policy, candidate: Candidate, media_type: str | None = None, size: int | None = None) -> Decision:
    """What the scope says of a candidate, with its media type and size where they are known."""
    if policy.taken_down and candidate.role is not Role.ROBOTS and candidate.url in policy.taken_down:
        return Decision(Verdict.OUT, _TAKEN_DOWN, policy.taken_down[candidate.url])
    if not is_web(candidate.url):
        return _PLACE if candidate.url.startswith(policy.places) else _ELSEWHERE
    embedded = candidate.role is Role.EMBED and candidate.requisite <= policy.requisite_depth
    decision = policy.scope.judge(candidate.url, media_type, size, embedded)
    if not decision.allowed and decision.rule == _BOUNDS and _may_leave(policy, candidate):
        return Decision(Verdict.IN, _BOUNDS, decision.reason)
    return decision


def left_out(decision: Decision) -> Outcome:
    """What becomes of a candidate that is not allowed."""
    return Outcome.TAKEN_DOWN if decision.rule == _TAKEN_DOWN else Outcome.OUT_OF_SCOPE


def _may_leave(policy: Policy, candidate: Candidate) -> bool:
    """Whether a candidate may lie out of bounds."""
    match candidate.role:
        case Role.ROBOTS | Role.SITEMAP:
            return True
        case Role.SEED:
            return candidate.redirects == 0
        case Role.NAVIGATE:
            return 0 < candidate.outside <= policy.external_depth
    return False


def admit(policy: Policy, traps: Traps, candidate: Candidate) -> Note:
    """The candidate as it goes into the book.

    It comes with as many steps outside as if it were outside, and with one level of embedding more than its page.
    """
    decision = decide(policy, candidate)
    if not decision.allowed:
        return Note(_noted(candidate), left_out(decision), decision.reason)
    if (candidate.outside or candidate.requisite) and decision.rule not in (_BOUNDS, _REQUISITE):
        candidate = candidate._replace(outside=0, requisite=0)
    if policy.depth is not None and candidate.depth > policy.depth:
        return Note(_noted(candidate), Outcome.CUT, f"depth: more than {policy.depth} steps from a seed")
    if policy.trap_budget is not None:
        suspicion = traps.found(candidate.url, candidate.role, candidate.redirects, policy.redirects)
        if suspicion is not None and not is_included(decision, suspicion):
            return Note(_noted(candidate), Outcome.TRAPPED, traps.leave_out(suspicion))
    return Note(candidate)


def is_included(decision: Decision, suspicion: Suspicion) -> bool:
    """Whether a person asked for just the kind of URL that looks suspicious, as the report of traps advises."""
    return decision.rule == f"include {rule_text(suspicion.shape)}"


def _noted(candidate: Candidate) -> Candidate:
    """What is not asked for is known by its beginning where it is endless."""
    return candidate if len(candidate.url) <= LONGEST_EMBED else candidate._replace(url=candidate.url[:LONGEST_EMBED])

"""Turns: whether a candidate is asked for after all, now that its turn has come and more is known."""

from __future__ import annotations

from webkeep.frontier.admission import decide, is_included
from webkeep.frontier.answer import Settled
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.host import Host, target_of
from webkeep.frontier.limits import SITEMAP_SHARE, Totals
from webkeep.frontier.policy import Policy, RobotsMode
from webkeep.frontier.suspicion import Kind, Suspicion
from webkeep.frontier.traps import Traps
from webkeep.model import Moment, Outcome


def fate_at_turn(policy: Policy, traps: Traps, host: Host, candidate: Candidate, now: Moment) -> Settled | None:
    """What becomes of a candidate instead of being asked for; None where it is asked for."""
    if candidate.revisit:
        return refused(policy, host, candidate)
    quota = quota_reached(policy, host, candidate.role)
    if quota:
        return Settled(Outcome.CUT, quota)
    return refused(policy, host, candidate) or _trapped(policy, traps, candidate, now)


def sitemap_fate(policy: Policy, traps: Traps, totals: Totals, candidate: Candidate) -> Settled | None:
    """What becomes of a sitemap beyond the limits on sitemaps; None for one within, and for anything else."""
    if candidate.role is not Role.SITEMAP or candidate.revisit:
        return None
    if totals.is_beyond_sitemaps(candidate):
        suspicion = Suspicion(Kind.SITEMAPS, f"the sitemaps of {candidate.host}")
        return Settled(Outcome.TRAPPED, traps.leave_out(suspicion))
    limit = totals.sitemap_limit_reached(policy)
    return Settled(Outcome.CUT, limit) if limit else None


def quota_reached(policy: Policy, host: Host, role: Role) -> str:
    """The limit that a host has reached for URLs of a role, or nothing."""
    quota = policy.quota_for(host.key)
    if quota is None:
        return ""
    if role is Role.SITEMAP and host.sitemaps >= quota // SITEMAP_SHARE:
        return f"sitemaps: more than one of {SITEMAP_SHARE} URLs (max-urls-per-host: {quota})"
    return f"max-urls-per-host: {quota}" if host.asked >= quota else ""


def refused(policy: Policy, host: Host, candidate: Candidate) -> Settled | None:
    """The fate of a candidate that its host's robots.txt forbids; None where it does not."""
    if not host.gate.rules.rules or (candidate.role is Role.EMBED and policy.requisites_exempt):
        return None
    rule = host.gate.refusal(target_of(candidate.url))
    if rule is None or policy.robots_for(candidate.url, host.key) is RobotsMode.IGNORE:
        return None
    for ledger in host.ledgers:
        ledger.refused(str(rule))
    return Settled(Outcome.REFUSED, f"robots.txt: {rule}")


def _trapped(policy: Policy, traps: Traps, candidate: Candidate, now: Moment) -> Settled | None:
    # What is asked for again was found to be no trap the first time.
    if policy.trap_budget is None or candidate.tries:
        return None
    suspicion = traps.due(candidate, policy.trap_budget, policy.guess_budget, now)
    if suspicion is None or is_included(decide(policy, candidate), suspicion):
        return None
    return Settled(Outcome.TRAPPED, traps.leave_out(suspicion))

"""Whether a candidate is asked for after all, now that its turn has come and more is known: a new scope, takedowns,
limits on sitemaps, its host's quota and robots.txt, pages that others hold, and traps.
"""

from __future__ import annotations

from webkeep.frontier.admission.crawl_totals import URLS_PER_SITEMAP, CrawlTotals
from webkeep.frontier.admission.policy_state import PolicyState
from webkeep.frontier.admission.scope_check import exclusion_outcome, is_included_by_rule, judge_scope
from webkeep.frontier.hosts.host import Host, path_and_query_of
from webkeep.frontier.policy.crawl_policy import CrawlPolicy, RobotsMode
from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.trap_detector import TrapDetector
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.fetch_outcome import Settled
from webkeep.model import Moment, UrlOutcome


def check_candidate(
    state: PolicyState, traps: TrapDetector, host: Host, candidate: Candidate, now: Moment
) -> Settled | None:
    """What becomes of a candidate instead of being asked for, by all that was learned since it was let in."""
    policy = state.policy
    if candidate.role is UrlRole.ROBOTS:
        return None
    if candidate.url in policy.taken_down:  # since it was queued
        return Settled(UrlOutcome.TAKEN_DOWN, policy.taken_down[candidate.url])
    if state.has_new_scope and not candidate.revisit:
        decision = judge_scope(policy, candidate)
        if not decision.is_allowed:
            return Settled(exclusion_outcome(decision), decision.reason)
    sitemap = check_sitemap_limits(policy, traps, state.totals, candidate)
    return sitemap or _check_dispatch(policy, traps, host, candidate, now)


def _check_dispatch(
    policy: CrawlPolicy, traps: TrapDetector, host: Host, candidate: Candidate, now: Moment
) -> Settled | None:
    """What becomes of a candidate instead of being asked for; None where it is asked for."""
    if candidate.revisit:
        return check_robots(policy, host, candidate)
    quota = quota_reached(policy, host, candidate.role)
    if quota:
        return Settled(UrlOutcome.CUT, quota)
    settled = _check_held(policy, candidate) or check_robots(policy, host, candidate)
    return settled or _check_traps(policy, traps, candidate, now)


def _check_held(policy: CrawlPolicy, candidate: Candidate) -> Settled | None:
    """What becomes of a page that others hold; seeds are asked for, and so is what pages cannot be shown without."""
    if policy.held_elsewhere is None or candidate.role is not UrlRole.NAVIGATE:
        return None
    holder = policy.held_elsewhere.find_holder(candidate.url)
    return Settled(UrlOutcome.OUT_OF_SCOPE, f"held in {holder}") if holder else None


def check_sitemap_limits(
    policy: CrawlPolicy, traps: TrapDetector, totals: CrawlTotals, candidate: Candidate
) -> Settled | None:
    """What becomes of a sitemap beyond the limits on sitemaps; None for one within, and for anything else."""
    if candidate.role is not UrlRole.SITEMAP or candidate.revisit:
        return None
    if totals.is_sitemap_excess(candidate):
        suspicion = TrapSuspicion(TrapKind.SITEMAPS, f"the sitemaps of {candidate.host}")
        return Settled(UrlOutcome.TRAPPED, traps.count_left_out(suspicion))
    limit = totals.sitemap_limit_reached(policy)
    return Settled(UrlOutcome.CUT, limit) if limit else None


def quota_reached(policy: CrawlPolicy, host: Host, role: UrlRole) -> str:
    """The limit that a host has reached for URLs of a role, or nothing."""
    quota = policy.quota_for(host.key)
    if quota is None:
        return ""
    if role is UrlRole.SITEMAP and host.sitemaps >= quota // URLS_PER_SITEMAP:
        return f"sitemaps: more than one of {URLS_PER_SITEMAP} URLs (max-urls-per-host: {quota})"
    return f"max-urls-per-host: {quota}" if host.asked >= quota else ""


def check_robots(policy: CrawlPolicy, host: Host, candidate: Candidate) -> Settled | None:
    """The fate of a candidate that its host's robots.txt forbids; None where it does not."""
    if not host.robots.rules.rules or (candidate.role is UrlRole.EMBED and policy.requisites_exempt):
        return None
    rule = host.robots.forbidding_rule(path_and_query_of(candidate.url))
    if rule is None or policy.robots_for(candidate.url, host.key) is RobotsMode.IGNORE:
        return None
    for ledger in host.ledgers:
        ledger.add_refusal(str(rule))
    return Settled(UrlOutcome.REFUSED, f"robots.txt: {rule}")


def _check_traps(policy: CrawlPolicy, traps: TrapDetector, candidate: Candidate, now: Moment) -> Settled | None:
    # What is asked for again was found to be no trap the first time.
    if policy.trap_budget is None or candidate.tries:
        return None
    suspicion = traps.check_due(candidate, policy.trap_budget, policy.guess_budget, now)
    if suspicion is None or is_included_by_rule(judge_scope(policy, candidate), suspicion):
        return None
    return Settled(UrlOutcome.TRAPPED, traps.count_left_out(suspicion))

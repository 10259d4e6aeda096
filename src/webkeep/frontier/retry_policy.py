"""Retrying: whether an answer settles a candidate, or it is asked for once more and after how long, or its host is
given up after failures in a row or too long a Retry-After.
"""

from __future__ import annotations

from webkeep.formats.status import INTERNAL_SERVER_ERROR, THROTTLING_STATUSES, TRANSIENT_STATUSES, is_error
from webkeep.frontier.hosts.backoff import FailureStreaks, exponential_backoff
from webkeep.frontier.policy.crawl_policy import CrawlPolicy
from webkeep.frontier.urls.candidate import Candidate, UrlRole
from webkeep.frontier.urls.fetch_outcome import FetchOutcome, FetchVerdict, RetryLater, Settled
from webkeep.model import UrlOutcome

_FIRST_RETRY_SECONDS = 2.0
"""Before the first retry; each further one waits so many times as long as the factor says."""
_RETRY_FACTOR = 4
"""Each further retry waits so many times as long: what did not pass in seconds may in minutes."""
_MAX_RETRY_SECONDS = 300.0
"""No retry waits longer, for the capture could end otherwise."""


def judge_outcome(policy: CrawlPolicy, candidate: Candidate, outcome: FetchOutcome) -> FetchVerdict:
    """What follows from an answer for its candidate."""
    if candidate.tries < _retries_for(policy, candidate, outcome):
        pause = exponential_backoff(_FIRST_RETRY_SECONDS, candidate.tries, _RETRY_FACTOR, _MAX_RETRY_SECONDS)
        return RetryLater(outcome.ended.plus(pause), outcome.failure or f"status {outcome.status}")
    times = f", asked {candidate.tries + 1} times" if candidate.tries else ""
    if outcome.failure:
        return Settled(UrlOutcome.FAILED, outcome.failure + times)
    if outcome.excluded:
        return Settled(UrlOutcome.OUT_OF_SCOPE, outcome.excluded)
    reason = f"status {outcome.status}{times}" if is_error(outcome.status) else outcome.cut
    return Settled(UrlOutcome.DUPLICATE if outcome.duplicate else UrlOutcome.STORED, reason)


def give_up_verdict(policy: CrawlPolicy, streaks: FailureStreaks, outcome: FetchOutcome) -> Settled | None:
    """What becomes of everything of a host after such an answer, where there is no more use in asking it."""
    if streaks.rejections and outcome.retry_after is not None and outcome.retry_after > policy.max_wait:
        waited = f"{outcome.retry_after:.0f} s, longer than {policy.max_wait:.0f} s"
        return Settled(UrlOutcome.FAILED, f"host asked to wait {waited}")
    if streaks.rejections > policy.host_failures:
        times = f"{streaks.rejections} times in a row"
        return Settled(UrlOutcome.FAILED, f"host turned requests away {times} (status {outcome.status})")
    if streaks.is_unresolvable:
        return Settled(UrlOutcome.FAILED, outcome.failure)
    if streaks.failures > policy.host_failures:
        return Settled(UrlOutcome.FAILED, f"host not reached {streaks.failures} times in a row: {outcome.failure}")
    return None


def _retries_for(policy: CrawlPolicy, candidate: Candidate, outcome: FetchOutcome) -> int:
    """How often a candidate may be asked for again after such an answer."""
    if candidate.role is UrlRole.ROBOTS:
        return 0
    if outcome.status in THROTTLING_STATUSES:
        return policy.retries
    if candidate.guess:
        return 0
    if (outcome.failure and outcome.temporary) or outcome.status in TRANSIENT_STATUSES:
        return policy.retries
    # A fault of a server's program seldom passes.
    return min(policy.retries, 1) if outcome.status == INTERNAL_SERVER_ERROR else 0

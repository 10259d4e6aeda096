"""Retrying: whether an answer settles a candidate, or it is asked for once more, or its host is given up."""

from __future__ import annotations

from webkeep.frontier.answer import Again, Answer, Settled, Verdict
from webkeep.frontier.candidate import Candidate, Role
from webkeep.frontier.policy import Policy
from webkeep.frontier.reception import TURNED_AWAY, Setbacks
from webkeep.model import Outcome

_PASSING = frozenset({408, 425, 502, 504})
_SELDOM_PASSING = 500
_FIRST_PAUSE = 2.0
_PAUSE_FACTOR = 4
_LONGEST_PAUSE = 300.0
_ERRORS = 400


def judged(policy: Policy, candidate: Candidate, answer: Answer) -> Verdict:
    """What follows from an answer for its candidate."""
    if candidate.tries < _retries(policy, candidate, answer):
        pause = min(_FIRST_PAUSE * _PAUSE_FACTOR**candidate.tries, _LONGEST_PAUSE)
        return Again(answer.ended.plus(pause), answer.failure or f"status {answer.status}")
    times = f", asked {candidate.tries + 1} times" if candidate.tries else ""
    if answer.failure:
        return Settled(Outcome.FAILED, answer.failure + times)
    if answer.excluded:
        return Settled(Outcome.OUT_OF_SCOPE, answer.excluded)
    reason = f"status {answer.status}{times}" if answer.status >= _ERRORS else answer.cut
    return Settled(Outcome.DUPLICATE if answer.duplicate else Outcome.STORED, reason)


def hopelessness(policy: Policy, setbacks: Setbacks, answer: Answer) -> Settled | None:
    """What becomes of everything of a host after such an answer, where there is no more use in asking it."""
    if setbacks.rejections and answer.retry_after is not None and answer.retry_after > policy.max_wait:
        waited = f"{answer.retry_after:.0f} s, longer than {policy.max_wait:.0f} s"
        return Settled(Outcome.FAILED, f"host asked to wait {waited}")
    if setbacks.rejections > policy.host_failures:
        times = f"{setbacks.rejections} times in a row"
        return Settled(Outcome.FAILED, f"host turned requests away {times} (status {answer.status})")
    if setbacks.is_nowhere:
        return Settled(Outcome.FAILED, answer.failure)
    if setbacks.failures > policy.host_failures:
        return Settled(Outcome.FAILED, f"host not reached {setbacks.failures} times in a row: {answer.failure}")
    return None


def _retries(policy: Policy, candidate: Candidate, answer: Answer) -> int:
    """How often a candidate may be asked for again after such an answer."""
    if candidate.role is Role.ROBOTS:
        return 0
    if answer.status in TURNED_AWAY:
        return policy.retries
    if candidate.guess:
        return 0
    if (answer.failure and answer.temporary) or answer.status in _PASSING:
        return policy.retries
    return min(policy.retries, 1) if answer.status == _SELDOM_PASSING else 0

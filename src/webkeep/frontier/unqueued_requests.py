"""Requests that are in no queue: what pages ask for as they run in a browser, and where a robots.txt moved to; whether
and from when on they may be made, by scope, limits, robots.txt and politeness.

They wait for their host's turn like everything else, and are counted like it; only that whoever makes them asks for the
turn, instead of being given it.
"""

from __future__ import annotations

from webkeep.errors import UsageError
from webkeep.frontier.admission.dispatch_checks import check_robots
from webkeep.frontier.admission.policy_state import PolicyState
from webkeep.frontier.admission.scope_check import exclusion_outcome, judge_scope
from webkeep.frontier.host_turns import HostTurns
from webkeep.frontier.hosts.host import host_key_of
from webkeep.frontier.robots_updates import RobotsUpdates
from webkeep.frontier.urls.candidate import Candidate
from webkeep.frontier.urls.fetch_outcome import FetchOutcome, Settled
from webkeep.model import Moment, UrlOutcome

_UNQUEUED_ID = 0
"""Stands for what is under way and has no number."""
_BUSY_SECONDS = 0.05
"""After how many seconds to ask again for a turn that no one can foretell."""
_RESERVED_SECONDS = 0.25
"""For how many seconds a turn that someone waits for is kept free."""


class UnqueuedRequests:
    """Gives turns to those who ask for them."""

    def __init__(self, state: PolicyState, turns: HostTurns, robots: RobotsUpdates) -> None:
        self._state, self._turns, self._robots = state, turns, robots

    def reserve_for_page(self, candidate: Candidate, number: int, now: Moment) -> Settled | Moment:
        """Whether and from when on a page that is being run may ask for something, of which it is the candidate.

        If that is now, it counts as under way until `record_outcome`, by a number below zero that nothing else has,
        and against the limit on URLs until `settle_for_page`.
        """
        state = self._state
        decision = judge_scope(state.policy, candidate)
        if not decision.is_allowed:
            return Settled(exclusion_outcome(decision), decision.reason)
        host = self._turns.host_of(candidate.host, candidate.url)
        if (limit := state.limit_reached) != "":
            return Settled(UrlOutcome.CUT, limit)
        if state.allowance == 0:  # what is under way may turn out not to count
            return now.plus(_BUSY_SECONDS)
        if host.closed is None and host.robots.is_due(now):
            self._robots.queue_robots(host, 1, now)
            self._turns.schedule(host, now)
        if host.closed is None and not host.robots.is_usable:
            return now.plus(_BUSY_SECONDS)
        refusal = host.closed or check_robots(state.policy, host, candidate)
        if refusal is not None:
            return refusal
        turn = self.reserve(candidate.url, now, number)
        state.totals.count_for_pages(turn == now)
        return turn

    def settle_for_page(self) -> None:
        """Take note that a request which `reserve_for_page` allowed was entered, or never will be."""
        self._state.totals.count_for_pages(-1)

    def reserve(self, url: str, now: Moment, number: int = _UNQUEUED_ID) -> Moment:
        """From when on something may be asked for that is in no queue.

        If that is now, it counts as under way until `record_outcome`; if not, ask again then.
        """
        host = self._turns.host_of(host_key_of(url), url)
        turn = Moment(max(host.free_at, now.micros))
        if not host.capacity(self._state.policy) or number in host.in_flight:
            turn = max(turn, now.plus(_BUSY_SECONDS))
        if turn == now:
            turn = self._turns.lease(host, now)
        if turn == now:
            host.group.reserve_until(0)
            self._turns.begin_request(host, number)
        elif not host.pace.is_parallel:
            # Else the queues of its name could be quicker every time.
            host.group.reserve_until(turn.plus(_RESERVED_SECONDS).micros)
        self._turns.schedule(host, now)
        return turn

    def rest_seconds_of(self, host_key: str, now: Moment) -> float:
        """For how many seconds a host that was met before is left in peace, as it asked for that or did not answer."""
        host = self._turns.hosts.get(host_key)
        return 0.0 if host is None or host.closed is not None else max(0.0, (host.free_at - now.micros) / 1e6)

    def record_outcome(self, url: str, outcome: FetchOutcome, now: Moment, number: int = _UNQUEUED_ID) -> None:
        """Take note of how a request ended that had its turn by `reserve` or `reserve_for_page`."""
        host = self._turns.host_of(host_key_of(url), url)
        if number not in host.in_flight:
            raise UsageError(f"{url[:200]} is not under way: ask for its turn first")
        self._turns.end_request(host, number, outcome, False, now)
        self._state.totals.add_bytes(outcome.size)
        self._turns.schedule_group(host, now)

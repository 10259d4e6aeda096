"""Hosts that a worker has leased and takes turns at: both have to say that one may be asked."""

from webkeep.cluster.group_leases import GroupLeases
from webkeep.cluster.shared_turns import SharedTurns
from webkeep.cluster.store.cluster_rows import ClaimedGroup
from webkeep.model import Moment

NOW = Moment.parse("2026-05-01T12:00:00Z")


class Turns:
    """Turns at hosts, some of which others have."""

    def __init__(self, *taken: str) -> None:
        self.taken, self.asked, self.released = set(taken), list[str](), list[str]()

    def acquire(self, name: str, delay_seconds: float, now: Moment) -> Moment:
        self.asked.append(name)
        return now.plus(delay_seconds) if name in self.taken else now

    def release(self, name: str, free_at: Moment, now: Moment) -> None:
        assert free_at > now
        self.released.append(name)


def worker_with(turns: Turns) -> tuple[SharedTurns, GroupLeases]:
    leases = GroupLeases(lambda: 1_000_000)
    leases.prolong(1_000_000)
    leases.grant(ClaimedGroup("ours.example", 0.0, None))
    leases.borrow(ClaimedGroup("borrowed.example", 0.0, None))
    return SharedTurns(leases, turns), leases


def test_a_host_is_asked_where_it_is_leased_and_no_other_capture_has_its_turn() -> None:
    turns = Turns("taken.example")
    shared, leases = worker_with(turns)
    leases.grant(ClaimedGroup("taken.example", 0.0, None))
    assert shared.acquire("ours.example", 3.0, NOW) == NOW
    assert shared.acquire("taken.example", 3.0, NOW) == NOW.plus(3.0)
    shared.release("ours.example", NOW.plus(3.0), NOW)
    assert turns.released == ["ours.example"]


def test_nobody_waits_for_a_turn_at_a_host_that_the_worker_may_not_ask() -> None:
    turns = Turns()
    shared, _ = worker_with(turns)
    assert shared.acquire("others.example", 3.0, NOW) > NOW
    assert turns.asked == []


def test_the_one_request_to_a_host_that_is_borrowed_is_not_used_up_by_waiting_for_a_turn() -> None:
    turns = Turns("borrowed.example")
    shared, leases = worker_with(turns)
    assert shared.acquire("borrowed.example", 3.0, NOW) > NOW
    turns.taken.clear()
    assert shared.acquire("borrowed.example", 3.0, NOW) == NOW
    assert shared.acquire("borrowed.example", 3.0, NOW) > NOW, "it was for one request"
    shared.release("borrowed.example", NOW.plus(1.0), NOW)
    assert [each.host_group for each in leases.take_returns()] == ["borrowed.example"]

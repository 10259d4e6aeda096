"""Leases as the frontier of a worker knows them, by a clock that is handed in."""

from webkeep.cluster.group_leases import LEASE_SECONDS, GroupLeases
from webkeep.cluster.store.cluster_rows import ClaimedGroup
from webkeep.model import Moment

NOW = Moment.parse("2026-05-01T12:00:00Z")


class Clock:
    """Tells what it was set to."""

    def __init__(self) -> None:
        self.micros = 1_000_000_000

    def __call__(self) -> int:
        return self.micros

    def advance(self, seconds: float) -> None:
        self.micros += round(seconds * 1e6)


def leased(group: str = "example.org", wait: float = 0.0, lost: float | None = None) -> tuple[GroupLeases, Clock]:
    clock = Clock()
    leases = GroupLeases(clock)
    leases.prolong(clock())
    leases.grant(ClaimedGroup(group, wait, lost))
    return leases, clock


def test_a_group_that_is_leased_may_be_asked() -> None:
    leases, _ = leased()
    assert leases.acquire("example.org", 1.0, NOW) == NOW
    assert leases.acquire("other.example", 1.0, NOW) > NOW
    assert leases.take_wanted() == ("other.example",)


def test_nothing_may_be_asked_once_the_lease_ends_here_and_it_ends_before_the_database_says_so() -> None:
    leases, clock = leased()
    clock.advance(LEASE_SECONDS - 2.1)
    assert leases.acquire("example.org", 1.0, NOW) == NOW
    assert leases.may_send()
    clock.advance(0.2)
    assert leases.acquire("example.org", 1.0, NOW) > NOW
    assert not leases.may_send()
    assert leases.has_withheld


def test_the_end_is_counted_from_before_the_database_was_asked() -> None:
    leases, clock = leased()
    asked_at = clock()
    clock.advance(60)
    leases.prolong(asked_at)
    assert not leases.is_valid


def test_a_group_that_was_given_back_is_left_in_peace_as_long_as_was_said() -> None:
    leases, clock = leased(wait=3.0)
    assert leases.acquire("example.org", 1.0, NOW).seconds_since(NOW) == 3.0
    clock.advance(3.0)
    assert leases.acquire("example.org", 1.0, NOW) == NOW


def test_a_group_of_a_lost_worker_is_left_in_peace_for_its_delay_from_the_end_of_the_lease_on() -> None:
    leases, clock = leased(lost=2.0)
    wait = leases.acquire("example.org", 5.0, NOW).seconds_since(NOW)
    assert 3.0 < wait < 3.5
    clock.advance(wait)
    assert leases.acquire("example.org", 5.0, NOW) == NOW


def test_a_group_is_lent_when_nothing_is_under_way_and_asked_again_when_it_is_back() -> None:
    leases, _ = leased()
    leases.note_asked_for("example.org")
    assert leases.acquire("example.org", 1.0, NOW) > NOW
    assert leases.begin_loans(lambda _: False) == []
    assert leases.begin_loans(lambda _: True) == ["example.org"]
    assert leases.acquire("example.org", 1.0, NOW) > NOW
    assert leases.groups() == []
    leases.end_loan(ClaimedGroup("example.org", 2.0, None))
    assert leases.acquire("example.org", 1.0, NOW).seconds_since(NOW) == 2.0


def test_what_is_borrowed_may_be_asked_once_and_is_given_back() -> None:
    leases, _ = leased()
    leases.borrow(ClaimedGroup("other.example", 0.0, None))
    assert leases.acquire("other.example", 1.0, NOW) == NOW
    assert leases.acquire("other.example", 1.0, NOW) > NOW
    leases.release("other.example", NOW.plus(1.0), NOW)
    (back,) = leases.take_returns()
    assert back.host_group == "other.example"
    assert 1.0 <= back.free_in_seconds < 1.5
    assert leases.take_returns() == []


def test_what_is_borrowed_and_not_asked_in_time_is_given_back() -> None:
    leases, clock = leased()
    leases.borrow(ClaimedGroup("other.example", 0.0, None))
    clock.advance(60)
    leases.prolong(clock())
    assert [back.host_group for back in leases.take_returns()] == ["other.example"]
    assert leases.acquire("other.example", 1.0, NOW) > NOW

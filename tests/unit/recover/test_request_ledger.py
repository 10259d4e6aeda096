"""The ledger: no window ever has more requests than its limit, whatever clocks and processes do."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from webkeep.errors import StorageError, UsageError
from webkeep.recover.politeness import RateLimit
from webkeep.recover.politeness.rate_limits import RepositoryLoad, RepositoryPoliteness, estimate_cost
from webkeep.recover.politeness.request_ledger import (
    LedgerInstant,
    LedgerMachineClock,
    LedgerWait,
    RequestBooking,
    RequestLedger,
)

THREE_IN_TEN = RepositoryPoliteness("archive/index", (RateLimit(3, 10),))


@dataclass
class HandClock:
    """Clocks that are moved by hand, in seconds."""

    steady: float = 1000.0
    wall: float = 1_700_000_000.0
    boot: str = "first"

    def now(self) -> LedgerInstant:
        return LedgerInstant(self.boot, round(self.steady * 1e6), round(self.wall * 1e6))

    def sleep(self, seconds: float) -> None:
        self.steady += seconds
        self.wall += seconds


def ledger_at(path: Path, clock: HandClock) -> RequestLedger:
    return RequestLedger(path / "requests.sqlite", clock)


def booked(ledger: RequestLedger, manners: RepositoryPoliteness = THREE_IN_TEN, longest: float = 5) -> RequestBooking:
    answer = ledger.book_request(manners, longest)
    assert isinstance(answer, RequestBooking)
    return answer


def seconds_to_wait(ledger: RequestLedger, manners: RepositoryPoliteness = THREE_IN_TEN) -> float:
    answer = ledger.book_request(manners, 5)
    return answer.seconds if isinstance(answer, LedgerWait) else 0.0


def test_what_is_over_counts_until_its_window_has_passed(tmp_path: Path) -> None:
    clock = HandClock()
    ledger = ledger_at(tmp_path, clock)
    first = booked(ledger)
    clock.sleep(2)
    ledger.finish_request(first)
    for _ in range(2):
        ledger.finish_request(booked(ledger))
    assert seconds_to_wait(ledger) == 10
    clock.sleep(9.5)
    assert seconds_to_wait(ledger) == 0.5
    clock.sleep(0.5)
    assert isinstance(ledger.book_request(THREE_IN_TEN, 5), RequestBooking)


def test_a_request_under_way_counts_however_long_it_takes(tmp_path: Path) -> None:
    clock = HandClock()
    ledger = ledger_at(tmp_path, clock)
    slow = [booked(ledger, longest=60) for _ in range(3)]
    clock.sleep(30)
    assert seconds_to_wait(ledger) == 10, "it may be over now, and counts ten seconds from then on"
    for each in slow:
        ledger.finish_request(each)
    clock.sleep(9.9)
    assert seconds_to_wait(ledger) > 0
    clock.sleep(0.2)
    assert seconds_to_wait(ledger) == 0


def test_one_whose_process_died_counts_as_long_as_it_might_have_taken(tmp_path: Path) -> None:
    clock = HandClock()
    dying = ledger_at(tmp_path, clock)
    for _ in range(3):
        booked(dying, longest=5)
    dying.close()
    other = ledger_at(tmp_path, clock)
    clock.sleep(14)
    assert seconds_to_wait(other) > 0
    clock.sleep(1.1)
    assert seconds_to_wait(other) == 0


@pytest.mark.parametrize(
    "jump", [-86400.0 * 400, -30.0, 30.0, 86400.0 * 400], ids=["years-back", "back", "on", "years-on"]
)
def test_no_jump_of_the_wall_clock_lets_anyone_in_early_or_keeps_them_out(tmp_path: Path, jump: float) -> None:
    clock = HandClock()
    ledger = ledger_at(tmp_path, clock)
    for _ in range(3):
        ledger.finish_request(booked(ledger))
    clock.wall += jump
    assert seconds_to_wait(ledger) == 10
    clock.sleep(10)
    assert seconds_to_wait(ledger) == 0


@pytest.mark.parametrize(("away", "waits"), [(4.0, 6.0), (20.0, 0.0)], ids=["within", "beyond"])
def test_after_a_restart_the_wall_clock_places_what_was_booked(tmp_path: Path, away: float, waits: float) -> None:
    clock = HandClock()
    ledger = ledger_at(tmp_path, clock)
    for _ in range(3):
        ledger.finish_request(booked(ledger))
    clock.boot, clock.steady, clock.wall = "second", 1.0, clock.wall + away
    assert seconds_to_wait(ledger_at(tmp_path, clock)) == waits


def test_after_a_restart_a_clock_set_back_keeps_nobody_out_for_longer_than_the_window(tmp_path: Path) -> None:
    clock = HandClock()
    ledger = ledger_at(tmp_path, clock)
    for _ in range(3):
        ledger.finish_request(booked(ledger))
    clock.boot, clock.steady, clock.wall = "second", 1.0, 0.0
    again = ledger_at(tmp_path, clock)
    assert seconds_to_wait(again) == 9, "it was before the restart, which was a second ago"


def test_who_was_turned_away_is_so_in_every_process_and_for_longer_each_time(tmp_path: Path) -> None:
    clock = HandClock()
    one, other = ledger_at(tmp_path, clock), ledger_at(tmp_path, clock)
    manners = RepositoryPoliteness("archive/index", rest_seconds=60)
    assert one.record_refusal(manners, None) == 60
    wait = other.book_request(manners, 5)
    assert wait == LedgerWait(60.0, is_refusal=True)
    clock.sleep(60)
    assert isinstance(other.book_request(manners, 5), RequestBooking)
    assert other.record_refusal(manners, None) == 120
    clock.sleep(120)
    one.clear_refusals(manners)
    assert one.record_refusal(manners, None) == 60
    assert one.record_refusal(manners, 5) == 5
    assert seconds_to_wait(other, manners) == 60, "the later of two times holds"


def test_requests_at_once_are_counted_over_all_processes(tmp_path: Path) -> None:
    clock = HandClock()
    one, other = ledger_at(tmp_path, clock), ledger_at(tmp_path, clock)
    manners = RepositoryPoliteness("archive/playback", max_concurrent=2)
    first = booked(one, manners)
    booked(other, manners)
    assert seconds_to_wait(one, manners) > 0
    one.finish_request(first)
    assert seconds_to_wait(other, manners) == 0


def test_requests_made_by_other_means_are_taken_into_account(tmp_path: Path) -> None:
    clock = HandClock()
    ledger = ledger_at(tmp_path, clock)
    ledger.book_past_requests(THREE_IN_TEN, 2)
    assert ledger.count_requests("archive/index", 10) == 2
    booked(ledger)
    assert seconds_to_wait(ledger) > 0


def test_a_thousand_a_day_are_a_thousand_in_any_day_and_after_a_restart_too(tmp_path: Path) -> None:
    clock = HandClock()
    daily = RepositoryPoliteness("archive/playback", (RateLimit(1000, 86400),))
    ledger = ledger_at(tmp_path, clock)
    ledger.book_past_requests(daily, 997)
    clock.sleep(3600)
    for _ in range(3):
        ledger.finish_request(booked(ledger, daily))
    assert seconds_to_wait(ledger, daily) == 86400 - 3600
    ledger.close()
    clock.boot, clock.steady = "second", 5.0
    again = ledger_at(tmp_path, clock)
    assert again.count_requests("archive/playback") == 1000
    assert seconds_to_wait(again, daily) > 86400 - 3600 - 10
    clock.sleep(86400 - 3600)
    assert isinstance(again.book_request(daily, 5), RequestBooking)
    assert again.count_requests("archive/playback") == 4


def test_what_counts_no_longer_is_forgotten(tmp_path: Path) -> None:
    clock = HandClock()
    ledger = ledger_at(tmp_path, clock)
    ledger.book_past_requests(THREE_IN_TEN, 3)
    clock.sleep(2 * 86400)
    booked(ledger)
    assert ledger.count_requests("archive/index") == 1


@pytest.fixture(scope="module")
def one_ledger(tmp_path_factory: pytest.TempPathFactory) -> RequestLedger:
    return RequestLedger(tmp_path_factory.mktemp("ledger") / "requests.sqlite", CLOCK)


CLOCK = HandClock()
POOLS = count()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 4), st.floats(0, 5), st.floats(0, 5)), min_size=1, max_size=25),
    st.integers(1, 4),
    st.integers(1, 9),
)
def test_no_window_ever_sees_more_than_the_limit(
    one_ledger: RequestLedger, steps: list[tuple[float, float, float]], most: int, window: int
) -> None:
    """Requests arrive at any time between their booking and their end; the repository counts arrivals."""
    manners = RepositoryPoliteness(f"pool-{next(POOLS)}", (RateLimit(most, window),))
    arrivals: list[float] = []
    under_way: list[tuple[float, RequestBooking]] = []
    for pause, there, back in steps:
        until = CLOCK.steady + pause
        for end, each in sorted(under_way, key=lambda pair: pair[0]):
            if end <= until:
                CLOCK.sleep(max(end - CLOCK.steady, 0))
                one_ledger.finish_request(each)
                under_way.remove((end, each))
        CLOCK.sleep(max(until - CLOCK.steady, 0))
        answer = one_ledger.book_request(manners, 30)
        if isinstance(answer, RequestBooking):
            arrivals.append(CLOCK.steady + there)
            under_way.append((CLOCK.steady + there + back, answer))
    for start in arrivals:
        assert sum(start <= each < start + window - 1e-5 for each in arrivals) <= most


def test_a_ledger_that_cannot_be_written_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "requests.sqlite").write_bytes(b"this is no database at all, but a text" * 100)
    with pytest.raises(StorageError, match=r"ledger of requests .* cannot be used"):
        RequestLedger(tmp_path / "requests.sqlite")


def test_the_clock_of_the_machine_goes_forward() -> None:
    clock = LedgerMachineClock()
    first, second = clock.now(), clock.now()
    assert first.boot == second.boot
    assert first.steady <= second.steady
    assert first.wall > 1_700_000_000_000_000


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("30/minute", RateLimit(30, 60)),
        ("1000 per day", RateLimit(1000, 86400)),
        ("8/s", RateLimit(8, 1)),
        ("5/2.5 s", RateLimit(5, 2.5)),
    ],
    ids=["minute", "day", "second", "some-seconds"],
)
def test_limits_are_read_as_people_write_them(text: str, limit: RateLimit) -> None:
    assert RateLimit.parse(text) == limit
    assert RateLimit.parse(str(limit)) == limit


@pytest.mark.parametrize("text", ["", "30", "0/minute", "30/fortnight", "5/2 days", "-1/s"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a limit"):
        RateLimit.parse(text)


def test_cost_and_duration_by_the_published_and_by_tighter_formulas() -> None:
    loads = [
        RepositoryLoad(resources=600, listed=900, per_listing=20, per_resource=2, limit=RateLimit(1000, 86400)),
        RepositoryLoad(resources=400, listed=700, per_listing=10, per_resource=1, limit=RateLimit(5000, 86400)),
    ]
    estimate = estimate_cost(loads)
    assert estimate.requests == (45 + 1200) + (70 + 400)
    assert estimate.seconds == 86400, "a thousand at once, the others a day later"
    assert estimate.max_requests == 45 + 70 + 1000 * 3
    assert estimate.max_seconds == pytest.approx(3115 / 1000 * 86400)

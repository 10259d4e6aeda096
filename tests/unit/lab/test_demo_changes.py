"""The change model: Poisson histories that are a pure function of seed, start and path."""

import math

import pytest

from webkeep.errors import UsageError
from webkeep.lab.demo.change_times import ChangeTimes, CombinedChangeTimes
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.model import Moment

START = Moment.parse("2026-05-20T08:00:00Z")
DAY = 86400


def changes(path: str = "/", rate: float = 1 / 60, seed: int = 1) -> ChangeTimes:
    return ChangeTimes(seed, path, rate, START)


def test_what_was_asked_before_does_not_alter_the_history() -> None:
    eager, patient = changes(), changes()
    eager.count_changes(START.plus(10 * DAY))
    for second in range(0, DAY, 600):
        patient.count_changes(START.plus(second))
    assert patient.changes_until(START.plus(DAY)) == eager.changes_until(START.plus(DAY))


@pytest.mark.parametrize("rate", [1e-9, 1e-20, 1e-300])
def test_whatever_changes_next_to_never_still_has_dates(rate: float) -> None:
    history = changes(rate=rate)
    assert history.count_changes(START.plus(DAY)) == 0
    assert "0900" < history.version_start(0).iso() < START.iso() < history.version_start(1).iso() < "3100"


def test_versions_count_the_changes() -> None:
    history = changes().changes_until(START.plus(3600))
    for number, moment in enumerate(history, 1):
        assert changes().count_changes(moment) == number
        assert changes().count_changes(Moment(moment.micros - 1)) == number - 1
        assert changes().version_start(number) == moment


def test_nothing_changed_before_the_start() -> None:
    assert changes().count_changes(START) == 0
    assert changes().count_changes(START.plus(-DAY)) == 0
    assert changes().version_start(0) < START


def test_gaps_are_exponential() -> None:
    """Mean and variance of counts over many pages are both rate times length, within four standard errors."""
    pages, rate, length = 2000, 1 / 600, 3600
    counts = [changes(f"/{page}", rate).count_changes(START.plus(length)) for page in range(pages)]
    expected = rate * length
    mean = sum(counts) / pages
    variance = sum((count - mean) ** 2 for count in counts) / (pages - 1)
    assert abs(mean - expected) < 4 * math.sqrt(expected / pages)
    assert abs(variance - expected) < 4 * math.sqrt((2 * expected**2 + expected) / pages)


def test_seed_and_path_each_give_another_history() -> None:
    histories = {
        tuple(changes(path, seed=seed).changes_until(START.plus(3600))) for path in ("/", "/news/") for seed in (1, 2)
    }
    assert len(histories) == 4


def test_a_still_page_has_one_version() -> None:
    still = changes(rate=0.0)
    assert still.count_changes(START.plus(1000 * DAY)) == 0
    assert still.changes_until(START.plus(1000 * DAY)) == []
    with pytest.raises(UsageError, match="never changes"):
        still.version_start(1)


def test_together_is_the_sum_of_its_parts() -> None:
    parts = tuple(changes(f"/{page}", 1 / 300) for page in range(5))
    together = CombinedChangeTimes(parts)
    until = START.plus(7200)
    history = together.changes_until(until)
    assert history == sorted(moment for part in parts for moment in part.changes_until(until))
    assert together.rate == pytest.approx(5 / 300)
    assert together.latest_change(until) == history[-1]
    for version, moment in enumerate(history, 1):
        assert together.count_changes(moment) == version
        assert together.version_start(version) == moment


def test_draws_do_not_move_between_python_versions() -> None:
    chance = SeededRandom(1, "fixed")
    assert [chance.integer(0, 99) for _ in range(6)] == [66, 1, 96, 59, 34, 15]
    assert sorted(SeededRandom("order").shuffle(range(50))) == list(range(50))

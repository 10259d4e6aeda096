"""How many workers are wanted, by hosts and by how busy those are that there are."""

import pytest

from webkeep.cluster.pool.worker_scaling import PoolBounds, WorkerScaling
from webkeep.errors import UsageError


def test_there_are_enough_for_all_hosts_within_bounds() -> None:
    scaling = WorkerScaling(PoolBounds(2, 8, 10))
    assert scaling.count_wanted(0, 0, 0.0, 0.0) == 2
    assert scaling.count_wanted(45, 2, 0.3, 1.0) == 5
    assert scaling.count_wanted(1_000_000, 5, 0.3, 2.0) == 8


def test_full_processors_bring_one_more_at_a_time() -> None:
    scaling = WorkerScaling(PoolBounds(1, 4, 100))
    assert scaling.count_wanted(50, 1, 0.9, 0.0) == 2
    # What it brings is seen first.
    assert scaling.count_wanted(50, 2, 0.9, 5.0) == 2
    assert scaling.count_wanted(50, 2, 0.9, 11.0) == 3
    # One host is asked by one worker.
    assert scaling.count_wanted(3, 3, 0.9, 30.0) == 3


def test_fewer_must_be_enough_for_a_while() -> None:
    scaling = WorkerScaling(PoolBounds(1, 4, 10))
    assert scaling.count_wanted(15, 4, 0.1, 0.0) == 4
    assert scaling.count_wanted(35, 4, 0.1, 10.0) == 4
    assert scaling.count_wanted(15, 4, 0.1, 20.0) == 4
    assert scaling.count_wanted(15, 4, 0.1, 36.0) == 3
    assert scaling.count_wanted(15, 3, 0.1, 37.0) == 3
    assert scaling.count_wanted(15, 3, 0.1, 52.0) == 2
    assert scaling.count_wanted(15, 2, 0.1, 90.0) == 2


def test_none_leaves_whose_work_would_fill_the_others() -> None:
    scaling = WorkerScaling(PoolBounds(1, 4, 100))
    assert [scaling.count_wanted(50, 2, 0.6, float(moment)) for moment in range(0, 100, 10)] == [2] * 10


@pytest.mark.parametrize("text", ["", "0", "5-2", "many", "1-", "-3", "1-2-3"])
def test_what_is_no_number_of_workers_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="workers"):
        PoolBounds.parse(text, 10)


def test_numbers_and_ranges_are_read() -> None:
    assert PoolBounds.parse("4", 10) == PoolBounds(4, 4, 10)
    assert PoolBounds.parse("2-8", 10) == PoolBounds(2, 8, 10)
    with pytest.raises(UsageError, match="--hosts cannot be 0"):
        PoolBounds.parse("1", 0)

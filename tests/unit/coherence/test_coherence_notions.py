"""What it can mean that pages fit together, and which capture answers for a moment."""

import pytest

from webkeep.coherence.schedules import TimeInterval
from webkeep.coherence.time_travel import MomentMapping
from webkeep.coherence.time_travel.capture_mapping import capture_index_at, capture_intervals, nearer_version
from webkeep.errors import UsageError
from webkeep.lab.coherence.schedulers import (
    LargestAgreement,
    MeasuredCoherence,
    inducible_coherence,
    intersect_lifetimes,
    largest_agreement,
    measurable_coherence,
)

LIFETIMES = [TimeInterval(1, 5), TimeInterval(2, 6), TimeInterval(4, 9)]


def test_pages_that_fit_together_do_so_for_some_moments() -> None:
    assert intersect_lifetimes(LIFETIMES) == TimeInterval(4, 5)
    assert largest_agreement(LIFETIMES) == LargestAgreement(TimeInterval(4, 5), (0, 1, 2))


def test_a_page_that_does_not_fit_leaves_the_most_that_do() -> None:
    more = [*LIFETIMES, TimeInterval(6, 8)]
    assert intersect_lifetimes(more) is None
    agreement = largest_agreement(more)
    assert len(agreement.pages) == 3
    assert agreement == LargestAgreement(TimeInterval(4, 5), (0, 1, 2))


def test_intervals_that_touch_agree_in_one_moment() -> None:
    assert largest_agreement([TimeInterval(0, 2), TimeInterval(2, 3)]) == LargestAgreement(TimeInterval(2, 2), (0, 1))


def test_no_pages_agree_on_nothing_and_one_page_with_itself() -> None:
    assert intersect_lifetimes([]) is None
    assert largest_agreement([]) == LargestAgreement(None, ())
    assert largest_agreement([TimeInterval(3, 4)]) == LargestAgreement(TimeInterval(3, 4), (0,))


def test_measurable_coherence_counts_what_is_not_known_as_errors() -> None:
    assert measurable_coherence([1, 2, 4], 3) == MeasuredCoherence(pytest.approx(2 / 3), 0)
    assert measurable_coherence([1, None], 3) == MeasuredCoherence(0.5, 1)
    assert measurable_coherence([], 3) == MeasuredCoherence(1.0, 0)


def test_inducible_coherence_compares_versions() -> None:
    assert inducible_coherence([("a", "a"), ("b", "c"), (b"d", b"d"), (None, "e")]) == 0.5


def test_an_interval_ends_after_it_begins() -> None:
    with pytest.raises(UsageError, match="ends before it begins"):
        TimeInterval(2, 1)


@pytest.mark.parametrize(
    ("moment", "before", "nearest"),
    [(0, None, 0), (10, 0, 0), (14, 0, 0), (15, 0, 0), (16, 0, 1), (20, 1, 1), (99, 2, 2)],
)
def test_moments_find_their_captures(moment: float, before: int | None, nearest: int) -> None:
    times = [10, 20, 40]
    assert capture_index_at(times, moment, MomentMapping.LATEST_BEFORE) == before
    assert capture_index_at(times, moment, MomentMapping.NEAREST) == nearest


def test_captures_share_the_horizon_out() -> None:
    horizon = TimeInterval(0, 100)
    assert capture_intervals([10, 20, 40], MomentMapping.NEAREST, horizon) == [
        TimeInterval(0, 15), TimeInterval(15, 30), TimeInterval(30, 100)
    ]  # fmt: skip
    assert capture_intervals([10, 20], MomentMapping.LATEST_BEFORE, horizon) == [
        TimeInterval(10, 20),
        TimeInterval(20, 100),
    ]


def test_no_captures_answer_for_nothing() -> None:
    assert capture_index_at([], 3, MomentMapping.NEAREST) is None
    assert capture_intervals([], MomentMapping.NEAREST) == []


def test_captures_out_of_order_are_refused() -> None:
    with pytest.raises(UsageError, match="out of order"):
        capture_index_at([2, 1], 0, MomentMapping.NEAREST)


def test_the_nearer_of_two_versions_is_shown() -> None:
    assert [nearer_version(2, 6, moment) for moment in (0, 4, 4.1, 9)] == [2, 2, 6, 6]

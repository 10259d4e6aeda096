"""What it can mean that pages fit together, and which capture answers for a moment."""

import pytest

from webkeep.coherence import (
    Agreement,
    Interval,
    Mapping,
    Measured,
    capture_at,
    inducible_coherence,
    intersection,
    largest_agreement,
    measurable_coherence,
    observation_intervals,
    version_at,
)
from webkeep.errors import UsageError

LIFETIMES = [Interval(1, 5), Interval(2, 6), Interval(4, 9)]


def test_pages_that_fit_together_do_so_for_some_moments() -> None:
    assert intersection(LIFETIMES) == Interval(4, 5)
    assert largest_agreement(LIFETIMES) == Agreement(Interval(4, 5), (0, 1, 2))


def test_a_page_that_does_not_fit_leaves_the_most_that_do() -> None:
    more = [*LIFETIMES, Interval(6, 8)]
    assert intersection(more) is None
    agreement = largest_agreement(more)
    assert len(agreement.pages) == 3
    assert agreement == Agreement(Interval(4, 5), (0, 1, 2))


def test_intervals_that_touch_agree_in_one_moment() -> None:
    assert largest_agreement([Interval(0, 2), Interval(2, 3)]) == Agreement(Interval(2, 2), (0, 1))


def test_no_pages_agree_on_nothing_and_one_page_with_itself() -> None:
    assert intersection([]) is None
    assert largest_agreement([]) == Agreement(None, ())
    assert largest_agreement([Interval(3, 4)]) == Agreement(Interval(3, 4), (0,))


def test_measurable_coherence_counts_what_is_not_known_as_errors() -> None:
    assert measurable_coherence([1, 2, 4], 3) == Measured(pytest.approx(2 / 3), 0)
    assert measurable_coherence([1, None], 3) == Measured(0.5, 1)
    assert measurable_coherence([], 3) == Measured(1.0, 0)


def test_inducible_coherence_compares_versions() -> None:
    assert inducible_coherence([("a", "a"), ("b", "c"), (b"d", b"d"), (None, "e")]) == 0.5


def test_an_interval_ends_after_it_begins() -> None:
    with pytest.raises(UsageError, match="ends before it begins"):
        Interval(2, 1)


@pytest.mark.parametrize(
    ("moment", "before", "nearest"),
    [(0, None, 0), (10, 0, 0), (14, 0, 0), (15, 0, 0), (16, 0, 1), (20, 1, 1), (99, 2, 2)],
)
def test_moments_find_their_captures(moment: float, before: int | None, nearest: int) -> None:
    times = [10, 20, 40]
    assert capture_at(times, moment, Mapping.LATEST_BEFORE) == before
    assert capture_at(times, moment, Mapping.NEAREST) == nearest


def test_captures_share_the_horizon_out() -> None:
    horizon = Interval(0, 100)
    assert observation_intervals([10, 20, 40], Mapping.NEAREST, horizon) == [
        Interval(0, 15), Interval(15, 30), Interval(30, 100)
    ]  # fmt: skip
    assert observation_intervals([10, 20], Mapping.LATEST_BEFORE, horizon) == [Interval(10, 20), Interval(20, 100)]


def test_no_captures_answer_for_nothing() -> None:
    assert capture_at([], 3, Mapping.NEAREST) is None
    assert observation_intervals([], Mapping.NEAREST) == []


def test_captures_out_of_order_are_refused() -> None:
    with pytest.raises(UsageError, match="out of order"):
        capture_at([2, 1], 0, Mapping.NEAREST)


def test_the_nearer_of_two_versions_is_shown() -> None:
    assert [version_at(2, 6, moment) for moment in (0, 4, 4.1, 9)] == [2, 2, 6, 6]

"""Schedules of visits and revisits: the worked examples of every strategy that knows all pages."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from webkeep.coherence import (
    Geometry,
    Schedule,
    apart,
    bernoulli_conflict,
    by_slots,
    chance_of,
    confidence_interval,
    conflict,
    equidistant,
    expected_coherence,
    expected_incoherence,
    incoherence_variance,
    incoherent_pages,
    inducible_schedule,
    interval_schedule,
    intervals,
    joined,
    measurable_schedule,
    pyramid,
    rate_of,
    selective,
    selective_exact,
    shrink,
    single,
    threshold,
    threshold_outside_in,
)
from webkeep.errors import UsageError

CASES = json.loads((Path(__file__).parents[2] / "data/coherence/revisits.json").read_text())


def test_the_three_geometries() -> None:
    assert (single(6).requests, single(6).duration) == (6, 5)
    assert (apart(6).requests, apart(6).duration, apart(6).reference) == (12, 11, 5.5)
    assert (joined(6).requests, joined(6).duration, joined(6).reference) == (11, 10, 5)
    assert apart(3, 2.0).pyramid() == [2, 6, 10]
    assert joined(3, 2.0).pyramid() == [0, 4, 8]


def test_pyramids_and_equal_distances() -> None:
    assert pyramid(apart(3), [0, 1, 2]).lengths() == [5, 3, 1]
    assert pyramid(joined(3), [0, 1, 2]).lengths() == [4, 2, 0]
    assert equidistant(apart(3), [0, 1, 2]).lengths() == [3, 3, 3]
    assert equidistant(joined(3), [0, 1, 2]).lengths() == [3, 3, 0]
    assert pyramid(joined(3), [0, 1, 2]).apex == 2
    assert pyramid(apart(3), [0, 1, 2]).apex is None


@pytest.mark.parametrize("pages", [0, 1])
@pytest.mark.parametrize("make", [single, apart, joined])
def test_geometries_of_one_page_and_of_none(make: Callable[[int], Geometry], pages: int) -> None:
    geometry = make(pages)
    assert geometry.duration == (1 if geometry == apart(1) else 0)
    assert len(geometry.pyramid()) == pages


def test_sites_of_one_page_and_of_none() -> None:
    assert selective([]).visits == ()
    assert selective([7.0]).lengths() == [0]
    assert interval_schedule([]).visits == ()
    assert intervals([0.0]).lengths() == [0]
    assert threshold([5.0], 0.5, apart(1)).hopeless == {0}


def test_slots_that_do_not_fill_a_geometry_are_refused() -> None:
    with pytest.raises(UsageError, match="do not fill"):
        Schedule(joined(3), (0, 1, 2), (1,))
    with pytest.raises(UsageError, match="use each slot once"):
        by_slots(apart(2), [(0, 3), (0, 3)])
    with pytest.raises(UsageError, match="delay above zero"):
        joined(3, 0)


@pytest.mark.parametrize("case", CASES["expected coherence"], ids=lambda case: str(case["coherence"]))
def test_expected_coherence(case: dict[str, list[float]]) -> None:
    assert expected_coherence(case["rates"], case["lengths"]) == pytest.approx(case["coherence"], abs=1e-7)


@pytest.mark.parametrize("case", CASES["selective"], ids=lambda case: f"{len(case['rates'])} pages")
def test_selective(case: dict[str, list[float]]) -> None:
    rates = case["rates"]
    schedule = selective(rates)
    assert schedule.lengths() == case["lengths"]
    assert sorted(schedule.hopeless) == case["hopeless"]
    assert list(schedule.visits) == case["visits"]
    assert list(schedule.revisits) == case["revisits"]
    assert expected_coherence(rates, schedule.lengths()) == pytest.approx(case["coherence"], abs=1e-7)
    assert expected_coherence(rates, selective_exact(rates).lengths()) == pytest.approx(case["exact"], abs=1e-7)


@pytest.mark.parametrize(
    ("pages", "skew", "coherence", "hopeless"),
    [(500, 0.5, 11.465, 488), (500, 1.0, 148.204, 249), (500, 1.2, 279.767, 66), (500, 1.5, 429.754, 7),
     (500, 2.0, 490.298, 1), (2000, 1.0, 590.788, 999), (2000, 1.2, 1249.335, 176), (2000, 1.5, 1843.805, 9)],
)  # fmt: skip
def test_selective_on_skewed_sites(pages: int, skew: float, coherence: float, hopeless: int) -> None:
    rates = [1 / rank**skew for rank in range(1, pages + 1)]
    schedule = selective(rates)
    assert expected_coherence(rates, schedule.lengths()) == pytest.approx(coherence, abs=6e-4)
    assert len(schedule.hopeless) == hopeless


def test_absurd_rates_are_given_up() -> None:
    schedule = selective([0.0, 1e-300, float("inf"), 1e300, 0.01])
    assert sorted(schedule.visits) == [0, 1, 2, 3, 4]
    assert expected_coherence([0.0, float("inf")], [5, 0]) == 2
    assert conflict(1e300, 1e300) == 1


@pytest.mark.parametrize("row", CASES["threshold"]["rows"], ids=lambda row: f"{row['form']} {row['sureness']}")
def test_threshold(row: dict[str, list[float]]) -> None:
    rates = CASES["threshold"]["rates"]
    geometry = apart(6) if row["form"] == "apart" else joined(6)
    make = threshold_outside_in if row["form"] == "outside in" else threshold
    schedule = make(rates, row["sureness"], geometry)
    assert schedule.lengths() == row["lengths"]
    assert sorted(schedule.hopeless) == row["hopeless"]
    assert expected_coherence(rates, schedule.lengths()) == pytest.approx(row["coherence"], abs=1e-6)


def test_intervals_and_their_shrinking() -> None:
    case = CASES["intervals"]
    schedule = interval_schedule(case["limits"])
    assert schedule.slots() == list(zip(case["visits"], case["revisits"], strict=True))
    assert sorted(schedule.hopeless) == case["hopeless"]
    shrunk = shrink(schedule)
    assert shrunk.slots() == list(zip(case["shrunk visits"], case["revisits"], strict=True))
    assert shrunk.lengths() == case["shrunk lengths"]


def test_shrinking_exchanges_a_hopeless_visit_for_a_hopeful_one() -> None:
    before = by_slots(joined(3), [(0, 3), (1, 4), (2, 2)], hopeless=[1])
    assert before.lengths() == [3, 3, 0]
    assert shrink(before).lengths() == [2, 4, 0]


def test_confidence_intervals() -> None:
    assert confidence_interval(0.05, 0.9) == pytest.approx(2.1072103)
    assert confidence_interval(0.01, 0.95) == pytest.approx(5.1293294)
    assert confidence_interval(0, 0.95) == float("inf")


def test_the_two_schedulers_by_risk() -> None:
    case = CASES["lecture"]
    chances, risk = case["chances"], case["risk"]
    measurable = measurable_schedule(chances, risk)
    assert list(measurable.visits) == case["measurable"]["visits"]
    conflicts = [bernoulli_conflict(chances[page], time) for time, page in enumerate(measurable.visits)]
    assert conflicts == pytest.approx(case["measurable"]["conflicts"], abs=1e-6)
    assert 1 - sum(conflicts) / 8 == pytest.approx(case["measurable"]["coherence"], abs=1e-6)
    inducible = inducible_schedule(chances, risk)
    assert list(inducible.visits) == case["inducible"]["visits"]
    assert list(inducible.revisits) == case["inducible"]["revisits"]
    assert sorted(inducible.hopeless) == case["inducible"]["hopeless"]
    rates = [rate_of(chance) for chance in chances]
    expected = expected_coherence(rates, inducible.lengths()) / 8
    assert expected == pytest.approx(case["inducible"]["coherence"], abs=1e-6)


def test_a_certain_change_is_hopeless_unless_it_is_the_apex() -> None:
    assert inducible_schedule([1.0, 1.0, 0.1], 0.5).hopeless == {0}
    with pytest.raises(UsageError, match="no rate"):
        rate_of(1.0)


def test_conflicts_by_chance_and_by_rate() -> None:
    assert bernoulli_conflict(0.1, 5) == pytest.approx(0.40951)
    assert conflict(0.1, 5) == pytest.approx(0.3934693)
    assert chance_of(rate_of(0.3)) == pytest.approx(0.3)


def test_incoherence_by_what_happened() -> None:
    schedule = pyramid(joined(3), [0, 1, 2])
    assert incoherent_pages([[0.0, 4.5], [2.0], [2.0]], schedule) == [1]
    assert incoherent_pages([[4.0], [3.0], []], schedule) == [0, 1]


def test_the_scatter_of_incoherence() -> None:
    schedule = pyramid(joined(2), [0, 1])
    chance = conflict(0.3, 2)
    assert incoherence_variance([0.3, 9.0], schedule) == pytest.approx(chance * (1 - chance))
    assert expected_incoherence([0.3, 9.0], schedule) == pytest.approx(chance)


def test_weights_count_in_expected_coherence() -> None:
    assert expected_coherence([0.0, 1.0], [2, 0], weights=[3, 2]) == 5


@pytest.mark.parametrize("sureness", [-0.1, 1.1])
def test_no_probability_is_refused(sureness: float) -> None:
    with pytest.raises(UsageError, match="no probability"):
        threshold([1.0], sureness, joined(1))
    with pytest.raises(UsageError, match="no probability"):
        measurable_schedule([0.5], sureness)

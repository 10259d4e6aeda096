"""Schedules of visits and revisits: the worked examples of every strategy that knows all pages."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from webkeep.coherence.schedules import (
    VisitSchedule,
    VisitSlots,
    expected_incoherence,
    fifo_schedule,
    incoherence_variance,
    incoherent_pages,
    intervals_schedule,
    joined_revisit_slots,
    lifo_schedule,
    outside_in_schedule,
    rate_from_probability,
    schedule_from_slots,
    separate_revisit_slots,
    single_visit_slots,
    threshold_schedule,
)
from webkeep.coherence.schedules.expected_coherence import change_probability, expected_coherence, probability_from_rate
from webkeep.coherence.schedules.interval_schedule import confidence_interval, schedule_within_limits, shrink_schedule
from webkeep.errors import UsageError
from webkeep.lab.coherence.schedulers import (
    bernoulli_change_probability,
    exact_selective_schedule,
    inducible_schedule,
    measurable_schedule,
    selective_schedule,
)

CASES = json.loads((Path(__file__).parents[2] / "data/coherence/revisits.json").read_text())


def test_the_three_geometries() -> None:
    assert (single_visit_slots(6).requests, single_visit_slots(6).duration) == (6, 5)
    assert (
        separate_revisit_slots(6).requests,
        separate_revisit_slots(6).duration,
        separate_revisit_slots(6).reference,
    ) == (12, 11, 5.5)
    assert (joined_revisit_slots(6).requests, joined_revisit_slots(6).duration, joined_revisit_slots(6).reference) == (
        11,
        10,
        5,
    )
    assert separate_revisit_slots(3, 2.0).pyramid_lengths() == [2, 6, 10]
    assert joined_revisit_slots(3, 2.0).pyramid_lengths() == [0, 4, 8]


def test_pyramids_and_equal_distances() -> None:
    assert lifo_schedule(separate_revisit_slots(3), [0, 1, 2]).lengths() == [5, 3, 1]
    assert lifo_schedule(joined_revisit_slots(3), [0, 1, 2]).lengths() == [4, 2, 0]
    assert fifo_schedule(separate_revisit_slots(3), [0, 1, 2]).lengths() == [3, 3, 3]
    assert fifo_schedule(joined_revisit_slots(3), [0, 1, 2]).lengths() == [3, 3, 0]
    assert lifo_schedule(joined_revisit_slots(3), [0, 1, 2]).apex == 2
    assert lifo_schedule(separate_revisit_slots(3), [0, 1, 2]).apex is None


@pytest.mark.parametrize("pages", [0, 1])
@pytest.mark.parametrize("make", [single_visit_slots, separate_revisit_slots, joined_revisit_slots])
def test_geometries_of_one_page_and_of_none(make: Callable[[int], VisitSlots], pages: int) -> None:
    geometry = make(pages)
    assert geometry.duration == (1 if geometry == separate_revisit_slots(1) else 0)
    assert len(geometry.pyramid_lengths()) == pages


def test_sites_of_one_page_and_of_none() -> None:
    assert selective_schedule([]).visits == ()
    assert selective_schedule([7.0]).lengths() == [0]
    assert schedule_within_limits([]).visits == ()
    assert intervals_schedule([0.0]).lengths() == [0]
    assert threshold_schedule([5.0], 0.5, separate_revisit_slots(1)).hopeless == {0}


def test_slots_that_do_not_fill_a_geometry_are_refused() -> None:
    with pytest.raises(UsageError, match="do not fill"):
        VisitSchedule(joined_revisit_slots(3), (0, 1, 2), (1,))
    with pytest.raises(UsageError, match="use each slot once"):
        schedule_from_slots(separate_revisit_slots(2), [(0, 3), (0, 3)])
    with pytest.raises(UsageError, match="delay above zero"):
        joined_revisit_slots(3, 0)


@pytest.mark.parametrize("case", CASES["expected coherence"], ids=lambda case: str(case["coherence"]))
def test_expected_coherence(case: dict[str, list[float]]) -> None:
    assert expected_coherence(case["rates"], case["lengths"]) == pytest.approx(case["coherence"], abs=1e-7)


@pytest.mark.parametrize("case", CASES["selective"], ids=lambda case: f"{len(case['rates'])} pages")
def test_selective(case: dict[str, list[float]]) -> None:
    rates = case["rates"]
    schedule = selective_schedule(rates)
    assert schedule.lengths() == case["lengths"]
    assert sorted(schedule.hopeless) == case["hopeless"]
    assert list(schedule.visits) == case["visits"]
    assert list(schedule.revisits) == case["revisits"]
    assert expected_coherence(rates, schedule.lengths()) == pytest.approx(case["coherence"], abs=1e-7)
    assert expected_coherence(rates, exact_selective_schedule(rates).lengths()) == pytest.approx(
        case["exact"], abs=1e-7
    )


@pytest.mark.parametrize(
    ("pages", "skew", "coherence", "hopeless"),
    [(500, 0.5, 11.465, 488), (500, 1.0, 148.204, 249), (500, 1.2, 279.767, 66), (500, 1.5, 429.754, 7),
     (500, 2.0, 490.298, 1), (2000, 1.0, 590.788, 999), (2000, 1.2, 1249.335, 176), (2000, 1.5, 1843.805, 9)],
)  # fmt: skip
def test_selective_on_skewed_sites(pages: int, skew: float, coherence: float, hopeless: int) -> None:
    rates = [1 / rank**skew for rank in range(1, pages + 1)]
    schedule = selective_schedule(rates)
    assert expected_coherence(rates, schedule.lengths()) == pytest.approx(coherence, abs=6e-4)
    assert len(schedule.hopeless) == hopeless


def test_absurd_rates_are_given_up() -> None:
    schedule = selective_schedule([0.0, 1e-300, float("inf"), 1e300, 0.01])
    assert sorted(schedule.visits) == [0, 1, 2, 3, 4]
    assert expected_coherence([0.0, float("inf")], [5, 0]) == 2
    assert change_probability(1e300, 1e300) == 1


@pytest.mark.parametrize("row", CASES["threshold"]["rows"], ids=lambda row: f"{row['form']} {row['sureness']}")
def test_threshold(row: dict[str, list[float]]) -> None:
    rates = CASES["threshold"]["rates"]
    geometry = separate_revisit_slots(6) if row["form"] == "apart" else joined_revisit_slots(6)
    make = outside_in_schedule if row["form"] == "outside in" else threshold_schedule
    schedule = make(rates, row["sureness"], geometry)
    assert schedule.lengths() == row["lengths"]
    assert sorted(schedule.hopeless) == row["hopeless"]
    assert expected_coherence(rates, schedule.lengths()) == pytest.approx(row["coherence"], abs=1e-6)


def test_intervals_and_their_shrinking() -> None:
    case = CASES["intervals"]
    schedule = schedule_within_limits(case["limits"])
    assert schedule.slots() == list(zip(case["visits"], case["revisits"], strict=True))
    assert sorted(schedule.hopeless) == case["hopeless"]
    shrunk = shrink_schedule(schedule)
    assert shrunk.slots() == list(zip(case["shrunk visits"], case["revisits"], strict=True))
    assert shrunk.lengths() == case["shrunk lengths"]


def test_shrinking_exchanges_a_hopeless_visit_for_a_hopeful_one() -> None:
    before = schedule_from_slots(joined_revisit_slots(3), [(0, 3), (1, 4), (2, 2)], hopeless=[1])
    assert before.lengths() == [3, 3, 0]
    assert shrink_schedule(before).lengths() == [2, 4, 0]


def test_confidence_intervals() -> None:
    assert confidence_interval(0.05, 0.9) == pytest.approx(2.1072103)
    assert confidence_interval(0.01, 0.95) == pytest.approx(5.1293294)
    assert confidence_interval(0, 0.95) == float("inf")


def test_the_two_schedulers_by_risk() -> None:
    case = CASES["lecture"]
    chances, risk = case["chances"], case["risk"]
    measurable = measurable_schedule(chances, risk)
    assert list(measurable.visits) == case["measurable"]["visits"]
    conflicts = [bernoulli_change_probability(chances[page], time) for time, page in enumerate(measurable.visits)]
    assert conflicts == pytest.approx(case["measurable"]["conflicts"], abs=1e-6)
    assert 1 - sum(conflicts) / 8 == pytest.approx(case["measurable"]["coherence"], abs=1e-6)
    inducible = inducible_schedule(chances, risk)
    assert list(inducible.visits) == case["inducible"]["visits"]
    assert list(inducible.revisits) == case["inducible"]["revisits"]
    assert sorted(inducible.hopeless) == case["inducible"]["hopeless"]
    rates = [rate_from_probability(chance) for chance in chances]
    expected = expected_coherence(rates, inducible.lengths()) / 8
    assert expected == pytest.approx(case["inducible"]["coherence"], abs=1e-6)


def test_a_certain_change_is_hopeless_unless_it_is_the_apex() -> None:
    assert inducible_schedule([1.0, 1.0, 0.1], 0.5).hopeless == {0}
    with pytest.raises(UsageError, match="no rate"):
        rate_from_probability(1.0)


def test_conflicts_by_chance_and_by_rate() -> None:
    assert bernoulli_change_probability(0.1, 5) == pytest.approx(0.40951)
    assert change_probability(0.1, 5) == pytest.approx(0.3934693)
    assert probability_from_rate(rate_from_probability(0.3)) == pytest.approx(0.3)


def test_incoherence_by_what_happened() -> None:
    schedule = lifo_schedule(joined_revisit_slots(3), [0, 1, 2])
    assert incoherent_pages([[0.0, 4.5], [2.0], [2.0]], schedule) == [1]
    assert incoherent_pages([[4.0], [3.0], []], schedule) == [0, 1]


def test_the_scatter_of_incoherence() -> None:
    schedule = lifo_schedule(joined_revisit_slots(2), [0, 1])
    chance = change_probability(0.3, 2)
    assert incoherence_variance([0.3, 9.0], schedule) == pytest.approx(chance * (1 - chance))
    assert expected_incoherence([0.3, 9.0], schedule) == pytest.approx(chance)


def test_weights_count_in_expected_coherence() -> None:
    assert expected_coherence([0.0, 1.0], [2, 0], weights=[3, 2]) == 5


@pytest.mark.parametrize("sureness", [-0.1, 1.1])
def test_no_probability_is_refused(sureness: float) -> None:
    with pytest.raises(UsageError, match="no probability"):
        threshold_schedule([1.0], sureness, joined_revisit_slots(1))
    with pytest.raises(UsageError, match="no probability"):
        measurable_schedule([0.5], sureness)

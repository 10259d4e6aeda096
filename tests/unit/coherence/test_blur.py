"""Blur: the figures of the worked examples, and brute force over all orders."""

import json
from itertools import permutations, product
from pathlib import Path

import pytest

from webkeep.coherence.schedules import (
    TimeInterval,
    VisitSchedule,
    actual_blur,
    capture_interval,
    expected_average_blur,
    fifo_schedule,
    schedule_from_slots,
    separate_revisit_slots,
    single_visit_slots,
    visit_penalty,
)
from webkeep.coherence.schedules.blur import actual_page_blur, blur_bounds, expected_blur, expected_page_blur
from webkeep.errors import UsageError
from webkeep.lab.coherence.schedulers import (
    best_start,
    best_times,
    greedy_revisits_schedule,
    misplaced_schedule,
    offline_schedule,
    revisits_schedule,
)

DATA = Path(__file__).parents[2] / "data/coherence"
SINGLE = json.loads((DATA / "single_visit.json").read_text())
TWICE = json.loads((DATA / "revisits.json").read_text())
RUNNING = SINGLE["running site"]


def in_order(count: int) -> VisitSchedule:
    return VisitSchedule(single_visit_slots(count), tuple(range(count)))


def test_the_running_site_visited_in_order() -> None:
    rates, expected = RUNNING["rates"], RUNNING["in order"]
    seen = capture_interval(in_order(6))
    assert [expected_page_blur(rate, time, time, seen) for time, rate in enumerate(rates)] == pytest.approx(
        expected["pages"]
    )
    assert expected_blur(rates, in_order(6)) == pytest.approx(expected["blur"])
    assert expected_average_blur(rates, in_order(6)) == pytest.approx(expected["average"])


def test_offline_is_the_best_of_all_orders_of_the_running_site() -> None:
    rates = RUNNING["rates"]
    every = [expected_blur(rates, VisitSchedule(single_visit_slots(6), order)) for order in permutations(range(6))]
    assert list(offline_schedule(rates).visits) == RUNNING["offline"]["visits"]
    assert expected_blur(rates, offline_schedule(rates)) == pytest.approx(RUNNING["offline"]["blur"])
    assert min(every) == pytest.approx(RUNNING["offline"]["blur"])
    assert max(every) == pytest.approx(RUNNING["worst"])
    bounds = blur_bounds(rates, 5)
    assert [bounds.start, bounds.end] == RUNNING["bounds"]


def test_slots_assigned_the_other_way_round_are_worse() -> None:
    assert expected_blur(RUNNING["rates"], VisitSchedule(single_visit_slots(6), (0, 5, 1, 4, 2, 3))) == pytest.approx(
        25.9
    )


@pytest.mark.parametrize("row", SINGLE["starts"], ids=lambda row: ",".join(map(str, row["rates"])))
def test_the_centre_of_gravity_is_the_best_start(row: dict[str, list[float]]) -> None:
    rates, seen = row["rates"], TimeInterval(0, 20)
    schedule = offline_schedule(rates)
    middle = seen.middle - schedule.geometry.duration / 2

    def started(start: float, order: VisitSchedule = schedule) -> float:
        return sum(
            expected_page_blur(rate, start + t, start + t, seen)
            for rate, (t, _) in zip(rates, order.times(), strict=True)
        )

    assert started(middle) == pytest.approx(row["centred"])
    assert started(best_start(rates, schedule, seen)) == pytest.approx(row["best"])
    for order in permutations(range(len(rates))):
        other = VisitSchedule(single_visit_slots(len(rates)), order)
        assert started(best_start(rates, other, seen), other) >= started(best_start(rates, schedule, seen)) - 1e-9


def test_a_start_stays_within_the_interval_and_static_sites_are_centred() -> None:
    schedule = offline_schedule([0, 0, 0, 0])
    assert best_start([0, 0, 0, 0], schedule, TimeInterval(0, 10)) == 3.5
    assert best_start([1, 2, 3, 4], offline_schedule([1, 2, 3, 4]), TimeInterval(0, 3)) == 0


def test_times_that_are_fixed_are_used_best() -> None:
    rates, times, seen = [3.0, 0.5, 1.0], [1.0, 2.0, 9.0], TimeInterval(2, 5)
    best = sum(
        rate * visit_penalty(time, seen) for rate, time in zip(rates, best_times(rates, times, seen), strict=True)
    )
    every = [
        sum(rate * visit_penalty(time, seen) for rate, time in zip(rates, order, strict=True))
        for order in permutations(times)
    ]
    assert best == pytest.approx(min(every))


def test_the_worst_misplacements_of_an_online_order() -> None:
    case = SINGLE["misplacement"]
    rates = case["rates"]
    assert [visit_penalty(time, TimeInterval(0, 9)) for time in range(5)] == case["penalties"]
    assert 9 * expected_blur(rates, offline_schedule(rates)) == pytest.approx(case["offline"])
    for misplaced, increase in case["increases"].items():
        assert 9 * expected_blur(rates, misplaced_schedule(rates, int(misplaced))) == pytest.approx(
            case["offline"] + increase
        )


@pytest.mark.parametrize("skew", SINGLE["misplacement by skew"])
def test_misplacement_by_skew(skew: str) -> None:
    case = SINGLE["misplacement by skew"][skew]
    rates = [100 / (page // 2 + 1) ** float(skew) for page in range(102)]
    best = expected_average_blur(rates, offline_schedule(rates))
    assert best == pytest.approx(case["average"], abs=6e-4)
    for misplaced, percent in case["percent"].items():
        worse = expected_average_blur(rates, misplaced_schedule(rates, int(misplaced)))
        assert 100 * (worse / best - 1) == pytest.approx(percent, abs=0.051)


@pytest.mark.parametrize("row", TWICE["blur"], ids=lambda row: ",".join(map(str, row["rates"])))
def test_blur_with_revisits(row: dict[str, list[float]]) -> None:
    rates = row["rates"]
    made = {
        "revisits": revisits_schedule(rates),
        "greedy": greedy_revisits_schedule(rates),
        "fifo": fifo_schedule(separate_revisit_slots(len(rates)), range(len(rates))),
    }
    for name in made.keys() & row.keys():
        assert expected_blur(rates, made[name]) == pytest.approx(row[name]), name


@pytest.mark.parametrize("text", TWICE["brute force"])
def test_the_least_blur_with_revisits_by_brute_force(text: str) -> None:
    rates = [float(rate) for rate in text.split(",")]
    orders = list(permutations(range(4)))
    best = min(
        expected_blur(
            rates,
            schedule_from_slots(separate_revisit_slots(4), [(visit[page], 4 + revisit[page]) for page in range(4)]),
        )
        for visit, revisit in product(orders, orders)
    )
    assert best == pytest.approx(TWICE["brute force"][text])


@pytest.mark.parametrize("row", TWICE["actual"], ids=lambda row: str(len(row["changes"])))
def test_actual_blur(row: dict[str, list[float]]) -> None:
    seen = TimeInterval(*row["seen"])
    assert actual_page_blur(row["changes"], row["visit"], row["revisit"], seen) == pytest.approx(row["blur"])


def test_actual_blur_of_a_capture_sums_its_pages() -> None:
    schedule = VisitSchedule(single_visit_slots(3), (0, 1, 2))
    assert actual_blur([[1.0], [], [0.5]], schedule) == pytest.approx((2 - 1) / 2 + 0 + 0.5 / 2)


def test_one_page_and_none() -> None:
    assert expected_blur([3.0], offline_schedule([3.0])) == 0
    assert expected_blur([], offline_schedule([])) == 0
    assert expected_average_blur([], offline_schedule([])) == 0
    assert actual_blur([[0.0]], offline_schedule([1.0])) == 0


def test_weights_count_pages_more_than_once() -> None:
    rates, schedule = [1.0, 2.0], VisitSchedule(single_visit_slots(2), (0, 1))
    assert expected_blur(rates, schedule, weights=[2, 0]) == pytest.approx(2 * expected_blur([1.0, 0.0], schedule))


@pytest.mark.parametrize("rates", [[-1.0], [float("nan")]])
def test_rates_that_are_none_are_refused(rates: list[float]) -> None:
    with pytest.raises(UsageError, match="rates are zero or more"):
        offline_schedule(rates)

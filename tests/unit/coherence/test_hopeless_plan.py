"""Plans by runs and groups: the same pages as one by one, and hardly others where neighbours go together."""

import random
import sys

import pytest

from webkeep.coherence.schedules import choose_hopeless, expected_incoherence, joined_revisit_slots, lifo_schedule
from webkeep.coherence.strategies.hopeless_plan import HopelessPlan, group_pages, plan_hopeless
from webkeep.coherence.strategies.rate_queue import RateQueue

STEP = 2.0


def queue_of(rates: list[float]) -> RateQueue[int]:
    waiting: RateQueue[int] = RateQueue()
    for page, rate in enumerate(rates):
        waiting.add(page, rate)
    return waiting


def visits(rates: list[float], max_groups: int) -> tuple[list[int], int]:
    """All pages as a plan orders them, and how many of them it gave up."""
    waiting = queue_of(rates)
    plan = plan_hopeless(group_pages(waiting, 0.0, STEP, max_groups), choose_hopeless)
    hopeless = plan.pages_left
    return [waiting.pop(plan.take_place(left)) for left in range(len(rates), 0, -1)], hopeless


def skewed_rates(pages: int, seed: int) -> list[float]:
    numbers = random.Random(seed)
    return [numbers.uniform(0.5, 2) / numbers.randint(1, pages) for _ in range(pages)]


@pytest.mark.parametrize("seed", range(20))
def test_a_plan_without_groups_visits_the_pages_that_are_chosen_one_by_one(seed: int) -> None:
    rates = skewed_rates(60, seed) + [0.25] * (seed % 4)
    ascending = sorted(range(len(rates)), key=rates.__getitem__)
    hopeless = [ascending[place] for place in choose_hopeless([rates[page] for page in ascending], 0.0, STEP)]
    order, given_up = visits(rates, sys.maxsize)
    assert order == [*hopeless, *(page for page in ascending if page not in hopeless)]
    assert given_up == len(hopeless)


@pytest.mark.parametrize("pages", [5_000, 5_001, 7_919])
def test_groups_change_hardly_anything(pages: int) -> None:
    rates = skewed_rates(pages, pages)
    alone, grouped = (
        expected_incoherence(rates, lifo_schedule(joined_revisit_slots(pages), visits(rates, groups)[0]))
        for groups in (sys.maxsize, 500)
    )
    assert alone <= grouped <= 1.001 * alone


@pytest.mark.parametrize("group", [1, 2, 3, 7, 1000])
def test_every_group_has_its_middle_rate(group: int) -> None:
    rates = [float(rate) for rate in range(2_500)]
    expected = rates[::-1][(group - 1) // 2 :: group][::-1]
    assert queue_of(rates).sample_rates(group) == expected


def test_pages_that_come_later_join_the_run_that_their_rates_belong_to() -> None:
    plan = HopelessPlan()
    plan.add_run(1.0, hotter=3, pages=1)
    plan.add_run(5.0, hotter=2, pages=1)
    for rate in (0.5, 2.0, 9.0):
        plan.add_page(rate)
    assert plan.pages_left == 4
    assert [plan.take_place(waiting) for waiting in (13, 12, 11, 10, 9)] == [10, 9, 7, 6, 0]


def test_nothing_is_hopeless_before_a_plan() -> None:
    plan = HopelessPlan()
    plan.add_page(1e9)
    assert (plan.pages_left, plan.take_place(1)) == (0, 0)

"""The choice of pages to give up, against the definition reckoned with sixty digits; and free slots by brute force."""

import random
from decimal import Decimal, localcontext
from itertools import product
from math import exp

import pytest

from webkeep.coherence.schedules import choose_hopeless
from webkeep.coherence.schedules.interval_schedule import FreeSlots


def by_definition(rates: list[float], first: float, step: float, apex: bool = True) -> list[int]:
    """Page by page, hottest first: whether all the others together gain more than it loses."""
    with localcontext() as context:
        context.prec = 60
        exact = [Decimal(rate) for rate in rates]
        lengths = [Decimal(first) + Decimal(step) * place for place in range(len(rates))]
        low, high = 0, len(rates) - 1
        given_up = []
        for page in range(len(rates) - 1, -1, -1):
            kept = sum((-exact[page - place] * lengths[low + place]).exp() for place in range(page + 1))
            moved = sum((-exact[page - 1 - place] * lengths[low + place]).exp() for place in range(page))
            moved += (-exact[page] * lengths[high]).exp()
            if kept >= moved or (apex and page == len(rates) - 1 and first == 0):
                low += 1
            else:
                given_up.append(page)
                high -= 1
        return given_up


@pytest.mark.parametrize("first", [0.0, 2.0, 40.0, 900.0, 40_000.0])
def test_the_choice_is_right_at_any_scale(first: float) -> None:
    draw = random.Random(round(first))
    for _ in range(6):
        rates = sorted(draw.choice((0.03, 0.3)) * draw.lognormvariate(0, 1.5) for _ in range(12))
        assert choose_hopeless(rates, first, 2.0) == by_definition(rates, first, 2.0), rates


def test_a_site_that_is_hot_all_over_keeps_its_coldest_pages() -> None:
    rates = [0.5, 0.7, 3.0, 40.0, 900.0]
    assert choose_hopeless(rates, 0.0, 2.0) == by_definition(rates, 0.0, 2.0) == [3, 2, 1]
    assert (
        choose_hopeless([0.5, 0.5, 0.5, 0.7, 0.7], 0.0, 2.0)
        == by_definition([0.5, 0.5, 0.5, 0.7, 0.7], 0.0, 2.0)
        == [3]
    )
    assert choose_hopeless([0.5, 0.5, 0.5], 80.0, 2.0) == by_definition([0.5, 0.5, 0.5], 80.0, 2.0) == []


def test_the_hottest_page_has_the_length_zero_unasked() -> None:
    rates = [0.20, 0.25, 0.30, 0.35, 0.40]
    assert coherence(rates, choose_hopeless(rates, 0.0, 2.0)) == pytest.approx(2.2819686, abs=1e-7)
    assert coherence(rates, by_definition(rates, 0.0, 2.0, apex=False)) == pytest.approx(2.2619207, abs=1e-7)


def coherence(rates: list[float], given_up: list[int]) -> float:
    inner = [page for page in reversed(range(len(rates))) if page not in given_up]
    return sum(exp(-2 * place * rates[page]) for place, page in enumerate([*inner, *reversed(given_up)]))


def test_where_nothing_lasts_the_hottest_go_first() -> None:
    assert choose_hopeless([0.1, 0.2, 0.3], 1e6, 2.0) == [2, 1]
    assert choose_hopeless([1e99, 1e100], 1e300, 2.0) == [1]
    assert choose_hopeless([0.5], 1e6, 2.0) == []
    assert choose_hopeless([], 1e6, 2.0) == []


def longest_by_trying(before: list[int], after: list[int], limit: float) -> tuple[int, int] | None:
    pairs = [pair for pair in product(before, after) if sum(pair) <= limit]
    return max(pairs, key=lambda pair: (sum(pair), -abs(pair[0] - pair[1]), -pair[0]), default=None)


@pytest.mark.parametrize("count", [1, 2, 9, 40])
def test_the_longest_free_pair_is_found(count: int) -> None:
    draw = random.Random(count)
    free = FreeSlots(count)
    while free.free_distances()[0]:
        before, after = free.free_distances()
        for limit in (0.0, 1.5, draw.uniform(0, 2 * count), float("inf")):
            assert free.longest_pair(limit) == longest_by_trying(before, after, limit)
        free.take(draw.choice(before), draw.choice(after))
    assert free.longest_pair(9) is None


def test_pairs_far_below_the_limit_are_found_by_walking() -> None:
    free = FreeSlots(500)
    for distance in range(7, 500):
        free.take(distance, distance)
    assert free.longest_pair(499) == (6, 6)
    assert free.longest_pair(505.9) == (5, 500)
    free.take(6, 6)
    assert free.longest_pair(499) == (5, 5)


def test_no_slots_at_all() -> None:
    assert FreeSlots(0).longest_pair(5) is None
    assert FreeSlots(0).free_distances() == ([], [])

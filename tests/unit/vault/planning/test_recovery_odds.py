from fractions import Fraction
from itertools import product
from math import comb, exp, fsum, lgamma, log, prod

import pytest

from webkeep.vault.planning.recovery_odds import (
    CarrierGroup,
    chance_all_by_draw,
    chance_by_draw,
    chance_of_enough,
    most_that_suffice,
)


def binomial_tail(total: int, chance: Fraction, needed: int) -> float:
    return float(sum(comb(total, at) * chance**at * (1 - chance) ** (total - at) for at in range(needed, total + 1)))


def equal_pages(total: int, chance: float) -> list[tuple[CarrierGroup, int]]:
    return [(CarrierGroup(((chance, total),)), 1)]


@pytest.mark.parametrize(
    ("chance", "needed", "pages"),
    [
        (chance, needed, pages)
        for chance, row in {
            "0.236": (26, 71, 95, 152, 304), "0.42": (13, 37, 50, 81, 164), "0.61": (8, 23, 32, 52, 108),
            "0.77": (5, 16, 23, 38, 81), "0.9": (3, 12, 17, 30, 65),
        }.items()
        for needed, pages in zip((1, 7, 11, 21, 50), row, strict=True)
    ],
)  # fmt: skip
def test_the_pages_that_three_nines_take_are_those_of_the_binomial_table(chance: str, needed: int, pages: int) -> None:
    exact = binomial_tail(pages, Fraction(chance), needed)
    assert chance_of_enough(equal_pages(pages, float(chance)), needed) == pytest.approx(exact, abs=1e-12)
    assert chance_of_enough(equal_pages(pages, float(chance)), needed) >= 0.999 - 5e-4
    assert chance_of_enough(equal_pages(pages - 1, float(chance)), needed) < exact


@pytest.mark.parametrize(("chance", "most"), [(0.236, 15), (0.5, 44), (0.6, 57), (0.77, 80), (0.9, 99)])
def test_of_123_pages_so_many_blocks_may_be_needed(chance: float, most: int) -> None:
    pages = equal_pages(123, chance)
    assert most_that_suffice(lambda needed: chance_of_enough(pages, needed) >= 0.999, 123) == most


def test_pages_of_unequal_chances_that_are_lost_together_are_counted_as_every_case_is() -> None:
    groups = [(CarrierGroup(((0.2, 1), (0.9, 2)), 0.3), 1), (CarrierGroup(((0.5, 2),), 0.1), 2)]
    shocks = [(0.3, (0.2, 0.9, 0.9)), (0.1, (0.5, 0.5)), (0.1, (0.5, 0.5))]
    exact = [0.0] * 9
    for missed in product((True, False), repeat=3):
        weight = prod(q if gone else 1 - q for gone, (q, _) in zip(missed, shocks, strict=True))
        chances = [p for gone, (_, pages) in zip(missed, shocks, strict=True) if not gone for p in pages]
        for held in product((True, False), repeat=len(chances)):
            case = weight * prod(p if is_held else 1 - p for is_held, p in zip(held, chances, strict=True))
            for needed in range(sum(held) + 1):
                exact[needed] += case
    for needed, chance in enumerate(exact):
        assert chance_of_enough(groups, needed) == pytest.approx(chance, abs=1e-12)


def test_twenty_thousand_blocks_are_reckoned_exactly() -> None:
    def term(held: int) -> float:
        choose = lgamma(20_001) - lgamma(held + 1) - lgamma(20_001 - held)
        return exp(choose + held * log(0.6) + (20_000 - held) * log(0.4))

    exact = fsum(map(term, range(11_850, 20_001)))
    assert chance_of_enough(equal_pages(20_000, 0.6), 11_850) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(("chance", "needed", "expected"), [(1.0, 3, 1.0), (0.0, 1, 0.0), (0.5, 0, 1.0), (0.5, 4, 0.0)])
def test_certain_things_are_certain(chance: float, needed: int, expected: float) -> None:
    assert chance_of_enough(equal_pages(3, chance), needed) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("population", "carriers", "drawn", "needed"), [(123, 40, 74, 20), (123, 40, 29, 8), (9, 9, 4, 4)]
)
def test_a_draw_is_hypergeometric(population: int, carriers: int, drawn: int, needed: int) -> None:
    cases = sum(comb(carriers, at) * comb(population - carriers, drawn - at) for at in range(needed, drawn + 1))
    exact = float(Fraction(cases, comb(population, drawn)))
    assert chance_by_draw(population, carriers, drawn, needed) == pytest.approx(exact, abs=1e-12)


def test_all_segments_of_one_draw_are_counted_as_every_case_is() -> None:
    carriers, needed, free, drawn = (5, 4, 3), (2, 2, 1), 2, 8
    cases = 0
    for counts in product(*(range(need, size + 1) for size, need in zip(carriers, needed, strict=True))):
        rest = drawn - sum(counts)
        if 0 <= rest <= free:
            cases += comb(free, rest) * prod(comb(size, at) for size, at in zip(carriers, counts, strict=True))
    exact = float(Fraction(cases, comb(14, 8)))
    assert chance_all_by_draw(14, list(zip(carriers, needed, strict=True)), drawn) == pytest.approx(exact, abs=1e-12)


def test_of_very_many_pages_the_draw_of_all_segments_is_bounded_from_below() -> None:
    segments = [(5000, 2450)] * 4
    each = chance_by_draw(20_000, 5000, 10_000, 2450)
    assert chance_all_by_draw(20_000, segments, 10_000) == pytest.approx(1 - 4 * (1 - each), abs=1e-9)

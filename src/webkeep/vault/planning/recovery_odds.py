"""How likely enough blocks come back: exact for pages that are archived independently of one another, for pages of
unequal chances, and for groups of pages that are lost together.

Theory of operation: the number of blocks that come back is a sum of chances, and the distribution of a sum is the
product of characteristic functions. A page of chance p has `1 - p + p·e^(iθ)`; a group that is missed as a whole with
the chance q has `q + (1 - q)` times the product of its pages. Fourier's inversion over the n + 1 values that the sum
can take gives the tail without any approximation, and pages of one chance cost no more than one page: so 20,000 blocks
take milliseconds. What rounding leaves is below 1e-9.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_NEGLIGIBLE = 1e-18
"""Terms that cannot reach so much are left out: all of them together stay below what rounding leaves of one."""
_MAX_JOINED_PRODUCTS = 200_000
"""Products of chances that the draw of all segments may take: a tenth of a second."""


@dataclass(frozen=True, slots=True)
class CarrierGroup:
    """Pages that carry a block each, and may be lost together."""

    pages: tuple[tuple[float, int], ...]
    """How many pages come back with which chance, where the group is not lost as a whole."""
    lost_together: float = 0.0
    """With this chance none of them comes back."""

    @property
    def size(self) -> int:
        """How many pages there are."""
        return sum(count for _, count in self.pages)


def chance_of_enough(groups: Sequence[tuple[CarrierGroup, int]], needed: int) -> float:
    """How likely at least so many pages come back, of groups and how many such groups there are."""
    total = sum(group.size * times for group, times in groups)
    if needed <= 0:
        return 1.0
    if needed > total:
        return 0.0
    count = total + 1
    terms = [(count - needed) / count]
    for place in range(1, count // 2 + 1):
        angle = 2 * math.pi * place / count
        transform, bound = _transform_groups(groups, angle)
        if bound < _NEGLIGIBLE:
            break
        # The sum of e^(-iθk) over k from `needed` to the total, which is a geometric one; e^(-iθ·count) is one.
        tail = (cmath.exp(complex(0, -angle * needed)) - 1) / (1 - cmath.exp(complex(0, -angle)))
        weight = 1 if 2 * place == count else 2
        terms.append(weight * (tail * transform).real / count)
    return min(max(math.fsum(terms), 0.0), 1.0)


def _transform_groups(groups: Sequence[tuple[CarrierGroup, int]], angle: float) -> tuple[complex, float]:
    """The characteristic function at an angle, and a bound on its magnitude that only falls as angles grow."""
    turn = cmath.exp(complex(0, angle))
    product, bound = complex(1), 1.0
    for group, times in groups:
        inner = complex(1)
        for chance, pages in group.pages:
            inner *= (1 - chance + chance * turn) ** pages
        product *= (group.lost_together + (1 - group.lost_together) * inner) ** times
        bound *= (group.lost_together + (1 - group.lost_together) * abs(inner)) ** times
    return product, bound


def chance_by_draw(population: int, carriers: int, drawn: int, needed: int) -> float:
    """How likely at least so many carriers are among pages drawn at random: the hypergeometric tail."""
    low, high = max(0, drawn - (population - carriers)), min(carriers, drawn)
    if needed <= low:
        return 1.0
    if needed > high:
        return 0.0
    mean = drawn * carriers / population
    if needed > mean:
        return min(_sum_draws(population, carriers, drawn, range(needed, high + 1)), 1.0)
    return max(1.0 - _sum_draws(population, carriers, drawn, range(needed - 1, low - 1, -1)), 0.0)


def _sum_draws(population: int, carriers: int, drawn: int, counts: range) -> float:
    """Chances of exact counts, which only fall along the range, until they no longer matter."""
    terms: list[float] = []
    for count in counts:
        terms.append(chance_of_draw(population, carriers, drawn, count))
        if terms[-1] < _NEGLIGIBLE * max(terms[0], _NEGLIGIBLE):
            break
    return math.fsum(terms)


def chance_of_draw(population: int, carriers: int, drawn: int, count: int) -> float:
    """How likely exactly so many carriers are among pages drawn at random."""
    others = _log_choose(population - carriers, drawn - count)
    return math.exp(_log_choose(carriers, count) + others - _log_choose(population, drawn))


def _log_choose(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def most_that_suffice(is_enough: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` for which something holds that holds for all smaller ones; 0 for none."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_enough(middle):
            low = middle
        else:
            high = middle - 1
    return low


def chance_all_by_draw(population: int, segments: Sequence[tuple[int, int]], drawn: int) -> float:
    """How likely pages drawn at random are enough for every segment, each by its carriers and how many are needed;
    no page carries two segments.

    It is exact; where that takes too long it is a bound from below, one less the chances that single segments lack.
    """
    each = [chance_by_draw(population, carriers, drawn, needed) for carriers, needed in segments]
    if len(segments) == 1 or drawn in (0, population) or min(each, default=1.0) == 0.0:
        return min(each, default=1.0)
    share = drawn / population
    rest = population - sum(carriers for carriers, _ in segments)
    rows = [_spread_counts(carriers, share, needed) for carriers, needed in (*segments, (rest, 0))]
    if _joining_cost(rows) > _MAX_JOINED_PRODUCTS:
        return max(1.0 - math.fsum(1.0 - chance for chance in each), 0.0)
    joint: dict[int, float] = {0: 1.0}
    for row in rows:
        joint = _join_counts(joint, row)
    _, at_drawn = _binomial_term(population, share, drawn)
    return min(joint.get(drawn, 0.0) / at_drawn, min(each))


def _spread_counts(carriers: int, share: float, needed: int) -> dict[int, float]:
    """The chances of every count from `needed` on that matters, where each carrier is held with the same chance."""
    terms = (_binomial_term(carriers, share, count) for count in range(needed, carriers + 1))
    return {count: chance for count, chance in terms if chance > _NEGLIGIBLE}


def _binomial_term(total: int, share: float, count: int) -> tuple[int, float]:
    logs = count * math.log(share) + (total - count) * math.log1p(-share)
    return count, math.exp(_log_choose(total, count) + logs)


def _joining_cost(rows: Sequence[dict[int, float]]) -> int:
    joined, cost = 1, 0
    for row in rows:
        cost += joined * len(row)
        joined += len(row)
    return cost


def _join_counts(first: dict[int, float], second: dict[int, float]) -> dict[int, float]:
    sums: dict[int, float] = {}
    for one, chance in first.items():
        for other, weight in second.items():
            sums[one + other] = sums.get(one + other, 0.0) + chance * weight
    return sums

"""The best pyramid of visits and revisits there is, found as an assignment of pages to lengths (the Hungarian method);
for small sites and for checking others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf

from webkeep.coherence.schedules import VisitSchedule, VisitSlots, check_rates, joined_revisit_slots, lifo_schedule


def exact_selective_schedule(
    rates: Sequence[float], delay: float = 1.0, slots: VisitSlots | None = None
) -> VisitSchedule:
    """The pyramid with the highest expected coherence; its cost grows with the cube of the number of pages."""
    shape = slots or joined_revisit_slots(len(rates), delay)
    clean, lengths = check_rates(rates), shape.pyramid_lengths()
    places = solve_assignment([[-exp(-rate * length) for length in lengths] for rate in clean])
    return lifo_schedule(shape, sorted(range(len(clean)), key=lambda page: -places[page]))


def solve_assignment(costs: Sequence[Sequence[float]]) -> list[int]:
    """The column for each row, each used once, with the least sum of costs.

    Rows enter one by one; each finds the cheapest way to change the columns of those before it (Kuhn and Munkres).
    """
    size = len(costs)
    row_price, column_price = [0.0] * (size + 1), [0.0] * (size + 1)
    owner = [0] * (size + 1)
    for row in range(1, size + 1):
        owner[0] = row
        _assign_row(costs, owner, row_price, column_price)
    columns = [0] * size
    for column in range(1, size + 1):
        columns[owner[column] - 1] = column - 1
    return columns


def _assign_row(
    costs: Sequence[Sequence[float]], owner: list[int], row_price: list[float], column_price: list[float]
) -> None:
    """Give the row that owns column zero a real column, changing the owners along the cheapest way."""
    size = len(costs)
    slack, came_from = [inf] * (size + 1), [0] * (size + 1)
    done = [False] * (size + 1)
    column = 0
    while owner[column]:
        done[column] = True
        row = owner[column]
        step, following = inf, 0
        for other in range(1, size + 1):
            if done[other]:
                continue
            reduced = costs[row - 1][other - 1] - row_price[row] - column_price[other]
            if reduced < slack[other]:
                slack[other], came_from[other] = reduced, column
            if slack[other] < step:
                step, following = slack[other], other
        for other in range(size + 1):
            if done[other]:
                row_price[owner[other]] += step
                column_price[other] -= step
            else:
                slack[other] -= step
        column = following
    while column:
        owner[column] = owner[came_from[column]]
        column = came_from[column]

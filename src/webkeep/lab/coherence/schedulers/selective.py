"""SHARC-Selective: gives up exactly the pages whose sacrifice makes more of the others coherent; needs no parameter."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.coherence.schedules import (
    VisitSchedule,
    VisitSlots,
    check_rates,
    choose_hopeless,
    joined_revisit_slots,
    lifo_schedule,
    order_by_rate,
)


def selective_schedule(rates: Sequence[float], delay: float = 1.0, slots: VisitSlots | None = None) -> VisitSchedule:
    """Hopeless pages outermost, hottest first; then hopeful ones from the coldest to the hottest, and back again."""
    shape = slots or joined_revisit_slots(len(rates), delay)
    clean = check_rates(rates)
    ascending = order_by_rate(clean)
    given_up = choose_hopeless([clean[page] for page in ascending], shape.shortest_length, 2 * shape.delay)
    hopeless = [ascending[place] for place in given_up]
    hidden = frozenset(hopeless)
    return lifo_schedule(shape, [*hopeless, *(page for page in ascending if page not in hidden)], hidden)

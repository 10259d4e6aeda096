"""Scenario: repositories that fail, flicker, and advertise what they do not have."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.policies import means
from webkeep.lab.recovery.product import product_outcome
from webkeep.lab.recovery.simulated import CALM, Whims
from webkeep.lab.recovery.world import World

COLUMNS = (
    Column("recovered_of_held", "of all held"),
    Column("efficiency", "efficiency", is_share=False, digits=2),
    Column("requests", "requests", is_share=False, digits=0),
)
WHIMS = {
    "none": CALM,
    "every tenth request fails": Whims(trouble=0.1),
    "every twentieth copy is absent": Whims(absent=0.05),
    "every tenth copy flickers": Whims(flicker=0.1),
}
_NOTE = "What only one repository holds, and has not got in truth, nobody can bring home."
_LARGEST = 1000


def unreliable_block(sites: Sequence[World]) -> Block:
    """What the product brings home of the smaller of these sites."""
    small = [site for site in sites if site.size <= _LARGEST] or sites
    rows = tuple(
        row(name, COLUMNS, means([product_outcome(site, whims=whims) for site in small]))
        for name, whims in WHIMS.items()
    )
    return Block("unreliable", "Repositories that misbehave", "whim", COLUMNS, rows, (_NOTE,))

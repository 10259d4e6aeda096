"""Scenario unreliable: repositories that fail, flicker, and advertise what they do not have; how often, and what the
product still brings home.
"""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.lab.recovery.experiments.policy_comparison import mean_outcome
from webkeep.lab.recovery.scenarios.product_recovery import run_product
from webkeep.lab.recovery.simulation.lost_site import LostSite
from webkeep.lab.recovery.simulation.simulated_repository import NO_FAULTS, RepositoryFaults
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row

COLUMNS = (
    ResultColumn("recovered_of_held", "of all held"),
    ResultColumn("efficiency", "efficiency", is_share=False, digits=2),
    ResultColumn("requests", "requests", is_share=False, digits=0),
)
FAULT_ROWS = {
    "none": NO_FAULTS,
    "every tenth request fails": RepositoryFaults(trouble=0.1),
    "every twentieth copy is absent": RepositoryFaults(absent=0.05),
    "every tenth copy flickers": RepositoryFaults(flicker=0.1),
}
_NOTE = "What only one repository holds, and has not got in truth, nobody can bring home."
_MAX_SITE_RESOURCES = 1000
"""Small sites are enough, and are recovered once for every fault."""


def unreliable_block(sites: Sequence[LostSite]) -> ResultTable:
    """What the product brings home of the smaller of these sites."""
    small = [site for site in sites if site.size <= _MAX_SITE_RESOURCES] or sites
    rows = tuple(
        build_row(name, COLUMNS, mean_outcome([run_product(site, faults=faults) for site in small]))
        for name, faults in FAULT_ROWS.items()
    )
    return ResultTable("unreliable", "Repositories that misbehave", "whim", COLUMNS, rows, (_NOTE,))

"""Which plans a cluster can carry out: those whose every word may lie in a database,
and whose sites are on the network.
"""

from __future__ import annotations

import json

from webkeep.crawl.plan import CapturePlan, plan_from_values, values_of_plan
from webkeep.errors import UsageError


def check_cluster_plan(plan: CapturePlan) -> None:
    """Refuse what several workers cannot do together."""
    unwritten = [name.replace("_", "-") for name in plan.unwritten if name != "job"]
    if unwritten or plan.redacts:
        what = unwritten[0] if unwritten else "redact"
        raise UsageError(
            f"--{what} is for captures on one machine: credentials and the like are never written into a database; "
            "leave it out, or capture without --on"
        )


def plan_text(plan: CapturePlan) -> str:
    """A plan as it lies in the database."""
    return json.dumps(values_of_plan(plan), ensure_ascii=False)


def plan_from_text(text: str) -> CapturePlan:
    """A plan out of the database."""
    return plan_from_values(json.loads(text))

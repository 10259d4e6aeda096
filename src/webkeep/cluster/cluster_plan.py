"""Which plans a cluster can carry out: those whose every word may lie in a database,
and whose sites are on the network.
"""

from __future__ import annotations

import json
from typing import Any

from webkeep.crawl.plan import CapturePlan, plan_from_values, values_of_plan
from webkeep.errors import UsageError

_SHARES_HOSTS = "takes_turns"
"""The name by which it lies in the database that workers take turns at hosts with other captures."""


def check_cluster_plan(plan: CapturePlan, address: str = "") -> None:
    """Refuse what several workers cannot do together; with others they take turns at hosts by their own database."""
    taken = {"job", "share_hosts"} if address and plan.share_hosts == address else {"job"}
    unwritten = [name.replace("_", "-") for name in plan.unwritten if name not in taken]
    if unwritten or plan.redacts:
        what = unwritten[0] if unwritten else "redact"
        raise UsageError(
            f"--{what} is for captures on one machine: credentials and the like are never written into a database; "
            "leave it out, or capture without --on"
        )


def plan_text(plan: CapturePlan) -> str:
    """A plan as it lies in the database."""
    shared = {_SHARES_HOSTS: True} if plan.share_hosts else {}
    return json.dumps({**values_of_plan(plan), **shared}, ensure_ascii=False)


def plan_from_text(text: str) -> CapturePlan:
    """A plan out of the database."""
    return plan_from_values({name: value for name, value in _read_values(text).items() if name != _SHARES_HOSTS})


def shares_hosts(text: str) -> bool:
    """Whether the workers of a plan out of the database take turns at hosts with other captures."""
    return bool(_read_values(text).get(_SHARES_HOSTS))


def _read_values(text: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(text)
    return values

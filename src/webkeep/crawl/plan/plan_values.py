"""A plan as plain values and back, whole with all its seeds, for whoever carries it out elsewhere; nothing that is
never written down is in it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from webkeep.crawl.plan.capture_plan import BrowserMode, ByteRate, CapturePlan, HostPlan, Subsites
from webkeep.errors import UsageError
from webkeep.frontier.policy import RobotsMode
from webkeep.url.scope import ScopeExtent


def values_of_plan(plan: CapturePlan) -> dict[str, Any]:
    """Everything that a plan says and that may be written down, by name."""
    said = dataclasses.asdict(plan)
    return {name: value for name, value in said.items() if name not in plan.unwritten}


def plan_from_values(values: Mapping[str, Any]) -> CapturePlan:
    """The plan out of what `values_of_plan` gave, also after it was written as JSON."""
    try:
        made = {name: _with_tuples(value) for name, value in values.items()}
        made["scope"], made["subsites"] = ScopeExtent(made["scope"]), Subsites(made["subsites"])
        made["browser"], made["robots"] = BrowserMode(made["browser"]), RobotsMode(made["robots"])
        made["robots_prefixes"] = tuple((prefix, RobotsMode(mode)) for prefix, mode in made["robots_prefixes"])
        made["rate"] = ByteRate(**values["rate"])
        made["hosts"] = {name: _host_plan(host) for name, host in values["hosts"].items()}
        return CapturePlan(**made)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"this is no plan of a capture ({error}); begin the capture anew") from error


def _host_plan(values: Mapping[str, Any]) -> HostPlan:
    said = {name: _with_tuples(value) for name, value in values.items()}
    robots = said["robots"]
    return HostPlan(**{**said, "robots": None if robots is None else RobotsMode(robots)})


def _with_tuples(value: Any) -> Any:
    return tuple(_with_tuples(each) for each in value) if isinstance(value, list | tuple) else value

"""Bringing a capture up to date (`webkeep update`): which capture that is, and which options given anew replace those
of its plan or are put behind them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from webkeep.crawl.plan.capture_plan import MAX_SEEDS_KEPT, BrowserMode, ByteRate, CapturePlan, HostPlan, Subsites
from webkeep.crawl.plan.plan_parser import parse_plan
from webkeep.crawl.plan.value_parsers import parse_texts
from webkeep.errors import UsageError
from webkeep.frontier.policy import RobotsMode
from webkeep.model import Capture
from webkeep.store.archive import Archive, capture_lineage
from webkeep.store.jobs import PLAN_FACT
from webkeep.url.scope import ScopeExtent

_OPTION_FIELDS = {
    "auth": ("credentials",),
    "robots": ("robots", "robots_prefixes"),
    "max_rate": (),
    "max_rate_per_host": (),
    "for": ("strategy",),
}
"""The fields of a plan that a name of another kind is about."""
_APPENDED_FIELDS = frozenset({"rules", "robots_prefixes"})
"""What is put behind what there is."""


def capture_to_update(archive: Archive, prefix: str = "") -> Capture:
    """The capture to bring up to date: the one that is named, or the newest that came to its end."""
    if prefix:
        chosen = archive.capture(prefix)
        if chosen.finished is None or not chosen.facts.get(PLAN_FACT):
            raise UsageError(f"capture {prefix} did not come to its end; webkeep capture goes on with it")
        return chosen
    finished = [each for each in archive.captures() if each.finished is not None and each.facts.get(PLAN_FACT)]
    if not finished:
        raise UsageError(f"{archive.path} holds no finished capture to bring up to date; webkeep capture makes one")
    return max(finished, key=lambda each: each.started)


def build_update_plan(archive: Archive, capture: Capture, anew: Mapping[str, Any]) -> CapturePlan:
    """The plan that a line of captures began with, with the values that a person gives anew in place of its own.

    What was given anew for an update in between was for that one alone.
    """
    plan = plan_from_text(capture_lineage(archive, capture.id)[0].facts.get(PLAN_FACT, ""))
    said = parse_plan({**anew, "seeds": list(plan.seeds)})
    named = {field for name in anew for field in _OPTION_FIELDS.get(name, (name,))} - {"seeds", *_APPENDED_FIELDS}
    replaced = {name: getattr(said, name) for name in named}
    if "robots" in anew:
        replaced["robots_prefixes"] = (*plan.robots_prefixes, *said.robots_prefixes)
        if all("=" in text for text in parse_texts(anew["robots"])):
            del replaced["robots"]
    if "rules" in anew:
        replaced["rules"] = (*plan.rules, *said.rules)
    total = said.rate.total if "max_rate" in anew else plan.rate.total
    per_host = said.rate.per_host if "max_rate_per_host" in anew else plan.rate.per_host
    return dataclasses.replace(plan, **replaced, rate=ByteRate(total, per_host))


def plan_from_text(text: str) -> CapturePlan:
    """The plan that a text of `CapturePlan.to_text` tells; what is secret is not in it."""
    try:
        values = dict(json.loads(text))
    except (ValueError, TypeError) as error:
        raise UsageError("the plan that the capture kept cannot be read; webkeep capture begins a new one") from error
    if "all_seeds" in values:
        raise UsageError(
            f"the capture has {values['all_seeds'][0]} seeds, more than the {MAX_SEEDS_KEPT} that are kept with it; "
            "bring it up to date by webkeep capture with the same seeds"
        )
    readers: dict[str, Any] = {
        "scope": ScopeExtent,
        "robots": RobotsMode,
        "subsites": Subsites,
        "browser": BrowserMode,
        "rate": lambda value: ByteRate(**value),
        "robots_prefixes": lambda value: tuple((prefix, RobotsMode(mode)) for prefix, mode in value),
        "hosts": lambda value: {name: _host_plan_from(facts) for name, facts in value.items()},
    }
    try:
        return CapturePlan(**{name: readers.get(name, _freeze)(value) for name, value in values.items()})
    except (ValueError, TypeError, AttributeError) as error:
        raise UsageError(f"the plan that the capture kept is not one of this version ({error}); begin anew") from error


def _host_plan_from(facts: Mapping[str, Any]) -> HostPlan:
    given = {name: _freeze(value) for name, value in facts.items()}
    if given.get("robots") is not None:
        given["robots"] = RobotsMode(given["robots"])
    return HostPlan(**given)


def _freeze(value: Any) -> Any:
    return tuple(_freeze(each) for each in value) if isinstance(value, list) else value

"""What people changed about a plan while it was carried out: its pace, and rules added to its scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webkeep.crawl.plan import Plan
from webkeep.crawl.plan_readers import seconds_of, texts_of
from webkeep.crawl.plan_values import signed_rules

_DELAY, _RULES, _BEFORE = "delay", "rules", "delay_before"


def changed(plan: Plan, values: Mapping[str, Any]) -> Plan:
    """The plan after `webkeep control set`: another delay, and rules behind those it has."""
    if _DELAY in values:
        plan = replace(plan, delay=seconds_of(values[_DELAY]))
    rules = [f"+{text}" for text in texts_of(values.get("include", []))]
    rules += [f"-{text}" for text in texts_of(values.get("exclude", []))]
    return replace(plan, rules=(*plan.rules, *signed_rules(rules))) if rules else plan


def difference(plan: Plan, now: Plan) -> dict[str, Any]:
    """What was changed about a plan, as `resumed` takes it."""
    told: dict[str, Any] = {_RULES: list(now.rules[len(plan.rules) :])}
    return told if now.delay == plan.delay else {**told, _DELAY: now.delay, _BEFORE: plan.delay}


def resumed(plan: Plan, kept: Mapping[str, Any]) -> Plan:
    """The plan as it was when the capture stopped; a delay that was said anew since then holds."""
    rules = kept.get(_RULES, [])
    if rules:
        plan = replace(plan, rules=(*plan.rules, *signed_rules(texts_of(rules))))
    if _DELAY in kept and plan.delay == kept.get(_BEFORE):
        plan = replace(plan, delay=seconds_of(kept[_DELAY]))
    return plan

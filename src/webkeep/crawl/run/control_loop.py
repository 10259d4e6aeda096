"""Steering a running capture: what `webkeep control` may change (delay, rules), how often words are looked for and
progress is told, and how `--max-seconds` is kept and shared between visits and revisits.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from webkeep.crawl.plan.capture_plan import CapturePlan
from webkeep.crawl.plan.plan_parser import parse_signed_rules
from webkeep.crawl.plan.policies import policy_from_plan
from webkeep.crawl.plan.value_parsers import parse_seconds, parse_texts
from webkeep.crawl.run.capture_context import CaptureContext
from webkeep.crawl.run.capture_observer import CaptureProgress
from webkeep.crawl.run.control_channel import ControlCommand, ControlMessage
from webkeep.crawl.run.engine import Engine
from webkeep.crawl.run.reading_speed import ReadingSpeed
from webkeep.errors import UsageError

# What people changed about a plan while it was carried out: its pace, rules added to its scope and taken back.

_DELAY_KEY, _RULES_KEY, _DELAY_BEFORE_KEY, _DROPPED_KEY = "delay", "rules", "delay_before", "dropped"


def apply_changes(plan: CapturePlan, values: Mapping[str, Any]) -> CapturePlan:
    """The plan after `webkeep control set`: another delay, rules taken back, and rules behind those it has."""
    if _DELAY_KEY in values:
        plan = replace(plan, delay=parse_seconds(values[_DELAY_KEY]))
    if dropped := parse_texts(values.get("drop", [])):
        plan = replace(plan, rules=tuple(rule for rule in plan.rules if rule not in dropped))
    rules = [f"+{text}" for text in parse_texts(values.get("include", []))]
    rules += [f"-{text}" for text in parse_texts(values.get("exclude", []))]
    return replace(plan, rules=(*plan.rules, *parse_signed_rules(rules))) if rules else plan


def plan_difference(plan: CapturePlan, now: CapturePlan) -> dict[str, Any]:
    """What was changed about a plan, as `restore_changes` takes it."""
    dropped = [rule for rule in plan.rules if rule not in now.rules]
    told: dict[str, Any] = {_RULES_KEY: list(now.rules[len(plan.rules) - len(dropped) :])}
    if dropped:
        told[_DROPPED_KEY] = dropped
    return told if now.delay == plan.delay else {**told, _DELAY_KEY: now.delay, _DELAY_BEFORE_KEY: plan.delay}


def restore_changes(plan: CapturePlan, kept: Mapping[str, Any]) -> CapturePlan:
    """The plan as it was when the capture stopped; a delay that was said anew since then holds."""
    rules, dropped = kept.get(_RULES_KEY, []), parse_texts(kept.get(_DROPPED_KEY, []))
    if dropped:
        plan = replace(plan, rules=tuple(rule for rule in plan.rules if rule not in dropped))
    if rules:
        plan = replace(plan, rules=(*plan.rules, *parse_signed_rules(parse_texts(rules))))
    if _DELAY_KEY in kept and plan.delay == kept.get(_DELAY_BEFORE_KEY):
        plan = replace(plan, delay=parse_seconds(kept[_DELAY_KEY]))
    return plan


_POLL_SECONDS = 0.5
"""So often it is looked for messages, and told how the capture is doing."""


class ControlLoop:
    """Looks for words and carries them out, as often as it is called."""

    def __init__(
        self,
        context: CaptureContext,
        engine: Engine,
    ) -> None:
        self._original_plan = self._plan = context.plan
        self._engine = engine
        self._frontier, self._clock, self._observer = context.frontier, context.clock, context.observer
        self._channel, self._tally = context.job.control, context.tally
        self._larger = context.larger
        self._speed = ReadingSpeed()
        self._began = context.clock.now()
        self._has_revisits = context.planner is not None and context.planner.has_revisits
        """Whether visits have to leave time for as many revisits."""

    def begin(self) -> None:
        """Take up what was changed when the capture ran before; words that nobody heard then count no more."""
        self._channel.receive()
        self._tally.restore(self._channel.read_state())
        self._apply_plan(restore_changes(self._original_plan, self._channel.load_changes()))
        self._channel.write_state(self._state_facts(self._engine.read_progress(), os.getpid()))

    def end(self) -> None:
        """Say that nobody listens any more."""
        self._channel.write_state(self._state_facts(self._engine.read_progress(), 0))

    def look(self) -> float:
        """Carry out what was said, and tell how the capture is doing; gives the seconds until the next look."""
        for message in self._channel.receive():
            self._execute(message)
        self._enforce_larger_limit()
        self._enforce_time_limit()
        progress = self._engine.read_progress()
        self._observer.on_progress(progress)
        self._speed.add(progress.moment, progress.bytes)
        self._channel.write_state(self._state_facts(progress, os.getpid()))
        self._engine.save()
        return _POLL_SECONDS

    def _execute(self, message: ControlMessage) -> None:
        match message.command:
            case ControlCommand.PAUSE:
                self._frontier.pause()
            case ControlCommand.RESUME:
                self._frontier.resume()
            case ControlCommand.STOP:
                self._engine.stop()
            case ControlCommand.SET:
                self._change_plan(message.values)
        self._observer.on_note(f"told to {message.command}")
        self._engine.wake()

    def _change_plan(self, values: dict[str, Any]) -> None:
        try:
            self._apply_plan(apply_changes(self._plan, values))
        except UsageError as error:  # a file that somebody wrote by hand must not end the capture
            self._observer.on_note(f"cannot be set: {error}")
            return
        self._channel.save_changes(plan_difference(self._original_plan, self._plan))

    def _apply_plan(self, plan: CapturePlan) -> None:
        if plan != self._plan:
            self._plan = plan
            known = self._frontier.policy
            policy = policy_from_plan(plan, known.taken_down, known.held_elsewhere)
            self._frontier.change_policy(policy, self._clock.now())

    def _enforce_larger_limit(self) -> None:
        reason = "" if self._larger is None else self._larger.limit_reached()
        if reason and not self._frontier.is_cut_short:
            self._frontier.cut_short(reason)
            self._frontier.resume()
            self._engine.wake()

    def _enforce_time_limit(self) -> None:
        limit = self._plan.max_seconds
        if limit is None:
            return
        seconds = self._clock.now().seconds_since(self._began)
        if self._has_revisits and seconds >= limit / 2:
            self._frontier.end_visits(f"max-seconds: {limit:g}, half of them for second visits")
            self._engine.wake()
        if seconds >= limit:
            self._frontier.cut_short(f"max-seconds: {limit:g}")
            self._frontier.resume()
            self._engine.wake()

    def _state_facts(self, progress: CaptureProgress, process: int) -> dict[str, Any]:
        return {
            "moment": progress.moment.iso(),
            "process": process,
            "paused": progress.paused,
            "counts": {outcome.value: count for outcome, count in progress.counts.items()},
            "bytes": progress.bytes,
            "bytes_per_second": self._speed.per_second,
            "in_flight": progress.in_flight,
            "delay": self._plan.delay,
            "rules": list(self._plan.rules),
            "hosts": [asdict(each) for each in progress.hosts],
            "pages_run": progress.pages_run,
            **self._tally.to_values(),
        }

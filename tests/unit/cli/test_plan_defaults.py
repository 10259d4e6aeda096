"""A default stands once, in a plan: options have it, help texts print it, policies and settings are given it."""

import argparse
import ast
import dataclasses
import enum
import inspect
from typing import Any

import pytest

from webkeep.browser import WalkLimits
from webkeep.cli.commands import record
from webkeep.cli.options import capture_options, mirror_options, recover_options
from webkeep.cli.options.plan_defaults import default_of
from webkeep.crawl.plan import DEFAULT_DELAY_SECONDS, CapturePlan, parse_seconds, parse_size
from webkeep.crawl.recording import RecordingPlan
from webkeep.fetch import FetchLimits, FetchSettings
from webkeep.frontier.policy import CrawlPolicy
from webkeep.presentation import write_size, write_time
from webkeep.recover import RecoveryPlan
from webkeep.recover.repositories import RepositoryTimeouts

SPELT_BY_OTHERS = {"browser_program", "cookies", "host"}
"""Strings whose default is nothing to show in a help text: none, or loopback."""


def options_of(add: Any) -> dict[str, argparse.Action]:
    parser = argparse.ArgumentParser()
    add(parser)
    return {action.dest: action for action in parser._actions if action.help is not argparse.SUPPRESS}


def fields_of(plan: type[Any]) -> dict[str, Any]:
    named = (field.name for field in dataclasses.fields(plan) if field.default is not dataclasses.MISSING)
    return {name: default_of(plan, name) for name in named}


def shown(value: Any) -> set[str]:
    """How a help text may print a default."""
    if isinstance(value, enum.Enum | str):
        return {str(value)}
    return {f"{value:g}", write_time(value)}


CALLS = [
    pytest.param(capture_options.add_capture_options, CapturePlan, id="capture"),
    pytest.param(record.arguments, RecordingPlan, id="record"),
    pytest.param(recover_options.add_recover_options, RecoveryPlan, id="recover"),
]


@pytest.mark.parametrize(("add", "plan"), CALLS)
def test_help_prints_the_default_of_the_plan(add: Any, plan: type[Any]) -> None:
    defaults, told = fields_of(plan), 0
    for name, action in options_of(add).items():
        value = defaults.get(name)
        if isinstance(value, bool) or not value or isinstance(value, tuple) or name in SPELT_BY_OTHERS:
            continue
        if name == "policy":  # explained one by one
            continue
        assert action.help is not None
        assert any(f"({text}" in action.help for text in shown(value)), f"{name}: {action.help!r} hides {value!r}"
        told += 1
    assert told


@pytest.mark.parametrize(("add", "plan"), CALLS[1:])
def test_options_have_the_default_of_the_plan(add: Any, plan: type[Any]) -> None:
    defaults, options = fields_of(plan), options_of(add)
    named = {name for name in options if name in defaults and options[name].default not in (None, [], "", False)}
    assert {name: options[name].default for name in named} == {name: defaults[name] for name in named}


def test_what_no_field_of_a_plan_says() -> None:
    options = options_of(capture_options.add_capture_options)
    assert f"({DEFAULT_DELAY_SECONDS:g})" in str(options["delay"].help)
    size = RepositoryTimeouts().fetch_limits.size
    assert f"({write_size(size)})" in str(options_of(recover_options.add_recover_options)["max_size"].help)


@pytest.mark.parametrize("module", [capture_options, recover_options, mirror_options, record])
def test_no_number_is_typed_into_a_help_text(module: Any) -> None:
    calls = (node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.keyword))
    texts = [
        each.value
        for call in calls
        if call.arg == "help"
        for each in ast.walk(call.value)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    assert texts
    assert [text for text in texts if text.rpartition("(")[2][:1].isdigit()] == []


@pytest.mark.parametrize("settings", [CrawlPolicy, FetchSettings])
def test_there_is_no_second_default(settings: type[Any]) -> None:
    """What a plan says too has none here, or one that says nothing, or the very same one."""
    said = fields_of(CapturePlan)
    for field in dataclasses.fields(settings):
        if field.name in said and field.default is not dataclasses.MISSING:
            assert not field.default or field.default is said[field.name], f"{settings.__name__}.{field.name}"


def test_limits_of_a_page_and_of_a_response_are_for_the_plan_to_say() -> None:
    walk = {field.name: field.default for field in dataclasses.fields(WalkLimits)}
    assert {name for name, value in walk.items() if value is dataclasses.MISSING} == {
        "depth", "seconds", "views", "requests",
    }  # fmt: skip
    assert (FetchLimits().seconds, FetchLimits().size, FetchLimits().rate) == (0, 0, 0)


@pytest.mark.parametrize("seconds", [0.5, 1, 90, 120, 1800, 7200, 86400, 90000])
def test_times_are_written_as_they_are_read(seconds: float) -> None:
    assert parse_seconds(write_time(seconds)) == seconds


@pytest.mark.parametrize("size", [1, 1500, 5000, 10**6, 1 << 20, 256 << 20, 2 * 10**9, 1 << 40])
def test_sizes_are_written_as_they_are_read(size: int) -> None:
    assert parse_size(write_size(size)) == size

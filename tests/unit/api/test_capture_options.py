"""The options of captures as keywords: the names are those of the plan, and what is given reaches it."""

import inspect
from pathlib import Path
from typing import Any

import pytest

import webkeep
from webkeep.api.arguments.capture_options import CaptureOptions, HostOptions, plan_values_from_options
from webkeep.crawl.plan import parse_plan
from webkeep.crawl.plan.plan_parser import _HOST_PARSERS, plan_names
from webkeep.errors import UsageError

SITE = "http://example.org/"
IN_PYTHON = {"for": "purpose"}
"""What plan files call by words that Python keeps for itself."""


def test_the_names_are_those_of_a_plan() -> None:
    assert set(CaptureOptions.__annotations__) == {IN_PYTHON.get(name, name) for name in plan_names()} - {"seeds"}
    assert set(HostOptions.__annotations__) == set(_HOST_PARSERS)


@pytest.mark.parametrize(
    "function", [webkeep.capture, webkeep.update, webkeep.copy, webkeep.check, webkeep.aio.capture]
)
def test_the_signature_names_every_option(function: Any) -> None:
    named = inspect.signature(function).parameters
    assert set(CaptureOptions.__annotations__) <= set(named)
    assert not [each for each in named.values() if each.kind is inspect.Parameter.VAR_KEYWORD]


def plan(**options: Any) -> Any:
    return parse_plan({**plan_values_from_options(options), "seeds": [SITE]})


def test_an_option_that_is_not_given_is_the_plans() -> None:
    assert plan(max_urls=None, delay=None, include=None) == plan() == parse_plan({"seeds": [SITE]})


def test_rules_stand_in_the_order_in_which_they_were_given() -> None:
    assert plan(exclude="*.zip", include=["*.pdf", "*.png"]).rules == ("-*.zip", "+*.pdf", "+*.png")
    assert plan(include="*.pdf", rules=["-*"]).rules == ("+*.pdf", "-*")


def test_values_may_be_of_any_fitting_type(tmp_path: Path) -> None:
    cookies = tmp_path / "cookies.txt"
    cookies.write_text("# Netscape HTTP Cookie File\n")
    made = plan(
        cookies=cookies,
        exclude=(f"*.{each}" for each in ("zip", "iso")),
        headers={"Accept-Language": "nl"},
        max_bytes="2GB",
        max_seconds=90,
        purpose="evidence",
        hosts={"slow.example": {"delay": 5, "exclude": ("*.zip",)}},
    )
    assert made.cookies == str(cookies)
    assert made.rules == ("-*.zip", "-*.iso")
    assert made.headers == (("Accept-Language", "nl"),)
    assert (made.max_bytes, made.max_seconds) == (2 * 10**9, 90)
    assert made.strategy != plan().strategy
    assert (made.hosts["slow.example"].delay, made.hosts["slow.example"].exclude) == (5, ("*.zip",))


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"max_url": 3}, "a plan has no 'max-url'; did you mean max-urls?"),
        ({"seeds": [SITE]}, "seeds are no option; give them by themselves, before the options"),
        ({"max_urls": "many"}, "max-urls cannot be 'many'; give a whole number, 1 or more"),
        ({"scope": "planet"}, "scope cannot be 'planet'; it may be page, prefix, host, domain"),
        ({"include": 5}, "include: give a text, or a list of texts"),
        ({"include": [5]}, "include: give a text, or a list of texts"),
        ({"probe": "yes"}, "probe cannot be 'yes'; give true or false"),
        ({"hosts": {"a.example": {"dealy": 1}}}, "host a.example has no 'dealy'; did you mean delay?"),
    ],
)
def test_what_cannot_be_is_one_clear_line(options: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as told:
        plan(**options)
    assert str(told.value) == line

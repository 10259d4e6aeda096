"""Canonical forms as recipes of steps."""

import json
from pathlib import Path

import pytest

import webkeep.url.canonical
from webkeep.url.canonical import FETCH_IDENTITY, REPOSITORY_KEY, Recipe, drop_www, recipe
from webkeep.url.canonical.query_steps import drop_fragment, sort_query
from webkeep.url.canonical.recipe_builder import UrlPart, step
from webkeep.url.canonical.recipes import CANONICAL
from webkeep.url.canonical.site_steps import lowercase_host

FORMS = json.loads((Path(__file__).parents[2] / "data/url/canonical_forms.json").read_text())


def chosen(case: dict[str, list[str]]) -> Recipe:
    steps = {
        switch: [getattr(webkeep.url.canonical, name) for name in case.get(switch, ())]
        for switch in ("with", "without")
    }
    base = getattr(webkeep.url.canonical, str(case["recipe"]))
    assert isinstance(base, Recipe)
    return base.with_(*steps["with"]).without(*steps["without"])


@pytest.mark.parametrize("case", FORMS, ids=[f"{case['recipe']} {case['url']!a}" for case in FORMS])
def test_forms(case: dict[str, list[str]]) -> None:
    url, form = str(case["url"]), str(case["form"])
    assert chosen(case)(url) == form
    assert chosen(case)(form) == form


def test_steps_are_switched_by_name() -> None:
    assert drop_www in REPOSITORY_KEY
    assert drop_www not in REPOSITORY_KEY.without(drop_www)
    assert REPOSITORY_KEY.without(drop_www)("https://www.foo.org/") == "http://www.foo.org/"
    assert CANONICAL.with_(sort_query).without(sort_query) == CANONICAL


def test_the_order_of_naming_does_not_matter() -> None:
    assert recipe(drop_fragment, lowercase_host) == recipe(lowercase_host, drop_fragment, lowercase_host)
    assert len({recipe(drop_fragment, lowercase_host), recipe(lowercase_host, drop_fragment)}) == 1
    assert repr(recipe(drop_fragment, lowercase_host)) == "recipe(lowercase_host, drop_fragment)"


def test_a_step_of_ones_own_runs_last() -> None:
    @step(UrlPart.QUERY)
    def drop_tracking(query: str) -> str:
        """Drop what newsletters add."""
        return "?" + "&".join(each for each in query[1:].split("&") if not each.startswith("utm_"))

    own = CANONICAL.with_(drop_tracking)
    assert own("http://a.org/?utm_source=x&b=1") == "http://a.org/?b=1"
    assert own.steps[-1] is drop_tracking or own.steps[-1].part is not UrlPart.QUERY
    assert drop_tracking.meaning == "Drop what newsletters add."


def test_sort_keeps_parameters_of_one_name_in_order() -> None:
    assert recipe(sort_query)("http://a.org/?b=1&a=2&a=1&a") == "http://a.org/?a=2&a=1&a&b=1"


@pytest.mark.parametrize(
    "text", ["", "#", "http://", "://", "http://a:b:c@d:e/", "http://[/", "\ud800", "http://\ud800/\ud800"]
)
def test_what_is_no_url_passes(text: str) -> None:
    assert isinstance(CANONICAL(text), str)
    assert FETCH_IDENTITY(text) == FETCH_IDENTITY(FETCH_IDENTITY(text))


def test_a_host_too_odd_for_ascii_stays() -> None:
    assert CANONICAL("http://a\u00ad\ud800 /x") == "http://a\u00ad\ud800 /x"

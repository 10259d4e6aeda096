"""Vantage points as people write them, and what is always so for evidence."""

import argparse

import pytest

from webkeep.api import build_vantages
from webkeep.cli.commands.evidence import arguments
from webkeep.crawl.plan import BrowserMode
from webkeep.errors import UsageError
from webkeep.presentation import write_time
from webkeep.url.scope import ScopeExtent

URLS = (("https://example.org/a",), ())


def test_without_options_one_page_is_proven_in_the_browser() -> None:
    (main,) = build_vantages({}, URLS, [], print)
    plan = main.plan
    assert (plan.scope, plan.browser, plan.portraits, plan.conditional) == (
        ScopeExtent.PAGE,
        BrowserMode.ALWAYS,
        True,
        False,
    )
    assert plan.redacts
    assert (plan.delay, plan.timeout) == (0.0, 120.0)


def test_a_page_sends_what_it_sends_to_anybody_unless_it_is_clicked_through() -> None:
    allowed = [build_vantages(values, URLS, [], print)[0].plan.allow_post for values in (
        {}, {"allow_post": ["example.org/api/*"]}, {"states": 1}, {"states": 1, "allow_post": ["example.org/api/*"]},
    )]  # fmt: skip
    assert allowed == [("*",), ("example.org/api/*",), (), ("example.org/api/*",)]


def test_a_site_is_asked_as_politely_as_in_any_capture() -> None:
    (main,) = build_vantages({"scope": "host"}, URLS, [], print)
    assert (main.plan.scope, main.plan.delay) == (ScopeExtent.HOST, None)


def test_vantage_points_differ_in_what_they_say_and_in_nothing_else() -> None:
    words = ['phone user-agent="Pocket/1 (small)"', "abroad anonymous proxy=socks5h://gate.example:1080"]
    given = {"headers": ["X-Key: secret"], "rules": ["-*.pdf"]}
    main, phone, abroad = build_vantages(given, URLS, words, print)
    assert (phone.name, phone.plan.user_agent, phone.plan.headers) == ("phone", "Pocket/1 (small)", main.plan.headers)
    assert (abroad.plan.proxy, abroad.plan.headers) == ("socks5h://gate.example:1080", ())
    assert main.plan.rules == phone.plan.rules == abroad.plan.rules
    assert abroad.description == "nobody logged in, with another proxy"
    assert "gate.example" not in abroad.description


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["proxy=http://a:1"], "has no name"),
        (["phone"], "says nothing"),
        (["phone depth=3"], "'depth=3' is none of"),
        (['phone user-agent="x'], "cannot be read"),
        ([""], "has no name"),
        (["a anonymous", "a anonymous"], "named twice"),
        (["main anonymous"], "named twice"),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build_vantages({}, URLS, words, print)


def test_without_a_browser_there_is_no_evidence() -> None:
    with pytest.raises(UsageError, match="take --browser off away"):
        build_vantages({"browser": "off"}, URLS, [], print)


def test_help_tells_what_evidence_does_where_nothing_is_said() -> None:
    parser = argparse.ArgumentParser()
    arguments(parser)
    told = {each.dest: str(each.help) for each in parser._actions}
    (first,) = build_vantages({}, URLS, [], print)
    assert f"({write_time(first.plan.timeout)})" in told["timeout"]
    assert f"({write_time(first.plan.page_seconds)})" in told["page_seconds"]
    for name in ("retries", "page_requests", "scope", "browser"):
        assert f"({getattr(first.plan, name)})" in told[name], name
    for name in ("delay", "connections_per_host"):
        assert f"({getattr(first.plan, name):g} for one page" in told[name], name

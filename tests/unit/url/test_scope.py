"""Scope: bounds around seeds, rules, and the reasons given."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from webkeep.errors import UsageError
from webkeep.url import registrable_domain
from webkeep.url.scope import (
    MAX_REGEX_CHARS,
    RuleSubject,
    Scope,
    ScopeBound,
    ScopeDecision,
    ScopeExtent,
    ScopeVerdict,
    exclude_rule,
    include_rule,
    scope_around,
)

RULES = json.loads((Path(__file__).parents[2] / "data/url/rules.json").read_text())


@pytest.mark.parametrize("case", RULES, ids=[f"{case['rule']} on {case['url']}" for case in RULES])
def test_rules(case: dict[str, object]) -> None:
    media_type, size = case.get("media_type"), case.get("size")
    assert media_type is None or isinstance(media_type, str)
    assert size is None or isinstance(size, int)
    assert include_rule(str(case["rule"])).holds(RuleSubject(str(case["url"]), media_type, size)) is case["holds"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ("type:", "after the colon"),
        ("example.org", "host:example.org"),
        ("size:big", "no size"),
        ("size:> 10MB", "no size"),
        ("size:>10QB", "no size"),
        ("re:(", "'re:\\('"),
        ("re:(?P<a>x)(?P<a>y)", "no regular expression"),
        ("re:a{99999999999999999999}", "no regular expression"),
        (r"re:(?!b)(a+)+\Z", "repeats a repetition"),
        ("re:(?=a)(?:[a-z]*-?)*x", "repeats a repetition"),
        ("re:" + "(" * 5000 + ")" * 5000, "no regular expression"),
    ],
)
def test_bad_rules_are_named(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        exclude_rule(text)


@pytest.mark.parametrize("text", ["re:(?:/[a-z]+)+$", "re:(?:foo|bar)+", "re:[[a]", "re:(a+b)*", "re:([0-9]{4})+"])
def test_useful_expressions_are_let_be(text: str) -> None:
    assert str(exclude_rule(text)) == f"exclude {text}"


@pytest.mark.parametrize("text", ["re:(a+)+$", "re:(?:[a-z]*-?)*_", "re:(a|aa)+$", "re:a*a*a*a*a*a*a*a*b"])
def test_expressions_that_could_take_for_ever_do_not(text: str) -> None:
    # The suite's limit on time is the assertion: by the library's engine none of these would end.
    assert not exclude_rule(text).holds(RuleSubject("http://x.org/" + "a" * 2000 + "!"))


@given(st.text("ab/.|*+?(){}2,[]^$", max_size=14), st.text("ab/2", max_size=8))
def test_rules_mean_what_the_expression_means_to_the_library(expression: str, text: str) -> None:
    try:
        rule = exclude_rule(f"re:{expression}")
    except UsageError:
        return
    assert rule.holds(RuleSubject(text)) is (re.search(expression, text) is not None)


def test_expressions_see_the_beginning_of_a_url() -> None:
    rule = exclude_rule("re:needle")
    assert rule.holds(RuleSubject("http://a.org/" + "x" * (MAX_REGEX_CHARS - 19) + "needle"))
    assert not rule.holds(RuleSubject("http://a.org/" + "x" * MAX_REGEX_CHARS + "needle"))


def test_many_stars_are_not_slow() -> None:
    # The suite's limit on time is the assertion: going back on forty stars would never end.
    assert not exclude_rule("*a" * 40 + "b").holds(RuleSubject("http://a.org/" + "a" * 20_000))


def inside(scope: Scope, *urls: str) -> list[bool]:
    return [scope.judge(url).verdict is ScopeVerdict.IN for url in urls]


def test_page() -> None:
    scope = scope_around(["https://example.org/a/b"], ScopeExtent.PAGE)
    assert inside(scope, "http://www.example.org/a/b#c", "https://example.org/a/", "https://example.org/a/b?x") == [
        True,
        False,
        False,
    ]


def test_prefix_is_the_directory_of_the_seed() -> None:
    scope = scope_around(["http://foo.edu/~joe/index.html?x=/y/"])
    assert inside(
        scope,
        "http://foo.edu/~joe/", "https://www.foo.edu/%7Ejoe/a/b?c", "http://foo.edu/~joey/", "http://foo.edu/~joe",
        "http://foo.edu:8080/~joe/", "http://a.foo.edu/~joe/",
    ) == [True, True, False, False, False, False]  # fmt: skip


def test_host() -> None:
    scope = scope_around(["http://localhost:8080/a/b"], ScopeExtent.HOST)
    assert inside(scope, "https://localhost:8080/", "http://localhost/", "http://a.localhost:8080/") == [
        True,
        False,
        False,
    ]
    assert inside(scope_around(["http://a.org:80/x"], ScopeExtent.HOST), "https://a.org:443/", "http://a.org:443/") == [
        True,
        False,
    ]


def test_domain_is_the_registered_one() -> None:
    scope = scope_around(["https://news.bbc.co.uk/x"], ScopeExtent.DOMAIN)
    assert inside(
        scope, "http://bbc.co.uk/", "https://www.bbc.co.uk:8080/", "http://a.b.bbc.co.uk/", "http://co.uk/", "http://abbc.co.uk/"
    ) == [True, True, True, False, False]  # fmt: skip


@pytest.mark.parametrize("host", ["192.0.2.1", "[2001:db8::1]", "localhost", "github.io"])
def test_a_domain_no_one_registered_is_the_host(host: str) -> None:
    scope = scope_around([f"http://{host}/x"], ScopeExtent.DOMAIN)
    assert inside(scope, f"http://{host}/", f"http://{host}:81/", "http://192.0.2.10/", "http://org/") == [
        True,
        True,
        False,
        False,
    ]


def test_registrable_domains() -> None:
    hosts = [
        "www.example.org",
        "news.BBC.co.uk.",
        "alice.github.io",
        "xn--bcher-kva.example",
        "org",
        "127.0.0.1",
        "[::1]",
        "",
        "a..b",
    ]
    assert [registrable_domain(host) for host in hosts] == [
        "example.org", "bbc.co.uk", "alice.github.io", "xn--bcher-kva.example", None, None, None, None, None,
    ]  # fmt: skip


def test_in_scope_of_any_seed() -> None:
    scope = Scope(
        [
            ScopeBound("http://a.org/x/", ScopeExtent.PREFIX),
            ScopeBound("http://b.org/", ScopeExtent.HOST),
            ScopeBound("http://c.org/p", ScopeExtent.PAGE),
        ]
    )
    assert inside(scope, "http://a.org/x/1", "http://b.org/2", "http://c.org/p") == [True, True, True]
    assert inside(scope, "http://a.org/y", "http://c.org/q") == [False, False]


def test_the_last_rule_that_holds_wins() -> None:
    scope = scope_around(
        ["http://a.org/"], ScopeExtent.HOST, [exclude_rule("*.pdf"), include_rule("/keep/*"), exclude_rule("*secret*")]
    )
    assert inside(
        scope, "http://a.org/x", "http://a.org/x.pdf", "http://a.org/keep/x.pdf", "http://b.org/keep/x", "http://a.org/keep/secret"
    ) == [True, False, True, True, False]  # fmt: skip


def test_a_seed_is_in_whatever_the_rules_say() -> None:
    scope = scope_around(["http://a.org/list"], ScopeExtent.HOST, [exclude_rule("*"), include_rule("*.pdf")])
    assert inside(scope, "http://a.org/list", "http://a.org/x.pdf", "http://a.org/x.html") == [True, True, False]


def test_unknown_facts_leave_a_decision_open() -> None:
    scope = scope_around(["http://a.org/"], ScopeExtent.HOST, [exclude_rule("size:>1kB")])
    assert scope.judge("http://a.org/x").verdict is ScopeVerdict.OPEN
    assert scope.judge("http://a.org/x").is_allowed
    assert scope.judge("http://a.org/x", size=1000).verdict is ScopeVerdict.IN
    assert scope.judge("http://a.org/x", size=1001).verdict is ScopeVerdict.OUT
    # Nothing its size could be would let it in, so it need not be asked for.
    assert scope.judge("http://b.org/x").verdict is ScopeVerdict.OUT


def test_an_open_rule_that_changes_nothing_is_passed_over() -> None:
    scope = scope_around(
        ["http://a.org/"],
        ScopeExtent.HOST,
        [include_rule("type:image/*"), exclude_rule("*.zip"), exclude_rule("type:video/*")],
    )
    assert scope.judge("http://a.org/x.zip").verdict is ScopeVerdict.OUT
    assert scope.judge("http://b.org/x").rule == "include type:image/*"
    assert scope.judge("http://a.org/x").rule == "exclude type:video/*"
    assert scope.judge("http://a.org/x", "Image/PNG; q=1").verdict is ScopeVerdict.IN
    assert scope.judge("http://b.org/x", "").verdict is ScopeVerdict.OUT


def test_requisites_of_pages_are_in_from_anywhere() -> None:
    rules = [exclude_rule("host:ads.org")]
    scope = scope_around(["http://a.org/"], ScopeExtent.PAGE, rules)
    assert scope.judge("http://cdn.org/x.css", embedded=True).rule == "requisite"
    assert not scope.judge("http://cdn.org/x.css").is_allowed
    assert not scope.judge("http://ads.org/x.js", embedded=True).is_allowed
    strict = scope_around(["http://a.org/"], ScopeExtent.PAGE, rules, requisites=False)
    assert not strict.judge("http://cdn.org/x.css", embedded=True).is_allowed


def test_a_decision_says_why() -> None:
    scope = scope_around(
        ["http://a.org/x/"], ScopeExtent.PREFIX, [exclude_rule("*.pdf"), exclude_rule("type:video/* size:>1GB")]
    )
    assert scope.judge("http://a.org/x/y", size=1) == ScopeDecision(
        ScopeVerdict.IN, "prefix", "within the prefix bounds of http://a.org/x/"
    )
    assert scope.judge("http://a.org/x/y.pdf") == ScopeDecision(
        ScopeVerdict.OUT, "exclude *.pdf", "the rule '*.pdf' excludes it"
    )
    assert scope.judge("http://a.org/z") == ScopeDecision(
        ScopeVerdict.OUT, "bounds", "outside the bounds of every seed"
    )
    assert scope.judge("http://a.org/x/") == ScopeDecision(ScopeVerdict.IN, "seed", "named as a seed")
    assert (
        scope.judge("http://a.org/x/v").reason
        == "the rule 'type:video/* size:>1GB' may exclude it once it has been asked for"
    )


@pytest.mark.parametrize(
    "url",
    ["mailto:a@b.org", "javascript:void(0)", "data:,x", "ftp://a.org/", "", "a.org", "http://", "http:///x", "\ud800"],
)
def test_other_schemes_are_out_of_every_scope(url: str) -> None:
    scope = scope_around(["http://a.org/"], ScopeExtent.DOMAIN, [include_rule("*")])
    assert scope.judge(url) == ScopeDecision(ScopeVerdict.OUT, "scheme", "not an http or https address")


def test_a_seed_must_be_a_web_address() -> None:
    with pytest.raises(UsageError, match=re.escape("seed 'mailto:x'")):
        scope_around(["mailto:x"])


def test_many_seeds_are_no_burden() -> None:
    scope = scope_around([f"http://a.org/{number}/" for number in range(20_000)])
    assert inside(scope, "http://a.org/19999/x", "http://a.org/20000/x") == [True, False]

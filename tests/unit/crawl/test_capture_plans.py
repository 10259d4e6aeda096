"""Plans: values as people write them, what two plans have in common, and what frontier and fetcher make of them."""

import json

import pytest

from webkeep.crawl.plan import BrowserMode, CapturePlan, parse_plan, parse_seconds, parse_size
from webkeep.crawl.plan.capture_plan import MAX_SEEDS_KEPT, ByteRate, HostPlan
from webkeep.crawl.plan.plan_parser import plan_names
from webkeep.crawl.plan.policies import fetch_settings_from_plan, policy_from_plan
from webkeep.crawl.plan.value_parsers import parse_count
from webkeep.crawl.run.control_loop import apply_changes, plan_difference, restore_changes
from webkeep.crawl.run.update_plan import plan_from_text
from webkeep.errors import UsageError
from webkeep.fetch import USER_AGENT
from webkeep.frontier.policy import RobotsMode
from webkeep.url.scope import ScopeExtent

SEED = "https://example.org/docs/"


@pytest.mark.parametrize(
    ("text", "size"),
    [(5000, 5000), ("5000", 5000), ("500kB", 500_000), ("2 GiB", 2 << 30), ("1.5M", 1_500_000), ("7b", 7), ("0", 0)],
)
def test_sizes(text: object, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "-1", "1e9", "5 apples", "1.2.3", True, None, "９９９kB x", -5])
def test_what_is_no_size(text: object) -> None:
    with pytest.raises(UsageError, match="is no size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("2", 2), (0.5, 0.5), ("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86400), (0, 0)]
)
def test_durations(text: object, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-1", "inf", "nan", True, [], "1w"])
def test_what_is_no_duration(text: object) -> None:
    with pytest.raises(UsageError, match="is no duration"):
        parse_seconds(text)


@pytest.mark.parametrize(("text", "count"), [("7", 7), (7, 7), ("1,000", 1000), ("1_000", 1000), (0, 0)])
def test_counts(text: object, count: int) -> None:
    assert parse_count(text) == count


@pytest.mark.parametrize("text", ["", "x", "-1", 1.5, True, None, "٣٤", "9" * 5000])
def test_what_is_no_count(text: object) -> None:
    with pytest.raises(ValueError, match="give a whole number"):
        parse_count(text)


def test_seeds_are_spelled_as_a_browser_does_and_their_credentials_set_apart() -> None:
    plan = parse_plan({"seeds": ["Example.org", "http://me:secret@site.test/a#b", "ftp://files.test", "file:///srv/x"]})
    assert plan.seeds == ("http://example.org/", "http://site.test/a", "ftp://files.test/", "file:///srv/x")
    assert plan.credentials == (("site.test", "me", "secret"),)
    assert "secret" not in repr(plan) + plan.to_text()


def test_rules_keep_their_order() -> None:
    plan = parse_plan({"seeds": SEED, "exclude": ["*.iso"], "include": "*.pdf", "rules": ["-*.exe", "+ */x.exe"]})
    assert plan.rules == ("-*.iso", "+*.pdf", "-*.exe", "+*/x.exe")


def test_robots_for_all_and_for_some() -> None:
    plan = parse_plan({"seeds": SEED, "robots": ["ignore", "https://example.org/a/=obey"]})
    assert plan.robots is RobotsMode.IGNORE
    assert plan.robots_prefixes == (("https://example.org/a/", RobotsMode.OBEY),)


def test_every_name_of_a_plan_is_a_field_or_known_to_stand_for_one() -> None:
    apart = {"include", "exclude", "max_rate", "max_rate_per_host", "auth", "for"}
    fields = set(CapturePlan.__dataclass_fields__)
    assert set(plan_names()) - apart <= fields
    # Portraits are what `webkeep evidence` wants, and nobody says of a capture.
    assert fields - set(plan_names()) == {"rate", "robots_prefixes", "credentials", "portraits"}


# ---- which capture is gone on with ----


@pytest.mark.parametrize(
    ("value", "same"),
    [
        ({"delay": 3.0}, True),
        ({"connections": 2}, True),
        ({"rate": ByteRate(5, 5)}, True),
        ({"max_seconds": 9.0}, True),
        ({"headers": (("Cookie", "x"),)}, True),
        ({"credentials": (("example.org", "me", "secret"),)}, True),
        ({"depth": 3}, False),
        ({"rules": ("-*.png",)}, False),
        ({"scope": ScopeExtent.HOST}, False),
        ({"seeds": (SEED, "https://example.org/more/")}, False),
        ({"hosts": {"example.org": HostPlan(max_urls=5)}}, False),
        ({"hosts": {"example.org": HostPlan(headers=(("X", "secret"),))}}, False),
    ],
)
def test_a_plan_is_known_again(value: dict[str, object], same: bool) -> None:
    plan, other = CapturePlan((SEED,)), CapturePlan(**{"seeds": (SEED,), **value})  # type: ignore[arg-type]
    assert other.is_same_as(plan.to_text()) is same
    assert other.is_same_as(other.to_text())
    assert "secret" not in other.to_text()


def test_many_seeds_make_no_long_text_and_still_count() -> None:
    seeds = tuple(f"{SEED}{number}" for number in range(MAX_SEEDS_KEPT + 5))
    plan, other = CapturePlan(seeds), CapturePlan((*seeds[:-1], f"{SEED}other"))
    assert len(json.loads(plan.to_text())["seeds"]) == MAX_SEEDS_KEPT
    assert plan.is_same_as(plan.to_text())
    assert not other.is_same_as(plan.to_text())


# ---- changes while it runs ----


def test_changes_are_kept_and_taken_up_again() -> None:
    plan = CapturePlan((SEED,), rules=("-*.iso",), delay=1.0)
    now = apply_changes(apply_changes(plan, {"delay": "2s", "exclude": ["*.png"]}), {"include": ["*/x.png"]})
    assert now.delay == 2
    assert now.rules == ("-*.iso", "-*.png", "+*/x.png")
    assert restore_changes(plan, json.loads(json.dumps(plan_difference(plan, now)))) == now


def test_a_delay_that_is_said_anew_holds() -> None:
    plan = CapturePlan((SEED,), delay=1.0)
    kept = plan_difference(plan, apply_changes(plan, {"delay": 2}))
    assert restore_changes(CapturePlan((SEED,), delay=5.0), kept).delay == 5
    assert restore_changes(plan, plan_difference(plan, plan)) == plan


# ---- policies ----


@pytest.mark.parametrize(
    ("name", "url", "allowed"),
    [
        ("example.org", "https://example.org/docs/a.pdf", False),
        ("example.org:443", "https://example.org/docs/a.pdf", False),
        ("example.org:80", "https://example.org/docs/a.pdf", True),
        ("example.org:8080", "https://example.org:8080/docs/a.pdf", False),
        ("example.org:8080", "https://example.org/docs/a.pdf", True),
        ("other.org", "https://example.org/docs/a.pdf", True),
    ],
)
def test_rules_of_one_host(name: str, url: str, allowed: bool) -> None:
    seeds = (SEED, "https://example.org:8080/docs/")
    policy = policy_from_plan(CapturePlan(seeds, hosts={name: HostPlan(exclude=("*.pdf",))}))
    assert policy.scope.judge(url).is_allowed is allowed


@pytest.mark.parametrize(
    ("seed", "extent", "place"),
    [
        ("ftp://files.test/pub/a.txt", ScopeExtent.PREFIX, "ftp://files.test/pub/"),
        ("ftp://files.test/pub/a.txt", ScopeExtent.HOST, "ftp://files.test/"),
        ("file:///srv/site/", ScopeExtent.PREFIX, "file:///srv/site/"),
        ("file:///srv/site/a.html", ScopeExtent.PAGE, "file:///srv/site/a.html"),
    ],
)
def test_places_that_are_no_web(seed: str, extent: ScopeExtent, place: str) -> None:
    assert policy_from_plan(CapturePlan((seed,), extent)).places == (place,)


def test_what_the_fetcher_goes_by() -> None:
    hosts = {"a.test": HostPlan(headers=(("X", "1"),), connections=40), "b.test:81": HostPlan(headers=(("Y", "2"),))}
    plan = CapturePlan(
        (SEED,), headers=(("All", "0"),), credentials=(("a.test", "me", "pw"),), rate=ByteRate(10, 5), hosts=hosts
    )
    settings = fetch_settings_from_plan(plan)
    assert settings.headers == {"": (("All", "0"),), "a.test": (("X", "1"),)}
    assert settings.connections_per_host == 40
    assert (settings.rate, settings.rate_per_host) == (10, 5)
    assert settings.credentials["a.test"].user == "me"


# ---- who we say we are ----


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"contact": "mail@example.org"}, f"{USER_AGENT[:-1]}; +mail@example.org)"),
        ({"user_agent": "mine", "contact": "https://example.org/"}, "mine (+https://example.org/)"),
        ({"user_agent": "mine"}, "mine"),
        ({}, USER_AGENT),
    ],
)
def test_the_user_agent_names_a_contact(values: dict[str, str], said: str) -> None:
    assert fetch_settings_from_plan(parse_plan({"seeds": ["http://example.org/"], **values})).user_agent == said


def test_a_contact_is_one_line() -> None:
    with pytest.raises(UsageError, match="on one line"):
        parse_plan({"seeds": ["http://example.org/"], "contact": "a\r\nCookie: b"})


@pytest.mark.parametrize("mode", list(BrowserMode))
def test_a_plan_that_was_kept_runs_a_browser_as_it_did(mode: BrowserMode) -> None:
    plan = CapturePlan((SEED,), browser=mode)
    assert plan_from_text(plan.to_text()).browser is mode

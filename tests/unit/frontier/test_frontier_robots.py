"""Robots: before anything else, by RFC 9309."""

from collections.abc import Callable

import pytest

from frontier_web import SEED, START, Page, page, part, policy_for, web_of
from webkeep.errors import UsageError
from webkeep.formats.site import parse_robots
from webkeep.frontier.hosts import NoRobots, RobotsFile, RobotsResult, RobotsUnreachable, interpret_robots
from webkeep.frontier.policy import HostPolicy, RobotsMode
from webkeep.frontier.urls import Dispatch, FetchOutcome, UrlRole, WaitUntil
from webkeep.model import Moment, UrlOutcome
from webkeep.url.scope import ScopeExtent

RULES = b"User-agent: *\nDisallow: /private\nAllow: /private/open\n"
LINKS = [page(f"{SEED}private/a"), page(f"{SEED}private/open"), page(f"{SEED}b"), part(f"{SEED}private/logo.png")]


def rules(content: bytes = RULES) -> Callable[[str], RobotsResult]:
    return lambda host: RobotsFile(parse_robots(content))


def test_rules_come_first_and_alone() -> None:
    web = web_of({SEED: Page(LINKS)}, robots=rules()).run()
    assert web.requests[0].candidate.role is UrlRole.ROBOTS
    assert web.requests[1].started >= web.requests[0].ended


def test_a_refused_url_has_the_rule_and_its_line() -> None:
    web = web_of({SEED: Page(LINKS)}, robots=rules()).run()
    assert set(web.asked) == {SEED, f"{SEED}private/open", f"{SEED}b"}
    assert web.outcome(f"{SEED}private/a") is UrlOutcome.REFUSED
    assert web.reason(f"{SEED}private/a") == "robots.txt: Disallow: /private (line 2)"
    assert dict(web.frontier.host_ledgers())["site.example:80"]["refusals"] == {"Disallow: /private (line 2)": 2}


def test_parts_of_a_page_can_be_exempt() -> None:
    web = web_of({SEED: Page(LINKS)}, policy_for(requisites_exempt=True), robots=rules()).run()
    assert f"{SEED}private/logo.png" in web.asked
    assert f"{SEED}private/a" not in web.asked


def test_what_was_refused_as_a_page_may_be_exempt_as_a_part() -> None:
    pages = {SEED: Page([page(f"{SEED}private/a"), page(f"{SEED}b")]), f"{SEED}b": Page([part(f"{SEED}private/a")])}
    web = web_of(pages, policy_for(requisites_exempt=True), robots=rules()).run(room=1)
    assert web.asked == [SEED, f"{SEED}b", f"{SEED}private/a"]


def test_rules_can_be_ignored_in_general_for_a_host_and_for_a_prefix() -> None:
    ignoring = [
        policy_for(robots=RobotsMode.IGNORE),
        policy_for(hosts={"site.example": HostPolicy(robots=RobotsMode.IGNORE)}),
        policy_for(robots_prefixes=((f"{SEED}private/", RobotsMode.IGNORE),)),
    ]
    for policy in ignoring:
        web = web_of({SEED: Page(LINKS)}, policy, robots=rules()).run()
        assert f"{SEED}private/a" in web.asked
        assert web.requests[0].candidate.role is UrlRole.ROBOTS


def test_ignored_rules_need_not_be_recorded() -> None:
    policy = policy_for(robots=RobotsMode.IGNORE, record_robots=False)
    web = web_of({SEED: Page()}, policy).run()
    assert [each.candidate.role for each in web.requests] == [UrlRole.SEED]


def test_the_longest_prefix_decides() -> None:
    policy = policy_for(
        robots_prefixes=((SEED, RobotsMode.IGNORE), (f"{SEED}private/a", RobotsMode.OBEY)),
    )
    web = web_of({SEED: Page(LINKS)}, policy, robots=rules()).run()
    assert f"{SEED}private/a" not in web.asked
    assert f"{SEED}private/logo.png" in web.asked


@pytest.mark.parametrize(
    ("status", "failure", "expected"),
    [
        (200, "", RobotsFile),
        (404, "", NoRobots),
        (403, "", NoRobots),
        (301, "", NoRobots),
        (429, "", RobotsUnreachable),
        (500, "", RobotsUnreachable),
        (503, "", RobotsUnreachable),
        (0, "timeout", RobotsUnreachable),
    ],
)
def test_answers_mean_what_the_standard_says(status: int, failure: str, expected: type) -> None:
    assert isinstance(interpret_robots(status, RULES, failure), expected)


def test_unreachable_rules_forbid_everything_in_the_end() -> None:
    web = web_of({SEED: Page()}, robots=lambda host: interpret_robots(503, b"")).run()
    assert web.asked == []
    assert len(web.requests) == 4
    assert web.outcome(SEED) is UrlOutcome.REFUSED
    assert web.reason(SEED) == "robots.txt unreachable: status 503"
    assert web.requests[-1].started.seconds_since(START) >= 2 + 4 + 8


def test_rules_that_come_late_are_good() -> None:
    answers = iter([interpret_robots(500, b""), interpret_robots(200, RULES)])
    web = web_of({SEED: Page(LINKS)}, robots=lambda host: next(answers)).run()
    assert web.outcome(SEED) is UrlOutcome.STORED
    assert web.outcome(f"{SEED}private/a") is UrlOutcome.REFUSED


def test_a_host_that_is_not_there_has_failed() -> None:
    gone = RobotsUnreachable("name-not-resolved", temporary=False)
    web = web_of({SEED: Page()}, robots=lambda host: gone).run()
    assert web.outcome(SEED) is UrlOutcome.FAILED
    assert web.reason(SEED) == "name-not-resolved, asking for robots.txt"
    assert len(web.requests) == 1


NOWHERE = Page(failure="name-not-resolved", temporary=True, connected=False, resolved=False, seconds=0.01)


@pytest.mark.parametrize("mode", [RobotsMode.OBEY, RobotsMode.IGNORE])
def test_a_name_without_an_address_is_looked_up_twice_and_told_soon(mode: RobotsMode) -> None:
    web = web_of(
        {SEED: NOWHERE}, policy_for(robots=mode), robots=lambda host: interpret_robots(0, b"", "no name", True)
    )
    web.robots_page = NOWHERE
    web.run()
    assert web.outcome(SEED) is UrlOutcome.FAILED
    assert len(web.requests) == 2
    assert 1 <= web.now.seconds_since(START) < 1.5


def test_a_name_that_had_an_address_is_looked_up_with_patience() -> None:
    pages = {SEED: Page([page(f"{SEED}a")]), f"{SEED}a": NOWHERE}
    web = web_of(pages).run()
    assert web.outcome(SEED) is UrlOutcome.STORED
    assert web.times[f"{SEED}a"] == 4
    assert web.now.seconds_since(START) >= 2 + 8 + 32


def test_unreachable_rules_that_are_ignored_hold_nothing_back() -> None:
    policy = policy_for(robots=RobotsMode.IGNORE)
    web = web_of({SEED: Page()}, policy, robots=lambda host: interpret_robots(500, b"")).run()
    assert web.asked == [SEED]


def test_rules_are_asked_for_again_after_a_day_and_the_old_ones_hold_meanwhile() -> None:
    answers = iter([interpret_robots(200, RULES), interpret_robots(500, b""), interpret_robots(200, b"")])
    pages = {SEED: Page([page(f"{SEED}a")]), f"{SEED}a": Page(LINKS)}
    web = web_of(pages, robots=lambda host: next(answers)).run(room=1, most=2)
    web.now = web.now.plus(25 * 3600)
    web.run()
    assert [each.candidate.role for each in web.requests][2] is UrlRole.ROBOTS
    assert web.outcome(f"{SEED}private/a") is UrlOutcome.REFUSED


def test_sitemaps_are_found_in_the_rules() -> None:
    content = (
        b"Sitemap: /sitemap.xml\nSitemap: http://site.example/maps/b.xml\nSitemap: http://elsewhere.example/s.xml\n"
    )
    seed = f"{SEED}blog/"
    web = web_of({seed: Page()}, policy_for([seed], ScopeExtent.PREFIX), seeds=[seed], robots=rules(content)).run()
    assert set(web.asked) == {seed, f"{SEED}sitemap.xml", f"{SEED}maps/b.xml"}
    assert web.outcome("http://elsewhere.example/s.xml") is UrlOutcome.OUT_OF_SCOPE


def test_a_sitemap_is_no_way_around_a_depth() -> None:
    pages = {f"{SEED}sitemap.xml": Page([page(f"{SEED}far")]), SEED: Page()}
    web = web_of(pages, policy_for(depth=1), robots=rules(b"Sitemap: /sitemap.xml")).run()
    assert set(web.asked) == {SEED, f"{SEED}sitemap.xml"}
    assert web.outcome(f"{SEED}far") is UrlOutcome.CUT


def test_a_page_may_link_to_the_rules() -> None:
    web = web_of({SEED: Page([page(f"{SEED}robots.txt")])}, robots=rules()).run()
    assert [each.candidate.url for each in web.requests] == [f"{SEED}robots.txt", SEED]


def test_a_port_is_a_host_of_its_own() -> None:
    other = "http://site.example:8080/"
    web = web_of({SEED: Page([page(other)]), other: Page()}, policy_for([SEED, other]), robots=rules()).run()
    assert f"{other}robots.txt" in {each.candidate.url for each in web.requests}


def test_where_the_rules_moved_to_is_asked_for_gently_too() -> None:
    web = web_of({SEED: Page()}, loopback=False)
    (first,) = web.frontier.next_actions(START, 1)
    assert isinstance(first, Dispatch)
    moved = f"{SEED}rules.txt"
    assert web.frontier.unqueued.reserve(moved, START) > START
    ended = START.plus(1)
    web.frontier.record_outcome(first.candidate, answer(START, ended, 301), ended)
    assert web.frontier.unqueued.reserve(moved, ended) == ended.plus(1)
    assert web.frontier.unqueued.reserve(moved, ended.plus(1)) == ended.plus(1)
    assert web.frontier.unqueued.reserve(moved, ended.plus(1)) > ended.plus(1)
    later = ended.plus(3)
    web.frontier.unqueued.record_outcome(moved, answer(ended.plus(1), later, 200), later)
    assert web.frontier.next_actions(later, 1) == []
    web.frontier.update_robots(first.candidate.host, NoRobots(), later)
    assert web.frontier.next_actions(later, 1) == [WaitUntil(later.plus(1))]
    ledger = dict(web.frontier.host_ledgers())[first.candidate.host]
    assert (ledger["requests"], ledger["smallest_gap"], ledger["too_early"]) == (2, 1.0, 0)
    with pytest.raises(UsageError, match="not under way"):
        web.frontier.unqueued.record_outcome(moved, answer(later, later, 200), later)


@pytest.mark.parametrize("who", ["x:y@", "x@", ":y@"])
def test_a_name_and_password_in_a_link_do_not_get_round_the_rules(who: str) -> None:
    links = [page(f"http://{who}site.example/private/a"), page(f"http://{who}site.example/b?mail=a@b")]
    pages = {SEED: Page(links), f"{SEED}b?mail=a@b": Page(status=302, redirect=f"http://{who}site.example/private/c")}
    web = web_of(pages, robots=rules()).run()
    assert web.asked == [SEED, f"{SEED}b?mail=a@b"]
    assert web.outcome(f"{SEED}private/a") is web.outcome(f"{SEED}private/c") is UrlOutcome.REFUSED
    assert not any(who in fate.url for fate in web.url_store.fates())


def test_names_and_passwords_of_sitemaps_and_seeds_are_dropped() -> None:
    said = b"User-agent: *\nDisallow: /private\nSitemap: http://x:y@site.example/private/map.xml\n"
    web = web_of({}, robots=rules(said), seeds=["http://x:y@site.example/private/"]).run()
    assert {fate.url for fate in web.url_store.fates()} == {
        f"{SEED}robots.txt",
        f"{SEED}private/",
        f"{SEED}private/map.xml",
    }
    assert web.asked == []


def answer(started: Moment, ended: Moment, status: int) -> FetchOutcome:
    return FetchOutcome(started, ended, status, address="192.0.2.1")

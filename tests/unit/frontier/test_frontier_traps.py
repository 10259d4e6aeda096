"""Traps: endless sites end, real sites are captured whole."""

import shlex

import pytest

from frontier_web import SEED, START, Page, Web, page, part, policy_for, web_of
from webkeep.frontier.traps import TrapKind
from webkeep.frontier.traps.calendar import calendar_suspicion
from webkeep.frontier.traps.trap_detector import TrapDetector
from webkeep.frontier.traps.url_shape import folder_shape, is_whole_host, rule_text, shape_of
from webkeep.frontier.traps.url_structure import structural_suspicion
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import UrlOutcome
from webkeep.url.scope import include_rule


def trapped(web: Web) -> int:
    return web.url_store.outcome_counts()[UrlOutcome.TRAPPED]


# ---- real sites do not suffer ----


def test_ten_thousand_numbered_articles_are_captured_whole() -> None:
    links = [page(f"{SEED}articles/{number}.html") for number in range(10_000)]
    web = web_of(lambda candidate, _: Page(links if candidate.url == SEED else [])).run()
    assert len(web.asked) == 10_001
    assert trapped(web) == 0


def test_five_thousand_pages_of_a_list_are_captured_whole() -> None:
    def next_page(candidate: Candidate, _: int) -> Page:
        number = int(candidate.url.rpartition("/")[2] or 0)
        return Page([page(f"{SEED}page/{number + 1}")] if number < 5000 else [])

    web = web_of(next_page).run()
    assert len(web.asked) == 5001
    assert trapped(web) == 0


def test_articles_by_query_and_by_date_are_captured_whole() -> None:
    links = [page(f"{SEED}show.php?id={number}&lang=en") for number in range(2000)]
    links += [
        page(f"{SEED}{year}/{month:02}/{day:02}/")
        for year in range(2015, 2024)
        for month in range(1, 13)
        for day in range(1, 29)
    ]
    web = web_of(lambda candidate, _: Page(links if candidate.url == SEED else [])).run()
    assert len(web.asked) == 1 + len(links)


def test_content_that_differs_in_nothing_that_is_seen_is_the_same() -> None:
    traps = TrapDetector()
    for number in range(40):
        candidate = Candidate(number + 1, f"http://a.example/p/{number}", "a.example", UrlRole.NAVIGATE)
        assert traps.learn_content(candidate, f"digest {number}", 10, "seen:one") is (number > 0)
    other = Candidate(99, "http://b.example/p/1", "b.example", UrlRole.NAVIGATE)
    assert not traps.learn_content(other, "digest of another host", 10, "seen:one")


def test_a_site_of_which_half_is_the_same_is_captured_whole() -> None:
    links = [page(f"{SEED}items/{number}") for number in range(2000)]

    def half_same(candidate: Candidate, _: int) -> Page:
        number = candidate.url.rpartition("/")[2]
        return Page(links) if not number else Page(digest="sold out" if int(number) % 2 else "")

    assert trapped(web_of(half_same).run()) == 0


def test_maps_and_days_are_no_circles() -> None:
    for path in ("tiles/0/0/0.png", "2011/11/11/11/", "a/a/a/a", "x1/y/x2/y/x3/y"):
        assert structural_suspicion(f"{SEED}{path}", UrlRole.NAVIGATE) is None


def test_short_values_of_a_parameter_called_like_a_session_are_no_sessions() -> None:
    links = [page(f"{SEED}station?sid={number}") for number in range(300)]
    assert trapped(web_of(lambda candidate, _: Page(links if candidate.url == SEED else [])).run()) == 0


# ---- endless sites end ----


def test_sessions_in_queries_and_paths_give_each_page_once() -> None:
    count = 0

    def with_session(candidate: Candidate, _: int) -> Page:
        nonlocal count
        count += 1
        session = f"{count:026x}abcdef"
        names = [f"{SEED}{name};jsessionid={session}" for name in ("a", "b")]
        names += [f"{SEED}{name}?PHPSESSID={session}&x=1" for name in ("c", "d")]
        return Page([page(name) for name in names], digest=session)

    web = web_of(with_session).run()
    assert len(web.asked) < 20
    for name in "abcd":
        assert any(f"/{name}" in url for url in web.asked)
    traps = web.frontier.trap_report()
    assert {trap.kind for trap in traps} == {TrapKind.SESSION}
    assert {trap.shape for trap in traps} == {
        "site.example/*;*",
        "site.example/c?PHPSESSID=*&x=#",
        "site.example/d?PHPSESSID=*&x=#",
    }


def test_an_endless_calendar_ends_and_says_how_to_have_it() -> None:
    def month(candidate: Candidate, _: int) -> Page:
        number = 24_290 if candidate.url == SEED else _month_of(candidate.url)
        around = [number - 1, number + 1]
        return Page([page(f"{SEED}calendar?month={each % 12 + 1}&year={each // 12}") for each in around])

    web = web_of(month).run()
    assert 100 < len(web.asked) < 120
    (trap,) = web.frontier.trap_report()
    assert trap.kind is TrapKind.CALENDAR
    assert trap.shape == "site.example/calendar?month=#&year=#"
    assert trap.left_out >= 1
    assert trap.advice == "--include 'site.example/calendar?month=*&year=*', or a greater --trap-budget"


def _month_of(url: str) -> int:
    values = dict(each.split("=") for each in url.partition("?")[2].split("&"))
    return int(values["year"]) * 12 + int(values["month"]) - 1


@pytest.mark.parametrize(
    ("path", "suspicious"),
    [
        ("calendar?year=2031&month=4", True),
        ("calendar?date=1899-12-31", True),
        ("events?day=20310401", True),
        ("cal/2031/04", True),
        ("cal/2031/04/12/", True),
        ("week/2031-04", True),
        ("calendar?year=2025&month=4", False),
        ("2019/05/12/title", False),
        ("cal?d=20310412", True),
        ("cal?at=1989-04", True),
        ("calendar?month=1989-04", True),
        ("calendar?week=2031-W07", True),
        ("calendar?y=2031&m=4&d=12", True),
        ("calendar?month=203104", True),
        ("cal?day=19723", False),
        ("list?start=2040", False),
        ("list?from=1000", False),
        ("cal?d=2031", False),
        ("calendar?month=2026-12", False),
        ("item/2031", False),
        ("item?id=2031", False),
        ("article-1899-12.html", False),
    ],
)
def test_days_far_away_are_suspicious(path: str, suspicious: bool) -> None:
    assert (calendar_suspicion(f"{SEED}{path}", START.datetime.year) is not None) is suspicious


@pytest.mark.parametrize("path", ["a-b/a-b/a-b/", "x/a-b/c/a-b/c/a-b/c/d", "img/img/img/img/x.html"])
def test_paths_that_go_in_circles_are_left_out(path: str) -> None:
    suspicion = structural_suspicion(f"{SEED}{path}", UrlRole.NAVIGATE)
    assert suspicion is not None
    assert suspicion.kind is TrapKind.REPETITION


def test_a_circle_of_relative_links_ends() -> None:
    def deeper(candidate: Candidate, _: int) -> Page:
        return Page([page(f"{candidate.url}about/")])

    web = web_of(deeper).run()
    assert len(web.asked) == 3
    assert web.reason(f"{SEED}about/about/about/") == "repeating path: site.example/about/about/about/*"


def test_a_few_relative_links_in_all_orders_end() -> None:
    def deeper(candidate: Candidate, _: int) -> Page:
        return Page([page(f"{candidate.url}{name}/") for name in "ab"])

    web = web_of(deeper).run(most=5000)
    assert len(web.asked) < 600
    traps = web.frontier.trap_report()
    assert {trap.kind for trap in traps} == {TrapKind.REPETITION}
    assert {trap.shape for trap in traps} == {
        f"site.example/{way}/*" for way in ("a/a", "b/b", "a/b/a", "a/b/b", "b/a/a", "b/a/b")
    }


def test_very_long_and_very_deep_addresses_are_left_out() -> None:
    long, deep = f"{SEED}{'x' * 3000}", f"{SEED}{'/'.join(f's{number}' for number in range(40))}"
    endless = f"{SEED}{'y' * 100_000}"
    web = web_of({SEED: Page([page(long), page(deep), page(endless), part(f"{SEED}i?{'z' * 5000}")])}).run()
    assert [len(url) < 6000 for url in web.asked] == [True, True]
    assert web.outcome(long) is UrlOutcome.TRAPPED
    assert web.outcome(deep) is UrlOutcome.TRAPPED
    assert max(len(fate.url) for fate in web.url_store.fates()) == 16384


@pytest.mark.parametrize("rest", ["x" * 3000, "7" * 3000, f"?q={'x' * 3000}", f"a/{'b' * 3000}/", f"it's/{'b' * 3000}"])
def test_the_way_to_a_very_long_address_is_not_to_the_whole_host(rest: str) -> None:
    long = f"{SEED}{rest}"
    pages = {SEED: Page([page(long), page(f"{SEED}other/{'y' * 3000}")])}
    first, second = sorted(web_of(pages).run().frontier.trap_report(), key=lambda trap: "other/" in trap.shape)
    assert (first.kind, second.kind) == (TrapKind.LONG, TrapKind.LONG)
    (option, rule) = shlex.split(first.advice)
    assert option == "--include"
    again = web_of(pages, policy_for(rules=[include_rule(rule)])).run()
    assert again.asked == [SEED, long]


def test_the_way_to_pages_at_the_root_of_a_host_is_not_to_the_whole_host() -> None:
    links = [page(f"{SEED}x-{number}") for number in range(300)]
    web = web_of(lambda candidate, _: Page(links if candidate.url == SEED else [], digest="sorry")).run()
    (trap,) = web.frontier.trap_report()
    assert (trap.kind, trap.advice) == (TrapKind.SAME_CONTENT, "a greater --trap-budget")


def test_the_same_query_in_other_orders_is_left_out() -> None:
    orders = [f"{SEED}list?{order}" for order in ("a=1&b=2&c=3", "b=2&a=1&c=3", "c=3&b=2&a=1")]
    links = [page(f"{order}&d={number}") for number in range(50) for order in orders]
    web = web_of(lambda candidate, _: Page(links if candidate.url == SEED else [])).run()
    assert len(web.asked) == 1 + 50 + 10
    (trap,) = web.frontier.trap_report()
    assert (trap.kind, trap.left_out, trap.asked) == (TrapKind.PERMUTATION, 90, 10)


def test_combinations_of_many_parameters_have_a_budget() -> None:
    names = [f"facet{number}" for number in range(14)]

    def facets(candidate: Candidate, _: int) -> Page:
        chosen = [each for each in candidate.url.partition("?")[2].split("&") if each]
        more = [f"{name}=1" for name in names if f"{name}=1" not in chosen]
        return Page([page(f"{SEED}shop?{'&'.join(sorted([*chosen, each]))}") for each in more])

    web = web_of(facets).run()
    assert 1000 < len(web.asked) < 2500
    assert {trap.kind for trap in web.frontier.trap_report()} == {TrapKind.COMBINATION}


def test_pages_that_say_in_a_friendly_way_that_they_are_not_there_are_barred() -> None:
    def friendly(candidate: Candidate, _: int) -> Page:
        number = int(candidate.url.rpartition("-")[2] or 0) if candidate.url != SEED else 0
        return Page([page(f"{SEED}p/x-{2 * number + 1}"), page(f"{SEED}p/x-{2 * number + 2}")], digest="sorry")

    web = web_of(friendly).run()
    assert len(web.asked) < 250
    (trap,) = web.frontier.trap_report()
    assert (trap.kind, trap.shape) == (TrapKind.SAME_CONTENT, "site.example/p/*")


def test_a_barred_shape_is_free_again_when_it_gives_other_content() -> None:
    links = [page(f"{SEED}p/{number}") for number in range(6000)]

    def same_for_a_while(candidate: Candidate, _: int) -> Page:
        if candidate.url == SEED:
            return Page(links)
        number = int(candidate.url.rpartition("/")[2])
        return Page(digest="same" if number < 150 else "")

    web = web_of(same_for_a_while).run()
    assert len(web.asked) > 3000


def test_wrong_guesses_end() -> None:
    links = [page(f"{SEED}js/guess-{number}", True) for number in range(500)]
    web = web_of({SEED: Page(links)}).run()
    assert 8 <= len(web.asked) - 1 < 26
    (trap,) = web.frontier.trap_report()
    assert (trap.kind, trap.shape) == (TrapKind.GUESS, "site.example/js/*")


def test_where_a_guess_was_right_more_may_be_wrong() -> None:
    links = [page(f"{SEED}js/guess-{number}", True) for number in range(500)]
    web = web_of({SEED: Page(links), f"{SEED}js/guess-0": Page()}).run()
    assert 21 <= len(web.asked) - 1 < 40


def test_a_host_has_a_budget_for_guesses_in_all_its_folders() -> None:
    links = [page(f"{SEED}f{chr(97 + number % 26)}{chr(97 + number // 26)}/x", True) for number in range(400)]
    web = web_of({SEED: Page(links)}).run()
    assert 100 <= len(web.asked) - 1 < 120


def test_right_guesses_go_on() -> None:
    links = [page(f"{SEED}js/guess-{number}", True) for number in range(500)]
    web = web_of(lambda candidate, _: Page(links if candidate.url == SEED else [])).run()
    assert len(web.asked) == 501


def test_what_a_person_asked_for_is_no_trap() -> None:
    def deeper(candidate: Candidate, _: int) -> Page:
        return Page([page(f"{candidate.url}about/")] if len(candidate.url) < 100 else [])

    rules = [include_rule("site.example/about/about/about/*")]
    web = web_of(deeper, policy_for(rules=rules)).run()
    assert len(web.asked) > 10


def test_traps_can_be_switched_off() -> None:
    long = f"{SEED}{'x' * 3000}"
    web = web_of({SEED: Page([page(long)])}, policy_for(trap_budget=None)).run()
    assert web.asked == [SEED, long]


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("http://a.example/", "a.example/"),
        ("http://a.example/x", "a.example/*"),
        ("http://a.example/news/2024/05/title.html", "a.example/news/#/#/*.html"),
        ("http://a.example/tag/blue/", "a.example/tag/*/"),
        ("http://a.example:8080/show?id=12&name=x&flag", "a.example:8080/show?id=#&name=*&flag"),
        ("http://a.example/show12?", "a.example/show#?"),
    ],
)
def test_shapes_are_readable(url: str, shape: str) -> None:
    assert shape_of(url) == shape


@pytest.mark.parametrize(
    ("shape", "whole"),
    [
        ("a.example/*", True),
        ("a.example/#/", True),
        ("a.example/", False),
        ("a.example/x*", False),
        ("a.example/#/#", False),
    ],
)
def test_a_shape_of_nothing_but_a_host_is_known(shape: str, whole: bool) -> None:
    assert is_whole_host(shape) is whole


def test_a_shape_is_the_text_of_a_rule() -> None:
    assert rule_text("a.example/c?month=#&year=#") == "a.example/c?month=*&year=*"
    assert folder_shape("http://a.example/f12/x/y?z") == "a.example/f#/x/*"

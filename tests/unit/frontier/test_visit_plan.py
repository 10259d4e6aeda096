"""Captures that are to be coherent: visits in the order of a strategy, then revisits, part by part."""

from collections.abc import Callable

import pytest

from frontier_web import SEED, START, Page, Web, page, part, policy_for
from webkeep.coherence.strategies import STRATEGIES
from webkeep.formats.site import parse_robots
from webkeep.frontier import Frontier
from webkeep.frontier.coherent import PlannedUrlStore, VisitPlan
from webkeep.frontier.hosts import NoRobots, RobotsFile, RobotsResult
from webkeep.frontier.urls import UrlRole
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.model import UrlOutcome

NAMES = "abcdefgh"
RATES = {f"{SEED}{name}": 0.001 * 3**place for place, name in enumerate(NAMES)}
"""The later in the alphabet, the hotter."""
FLAT = {SEED: Page([page(f"{SEED}{name}") for name in "dahbgcfe"]), **{url: Page() for url in RATES}}


def web_by(
    name: str,
    pages: dict[str, Page] | None = None,
    robots: Callable[[str], RobotsResult] = lambda _: NoRobots(),
    part_of: Callable[[str], str] = lambda _: "",
    **policy: object,
) -> tuple[Web, PlannedUrlStore]:
    """A web with a course by a strategy."""
    course = VisitPlan(STRATEGIES[name], lambda url: RATES.get(url, 0.0), lambda _: 1.0, part_of)
    book = PlannedUrlStore(MemoryUrlStore(), course)
    frontier = Frontier(policy_for((SEED,), **policy), book)
    frontier.seed([SEED], START)
    held = FLAT if pages is None else pages
    web = Web(frontier, book, lambda candidate, _: held.get(candidate.url, Page(status=404)), robots)
    return web, book


def short(urls: list[str]) -> str:
    """The visits as letters; the seed is a slash."""
    return "".join(url.removeprefix(SEED) or "/" for url in urls)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("hottest-last", "/abcdefgh"),
        ("hottest-first", "/hgfedcba"),
        ("breadth-first-fifo", "/dahbgcfe"),
    ],
)
def test_the_strategy_orders_the_visits(name: str, order: str) -> None:
    web, _ = web_by(name)
    assert short(web.run(room=1).asked) == order


def test_what_a_sitemap_tells_is_known_before_the_first_visit() -> None:
    pages = {**FLAT, f"{SEED}map.xml": Page([page(url) for url in (*RATES, SEED)])}
    rules = RobotsFile(parse_robots(f"Sitemap: {SEED}map.xml".encode()))
    web, _ = web_by("sharc-online", pages, lambda _: rules)
    asked = web.run(room=4).asked
    assert asked[0] == f"{SEED}map.xml"
    assert short(asked[1:]) == "/bdfhgeca", "an organ pipe, the seed being the coldest"


def test_all_wait_for_a_sitemap_that_is_late_and_for_one_that_fails() -> None:
    late = {**FLAT, f"{SEED}map.xml": Page([page(url) for url in RATES], seconds=30)}
    lost = {**FLAT, f"{SEED}map.xml": Page(failure="timeout", status=0)}
    rules = RobotsFile(parse_robots(f"Sitemap: {SEED}map.xml".encode()))
    for pages in (late, lost):
        web, _ = web_by("hottest-first", pages, lambda _: rules)
        web.run(room=4)
        assert web.asked[0] == f"{SEED}map.xml"
        assert web.requests[2].started >= web.requests[1].ended
        assert sorted(web.asked[1:]) == sorted(FLAT)


def test_embeds_are_ordered_like_pages_and_retries_come_when_they_are_due() -> None:
    pages = {**FLAT, SEED: Page([part(f"{SEED}h"), page(f"{SEED}a"), page(f"{SEED}b")])}
    web, _ = web_by("hottest-last", pages)
    flaky = web.answer
    web.answer = lambda candidate, time: (
        Page(failure="timeout", temporary=True) if candidate.url == f"{SEED}a" and time == 1 else flaky(candidate, time)
    )
    assert short(web.run(room=1).asked) == "/abha"
    assert web.outcome(f"{SEED}a") is UrlOutcome.STORED


def revisited(web: Web, book: PlannedUrlStore) -> list[str]:
    """What is asked for again after everything, as the rounds of a crawl do it."""
    before = len(web.requests)
    visits = [each.candidate for each in web.requests if each.candidate.role is not UrlRole.ROBOTS]
    by_number = {candidate.id: candidate for candidate in visits}
    numbers = book.plan.revisits(visits[0].host, list(by_number))
    book.queue_revisits(by_number[number] for number in numbers)
    web.frontier.begin_round(revisiting=True, now=web.now)
    web.run(room=1)
    assert all(each.candidate.revisit for each in web.requests[before:])
    return [each.candidate.url for each in web.requests[before:]]


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("breadth-first-fifo", "/dahbgcf"),
        ("breadth-first-lifo", "fcgbhad/"),
        ("hottest-last-lifo", "gfedcba/"),
        ("hottest-last", ""),
    ],
)
def test_revisits_follow_in_the_order_of_the_strategy(name: str, order: str) -> None:
    web, book = web_by(name)
    assert short(revisited(web.run(room=1), book)) == order
    assert web.frontier.totals.urls == len(FLAT), "revisits are not counted again"


@pytest.mark.parametrize("name", list(STRATEGIES))
def test_every_strategy_visits_and_revisits_each_page_once(name: str) -> None:
    web, book = web_by(name)
    web.run()
    assert sorted(web.asked) == sorted(FLAT)
    again = revisited(web, book)
    assert len(again) == len(set(again))
    assert len(again) in (0, len(FLAT) - 1)


def test_a_revisit_changes_no_fate_but_one_in_vain_is_told() -> None:
    web, book = web_by("breadth-first-lifo", retries=0)
    web.run(room=1)
    steady = web.answer
    web.answer = lambda candidate, time: (
        Page(failure="disconnected", status=0) if candidate.url == f"{SEED}h" else steady(candidate, time)
    )
    revisited(web, book)
    assert {fate.outcome for fate in book.fates()} == {UrlOutcome.STORED}
    assert web.reason(f"{SEED}h") == "not seen again: disconnected"
    assert web.reason(f"{SEED}a") == ""


def test_a_revisit_that_may_pass_is_made_again_later() -> None:
    web, book = web_by("breadth-first-lifo")
    web.run(room=1)
    steady = web.answer
    web.answer = lambda candidate, time: (
        Page(failure="timeout", temporary=True)
        if candidate.url == f"{SEED}h" and time == 2
        else steady(candidate, time)
    )
    again = revisited(web, book)
    assert again.count(f"{SEED}h") == 2
    assert web.reason(f"{SEED}h") == ""


def test_limits_end_visits_and_not_revisits() -> None:
    web, book = web_by("breadth-first-lifo", max_urls=4)
    web.run(room=1)
    assert short(web.asked) == "/dah"
    assert short(revisited(web, book)) == "ad/"


def test_a_capture_that_is_cut_short_makes_no_more_revisits() -> None:
    web, book = web_by("breadth-first-lifo")
    web.run(room=1)
    visits = [each.candidate for each in web.requests if each.candidate.role is not UrlRole.ROBOTS]
    book.queue_revisits(visits)
    web.frontier.begin_round(revisiting=True, now=web.now)
    web.frontier.cut_short("enough")
    before = len(web.requests)
    web.run(room=1)
    assert len(web.requests) == before
    assert book.revisits_left() == 0


def test_links_found_by_a_redirect_or_cookie_at_a_revisit_are_left_alone() -> None:
    web, book = web_by("breadth-first-lifo")
    web.run(room=1)
    web.answer = lambda _candidate, _time: Page(status=302, redirect=f"{SEED}elsewhere", set_cookie=True)
    assert f"{SEED}elsewhere" not in revisited(web, book)
    assert book.find(f"{SEED}elsewhere") is None


def test_parts_are_taken_one_after_the_other() -> None:
    def part_of(url: str) -> str:
        return url.removeprefix(SEED)[:1]

    pages = {
        SEED: Page([page(f"{SEED}x/1"), page(f"{SEED}y/1"), page(f"{SEED}x/2")]),
        f"{SEED}x/1": Page([page(f"{SEED}y/2")]),
        f"{SEED}y/1": Page([page(f"{SEED}x/3")]),
        **{f"{SEED}{name}": Page() for name in ("x/2", "x/3", "y/2")},
    }
    web, book = web_by("breadth-first", pages, part_of=part_of)
    rounds = []
    while True:
        before = len(web.asked)
        rounds.append([url.removeprefix(SEED) for url in web.run(room=1).asked[before:]])
        if not book.plan.start_next_parts():
            break
        web.frontier.begin_round(revisiting=False, now=web.now)
    assert rounds == [[""], ["x/1", "x/2", "y/1", "y/2", "x/3"]], "small parts are taken together"


def test_a_host_that_is_given_up_is_revisited_no_more() -> None:
    web, book = web_by("breadth-first-lifo", host_failures=2, retries=0)
    web.run(room=1)
    web.answer = lambda _candidate, _time: Page(failure="refused", status=0, connected=False)
    assert len(revisited(web, book)) <= 4
    assert {fate.outcome for fate in book.fates()} == {UrlOutcome.STORED}


def test_what_is_queued_is_known_to_the_course_of_a_later_process() -> None:
    web, book = web_by("hottest-last")
    web.run(room=1, most=4)
    kept = book._url_store
    again = PlannedUrlStore(kept, VisitPlan(STRATEGIES["hottest-last"], lambda url: RATES.get(url, 0.0), lambda _: 1.0))
    later = Web(Frontier(policy_for((SEED,)), again), again, web.answer, now=web.now)
    assert short(later.run(room=1).asked) == "cdefgh"


def test_what_came_by_another_way_does_not_wait_for_ever() -> None:
    _, book = web_by("sharc-revisits")
    book.plan.start_parts([""])
    (seed,) = (book.find(SEED),)
    assert seed is not None
    book.plan.add_candidate(seed)
    assert book.plan.start_next_parts()
    book.plan.drop_settled(lambda _: True)
    assert book.plan.start_next_parts(), "it is queued"
    book.plan.drop_settled(lambda _: False)
    assert not book.plan.start_next_parts()

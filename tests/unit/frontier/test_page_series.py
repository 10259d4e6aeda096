"""Chains: pages that lead to their neighbours and to nothing else end, and those that lead on do not."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from frontier_web import SEED, Page, Web, page, part, policy_for, web_of
from webkeep.extract.links import Link
from webkeep.frontier.traps import Trap, TrapKind
from webkeep.frontier.traps.calendar import calendar_of
from webkeep.frontier.urls import Candidate
from webkeep.model import UrlOutcome
from webkeep.url.scope import include_rule

NAVIGATION = [page(f"{SEED}about"), page(f"{SEED}contact"), part(f"{SEED}style.css")]
BUDGET = 100


def number_in(url: str, default: int = 0) -> int:
    text = url.rpartition("=")[2] if "=" in url else url.rstrip("/").rpartition("/")[2]
    return int(text) if text.lstrip("-").isdigit() else default


def numbered(form: str, links: Callable[[int], list[Link]]) -> Callable[[Candidate, int], Page]:
    """A site whose root leads to number 1 of a form, with links by number."""
    start = form.partition("{")[0]

    def answer(candidate: Candidate, _: int) -> Page:
        if candidate.url == SEED:
            return Page([page(form.format(1))])
        return Page(NAVIGATION + links(number_in(candidate.url)) if candidate.url.startswith(start) else [])

    return answer


def both_ways(form: str, extra: Callable[[int], list[Link]] = lambda number: []) -> Callable[[Candidate, int], Page]:
    return numbered(form, lambda number: [page(form.format(number - 1)), page(form.format(number + 1)), *extra(number)])


def the_trap(web: Web) -> Trap:
    (trap,) = web.frontier.trap_report()
    return trap


# ---- numbers ----


@pytest.mark.parametrize("form", ["cal?d={}", "cal?d={}&view=day", "day/{}/", "day-{}.html?z=x&a"])
def test_a_count_up_and_down_ends(form: str) -> None:
    def answer(candidate: Candidate, _: int) -> Page:
        before, _, after = form.partition("{}")
        number = 1 if candidate.url == SEED else int(candidate.url.removeprefix(SEED + before).removesuffix(after))
        return Page([page(SEED + form.format(each)) for each in (number - 1, number + 1)])

    web = web_of(answer).run(most=2000)
    assert BUDGET < len(web.asked) < BUDGET + 20
    trap = the_trap(web)
    assert (trap.kind, trap.shape) == (TrapKind.CHAIN, f"site.example/{form.format('#')}")
    assert trap.advice == f"--include 'site.example/{form.format('*')}', or a greater --trap-budget"


def test_the_way_into_a_chain_is_taken() -> None:
    policy = policy_for(rules=[include_rule("site.example/cal?d=*")])
    web = web_of(both_ways(f"{SEED}cal?d={{}}"), policy).run(most=1000)
    assert len(web.requests) >= 1000


def test_links_made_for_each_page_of_a_count_are_no_news() -> None:
    def companions(number: int) -> list[Link]:
        return [page(f"{SEED}login?back=%2Fcal%3Fd%3D{number}"), page(f"{SEED}print?d={number}")]

    web = web_of(both_ways(f"{SEED}cal?d={{}}", companions)).run(most=5000)
    assert sum("/cal?" in url for url in web.asked) < BUDGET + 20


def test_a_count_that_shows_a_picture_on_every_page_goes_on() -> None:
    web = web_of(both_ways(f"{SEED}comic/{{}}/", lambda number: [part(f"{SEED}img/{number}.png")])).run(most=3000)
    assert len(web.requests) >= 3000
    assert web.url_store.outcome_counts()[UrlOutcome.TRAPPED] == 0


def test_a_list_that_leads_to_articles_known_from_elsewhere_is_captured_whole() -> None:
    articles = [page(f"{SEED}article-{name}") for name in (f"{number:x}x" for number in range(1000))]
    pages = numbered(
        f"{SEED}list?page={{}}",
        lambda number: [*articles[number * 2 : number * 2 + 2], *_near(f"{SEED}list?page={{}}", number, 500)],
    )

    def answer(candidate: Candidate, times: int) -> Page:
        return Page([page(f"{SEED}list?page=250"), *articles]) if candidate.url == SEED else pages(candidate, times)

    web = web_of(answer).run()
    assert sum("list?" in url for url in web.asked) == 501
    assert web.url_store.outcome_counts()[UrlOutcome.TRAPPED] == 0


def _near(form: str, number: int, most: int) -> list[Link]:
    return [page(form.format(each)) for each in (number - 1, number + 1) if 0 <= each <= most]


def test_numbered_articles_related_to_each_other_are_captured_whole() -> None:
    def related(number: int) -> list[Link]:
        return [page(f"{SEED}article/{(number * factor + 17) % 3001}") for factor in (3, 7, 1777)]

    web = web_of(numbered(f"{SEED}article/{{}}", related)).run()
    assert len(web.asked) > 3000
    assert web.url_store.outcome_counts()[UrlOutcome.TRAPPED] == 0


def test_pages_of_a_barred_count_that_are_found_in_a_list_are_asked_for() -> None:
    chain = both_ways(f"{SEED}cal?d={{}}")
    steps = 400

    def answer(candidate: Candidate, times: int) -> Page:
        if candidate.url.startswith(f"{SEED}x"):
            name = candidate.url.removeprefix(SEED)
            return Page([page(f"{SEED}{name}x")] if len(name) < steps else [page(f"{SEED}cal?d=5000")])
        links = chain(candidate, times).links
        return Page([*links, page(f"{SEED}x")] if candidate.url == SEED else links)

    web = web_of(answer).run(most=3000)
    assert f"{SEED}cal?d=5000" in web.asked
    assert len(web.asked) < 3000


def test_a_count_one_way_may_be_long_and_ends_all_the_same() -> None:
    form = f"{SEED}page?n={{}}"
    web = web_of(numbered(form, lambda number: [page(form.format(number + 1))])).run(most=3000)
    assert 10 * BUDGET < len(web.asked) < 10 * BUDGET + 20
    assert the_trap(web).shape == "site.example/page?n=#"


# ---- dates ----


def days(form: str, extra: Callable[[date], list[Link]] = lambda day: []) -> Callable[[Candidate, int], Page]:
    """A site with a page for every day, written as `strftime` does, which leads to its neighbours."""
    start, known = date(2024, 3, 1), dict[str, date]()

    def link(day: date) -> Link:
        known[SEED + day.strftime(form)] = day
        return page(SEED + day.strftime(form))

    def answer(candidate: Candidate, _: int) -> Page:
        if candidate.url == SEED:
            return Page([link(start)])
        day = known.get(candidate.url)
        around = [] if day is None else [link(day + timedelta(step)) for step in (-1, 1)] + extra(day)
        return Page(NAVIGATION + around)

    return answer


@pytest.mark.parametrize(
    "form",
    [
        "events/%Y/%m/%d/",
        "events/%Y/%b/%d/",
        "events/%Y-%m-%d",
        "events/%Y%m%d.html",
        "events-%d-%m-%Y",
        "events?date=%Y-%m-%d",
        "events?d=%Y%m%d",
        "events?day=%d&month=%m&year=%Y",
        "events?y=%Y&m=%m&d=%d&lang=en",
    ],
)
def test_days_before_and_after_end(form: str) -> None:
    web = web_of(days(form)).run(most=2000)
    assert BUDGET < len(web.asked) < BUDGET + 30
    assert web.url_store.outcome_counts()[UrlOutcome.TRAPPED] >= 2


def test_days_and_months_that_lead_to_each_other_end() -> None:
    def month(day: date) -> list[Link]:
        return [page(f"{SEED}month/{day:%Y-%m}"), page(f"{SEED}ical?date={day:%Y-%m-%d}&format=ics")]

    web = web_of(days("day/%Y-%m-%d", month)).run(most=3000)
    assert len(web.asked) < 6 * BUDGET
    assert {trap.kind for trap in web.frontier.trap_report()} == {TrapKind.CALENDAR}


def test_the_archive_of_a_diary_is_captured_whole() -> None:
    def entry(day: date) -> list[Link]:
        title = f"{SEED}{day:%Y/%m/%d}/{hex(day.toordinal())}-entry"
        return [page(title)] if day.day % 10 == 0 and 2014 <= day.year <= 2024 else []

    web = web_of(days("%Y/%m/%d/", entry)).run(most=20_000)
    entries = [url for url in web.asked if url.endswith("-entry")]
    assert len(entries) > 300
    assert any("/2014/01/10/" in url for url in entries)
    assert len(web.asked) < 6000


def test_months_with_names_are_one_calendar() -> None:
    trap = the_trap(web_of(days("events/%Y/%b/%d/")).run(most=2000))
    assert (trap.kind, trap.shape) == (TrapKind.CALENDAR, "site.example/events/#/#/#/")


def test_the_way_into_a_calendar_is_taken() -> None:
    policy = policy_for(rules=[include_rule("site.example/events/*/*/*/")])
    assert len(web_of(days("events/%Y/%m/%d/"), policy).run(most=500).requests) >= 500


@pytest.mark.parametrize(
    ("path", "calendar"),
    [
        ("events/2026/11/15/", "events/"),
        ("events/2026/11/", "events/"),
        ("events/2026/nov/15", "events/"),
        ("2026-11.html", ""),
        ("events/2026/w47", "events/"),
        ("events?month=2026-11&view=list", "events?"),
    ],
)
def test_a_calendar_is_known_by_what_is_not_a_date(path: str, calendar: str) -> None:
    assert calendar_of(f"{SEED}{path}") == f"{SEED}{calendar}"


@pytest.mark.parametrize("path", ["2026/11/15/title", "item/2026", "item/20261345", "item?id=2026", "list?start=2026"])
def test_other_pages_belong_to_no_calendar(path: str) -> None:
    assert calendar_of(f"{SEED}{path}") == ""

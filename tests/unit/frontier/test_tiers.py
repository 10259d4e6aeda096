"""The two tiers: which pages a browser runs, and what is left out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webkeep.document import PageTemplate, read_page_values, read_template
from webkeep.frontier.browser_tiers import BrowserTiers, PageRunResult
from webkeep.frontier.browser_tiers.confidence_bound import upper_bound_of_share
from webkeep.frontier.browser_tiers.request_patterns import RequestPatterns

SCRIPT = "<script src=/app.js?v=3></script>"


def page(body: str, head: str = SCRIPT) -> PageTemplate:
    return read_template(f"<!doctype html><title>x</title>{head}<main class=page>{body}</main>".encode())


def run_all(tiers: BrowserTiers, surprises: Callable[[str], bool]) -> list[str]:
    """Run what is asked for, one page at a time, audits included."""
    run = []
    while (url := tiers.next_page()) is not None:
        run.append(url)
        tiers.record_run(url, PageRunResult(is_odd=surprises(url)))
    return run


def test_pages_that_differ_in_text_alone_are_sampled() -> None:
    tiers = BrowserTiers()
    for number in range(100):
        tiers.add_page(f"/{number}", page(f"<p data-id={number}>Text {number}"))
    run = run_all(tiers, lambda _: False)
    assert len(run) == 2 + 1
    report = tiers.report()
    assert (report.skipped, report.audited, report.missed) == (97, 1, 0)
    assert len(list(tiers.skipped_pages())) == 97


def test_what_all_pages_request_is_found_once() -> None:
    """The first page brings what all of them need; from the second on nothing is new."""
    tiers = BrowserTiers()
    for number in range(60):
        tiers.add_page(f"/{number}", page(f"<p>Text {number}"))
    seen: list[str] = []

    def first(url: str) -> bool:
        seen.append(url)
        return len(seen) == 1

    assert len(run_all(tiers, first)) == 3 + 1


def test_pages_with_what_only_surprising_ones_have_are_all_run() -> None:
    tiers = BrowserTiers()
    for number in range(100):
        widget = "<div class=comments data-thread=x></div>" if number % 10 == 0 else ""
        tiers.add_page(f"/{number}", page(f"<p>Text {number}{widget}"))
    run = run_all(tiers, lambda url: int(url[1:]) % 10 == 0)
    assert {f"/{number}" for number in range(0, 100, 10)} <= set(run)
    assert len(run) <= 10 + 2 + 2


def test_a_group_in_which_nothing_tells_pages_apart_is_run_whole_after_a_miss() -> None:
    tiers = BrowserTiers()
    for number in range(100):
        tiers.add_page(f"/{number}", page(f"<p>Text {number}"))
    clean = {tiers.next_page(), tiers.next_page()}
    for url in clean:
        assert url is not None
        tiers.record_run(url, PageRunResult())
    audit = tiers.next_page()
    assert audit is not None
    assert tiers.report().skipped == 97
    tiers.record_run(audit, PageRunResult(is_odd=True))
    assert len(run_all(tiers, lambda _: True)) == 97
    assert tiers.report().skipped == 0


def test_a_word_in_its_data_tells_pages_apart_until_it_is_another_on_each() -> None:
    tiers = BrowserTiers()
    for number in range(30):
        kind = "map" if number == 7 else "none"
        name = "abcdefghijklmnopqrstuvwxyzABCD"[number] * 3
        data = f'<script type=application/json>{{"widget": "{kind}", "title": "{name}"}}</script>'
        tiers.add_page(f"/{number}", page(f"<p>Text{data}"))
    run = run_all(tiers, lambda url: url == "/7")
    assert "/7" in run
    assert len(run) < 10


def test_pages_without_scripts_need_no_more_than_two_samples_whatever_is_on_them() -> None:
    tiers = BrowserTiers()
    for number in range(40):
        tiers.add_page(f"/{number}", page(f"<p class=c{number} id=x{number}>", head=""))
    assert len(run_all(tiers, lambda _: False)) == 3


def test_one_sample_is_not_run_twice_at_a_time() -> None:
    tiers = BrowserTiers()
    for number in range(10):
        tiers.add_page(f"/{number}", page("<p>"))
    first, second = tiers.next_page(), tiers.next_page()
    assert first is not None
    assert second is not None
    assert tiers.next_page() is None, "what is under way may show that no more is needed"
    tiers.put_back(first)
    assert tiers.next_page() == first


@pytest.mark.parametrize(
    ("hits", "tries", "bound"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 1, 0.95), (0, 100, 0.0295), (3, 100, 0.0757), (0, 1000, 0.00299)],
)
def test_the_upper_bound_is_that_of_clopper_and_pearson(hits: int, tries: int, bound: float) -> None:
    assert upper_bound_of_share(hits, tries) == pytest.approx(bound, rel=0.01)


def test_what_follows_a_pattern_is_told_and_not_run() -> None:
    """An address that is made of a value on the page is learned from two pages and holds on a third."""
    tiers = BrowserTiers()
    pages = {f"/{number}": f"<p class=comments data-thread={number}>" for number in range(40)}
    for url, body in pages.items():
        tiers.add_page(url, page(body))

    def found(url: str) -> PageRunResult:
        asked = frozenset({f"http://x/api/thread-{url[1:]}"})
        return PageRunResult(asked, asked, read_page_values(pages[url].encode(), f"http://x{url}"))

    run = []
    while (url := tiers.next_page()) is not None:
        run.append(url)
        tiers.record_run(url, found(url))
    assert len(run) <= 6
    told = {address for url, teller in tiers.predictable_pages() for address in teller(found(url).values)}
    assert told == {f"http://x/api/thread-{url[1:]}" for url in set(pages) - set(run)}
    assert tiers.predictable_pages() == [], "each page is told once"


def test_a_pattern_that_does_not_hold_is_given_up() -> None:
    tiers = BrowserTiers()
    for number in range(20):
        tiers.add_page(f"/{number}", page(f"<p class=comments data-thread={number}>"))
    run = []
    while (url := tiers.next_page()) is not None:
        run.append(url)
        number = int(url[1:])
        asked = frozenset({f"http://x/api/{number if number % 2 else number * 7 + 100}"})
        tiers.record_run(url, PageRunResult(asked, asked, [("p.comments@data-thread", str(number))]))
    assert len(run) == 20, "half of the pages ask for something else"


def test_an_audit_that_could_not_be_run_is_drawn_again() -> None:
    tiers = BrowserTiers()
    for number in range(60):
        tiers.add_page(f"/{number}", page(f"<p>Text {number}"))
    for url in (tiers.next_page(), tiers.next_page()):
        assert url is not None
        tiers.record_run(url, PageRunResult())
    audit = tiers.next_page()
    assert audit is not None
    tiers.put_back(audit)
    assert tiers.next_page() == audit


def taken_within(budget: int, brings: dict[str, list[int]], leaves_out: bool) -> int:
    """What a budget of so many pages brings, of groups whose pages bring so much one after the other."""
    tiers = BrowserTiers(leaves_out)
    left = {name: list(amounts) for name, amounts in brings.items()}
    for name, amounts in brings.items():
        for number in range(len(amounts)):
            script = f"<script src=/{name}.js></script>"
            tiers.add_page(f"{name}/{number}", page(f"<p class=shape-{name}-{number}>Text", script))
    gained = 0
    for _ in range(budget):
        url = tiers.next_page()
        assert url is not None
        brought = left[url.partition("/")[0]].pop(0)
        gained += brought
        tiers.record_run(url, PageRunResult(frozenset(f"{url}/{number}" for number in range(brought))))
    return gained


@pytest.mark.parametrize("leaves_out", [True, False], ids=["some are left out", "all are run"])
def test_pages_that_bring_most_come_first(leaves_out: bool) -> None:
    """Of 90 pages 30 can be run; in the order of their names they would bring 30 and 3."""
    brings = {"article": [1] * 30, "dull": [0] * 30, "gallery": [9] * 30}
    assert taken_within(30, brings, leaves_out) == 28 * 9 + 1 + 0


def test_a_group_that_brings_less_and_less_gives_way() -> None:
    brings = {"comments": [8, 0, 0, 0, 0, 0, 0, 0], "maps": [2] * 8}
    assert taken_within(9, brings, True) >= 8 + 4 * 2


def test_where_nothing_is_left_out_every_page_is_run() -> None:
    tiers = BrowserTiers(leaves_out=False)
    for number in range(40):
        tiers.add_page(f"/{number}", page(f"<p>Text {number}"))
    assert len(run_all(tiers, lambda _: False)) == 40
    assert tiers.report().skipped == 0


def test_seeds_are_run_themselves_and_first() -> None:
    tiers = BrowserTiers()
    for number in range(10):
        tiers.add_page(f"/{number}", page(f"<p>Text {number}"))
    tiers.add_page("/seed", page("<p>Text"), is_seed=True)
    assert tiers.next_page() == "/seed"
    tiers.put_back("/seed")
    assert tiers.next_page() == "/seed", "a seed whose run came to nothing is run again"
    tiers.record_run("/seed", PageRunResult())
    assert "/seed" not in run_all(tiers, lambda _: False)
    late = BrowserTiers()
    for number in range(10):
        late.add_page(f"/{number}", page(f"<p>Text {number}"))
    run_all(late, lambda _: False)
    late.add_page("/seed", page("<p>Text"), is_seed=True)
    assert late.undecided_count() == 1
    assert run_all(late, lambda _: False) == ["/seed"], "whatever pages like it have shown"


def test_pages_that_nothing_is_known_of_count_as_undecided_not_as_left_out() -> None:
    tiers = BrowserTiers()
    for number in range(5):
        tiers.add_page(f"/{number}", page(f"<p>Text {number}"))
    assert (tiers.undecided_count(), tiers.report().skipped) == (5, 0)
    run_all(tiers, lambda _: False)
    assert (tiers.undecided_count(), tiers.report().skipped) == (0, 3)


def test_a_pattern_that_two_values_of_one_page_refute_is_gone_once() -> None:
    patterns, hooks = RequestPatterns(), frozenset({"main.js"})
    seen = "http://x.example/pictures/day-320.png"
    patterns.learn([("img@width", "320")], hooks, [seen], {seen})
    patterns.learn([("img@width", "640"), ("img@width", "1280")], hooks, [], set())
    assert patterns.predict_requests([("img@width", "320")], hooks) == set()

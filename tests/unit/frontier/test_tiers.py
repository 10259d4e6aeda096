"""The two tiers: which pages a browser runs, and what is left out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webkeep.document.template import Template, template_of
from webkeep.document.values import page_values
from webkeep.frontier.proportion import upper_bound
from webkeep.frontier.tiers import Found, Tiers

SCRIPT = "<script src=/app.js?v=3></script>"


def page(body: str, head: str = SCRIPT) -> Template:
    return template_of(f"<!doctype html><title>x</title>{head}<main class=page>{body}</main>".encode())


def run_all(tiers: Tiers, surprises: Callable[[str], bool]) -> list[str]:
    """Run what is asked for, one page at a time, audits included."""
    run = []
    while (url := tiers.next()) is not None:
        run.append(url)
        tiers.ran(url, Found(is_odd=surprises(url)))
    return run


def test_pages_that_differ_in_text_alone_are_sampled() -> None:
    tiers = Tiers()
    for number in range(100):
        tiers.enter(f"/{number}", page(f"<p data-id={number}>Text {number}"))
    run = run_all(tiers, lambda _: False)
    assert len(run) == 2 + 1
    report = tiers.report()
    assert (report.skipped, report.audited, report.missed) == (97, 1, 0)
    assert len(list(tiers.skipped())) == 97


def test_what_all_pages_request_is_found_once() -> None:
    """The first page brings what all of them need; from the second on nothing is new."""
    tiers = Tiers()
    for number in range(60):
        tiers.enter(f"/{number}", page(f"<p>Text {number}"))
    seen: list[str] = []

    def first(url: str) -> bool:
        seen.append(url)
        return len(seen) == 1

    assert len(run_all(tiers, first)) == 3 + 1


def test_pages_with_what_only_surprising_ones_have_are_all_run() -> None:
    tiers = Tiers()
    for number in range(100):
        widget = "<div class=comments data-thread=x></div>" if number % 10 == 0 else ""
        tiers.enter(f"/{number}", page(f"<p>Text {number}{widget}"))
    run = run_all(tiers, lambda url: int(url[1:]) % 10 == 0)
    assert {f"/{number}" for number in range(0, 100, 10)} <= set(run)
    assert len(run) <= 10 + 2 + 2


def test_a_group_in_which_nothing_tells_pages_apart_is_run_whole_after_a_miss() -> None:
    tiers = Tiers()
    for number in range(100):
        tiers.enter(f"/{number}", page(f"<p>Text {number}"))
    clean = {tiers.next(), tiers.next()}
    for url in clean:
        assert url is not None
        tiers.ran(url, Found())
    audit = tiers.next()
    assert audit is not None
    assert tiers.report().skipped == 97
    tiers.ran(audit, Found(is_odd=True))
    assert len(run_all(tiers, lambda _: True)) == 97
    assert tiers.report().skipped == 0


def test_a_word_in_its_data_tells_pages_apart_until_it_is_another_on_each() -> None:
    tiers = Tiers()
    for number in range(30):
        kind = "map" if number == 7 else "none"
        name = "abcdefghijklmnopqrstuvwxyzABCD"[number] * 3
        data = f'<script type=application/json>{{"widget": "{kind}", "title": "{name}"}}</script>'
        tiers.enter(f"/{number}", page(f"<p>Text{data}"))
    run = run_all(tiers, lambda url: url == "/7")
    assert "/7" in run
    assert len(run) < 10


def test_pages_without_scripts_need_no_more_than_two_samples_whatever_is_on_them() -> None:
    tiers = Tiers()
    for number in range(40):
        tiers.enter(f"/{number}", page(f"<p class=c{number} id=x{number}>", head=""))
    assert len(run_all(tiers, lambda _: False)) == 3


def test_one_sample_is_not_run_twice_at_a_time() -> None:
    tiers = Tiers()
    for number in range(10):
        tiers.enter(f"/{number}", page("<p>"))
    first, second = tiers.next(), tiers.next()
    assert first is not None
    assert second is not None
    assert tiers.next() is None, "what is under way may show that no more is needed"
    tiers.again(first)
    assert tiers.next() == first


@pytest.mark.parametrize(
    ("hits", "tries", "bound"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 1, 0.95), (0, 100, 0.0295), (3, 100, 0.0757), (0, 1000, 0.00299)],
)
def test_the_upper_bound_is_that_of_clopper_and_pearson(hits: int, tries: int, bound: float) -> None:
    assert upper_bound(hits, tries) == pytest.approx(bound, rel=0.01)


def test_what_follows_a_pattern_is_told_and_not_run() -> None:
    """An address that is made of a value on the page is learned from two pages and holds on a third."""
    tiers = Tiers()
    pages = {f"/{number}": f"<p class=comments data-thread={number}>" for number in range(40)}
    for url, body in pages.items():
        tiers.enter(url, page(body))

    def found(url: str) -> Found:
        asked = frozenset({f"http://x/api/thread-{url[1:]}"})
        return Found(asked, asked, page_values(pages[url].encode(), f"http://x{url}"))

    run = []
    while (url := tiers.next()) is not None:
        run.append(url)
        tiers.ran(url, found(url))
    assert len(run) <= 6
    told = {address for url, teller in tiers.to_be_told() for address in teller(found(url).values)}
    assert told == {f"http://x/api/thread-{url[1:]}" for url in set(pages) - set(run)}
    assert tiers.to_be_told() == [], "each page is told once"


def test_a_pattern_that_does_not_hold_is_given_up() -> None:
    tiers = Tiers()
    for number in range(20):
        tiers.enter(f"/{number}", page(f"<p class=comments data-thread={number}>"))
    run = []
    while (url := tiers.next()) is not None:
        run.append(url)
        number = int(url[1:])
        asked = frozenset({f"http://x/api/{number if number % 2 else number * 7 + 100}"})
        tiers.ran(url, Found(asked, asked, [("p.comments@data-thread", str(number))]))
    assert len(run) == 20, "half of the pages ask for something else"


def test_an_audit_that_could_not_be_run_is_drawn_again() -> None:
    tiers = Tiers()
    for number in range(60):
        tiers.enter(f"/{number}", page(f"<p>Text {number}"))
    for url in (tiers.next(), tiers.next()):
        assert url is not None
        tiers.ran(url, Found())
    audit = tiers.next()
    assert audit is not None
    tiers.again(audit)
    assert tiers.next() == audit


def taken_within(budget: int, brings: dict[str, list[int]], leaves_out: bool) -> int:
    """What a budget of so many pages brings, of groups whose pages bring so much one after the other."""
    tiers = Tiers(leaves_out)
    left = {name: list(amounts) for name, amounts in brings.items()}
    for name, amounts in brings.items():
        for number in range(len(amounts)):
            script = f"<script src=/{name}.js></script>"
            tiers.enter(f"{name}/{number}", page(f"<p class=shape-{name}-{number}>Text", script))
    gained = 0
    for _ in range(budget):
        url = tiers.next()
        assert url is not None
        brought = left[url.partition("/")[0]].pop(0)
        gained += brought
        tiers.ran(url, Found(frozenset(f"{url}/{number}" for number in range(brought))))
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
    tiers = Tiers(leaves_out=False)
    for number in range(40):
        tiers.enter(f"/{number}", page(f"<p>Text {number}"))
    assert len(run_all(tiers, lambda _: False)) == 40
    assert tiers.report().skipped == 0


def test_seeds_are_run_themselves_and_first() -> None:
    tiers = Tiers()
    for number in range(10):
        tiers.enter(f"/{number}", page(f"<p>Text {number}"))
    tiers.enter("/seed", page("<p>Text"), is_seed=True)
    assert tiers.next() == "/seed"
    tiers.again("/seed")
    assert tiers.next() == "/seed", "a seed whose run came to nothing is run again"
    tiers.ran("/seed", Found())
    assert "/seed" not in run_all(tiers, lambda _: False)
    late = Tiers()
    for number in range(10):
        late.enter(f"/{number}", page(f"<p>Text {number}"))
    run_all(late, lambda _: False)
    late.enter("/seed", page("<p>Text"), is_seed=True)
    assert late.undecided() == 1
    assert run_all(late, lambda _: False) == ["/seed"], "whatever pages like it have shown"


def test_pages_that_nothing_is_known_of_count_as_undecided_not_as_left_out() -> None:
    tiers = Tiers()
    for number in range(5):
        tiers.enter(f"/{number}", page(f"<p>Text {number}"))
    assert (tiers.undecided(), tiers.report().skipped) == (5, 0)
    run_all(tiers, lambda _: False)
    assert (tiers.undecided(), tiers.report().skipped) == (0, 3)

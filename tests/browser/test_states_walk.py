"""Every state of the pages in `tests/sites/states`, held against what is known of them."""

import json
from collections.abc import Iterator

import pytest
from bench.states_site import FOLDER, page_names
from states_pages import MOMENT, Found, WalkedPages
from walk_limits import walk_limits

from webkeep.browser import StateWalk
from webkeep.browser.walk import walk_page
from webkeep.browser.walk_model import WalkEnding


@pytest.fixture(scope="module")
def pages() -> Iterator[WalkedPages]:
    with WalkedPages() as walked:
        yield walked


def test_there_are_pages_enough() -> None:
    assert len(page_names()) >= 15


@pytest.mark.parametrize("name", page_names())
def test_all_is_found_at_two_levels(pages: WalkedPages, name: str) -> None:
    check(name, pages.walk(name), pages.site.url(name))


@pytest.mark.parametrize("tabs", [1, 2])
def test_the_same_is_found_where_answers_are_slow(tabs: int) -> None:
    with WalkedPages(tabs, latency=0.05) as pages:
        for name in ("accordion", "mouseover-menu", "load-more"):
            check(name, pages.walk(name), pages.site.url(name))


def test_slow_answers_are_asked_for_ahead_and_once() -> None:
    with WalkedPages(1, latency=0.05) as pages:
        slow = pages.walk("accordion")
        assert set(pages.held.sent.values()) == {1}
        pages.ways[0].latency_seconds = 0.0
        assert slow.loads > pages.walk("accordion").loads, "it was rehearsed"


def check(name: str, walked: StateWalk, url: str) -> None:
    """Hold a walk against the truth."""
    truth = json.loads((FOLDER / name / "truth.json").read_text())
    found = Found(walked, url)
    assert walked.ended is WalkEnding.COMPLETE, walked.failure
    ids = {script: found.view(script) for script in truth["views"]}
    assert None not in ids.values(), [script for script, view in ids.items() if view is None]
    assert len(set(ids.values())) == len(ids) == found.views
    for transition in truth["transitions"]:
        way, _, end = transition.partition(" -> ")
        assert found.view(way) == found.view(end), transition
    assert found.transitions == len(truth["transitions"])
    assert found.resources == {path for path in truth["resources"] if "?" not in path}
    assert found.states == truth["states"]


def test_a_second_walk_asks_the_server_for_nothing(pages: WalkedPages) -> None:
    pages.walk("tabs-first")
    before = sum(pages.held.sent.values())
    pages.walk("tabs-first")
    assert sum(pages.held.sent.values()) == before


def test_a_walk_that_is_stopped_tries_nothing_more(pages: WalkedPages) -> None:
    """As when the capture that it is part of has reached a limit."""
    walked = pages.run(walk_page(pages.site.url("tabs"), pages.tabs, walk_limits(depth=2), MOMENT, None, lambda: True))
    assert (len(walked.views), walked.transitions, walked.ended) == (1, (), WalkEnding.TIME)


def test_no_level_is_a_load_that_is_scrolled(pages: WalkedPages) -> None:
    walked = pages.walk("tabs", walk_limits(depth=0))
    assert [view.script for view in walked.views] == [()]
    assert walked.transitions == (), "a scroll that moves nothing is none"
    assert walked.views[0].text.startswith("Tabs whose content is replaced")
    assert len(walked.views[0].interactions) == 4


def test_one_level_is_less_than_two(pages: WalkedPages) -> None:
    walked = pages.walk("mouseover-menu", walk_limits(depth=1))
    assert len(walked.views) == 6
    assert max(view.depth for view in walked.views) == 1


def test_views_are_kept_as_they_looked(pages: WalkedPages) -> None:
    walked = pages.walk("accordion", walk_limits(screenshots=True))
    texts = {view.script[-1].target if view.script else "": view.text for view in walked.views if view.depth < 2}
    assert "The colour green" in texts["#green"]
    assert "The colour red" not in texts["#green"]
    assert all(view.screenshot.startswith(b"\x89PNG") for view in walked.views)
    closed = next(view for view in walked.views if view.depth == 2)
    assert "The colour" not in closed.text
    assert 'src="section/' in closed.dom


def test_a_picture_shows_the_window_or_the_whole_page(pages: WalkedPages) -> None:
    window, whole = (
        pages.walk("endless", walk_limits(depth=0, screenshots=True, full_page=full)).views[0].screenshot
        for full in (False, True)
    )
    heights = [int.from_bytes(each[20:24], "big") for each in (window, whole)]
    assert heights[1] > heights[0]


def test_nothing_but_reading_is_sent(pages: WalkedPages) -> None:
    walked = pages.walk("bad-leaving")
    wishes = [wish for each in walked.transitions for wish in each.effects.withheld]
    assert {(wish.method, wish.url.rpartition("/")[2]) for wish in wishes} == {("POST", "send.html")}
    assert not any(url.endswith("send.html") for url in pages.held.sent)

"""Pages that mean no good, or are no good: each is handled within its budget, and the next page finds all in order."""

import os
import signal
import time
from collections.abc import Iterator

import pytest
from states_pages import MOMENT, WalkedPages
from walk_limits import walk_limits

from webkeep.browser import StateWalk
from webkeep.browser.process import BrowserGone
from webkeep.browser.tabs import BrowserTabs
from webkeep.browser.walk import walk_page
from webkeep.browser.walk_model import WalkEnding

SHORT = walk_limits(seconds=60, settle_seconds=2.0, screens=5, views=40)


@pytest.fixture(scope="module")
def pages() -> Iterator[WalkedPages]:
    with WalkedPages(tabs=1) as walked:
        yield walked


def texts(walked: StateWalk) -> str:
    return " ".join(view.text for view in walked.views)


def test_ten_thousand_listeners_stop_at_the_budget(pages: WalkedPages) -> None:
    walked = pages.walk("bad-listeners", walk_limits(seconds=60, views=3, depth=1))
    assert walked.ended in (WalkEnding.STATES, WalkEnding.TIME)
    assert len(walked.views[0].interactions) >= 10_000
    assert walked.tried + walked.left >= 10_000


def test_endless_scrolling_stops_after_some_screens(pages: WalkedPages) -> None:
    walked = pages.walk("bad-endless", SHORT)
    pictures = {each.url for done in walked.transitions for each in done.effects.requests if each.role == "Image"}
    assert 1 <= len(pictures) <= 4 * SHORT.screens


def test_a_loop_of_alerts_is_broken(pages: WalkedPages) -> None:
    walked = pages.walk("bad-alerts", SHORT)
    dialogs = {dialog.kind for each in walked.transitions for dialog in each.effects.dialogs}
    assert "alert" in dialogs or [trouble.script[-1].target for trouble in walked.troubles] == ["#loop"]
    assert "confirm" in dialogs
    assert "yes" in texts(walked)


def test_a_busy_loop_is_broken(pages: WalkedPages) -> None:
    walked = pages.walk("bad-busy", SHORT)
    assert "fine" in texts(walked)


def test_a_page_that_never_loads_is_told(pages: WalkedPages) -> None:
    walked = pages.walk("bad-busy-load", SHORT)
    assert walked.ended is WalkEnding.UNLOADED or "Before" in texts(walked)
    assert len(pages.walk("load-more").views) == 3


def test_a_page_that_eats_memory_does_not_take_the_walk_with_it(pages: WalkedPages) -> None:
    walked = pages.walk("bad-memory", walk_limits(seconds=60, settle_seconds=20))
    assert "fine" in texts(walked)
    assert [trouble.script[-1].target for trouble in walked.troubles] == ["#eat"]
    assert len(pages.walk("load-more").views) == 3


def test_windows_are_noted_and_closed(pages: WalkedPages) -> None:
    walked = pages.walk("bad-popups", SHORT)
    opened = {url.rpartition("/")[2] for each in walked.transitions for url in each.effects.popups}
    assert opened == {f"popup-{number}.html" for number in range(30)}


def test_a_page_is_kept_from_leaving(pages: WalkedPages) -> None:
    walked = pages.walk("bad-leaving", SHORT)
    left = {url.rpartition("/")[2] for each in walked.transitions for url in each.effects.departures}
    assert {"elsewhere.html", "link.html"} <= left
    assert any(url.endswith("by-itself.html") for url in walked.loading.departures)
    assert all(view.url == pages.site.url("bad-leaving") for view in walked.views)


def test_elements_that_go_away(pages: WalkedPages) -> None:
    walked = pages.walk("bad-detached", SHORT)
    assert walked.ended is WalkEnding.COMPLETE
    assert len(walked.views) == 3
    assert "never seen" not in texts(walked)


def test_frames_in_frames(pages: WalkedPages) -> None:
    walked = pages.walk("bad-frames", SHORT)
    deepest = max((view.script[0].target.count(" >>> ") for view in walked.views if view.script), default=0)
    assert deepest >= 4
    assert texts(walked).count("pressed") >= 5


def test_a_page_that_is_not_there(pages: WalkedPages) -> None:
    walked = pages.run(walk_page("http://127.0.0.1:9/", pages.tabs, SHORT, MOMENT))
    assert walked.views == () or "127.0.0.1" in texts(walked)


def test_chromium_killed_is_told_and_starts_again(pages: WalkedPages) -> None:
    first = pages.browser.process_id
    os.killpg(first, signal.SIGKILL)
    with pytest.raises(BrowserGone):
        pages.walk("tabs")
    assert not pages.browser.is_running

    async def restarted() -> StateWalk:
        await pages.browser.restart()
        tabs = [await BrowserTabs(pages.browser).open_tab(pages.ways[0])]
        return await walk_page(pages.site.url("tabs"), tabs, walk_limits(), MOMENT)

    assert len(pages.run(restarted()).views) == 5
    with pytest.raises(ProcessLookupError):
        for _ in range(1000):  # a process that was killed takes its time to go
            os.killpg(first, 0)
            time.sleep(0.01)

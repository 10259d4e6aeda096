"""Processes of Chromium that end in the middle, by another's hand: nothing is lost, and nobody is blamed for it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from flavours import FLAVOURS
from speaking_site import Speaker, serving
from states_pages import MOMENT, WalkedPages
from walk_limits import walk_limits

from webkeep.browser import PageView
from webkeep.browser.process import BrowserGone, BrowserSettings, Chromium
from webkeep.browser.walk import walk_page
from webkeep.browser.walk_model import ViewTransition
from webkeep.crawl import CaptureResult, capture
from webkeep.crawl.plan import parse_plan
from webkeep.crawl.run.capture_observer import NullCaptureObserver
from webkeep.store.archive import WritableArchive

BUTTONS = "".join(f"<button onclick=\"fetch('/part/' + {number})\">{number}</button>" for number in range(12))
PAGES = {
    "/renderer": f"<!doctype html><title>R</title>{BUTTONS}<script>fetch('/kill/renderer/' + 'once')</script>",
    "/browser": f"<!doctype html><title>B</title>{BUTTONS}<p onclick=\"fetch('/kill/browser/' + 'once')\">x</p>",
}


def processes(kind: str, group: int | None = None) -> list[int]:
    """The processes of Chromium of a kind that this process started, or those of a group."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes()
            number = int(folder.name)
            leader = os.getpgid(number)
            parent = int(Path(f"/proc/{leader}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        is_browser = number == leader and b"--remote-debugging-pipe" in words
        is_meant = is_browser if kind == "browser" else b"--type=renderer" in words
        if is_meant and (leader == group if group is not None else parent == os.getpid()):
            found.append(number)
    return found


def kill(kind: str, group: int | None = None) -> int:
    """Kill them all; gives how many there were."""
    numbers = processes(kind, group)
    for number in numbers:
        os.kill(number, signal.SIGKILL)
    return len(numbers)


class Killer:
    """Kills processes of a browser as soon as a walk has come so far."""

    def __init__(self, kind: str, group: int, after: int) -> None:
        self._kind, self._group, self._after = kind, group, after
        self.killed = 0

    def on_view(self, view: PageView) -> None:
        """Views are not counted."""

    def on_transition(self, transition: ViewTransition) -> None:
        """Count."""
        self._after -= 1
        if self._after == 0:
            self.killed = kill(self._kind, self._group)


@pytest.fixture(scope="module", params=FLAVOURS)
def pages(request: pytest.FixtureRequest) -> Iterator[WalkedPages]:
    with WalkedPages(tabs=2, program=request.param) as walked:
        yield walked


@pytest.mark.parametrize("after", [1, 2, 7])
def test_a_walk_goes_on_when_processes_of_its_pages_end(pages: WalkedPages, after: int) -> None:
    """What was being done then is done once more, and what was to be done after it is done."""
    killer = Killer("renderer", pages.browser.process_id, after)
    walked = pages.run(walk_page(pages.site.url("accordion"), pages.tabs, walk_limits(), MOMENT, killer))
    assert killer.killed >= 2
    assert (len(walked.views), len(walked.transitions), walked.troubles) == (13, 12, ())


def test_the_end_of_the_browser_is_told_as_such(pages: WalkedPages) -> None:
    """However many tabs were at work, so that whoever is told starts it again."""
    killer = Killer("browser", pages.browser.process_id, 2)
    with pytest.raises(BrowserGone):
        pages.run(walk_page(pages.site.url("accordion"), pages.tabs, walk_limits(), MOMENT, killer))
    assert killer.killed == 1


@pytest.mark.parametrize("program", FLAVOURS)
def test_a_start_that_is_given_up_leaves_nothing(program: str) -> None:
    """Whoever ends while a browser is still being started cannot end that browser."""

    async def give_up() -> tuple[int, Path]:
        browser = Chromium(BrowserSettings(program))
        start = asyncio.create_task(browser.__aenter__())
        while not browser.process_id:
            await asyncio.sleep(0)
        group, folder = browser.process_id, Path(browser.folder)
        start.cancel()
        with suppress(asyncio.CancelledError):
            await start
        return group, folder

    group, folder = asyncio.run(give_up())
    assert not folder.exists()
    assert processes("browser", group) + processes("renderer", group) == []


@contextmanager
def deadly_site() -> Iterator[tuple[str, Counter[str]]]:
    """A site that kills those who ask it to, once each."""
    asked: Counter[str] = Counter()

    class Handler(Speaker):
        def answer(self) -> None:
            asked[self.path] += 1
            if self.path.startswith("/kill/") and asked[self.path] == 1:
                asked["killed"] += kill(self.path.split("/")[2])
            text = PAGES.get(self.path, "" if self.path == "/robots.txt" else "part")
            self.say(
                text.encode(), status=200 if text else 404, kind="text/html" if self.path in PAGES else "text/plain"
            )

    with serving(Handler) as home:
        yield home, asked


class Listener(NullCaptureObserver):
    """Hears what a person is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def on_note(self, text: str) -> None:
        """One more."""
        self.notes.append(text)


@pytest.mark.parametrize("program", FLAVOURS)
@pytest.mark.parametrize("kind", ["renderer", "browser"])
def test_a_capture_loses_nothing_and_complains_of_nothing(tmp_path: Path, kind: str, program: str) -> None:
    listener = Listener()
    said = {"browser": "always", "browser_program": program, "states": 1, "delay": 0, "sitemaps": False}
    with deadly_site() as (home, asked), WritableArchive.open_or_create(tmp_path / "kept") as archive:
        done: CaptureResult = capture(parse_plan({"seeds": [f"{home}/{kind}"], **said}), archive, listener)
    browsed = done.browsed
    assert browsed is not None
    assert asked["killed"] >= 1
    assert listener.notes == []
    assert (browsed.pages, browsed.failures, browsed.restarts) == (1, {}, int(kind == "browser"))
    assert browsed.resources == 13, "what was found before the end counts as well"
    assert {path for path in asked if path.startswith("/part/")} == {f"/part/{number}" for number in range(12)}

"""What Chromium asks for on its own account is no part of any state; the icons that pages name are kept with either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flavours import FLAVOURS
from kept_states import captured
from speaking_site import Speaker, serving

from webkeep.store.archive import Archive

PAGES = {
    "/": b"""<!doctype html><title>Guessed</title><a href="/named">named</a><button id="b">More</button>
        <script>b.onclick = () => { b.textContent = 'done'; };</script>""",
    "/named": b"""<!doctype html><title>Named</title><link rel="shortcut icon" href="/quiet.png">
        <button id="b">Badge</button>
        <script>b.onclick = () => { document.querySelector('link').href = ['', 'news.png'].join('/'); };</script>""",
}


@contextmanager
def site() -> Iterator[tuple[str, Counter[str]]]:
    asked: Counter[str] = Counter()

    class Handler(Speaker):
        def answer(self) -> None:
            asked[self.path] += 1
            if self.path in PAGES:
                self.say(PAGES[self.path])
            else:
                self.say(b"x", status=200 if self.path.endswith((".png", ".ico")) else 404, kind="image/png")

    with serving(Handler) as home:
        yield home, asked


@pytest.mark.parametrize("program", FLAVOURS)
def test_icons_are_of_the_page_whatever_the_browser_asks_for(tmp_path: Path, program: str) -> None:
    said = {"browser": "always", "browser_program": program, "states": 1, "delay": 0, "sitemaps": False}
    with site() as (home, asked):
        done = captured(home + "/", tmp_path / "kept", **said)
    assert asked == {"/robots.txt": 1, "/": 1, "/named": 1, "/quiet.png": 1, "/news.png": 1}, "each once, none guessed"
    assert done.browsed is not None
    assert (done.browsed.pages, done.browsed.views, done.browsed.states) == (2, 4, 3)
    with Archive(tmp_path / "kept") as archive:
        kept = {each.url.removeprefix(home): each.status for each in archive if each.url.startswith(home)}
    assert kept == {path: 200 if path != "/robots.txt" else 404 for path in asked}

"""What a browser may use in all, what changes by turns, and where a page goes by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kept_states import captured
from speaking_site import Speaker, counting, serving

NEXT = """<!doctype html><title>Turns</title><p id="out"></p><button id="more">More</button><script>
function take(turn) { document.getElementById('out').append(turn + ' '); fetch(['', 'turn', turn].join('/')); }
document.getElementById('more').onclick = () => {
  const script = document.createElement('script');
  script.src = '/next.js';
  document.body.append(script);
};
</script>"""
MANY = "<!doctype html><title>Many</title><p id=out></p>" + "".join(
    f"<button onclick=\"document.getElementById('out').textContent = 'view {number}'\">{number}</button>"
    for number in range(30)
)

LEAVING = """<!doctype html><title>Leaving</title>
<script>setTimeout(() => { location = ['', 'else', 'where'].join('/'); }, 3000);</script>"""


@contextmanager
def site() -> Iterator[tuple[str, Counter[str]]]:
    asked: Counter[str] = Counter()

    class Handler(Speaker):
        def answer(self) -> None:
            asked[self.path] += 1
            match self.path:
                case "/turns" | "/many" | "/leaving":
                    self.say({"/turns": NEXT, "/many": MANY, "/leaving": LEAVING}[self.path].encode())
                case "/next.js":
                    self.say(f"take({asked[self.path]})".encode(), kind="text/javascript")
                case _:
                    self.say(b"part", kind="text/plain", status=404 if self.path == "/robots.txt" else 200)

    with serving(Handler) as home:
        yield home, asked


def test_a_script_that_says_something_else_each_time_is_asked_for_each_time(tmp_path: Path) -> None:
    """The fast tier has fetched it before, as its address is in the page; the browser does not keep that answer."""
    with site() as (home, asked):
        captured(f"{home}/turns", tmp_path / "kept", browser="always", states=2, sitemaps=False)
    assert asked["/turn/1"] >= 1
    assert asked["/turn/2"] >= 1, "two clicks on one path are two turns"


def test_one_page_does_not_use_more_than_there_is_for_all(tmp_path: Path) -> None:
    with site() as (home, _):
        said = {"browser": "always", "states": 1, "sitemaps": False, "browser_states": 5}
        done = captured(f"{home}/many", tmp_path / "kept", **said)
    assert done.browsed is not None
    assert done.browsed.pages == 1
    assert done.browsed.views < 15


def test_where_a_page_goes_by_itself_is_followed(tmp_path: Path) -> None:
    with site() as (home, asked):
        captured(f"{home}/leaving", tmp_path / "kept", browser="always", states=0, sitemaps=False)
    assert asked["/else/where"] == 1


HASTY = """<!doctype html><title>Hasty</title><script>
const stop = new AbortController();
fetch(['', 'given', 'up'].join('/'), {signal: stop.signal}).catch(() => 0);
setTimeout(() => stop.abort(), 50);
</script>"""
PARTS = """<!doctype html><title>Parts</title><p id=out>waiting</p><script>
for (const part of 'abcdefgh') fetch(['', 'part', part].join('/')).then((answer) => { out.textContent = 'here'; });
</script>"""
STARTING = "<!doctype html><title>Starting</title>" + "".join(f"<a href=/linked/{number}>x</a>" for number in range(20))
RUNNING = "<p id=out></p><script>out.textContent = ['it', 'ran'].join(' ')</script>"


def limited(speaker: Speaker) -> None:
    pages = {"/parts": PARTS, "/starting": STARTING + RUNNING, "/hasty": HASTY}
    if speaker.path in pages:
        speaker.say(pages[speaker.path].encode())
    else:
        speaker.say(b"x" * 1000, kind="text/plain", status=404 if speaker.path == "/robots.txt" else 200)


def test_what_pages_ask_for_at_once_stays_within_the_limit(tmp_path: Path) -> None:
    with counting(limited) as (home, asked):
        done = captured(f"{home}/parts", tmp_path / "kept", sitemaps=False, max_urls=4)
    assert sum(asked[path] for path in asked if path.startswith("/part/")) == 3
    assert len(asked) == 5, "the page, three parts and the rules"
    assert done.browsed is not None
    assert done.browsed.pages == 1


def test_bytes_that_pages_ask_for_are_counted_once(tmp_path: Path) -> None:
    with counting(limited) as (home, asked):
        captured(f"{home}/parts", tmp_path / "kept", sitemaps=False, max_bytes=12_000)
    assert len(asked) == 10


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_what_was_named_is_run_though_a_limit_was_reached(tmp_path: Path, mode: str) -> None:
    with counting(limited) as (home, asked):
        done = captured(f"{home}/starting", tmp_path / "kept", sitemaps=False, max_urls=6, browser=mode)
    assert done.browsed is not None
    assert (done.browsed.pages, done.browsed.left) == (1, 0)
    assert len(asked) == 7


def test_what_a_page_gives_up_while_it_waits_for_its_turn_is_asked_for_all_the_same(tmp_path: Path) -> None:
    with counting(limited) as (home, asked):
        captured(f"{home}/hasty", tmp_path / "kept", browser="always", sitemaps=False, delay=0.7)
    assert asked["/given/up"] == 1

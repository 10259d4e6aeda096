"""Captures with no options: pages in need are run, loaded to their end and scrolled; nothing is clicked."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from speaking_site import Speaker, serving
from states_pages import WalkedPages

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from warc_material import webkeep as run

import webkeep
from webkeep.browser.process import NO_SANDBOX_WARNING, find_program

SHELL = """<!doctype html><title>App</title><link rel=icon href=data:,><main></main><footer>end</footer>
<button onclick="ask('clicked')">Order</button><script src="/app.js"></script>"""
APP = """
const main = document.querySelector('main');
const ask = async (...names) => (await fetch(['', 'api', ...names].join('/'))).text();
const way = location.pathname.split('/').slice(1);
if (way[0] === 'story') ask('story', way[1]).then((text) => { main.textContent = text; });
else {
  let part = 0;
  const more = async () => {
    part += 1;
    const text = await ask('feed', part);
    const box = document.createElement('section');
    box.style.height = '1200px';
    box.innerHTML = `<a href="/story/${part}">${text}</a>`;
    main.append(box);
    if (part < 4) watch();
  };
  const end = document.querySelector('footer');
  const watch = () => {
    const seen = new IntersectionObserver((entries) => {
      if (entries.some((each) => each.isIntersecting)) { seen.disconnect(); more(); }
    });
    seen.observe(end);
  };
  watch();
}
"""
UNDRAWN = """<!doctype html><title>Undrawn</title><p>Text<script>
new IntersectionObserver(() => 0).observe(document.querySelector('p'));
document.startViewTransition(() => new Promise(() => 0));
fetch(['', 'api', 'undrawn'].join('/'));
</script>"""
STATIC = """<!doctype html><title>Static</title><script src="/sums.js"></script>
<script type="application/ld+json">{"@type": "Thing"}</script><a href="/static/two">two</a>"""
SUMS = "function add(a, b) { return a + b }"
PAGES = {"/": SHELL, "/undrawn": UNDRAWN, "/static/": STATIC, "/static/two": STATIC}
SCRIPTS = {"/app.js": APP, "/sums.js": SUMS}


@contextmanager
def site() -> Iterator[tuple[str, Counter[str]]]:
    asked: Counter[str] = Counter()

    class Handler(Speaker):
        def answer(self) -> None:
            asked[self.path] += 1
            if self.path in SCRIPTS:
                self.say(SCRIPTS[self.path].encode(), kind="text/javascript")
            elif self.path.startswith("/api/"):
                self.say(f"{self.path} {asked[self.path]}".encode(), ("Cache-Control", "no-store"), kind="text/plain")
            elif self.path in PAGES or self.path.startswith("/story/"):
                self._say_page(PAGES.get(self.path, SHELL).encode())
            else:
                self.say(b"", status=404)

        def _say_page(self, page: bytes) -> None:
            if self.headers.get("If-None-Match") == '"one"':
                self.send_response(304)
                self.end_headers()
            else:
                self.say(page, ("ETag", '"one"'))

    with serving(Handler) as home:
        yield home, asked


def test_what_scripts_load_by_themselves_and_in_view_is_there(tmp_path: Path) -> None:
    """Pages that are all the same document ask for other things at other addresses; an update asks again."""
    with site() as (home, asked):
        done = webkeep.capture(f"{home}/", into=tmp_path / "kept")
        assert done.browsed is not None
        assert done.browsed.is_whole
        loaded = {path for path in asked if path.startswith("/api/")}
        assert loaded == {f"/api/{kind}/{number}" for kind in ("feed", "story") for number in (1, 2, 3, 4)}
        assert asked["/app.js"] == 1, "what the fast tier has is not asked for again"
        again = run("update", tmp_path / "kept", "--json")
        assert again.code == 0
        assert asked["/api/feed/1"] == asked["/api/feed/4"] == asked["/api/story/3"] == 2
        assert asked["/"] == 2, "a page that was not modified is shown from what is held"


def test_a_static_site_needs_no_browser(tmp_path: Path) -> None:
    with site() as (home, _):
        done = run("capture", f"{home}/static/", "--into", tmp_path / "kept", "--browser-program", "no-such-browser")
    assert done.code == 0
    assert "no-such-browser" not in f"{done.out}{done.err}"


def test_pages_in_need_that_nothing_ran_are_told_in_one_line(tmp_path: Path) -> None:
    with site() as (home, _):
        alone = run("capture", f"{home}/", "--into", tmp_path / "alone", "--browser-program", "no-such-browser")
        off = run("capture", f"{home}/", "--into", tmp_path / "off", "--browser", "off")
        cut = run("capture", f"{home}/", "--into", tmp_path / "cut", "--max-urls", "1")
        short = run("capture", f"{home}/", "--into", tmp_path / "short", "--max-urls", "7")
        spent = run("capture", f"{home}/", "--into", tmp_path / "spent", "--browser-requests", "1", "--tabs", "1")
    assert (alone.code, off.code, cut.code, short.code, spent.code) == (1, 0, 1, 1, 1)
    assert [line for line in alone.err.splitlines() if "no-such-browser" in line] == [
        "1 page with scripts not run, so what they load is missing: no-such-browser was not found; install Chromium, "
        "or name one with --browser-program or WEBKEEP_CHROMIUM; or say --browser off"
    ]
    assert "1 page asked for more in the browser than the limits of the capture allow; the rest is missing" in cut.err
    assert "page not run in the browser: a limit of the capture was reached before" in short.err
    assert "not run in the browser: the budget was spent" in spent.err


def test_a_page_that_keeps_chromium_from_drawing_is_run(tmp_path: Path) -> None:
    with site() as (home, asked):
        done = webkeep.capture(f"{home}/undrawn", into=tmp_path / "kept", screenshots=True)
    assert done.browsed is not None
    assert done.browsed.failures == {}
    assert asked["/api/undrawn"] == 1


def test_it_is_said_where_there_is_no_sandbox(tmp_path: Path) -> None:
    """A Chromium that starts only without one; whoever is not root does without it rather than without the sandbox."""
    is_root = os.getuid() == 0
    with site() as (home, _), tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root it is run as somebody else
        program = Path(folder, "chromium")
        program.write_text(f'#!/bin/sh\ncase " $* " in *" --no-sandbox "*) exec {find_program()} "$@";; esac\nexit 1\n')
        program.chmod(0o755)
        words = ("--scope", "page", "--no-sitemaps", "--browser", "always", "--browser-program", program)
        done = run("capture", f"{home}/undrawn", "--into", tmp_path / "kept", *words)
    assert done.summary["browser"]["is_unguarded"] is is_root
    assert done.summary["browser"]["pages"] == int(is_root)
    assert (NO_SANDBOX_WARNING in done.err) is is_root


def test_chromium_keeps_its_sandbox() -> None:
    """As root it runs as somebody else, for whom there is one."""
    with WalkedPages(tabs=1) as pages:
        number = pages.browser.process_id
        words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        user = Path(f"/proc/{number}").stat().st_uid
        is_sandboxed = pages.browser.is_sandboxed
    assert is_sandboxed
    assert b"--no-sandbox" not in words
    assert user != 0
    assert (user == os.getuid()) == (os.getuid() != 0)

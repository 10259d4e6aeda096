"""What a page has set in motion, as the player of states knows it: timers that are due, answers that are under way."""

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from devtools import Browser, Page, chromium, evaluate, open_page

from webkeep.browser.process import find_program

SOURCES = (files("webkeep.rewrite.shim") / "patching.js", files("webkeep.replay.shim") / "source" / "motion.js")
MOTION = "".join(source.read_text() for source in SOURCES)
WATCH = f"(() => {{ {MOTION}\nwindow.motion = new Motion(window); }})()"
SETTLED = "asked.then(() => new Promise((done) => setTimeout(done))).then(() => motion.isAwaiting())"


class _Handler(BaseHTTPRequestHandler):
    """Answers at once, or begins to and goes on when it may."""

    protocol_version = "HTTP/1.1"
    may_go_on: threading.Event

    def do_GET(self) -> None:
        if self.path == "/head":
            self.may_go_on.wait(30)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "4")
        self.end_headers()
        if self.path == "/body":
            self.may_go_on.wait(30)
        self.wfile.write(b"text")

    def log_message(self, *_: object) -> None:
        """Be quiet."""


class Server(ThreadingHTTPServer):
    """Lets answers wait."""

    daemon_threads = True

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        super().__init__(("127.0.0.1", 0), type("Handler", (_Handler,), {"may_go_on": self.may_go_on}))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.may_go_on.set()
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    with chromium(
        [find_program(), f"--user-data-dir={folder}", "--no-sandbox", "--headless=new", "about:blank"]
    ) as browser:
        yield browser
        browser.close()


@pytest.fixture
def page(server: Server, browser: Browser) -> Iterator[Page]:
    page = Page(f"http://127.0.0.1:{server.server_port}/", is_plain=True)
    open_page(browser, page)
    told(browser, page, "new Promise((done) => document.readyState === 'complete' ? done() : onload = done)")
    evaluate(browser, page, WATCH)
    yield page
    browser.call("Target.closeTarget", targetId=page.target)


def told(browser: Browser, page: Page, expression: str) -> object:
    """What a promise comes to."""
    answer = browser.call(
        "Runtime.evaluate", page.session, expression=expression, returnByValue=True, awaitPromise=True
    )
    return answer["result"].get("value")


OLD = """(() => {
  const request = new XMLHttpRequest();
  window.asked = new Promise((done) => { request.onloadend = done; });
  request.open('GET', '/head');
  request.send();
  return motion.isAwaiting();
})()"""


@pytest.mark.parametrize(
    "asks",
    [
        "window.asked = fetch('/head'), motion.isAwaiting()",
        "fetch('/body').then((answer) => (window.asked = answer.text(), motion.isAwaiting()))",
        OLD,
    ],
    ids=["a head", "a body", "an old request"],
)
def test_answers_are_awaited_until_they_are_there(server: Server, browser: Browser, page: Page, asks: str) -> None:
    assert told(browser, page, "motion.isAwaiting()") is False
    assert told(browser, page, asks) is True
    server.may_go_on.set()
    assert told(browser, page, SETTLED) is False


def test_what_fails_is_not_awaited(browser: Browser, page: Page) -> None:
    assert told(browser, page, f"window.asked = fetch('no-scheme://x').catch(() => 0), {SETTLED}") is False


@pytest.mark.parametrize(
    ("does", "least", "most"),
    [
        ("setTimeout(() => 0, 60000)", 0, 60_000),
        ("setInterval(() => 0, 60000)", 0, 60_000),
        ("setTimeout(() => 0, 60000), setTimeout(() => 0, 5000)", 0, 5_000),
        ("clearTimeout(setTimeout(() => 0, 5000)), setTimeout(() => 0, 60000)", 5_000, 60_000),
        ("clearInterval(setInterval(() => 0, 5000)), setTimeout(() => 0, 60000)", 5_000, 60_000),
    ],
    ids=["once", "again and again", "the first of two", "called off", "again and again, called off"],
)
def test_the_next_timer_is_known(browser: Browser, page: Page, does: str, least: int, most: int) -> None:
    wait = told(browser, page, f"{does}, motion.next() - performance.now()")
    assert isinstance(wait, int | float)
    assert least < wait <= most


def test_timers_that_are_over_are_not_due(browser: Browser, page: Page) -> None:
    over = (
        "new Promise((done) => setTimeout(done, 1)).then(() => motion.pause(5)).then(() => motion.next() === Infinity)"
    )
    assert told(browser, page, over) is True

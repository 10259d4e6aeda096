"""Chromium driven through its debugging pipe: pages in windows of their own, and what they say."""

import base64
import json
import os
import select
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 60.0
_SILENCE = 3.0
_TAKES = 4
_AWAKE = (
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--autoplay-policy=no-user-gesture-required",
    "--disable-popup-blocking",
    "--remote-debugging-pipe",
)
_WATCH = """
if (window === top) {
  const tell = () => {
    const done = document.documentElement && document.documentElement.dataset.done;
    if (done) { watch.disconnect(); pageIsDone(done); }
  };
  const watch = new MutationObserver(tell);
  watch.observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-done']});
  addEventListener('load', tell);
}
"""
_AWAITED = """
JSON.stringify({
  awaited: typeof awaited === 'undefined' ? null : [...awaited], state: document.readyState,
  came: performance.getEntriesByType('resource').map((entry) => `${entry.responseStatus} ${entry.name}`),
})
"""
"""What a page that is not done waits for, as far as it can tell."""
Message = dict[str, Any]


class BrowserError(AssertionError):
    """Chromium says no, or nothing."""


class Browser:
    """Speaks the DevTools protocol; messages are JSON, each ended by a zero byte."""

    def __init__(self, process: subprocess.Popen[bytes], reading: int, writing: int) -> None:
        self._process, self._reading, self._writing = process, reading, writing
        self._held = b""
        self._events: deque[Message] = deque()
        self._number = 0

    def call(self, method: str, session: str = "", **params: object) -> Message:
        """Have something done; gives its result."""
        self._number += 1
        number = self._number
        message: Message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while (answer := self._read(f"an answer to {method}")).get("id") != number:
            self._events.append(answer)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    def event(self, awaited: str, patience: float = PATIENCE) -> Message:
        """The next event of any kind."""
        return self._events.popleft() if self._events else self._read(awaited, patience)

    def _read(self, awaited: str, patience: float = PATIENCE) -> Message:
        deadline = time.monotonic() + patience
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._reading], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self._reading, 1 << 20) if ready else b""
            if not data:
                raise BrowserError(f"Chromium {'ended' if ready else 'was silent'} while waiting for {awaited}")
            self._held += data
        message, _, self._held = self._held.partition(b"\0")
        return dict(json.loads(message))

    def close(self) -> None:
        """End it as a person does, so that its log is whole."""
        with suppress(BrowserError):
            self.call("Browser.close")
        self._process.wait(PATIENCE)


@dataclass
class Page:
    """A page and what it came to."""

    url: str
    session: str = ""
    target: str = ""
    is_plain: bool = False
    """Whether it is done once it has loaded, and does not say so itself."""
    size: tuple[int, int] | None = None
    """The window that it is shown in, without scroll bars, where that is to be one of a certain size."""
    done: str = ""
    """What the page said of itself when it was done."""
    text: str = ""
    complaints: list[str] = field(default_factory=list)
    """Errors on its console."""
    picture: bytes = b""
    """What it looked like when it was done, as PNG, where that was wanted."""


def _leave(_browser: Browser, _page: Page) -> None:
    """Nothing more is wanted of a page that is done."""


def event_of(browser: Browser, pages: list[Page]) -> Message:
    """The next event; a window that waits to be drawn, which may never happen without a screen, is drawn."""
    for _ in range(int(PATIENCE / _SILENCE)):
        with suppress(BrowserError):
            return browser.event("pages", _SILENCE)
        for page in pages:
            browser.call("Page.bringToFront", page.session)
            browser.call("Page.captureScreenshot", page.session, format="jpeg", quality=1)
    not_done = {page.url: evaluate(browser, page, _AWAITED) for page in pages}
    return browser.event(f"pages that are not done: {not_done}")


def visit_all(
    browser: Browser, pages: list[Page], at_once: int = 6, then: Callable[[Browser, Page], None] = _leave
) -> None:
    """Open each page in a window of its own, a few at a time, until every one has said that it is done."""
    waiting = deque(pages)
    open_pages: dict[str, Page] = {}
    while waiting or open_pages:
        while waiting and len(open_pages) < at_once:
            page = waiting.popleft()
            open_page(browser, page)
            open_pages[page.session] = page
        message = event_of(browser, list(open_pages.values()))
        told = open_pages.get(message.get("sessionId", ""))
        if told is not None and takes_note(told, message):
            told.text = evaluate(browser, told, "document.body ? document.body.innerText : ''")
            then(browser, told)
            browser.call("Target.closeTarget", targetId=told.target)
            del open_pages[told.session]


def open_page(browser: Browser, page: Page) -> None:
    """Begin to load a page, watched for its being done."""
    page.target = browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
    page.session = browser.call("Target.attachToTarget", targetId=page.target, flatten=True)["sessionId"]
    browser.call("Page.enable", page.session)
    browser.call("Runtime.enable", page.session)
    browser.call("Log.enable", page.session)
    browser.call("Emulation.setFocusEmulationEnabled", page.session, enabled=True)
    browser.call("Runtime.addBinding", page.session, name="pageIsDone")
    browser.call("Page.addScriptToEvaluateOnNewDocument", page.session, source=_WATCH)
    if page.size is not None:
        size = dict(zip(("width", "height"), page.size, strict=True))
        browser.call("Emulation.setDeviceMetricsOverride", page.session, **size, deviceScaleFactor=1, mobile=False)
        browser.call("Emulation.setScrollbarsHidden", page.session, hidden=True)
    browser.call("Page.navigate", page.session, url=page.url)


def evaluate(browser: Browser, page: Page, expression: str) -> str:
    result = browser.call("Runtime.evaluate", page.session, expression=expression, returnByValue=True)
    return str(result["result"].get("value", ""))


def evaluate_apart(browser: Browser, page: Page, expression: str) -> str:
    """The same in a world of its own, which sees the document and nothing that the page's scripts put around it."""
    frame = browser.call("Page.getFrameTree", page.session)["frameTree"]["frame"]["id"]
    world = browser.call("Page.createIsolatedWorld", page.session, frameId=frame)["executionContextId"]
    words = {"expression": expression, "returnByValue": True, "contextId": world}
    return str(browser.call("Runtime.evaluate", page.session, **words)["result"].get("value", ""))


def photograph(browser: Browser, page: Page) -> None:
    """Take a picture of a page from its top, without anything in it that blinks, once it stays the same."""
    browser.call("Page.bringToFront", page.session)
    evaluate(browser, page, "scrollTo(0, 0); document.activeElement && document.activeElement.blur()")
    take_picture(browser, page, clip={"x": 0, "y": 0, "width": 780, "height": 560, "scale": 1})


def take_picture(browser: Browser, page: Page, **options: object) -> None:
    """Take a picture of a page as its window shows it, once it stays the same."""
    for _ in range(_TAKES):
        before = page.picture
        taken = browser.call("Page.captureScreenshot", page.session, format="png", **options)
        page.picture = base64.b64decode(taken["data"])
        if page.picture == before:
            return


def takes_note(page: Page, message: Message) -> bool:
    """Take note of what a page's event tells; whether the page is done."""
    params = message["params"]
    match message["method"]:
        case "Runtime.bindingCalled":
            page.done = str(params["payload"])
            return True
        case "Page.loadEventFired" if page.is_plain:
            return True
        case "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            page.complaints.append(str(details.get("exception", {}).get("description", details["text"])))
        case "Log.entryAdded" if params["entry"]["level"] == "error":
            page.complaints.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        case "Runtime.consoleAPICalled" if params["type"] == "error":
            page.complaints.append(" ".join(str(each.get("value", "")) for each in params["args"]))
    return False


@contextmanager
def chromium(command: list[str]) -> Iterator[Browser]:
    """Chromium started by a command, with its debugging pipe; it is ended with the block."""
    to_browser, from_us = os.pipe()
    to_us, from_browser = os.pipe()
    # Chromium reads from descriptor 3 and writes to 4, which are not free in this process.
    script = f'exec "$0" "$@" 3</proc/self/fd/{to_browser} 4>/proc/self/fd/{from_browser}'
    words = ["sh", "-c", script, command[0], *_AWAKE, *command[1:]]
    with subprocess.Popen(
        words, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield Browser(process, to_us, from_us)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(30)
            os.close(to_us)
            os.close(from_us)

"""Chromium for the walker: one window that goes from page to page, and what it says of each."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import select
import subprocess
import tempfile
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

_WORDS = ("--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-sync",
          "--disable-component-update", "--disable-extensions", "--remote-debugging-pipe")  # fmt: skip
_OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
# The pages of tests/sites say when they are done.
_DONE = """(async () => {
  const isDone = () => typeof early === 'undefined' || document.documentElement.dataset.done;
  for (let round = 0; round < 60 && !isDone(); round++) await new Promise((yes) => setTimeout(yes, 50));
})()"""
# In a world of its own, where addresses are what the browser goes by, and not what a script of the page is told.
_SETTLED = """(async () => {
  const text = () => (document.body ? document.body.innerText : '').replace(/\\s+/g, ' ').trim();
  const pause = () => new Promise((yes) => setTimeout(yes, 60));
  for (const each of document.images) each.loading = 'eager';
  const isLoaded = () => [...document.images].every((each) => each.complete) && document.fonts.status === 'loaded';
  for (let round = 0; round < 50 && !isLoaded(); round++) await pause();
  // What a page says of its service worker it says once that has come to work, however long nothing is said before.
  const workers = async () => navigator.serviceWorker ? navigator.serviceWorker.getRegistrations().catch(() => []) : [];
  const isAtWork = (each) => !each.installing && !each.waiting && each.active && each.active.state === 'activated';
  for (let round = 0; round < 50 && !(await workers()).every(isAtWork); round++) await pause();
  for (let last = null, still = 0, round = 0; round < 60 && still < 3; round++) {
    still = last === text() ? still + 1 : 0;
    last = text();
    await pause();
  }
  const links = [...document.querySelectorAll('a[href], area[href]')].map((each) => each.href);
  const pictures = [...document.images].map((each) => `${each.naturalWidth}x${each.naturalHeight}`);
  return JSON.stringify({text: text(), links, pictures, kind: document.contentType, at: location.href});
})()"""
_PATIENCE = 15.0
_WEB = ("http:", "https:", "ws:", "wss:")
_EMBEDS = frozenset({"Image", "Font", "Media"})
_CAME = frozenset({0, 200, 206})
"""How answers end that bring something; those of files have no status."""


@dataclass(slots=True)
class Shown:
    """A page as it was shown."""

    url: str
    text: str = ""
    is_page: bool = False
    """Whether it is HTML; how a browser shows anything else depends on how it came by it."""
    links: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    """The sizes of its pictures, as they really are."""
    made: list[str] = field(default_factory=list)
    """Requests for what the page had made itself, as a copy from a disk does for its scripts."""
    embeds: list[str] = field(default_factory=list)
    """The addresses of the pictures, fonts and media that it loaded."""
    contents: Counter[str] = field(default_factory=Counter)
    """What was there, by its digest."""
    made_digests: Counter[str] = field(default_factory=Counter)
    """What the page had made itself, by its digest."""
    failed: int = 0
    """How many things it wanted and did not get."""
    home: str = ""
    """Where the copy is served, if it is; requests to there are no others."""
    outside: int = 0
    """How many requests went to the web; those that the page's own lock held back did not."""
    errors: int = 0
    """Errors on its console, but for those about things it did not get."""
    is_broken: bool = False
    """Whether there was nothing to show."""


class Chromium:
    """One window, for as long as the `with` block lasts."""

    def __init__(self, is_offline: bool) -> None:
        self._words = ["chromium", *_WORDS, *([_OFFLINE] if is_offline else []), "about:blank"]
        self._held = b""
        self._events: deque[dict[str, Any]] = deque()
        self._number = 0

    def __enter__(self) -> Self:
        self._profile = tempfile.TemporaryDirectory(prefix="webkeep-walk-", ignore_cleanup_errors=True)
        reading, writing = os.pipe(), os.pipe()
        script = f'exec "$0" "$@" 3</proc/self/fd/{writing[0]} 4>/proc/self/fd/{reading[1]}'
        words = ["sh", "-c", script, self._words[0], f"--user-data-dir={self._profile.name}", *self._words[1:]]
        self._process = subprocess.Popen(
            words, pass_fds=(writing[0], reading[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(writing[0])
        os.close(reading[1])
        self._in, self._out = reading[0], writing[1]
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._call(f"{domain}.enable")
        self._call("Network.setCacheDisabled", cacheDisabled=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def show(self, url: str, home: str = "") -> Shown:
        """Open a page and wait until it has come to rest; `home` is where a copy is served."""
        shown = Shown(url, home=home or "file:")
        self._events.clear()
        answer = self._call("Page.navigate", url=url)
        if answer.get("errorText"):
            shown.is_broken = True
            return shown
        self._events = deque(event for event in self._events if _is_of(event, answer.get("loaderId")))
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            event = self._event(deadline)
            if event is None or _noted(shown, event):
                break
        self._call("Runtime.evaluate", expression=_DONE, awaitPromise=True, returnByValue=True)
        frame = self._call("Page.getFrameTree").get("frameTree", {}).get("frame", {}).get("id", "")
        world = self._call("Page.createIsolatedWorld", frameId=frame).get("executionContextId")
        said = self._call(
            "Runtime.evaluate", expression=_SETTLED, awaitPromise=True, returnByValue=True, contextId=world
        )
        while self._events:
            _noted(shown, self._events.popleft())
        shown.made_digests = Counter(map(self._digest_of, shown.made))
        facts = json.loads(said.get("result", {}).get("value") or "{}")
        shown.url, shown.text = facts.get("at", url), facts.get("text", "")
        shown.is_page = "html" in facts.get("kind", "")
        shown.links, shown.pictures = facts.get("links", []), facts.get("pictures", [])
        shown.is_broken = shown.url.startswith("chrome-error:")
        return shown

    def _digest_of(self, request: str) -> str:
        answer = self._call("Network.getResponseBody", requestId=request)
        body = str(answer.get("body", ""))
        return hashlib.sha1(base64.b64decode(body) if answer.get("base64Encoded") else body.encode()).hexdigest()

    def _call(self, method: str, **params: object) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if hasattr(self, "_session"):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 2 * _PATIENCE
        while (answer := self._read(deadline)) is not None:
            if answer.get("id") == self._number:
                return dict(answer.get("result", {}))
            self._events.append(answer)
        return {}

    def _event(self, deadline: float) -> dict[str, Any] | None:
        return self._events.popleft() if self._events else self._read(deadline)

    def _read(self, deadline: float) -> dict[str, Any] | None:
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                return None
            self._held += data
        text, _, self._held = self._held.partition(b"\0")
        return dict(json.loads(text))


def _is_of(event: dict[str, Any], loader: object) -> bool:
    """Whether an event is not an answer that the page before had waited for."""
    return event.get("method") != "Network.responseReceived" or event["params"].get("loaderId") == loader


def _noted(shown: Shown, event: dict[str, Any]) -> bool:
    """Take note of an event; whether the page has loaded."""
    params = event.get("params", {})
    match event.get("method"):
        case "Page.loadEventFired":
            return True
        case "Network.requestWillBeSent":
            asked = params["request"]["url"]
            shown.outside += asked.startswith(_WEB) and not asked.startswith(shown.home)
        case "Network.responseReceived" if params["type"] in _EMBEDS and params["response"]["status"] in _CAME:
            url = params["response"]["url"]
            if url.startswith("blob:"):
                shown.made.append(params["requestId"])
            else:
                shown.embeds.append(url)
        case "Network.loadingFailed" if params.get("blockedReason") == "csp":
            shown.outside -= 1
        case "Network.loadingFailed" if not params.get("canceled"):
            shown.failed += 1
        case "Network.responseReceived" if params["response"]["status"] >= 400:
            shown.failed += 1
        case "Runtime.exceptionThrown":
            shown.errors += 1
        case "Log.entryAdded" if params["entry"]["level"] == "error" and params["entry"]["source"] != "network":
            shown.errors += 1
        case _:
            pass
    return False

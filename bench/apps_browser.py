"""Chromium for `bench.apps`: pages that are looked at and clicked on, and every request that left for anywhere."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.apps_site import Check
from bench.measuring import ROOT
from webkeep.browser.process import find_program

sys.path[:0] = [str(ROOT / "tests/browser")]
_devtools = import_module("devtools")
"""What the tests have for this."""

_NOWHERE = "MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE localhost, EXCLUDE 127.0.0.1"
_SIZE = {"width": 1000, "height": 700, "deviceScaleFactor": 1, "mobile": False}
_PATIENCE_SECONDS = 20.0
"""How long something that is to be seen may take, beside whatever else the machine does. That a page shows nothing new
is no reason to give up sooner: workers, and what they ask for, are not seen from it."""
_LOOK_SECONDS = 0.1
"""How often it is looked for."""
_EYES = """
const all = (where) => {
  const found = [];
  const search = (root) => {
    found.push(...root.querySelectorAll(where));
    for (const each of root.querySelectorAll('*')) if (each.shadowRoot) search(each.shadowRoot);
  };
  search(document);
  return found;
};
const one = (where, text = '') => all(where).find((each) => (each.innerText ?? each.textContent).includes(text));
const reads = (text, where = 'body') => Boolean(one(where, text));
const isDrawn = (each) => Boolean(each && each.complete && each.naturalWidth > 1 && each.getClientRects().length);
const drawn = (where) => all(where).filter(isDrawn).length;
// A reader's hand takes a while, by the page's own clock: what a page does right after it shows something, such as
// listening to it (htmx waits for 20 ms), is done by then, however busy the machine is.
const reach = async (where, text) => {
  if (document.readyState !== 'complete' || !one(where, text)) return undefined;
  await new Promise((reached) => setTimeout(reached, 100));
  return one(where, text);
};
const click = async (where, text) => { const each = await reach(where, text); each?.click(); return Boolean(each); };
const type = async (where, text) => {
  const each = await reach(where);
  if (each) { each.value = text; each.dispatchEvent(new Event('input', {bubbles: true})); }
  return Boolean(each);
};
const show = (where) => { const each = one(where); each?.scrollIntoView(); return Boolean(each); };
const loads = (url) => {
  const probes = window.benchProbes ??= {};
  const probe = probes[url] ??= Object.assign(new Image(), {src: url});
  return probe.complete && probe.naturalWidth > 1;
};
const behind = (where) => all(where).some((each) => {
  const [, url] = /url\\("?([^"]+)"?\\)/.exec(getComputedStyle(each).backgroundImage) ?? [];
  return url && each.getClientRects().length && loads(url);
});
const painted = (where) => {
  const canvas = one(where);
  if (!canvas) return 0;
  const small = Object.assign(document.createElement('canvas'), {width: 64, height: 64});
  const brush = small.getContext('2d');
  brush.drawImage(canvas, 0, 0, 64, 64);
  const dots = new Uint32Array(brush.getImageData(0, 0, 64, 64).data.buffer);
  return new Set(dots).size;
};
"""
"""What expressions of checks may call: they see into open shadow trees, and only what is shown."""

_ITSELF = "not an origin"
"""Who asks, where it is Chromium itself."""


@dataclass(frozen=True, slots=True)
class Look:
    """What came of looking at a page."""

    held: list[bool]
    """Which of the checks hold."""
    in_vain: list[str] = field(default_factory=list)
    """What the page asked for and did not get."""


class Eyes:
    """One Chromium, looking."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser

    def look(self, url: str, checks: Sequence[Check], patience: float = _PATIENCE_SECONDS) -> Look:
        """Open a page in a window of its own and check one thing after the other."""
        page = self._open(url)
        held = [self._holds(page, each, patience) for each in checks]
        self._browser.call("Target.closeTarget", targetId=page.target)
        return Look(held, list(self._asked_in_vain(page.session)))

    def _asked_in_vain(self, session: str) -> Iterator[str]:
        """The requests of a page that failed, out of all that was told until now."""
        urls: dict[str, str] = {}
        with suppress(_devtools.BrowserError):  # nothing more was told
            while True:
                message = self._browser.event("", patience=0.0)
                told = message["params"] if message.get("sessionId") == session else {}
                match message["method"] if told else "":
                    case "Network.requestWillBeSent":
                        urls[told["requestId"]] = told["request"]["url"]
                    case "Network.responseReceived" if told["response"]["status"] >= 400:
                        yield f"{told['response']['url']} ({told['response']['status']})"
                    case "Network.loadingFailed" if not told.get("canceled"):
                        yield f"{urls.get(told['requestId'], '')} ({told['errorText']})"
                    case _:
                        pass

    def _open(self, url: str) -> Any:
        page = _devtools.Page("about:blank", is_plain=True)
        _devtools.open_page(self._browser, page)
        self._browser.call("Emulation.setDeviceMetricsOverride", page.session, **_SIZE)
        self._browser.call("Page.bringToFront", page.session)
        self._browser.call("Network.enable", page.session)
        self._browser.call("Page.navigate", page.session, url=url)
        return page

    def _holds(self, page: Any, check: Check, patience: float) -> bool:
        return (not check.do or self._comes(page, check.do, patience)) and self._comes(page, check.sees, patience)

    def _comes(self, page: Any, expression: str, patience: float) -> bool:
        """Whether an expression is true before patience ends."""
        asked = f"(async () => {{ {_EYES} return Boolean(await ({expression})); }})()"
        end = time.monotonic() + patience
        while self._value(page, asked) is not True:
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK_SECONDS)
        return True

    def _value(self, page: Any, expression: str) -> object:
        with suppress(_devtools.BrowserError):  # it is on its way to another page
            told = self._browser.call(
                "Runtime.evaluate", page.session, expression=expression, returnByValue=True, awaitPromise=True
            )
            return told["result"].get("value")
        return None


@contextmanager
def eyes(log: Path) -> Iterator[Eyes]:
    """A Chromium that finds nobody but this machine, and logs what it asks for; the log is whole after the block."""
    with tempfile.TemporaryDirectory(prefix="webkeep-apps-", ignore_cleanup_errors=True) as profile:
        words = [find_program(), f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--no-sandbox", "--headless=new",
                 "--enable-unsafe-swiftshader", f"--host-resolver-rules={_NOWHERE}", f"--log-net-log={log}",
                 "about:blank"]  # fmt: skip
        with _devtools.chromium(words) as browser:
            yield Eyes(browser)
            browser.close()


def asked_outside(log: Path, ports: Sequence[int]) -> list[str]:
    """The URLs in a log that pages asked for, rather than Chromium, and that are on none of these ports here."""
    text = log.read_text("utf-8", "replace")
    told = json.loads(text if text.rstrip().endswith("}") else text[: text.rindex(",\n")] + "]}")
    kind, begun = (
        told["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"],
        told["constants"]["logEventPhase"]["PHASE_BEGIN"],
    )
    asked = [each["params"] for each in told["events"] if each["type"] == kind and each["phase"] == begun]
    urls = [str(each["url"]) for each in asked if each.get("initiator", _ITSELF) != _ITSELF]
    return sorted(url for url in urls if url.startswith(("http", "ws")) and not _is_here(url, ports))


def _is_here(url: str, ports: Sequence[int]) -> bool:
    host = urlsplit(url)
    return host.port in ports and (host.hostname or "").endswith(("localhost", "127.0.0.1"))

"""Every state of the test pages shown again from the archive with the server off: the same text, the same resources.

    python -m bench.state_replays [--quick] [PAGE…]

The pages of `tests/sites/states` that have a truth are captured with `--states 2`; each view is then replayed in
Chromium, which knows no host but the archive's, in a window as large as the one of the capture. What a page was seen to
do by itself while nobody touched it is left out on both sides, and nothing else: the content of its volatile elements,
and the requests that it repeats.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.measuring import ROOT, result, say
from bench.states_site import StatesSite, page_names
from webkeep.browser import resource_url
from webkeep.browser.process import find_program
from webkeep.browser.resource_identity import url_shape
from webkeep.browser.walk_model import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from webkeep.crawl import capture
from webkeep.crawl.plan import parse_plan
from webkeep.crawl.run.capture_observer import NullCaptureObserver
from webkeep.formats.states import StateNote, rendition_urn
from webkeep.replay.endpoints import state_url
from webkeep.replay.server import ServerName
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.views import read_state_notes, read_walk

sys.path[:0] = [str(ROOT / "tests/browser"), str(ROOT / "tests/integration")]
_devtools, _serve_calls = import_module("devtools"), import_module("serve_calls")
"""What the tests have for this."""

QUICK_PAGES = ("load-more", "polling", "shadow", "endless")
"""Answers that differ, a page that is never quiet, trees that are closed, and what only scrolling shows."""
_PATIENCE, _LOOK = 60.0, 0.05
_AT_ONCE = 4
"""Views that are replayed at a time: they mostly wait until nothing happens any more."""
_NOWHERE = "MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE localhost"
_LANDED = "JSON.stringify(window.webkeep_state$ || null)"
_TEXT = """((volatile, live) => {
  const at = (scope, target) => target.split(' >>> ').reduce((within, step) => {
    const element = within && within.querySelector(step);
    return element && (element.shadowRoot || element.contentDocument || element);
  }, scope);
  const then = Document.parseHTMLUnsafe(live);
  for (const target of volatile) {
    const [shown, kept] = [at(document, target), at(then, target)];
    if (shown && kept) shown.textContent = kept.textContent;
  }
  const said = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (/^(?:SCRIPT|STYLE|NOSCRIPT|OPTION|TEMPLATE|TITLE)$/.test(node.tagName || '')) return '';
    if (node.nodeType === Node.ELEMENT_NODE && getComputedStyle(node).display === 'none') return '';
    const within = node.shadowRoot || node.contentDocument?.body;
    return [...(within || node).childNodes].map(said).join(' ');
  };
  return document.body ? said(document.body) : '';
})"""
"""The text of a page, with that of its volatile elements as it was in the live document."""
_ASKED = """(() => {
  const frames = [...document.querySelectorAll('iframe')].map((each) => each.contentWindow);
  const asked = (each) => each.performance.getEntriesByType('resource').map(({name}) => name);
  return JSON.stringify([...frames.map((each) => each.webkeep_location$.href), ...[window, ...frames].flatMap(asked)]);
})()"""


def main() -> None:
    """Capture, replay, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few pages")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="only these")
    args = parser.parse_args()
    result(dict(state_replays(args.pages or (QUICK_PAGES if args.quick else page_names()))))


def state_replays(names: Sequence[str]) -> dict[str, int]:
    """How many views of these pages there are, and how many of them are replayed as they were."""
    with tempfile.TemporaryDirectory(prefix="webkeep-state-replays-", ignore_cleanup_errors=True) as folder:
        kept = Path(folder) / "archive"
        _capture(kept, names)
        with Archive(kept) as archive, _serve_calls.served(kept) as client, _browser(Path(folder)) as browser:
            shows = list(_shows(archive))
            equal = 0
            for show, page in _replayed(browser, client.root, shows):
                difference = _difference(browser, page, archive, show)
                equal += not difference
                if difference:
                    say(
                        f"{show.note.page} {[f'{deed.event} {deed.target}' for deed in show.note.script]}: {difference}"
                    )
                browser.call("Target.closeTarget", targetId=page.target)
    return {"state_replays": len(shows), "state_replays_equal": equal, "state_replay_pages": len(names)}


def _capture(folder: Path, names: Sequence[str]) -> None:
    with StatesSite() as site, WritableArchive.create(folder) as archive:
        seeds = [site.url(name) for name in names]
        said = {"seeds": seeds, "scope": "page", "browser": "always", "states": 2, "screenshots": True, "delay": 0}
        done = capture(parse_plan({**said, "sitemaps": False}), archive, NullCaptureObserver())
    say(f"captured: {done.browsed}")


@dataclass(frozen=True, slots=True)
class _Show:
    """A view that is to be replayed, and what its page does by itself."""

    note: StateNote
    volatile: tuple[str, ...]
    ambient: frozenset[str]
    """Resources, and the shapes of those with a query."""

    def own(self, urls: Sequence[str]) -> set[str]:
        """The resources among these that the page needs because of what was done to it."""
        found = {resource_url(url) for url in urls if "/.webkeep/" not in url and not url.endswith("/favicon.ico")}
        return {each for each in found if each != self.note.page and not self._is_ambient(each)}

    def _is_ambient(self, resource: str) -> bool:
        return resource in self.ambient or ("?" in resource and url_shape(resource) in self.ambient)


def _shows(archive: Archive) -> Iterator[_Show]:
    """All views, page by page."""
    for page in dict.fromkeys(note.page for note in read_state_notes(archive)):
        notes = read_walk(archive, page)
        told = notes[0].comment
        ambient = {name(url) for url in told["ambient"] for name in (resource_url, url_shape)}
        for note in notes:
            yield _Show(note, tuple(told["volatile"]), frozenset(ambient))


def _browser(folder: Path) -> AbstractContextManager[Any]:
    browser: AbstractContextManager[Any] = _devtools.chromium(
        [find_program(), f"--user-data-dir={folder / 'profile'}", "--no-first-run", "--disable-background-networking",
         "--no-sandbox", "--headless=new", f"--host-resolver-rules={_NOWHERE}", "about:blank"]
    )  # fmt: skip
    return browser


def _replayed(browser: Any, root: str, shows: Sequence[_Show]) -> Iterator[tuple[_Show, Any]]:
    """Views in windows of their own, each once it has landed or patience has ended."""
    waiting = deque(shows)
    opened: dict[str, tuple[_Show, Any, float]] = {}
    while waiting or opened:
        while waiting and len(opened) < _AT_ONCE:
            show = waiting.popleft()
            page = _opened(browser, root, show.note)
            opened[page.target] = show, page, time.monotonic() + _PATIENCE
        time.sleep(_LOOK)
        for target, (show, page, deadline) in list(opened.items()):
            if _landed(browser, page) is not None or time.monotonic() > deadline:
                del opened[target]
                yield show, page


def _opened(browser: Any, root: str, note: StateNote) -> Any:
    """A window on its way to a view."""
    place = ServerName.parse(root).naming_at(note.moment.digits()).replay_url(note.page)
    assert place is not None
    page = _devtools.Page("about:blank", is_plain=True)
    _devtools.open_page(browser, page)
    size = {"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", page.session, **size)
    browser.call("Page.navigate", page.session, url=state_url(place, note.id))
    return page


def _landed(browser: Any, page: Any) -> dict[str, int] | None:
    """What the page says of the script that was played on it, if it was."""
    with suppress(_devtools.BrowserError):  # it is on its way from the entrance to the page
        facts: dict[str, int] | None = json.loads(_devtools.evaluate(browser, page, _LANDED) or "null")
        return facts
    return None


def _difference(browser: Any, page: Any, archive: Archive, show: _Show) -> str:
    """In what a view that is replayed differs from the live one; nothing where it does not."""
    facts = _landed(browser, page)
    if facts is None or not facts["done"] == facts["steps"] == len(show.note.script):
        return f"played {facts}"
    asked = show.own(json.loads(_devtools.evaluate(browser, page, _ASKED)))
    needed = show.own(show.note.path_resources)
    if asked != needed:
        return f"not asked for: {sorted(needed - asked)[:3]}; beyond: {sorted(asked - needed)[:3]}"
    live, then = (_rendition(archive, show.note, name) for name in ("text", "dom"))
    expression = f"{_TEXT}({json.dumps(show.volatile)}, {json.dumps(then)})"
    text = "".join(_devtools.evaluate(browser, page, expression).split())
    wanted = "".join(live.split())
    return "" if text == wanted else f"text {text[:120]!r} instead of {wanted[:120]!r}"


def _rendition(archive: Archive, note: StateNote, name: str) -> str:
    """What was kept of the live view."""
    entry = archive.lookup(rendition_urn(note.page, note.id, name))
    assert entry is not None
    return b"".join(archive.read(entry).content()).decode()


if __name__ == "__main__":
    main()

"""Every state of the test pages shown again from the archive with the server off: the same text, the same resources.

    python -m bench.state_replays [--quick]

The pages of `tests/sites/states` that have a truth are captured with `--states 2`; each view is then replayed in
Chromium, which knows no host but the archive's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.measuring import ROOT, result, say
from bench.states_site import StatesSite, page_names
from webkeep.browser.command import find_program
from webkeep.browser.resources import resource_of
from webkeep.crawl.browsing.keeping import rendition_address
from webkeep.crawl.capture import capture
from webkeep.crawl.plan_values import plan_of
from webkeep.crawl.watching import Nobody
from webkeep.formats.state_note import StateNote
from webkeep.replay.front import Front
from webkeep.replay.states import state_place
from webkeep.store.archive import Archive
from webkeep.store.states import state_notes
from webkeep.store.writable import WritableArchive

sys.path[:0] = [str(ROOT / "tests/browser"), str(ROOT / "tests/integration")]
_devtools, _serve_calls = import_module("devtools"), import_module("serve_calls")
"""What the tests have for this."""

PATIENCE = 40.0
NOWHERE = "MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE localhost"
_TEXT = """(() => {
  const said = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (/^(?:SCRIPT|STYLE|NOSCRIPT|OPTION|TEMPLATE|TITLE)$/.test(node.tagName || '')) return '';
    if (node.nodeType === Node.ELEMENT_NODE && getComputedStyle(node).display === 'none') return '';
    const within = node.shadowRoot || node.contentDocument?.body;
    return [...(within || node).childNodes].map(said).join(' ');
  };
  return document.body ? said(document.body) : '';
})()"""
_FACTS = "JSON.stringify(window.webkeep_state$ || null)"
_NAMES = """(() => {
  const windows = [window, ...[...document.querySelectorAll('iframe')].map((each) => each.contentWindow)];
  const asked = (each) => each.performance.getEntriesByType('resource').map(({name}) => name);
  return JSON.stringify(windows.flatMap((each) => [each.webkeep_location$?.href || '', ...asked(each)]));
})()"""
_QUICKLY = 6
"""Views of one page that are replayed."""


def main() -> None:
    """Capture, replay, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few views of each page")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="webkeep-state-replays-") as folder:
        archive = Path(folder) / "archive"
        captured(archive)
        result(compared(archive, Path(folder), _QUICKLY if args.quick else None))


def captured(folder: Path) -> None:
    """Capture the pages."""
    with StatesSite() as site, WritableArchive.create(folder) as archive:
        seeds = [site.url(name) for name in page_names()]
        said = {"seeds": seeds, "scope": "page", "browser": "always", "states": 2, "screenshots": True, "delay": 0}
        done = capture(plan_of({**said, "sitemaps": False}), archive, Nobody())
    say(f"captured: {done.browsed}")


def compared(folder: Path, profile: Path, most: int | None) -> dict[str, object]:
    """Replay the views, and count those that are equal to what was live."""
    with Archive(folder) as archive, _serve_calls.served(folder) as client, _browser(profile) as browser:
        counts: Counter[str] = Counter()
        equal = total = 0
        for note in state_notes(archive):
            counts[note.page] += 1
            if most is not None and counts[note.page] > most:
                continue
            total += 1
            difference = _difference(archive, browser, client.root, note)
            equal += not difference
            if difference:
                say(f"{note.page} {[deed.event + ' ' + deed.target for deed in note.script]}: {difference}")
    return {"state_replays": total, "state_replays_equal": equal, "pages": len(counts)}


def _browser(profile: Path) -> AbstractContextManager[Any]:
    browser: AbstractContextManager[Any] = _devtools.chromium(
        [find_program(), f"--user-data-dir={profile / 'profile'}", "--no-first-run", "--disable-background-networking",
         "--no-sandbox", "--headless=new", f"--host-resolver-rules={NOWHERE}", "about:blank"]
    )  # fmt: skip
    return browser


def _difference(archive: Archive, browser: Any, root: str, note: StateNote) -> str:
    """In what a view that is replayed differs from the live one; nothing where it does not."""
    place = Front.read(root).naming(note.moment.digits()).address(note.page)
    assert place is not None
    page = _devtools.Page(state_place(place, note.id), is_plain=True)
    _devtools.open_page(browser, page)
    deadline, facts = time.monotonic() + PATIENCE, None
    while facts is None and time.monotonic() < deadline:
        time.sleep(0.05)
        with suppress(_devtools.BrowserError):  # it is on its way from the entrance to the page
            facts = json.loads(_devtools.evaluate(browser, page, _FACTS) or "null")
    text = "".join(_devtools.evaluate(browser, page, _TEXT).split())
    asked = {
        resource_of(each) for each in json.loads(_devtools.evaluate(browser, page, _NAMES)) if "/.webkeep/" not in each
    }
    browser.call("Target.closeTarget", targetId=page.target)
    if facts is None or facts["done"] != facts["steps"]:
        return f"played {facts}"
    live = archive.lookup(rendition_address(note.page, note.id, "text"))
    wanted = "".join(b"".join(archive.read(live).content()).decode().split()) if live is not None else ""
    if text != wanted:
        return f"text {text[:120]!r} instead of {wanted[:120]!r}"
    needed = {each for each in note.path_resources if each != note.page and not each.endswith("favicon.ico")}
    lacking = {each for each in needed if " " not in each} - asked
    return f"not asked for: {sorted(lacking)[:3]}" if lacking else ""


if __name__ == "__main__":
    main()

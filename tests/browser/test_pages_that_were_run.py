"""Pages that scripts fill, in a capture that ran them: nothing is wanting, and neither report nor check says so."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from small_site import Page, SmallSite
from warc_material import webkeep

FILL = b"document.getElementById('root').innerHTML = '<h1>Town</h1><p>' + 'words of the harbour '.repeat(60)"
APP = {
    "/": Page(b"<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>"),
    "/app.js": Page(FILL, "text/javascript"),
}


def test_a_page_that_was_run_lacks_nothing(tmp_path: Path) -> None:
    hungry = {}
    with SmallSite(APP) as site:
        for way in ("off", "auto"):
            done = webkeep("capture", site.url("/"), "--into", tmp_path / way, "--browser", way, "--delay", "0")
            assert done.code in (0, 1), done.err
            done = webkeep("report", tmp_path / way, "--json")
            hungry[way] = json.loads(done.out.splitlines()[-1])["damage"]["hungry"]
        assert hungry == {"off": [site.url("/")], "auto": []}


def test_check_runs_a_page_and_says_nothing_of_scripts_then() -> None:
    with SmallSite(APP) as site:
        done = webkeep("check", site.url("/"), "--json")
    told = json.loads(done.out.splitlines()[-1])
    assert (done.code, told["archivability"], told["obstacles"]) == (0, 1.0, [])

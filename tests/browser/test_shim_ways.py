"""Real Chromium on a replayed page: every way of asking for something leads into the archive and nowhere else."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from shim_browser import Chromium
from shim_server import ShimServer

HERE = Path(__file__).parent
WAYS = re.findall(r"^  async '([\w-]+)'", (HERE / "shim_ways.js").read_text(), re.MULTILINE)
HOME, OTHER = "https://www.town.example", "https://cdn.other.example"
PROBE = f"{OTHER}/probe"
PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
PAGE = b"""<!doctype html><meta charset=utf-8><title>A page</title><div id=box>box</div>
<script src=/page.js></script><script src=/ways.js></script>"""
SCRIPT = "text/javascript"
FETCH_TOLD = b"onmessage = (event) => fetch(event.data);"
RESOURCES = {
    f"{HOME}/": ("text/html", PAGE),
    f"{HOME}/page.js": (SCRIPT, (HERE / "shim_page.js").read_bytes()),
    f"{HOME}/ways.js": (SCRIPT, (HERE / "shim_ways.js").read_bytes()),
    f"{HOME}/favicon.ico": ("image/svg+xml", PICTURE),
    f"{HOME}/worker.js": (SCRIPT, FETCH_TOLD),
    f"{HOME}/module_worker.js": (SCRIPT, b"import '/empty.js';\n" + FETCH_TOLD),
    f"{HOME}/empty.js": (SCRIPT, b"export default 1;"),
    f"{HOME}/shared_worker.js": (SCRIPT, b"onconnect = (c) => { c.ports[0].onmessage = (e) => fetch(e.data); };"),
    f"{HOME}/importing.js": (SCRIPT, f"import '{OTHER}/module.js';".encode()),
    PROBE: ("image/svg+xml", PICTURE),
    f"{OTHER}/events": ("text/event-stream", b"data: hello\n\n"),
    f"{OTHER}/style.css": ("text/css", b"p { color: red }"),
    f"{OTHER}/script.js": (SCRIPT, b"var loaded = 1;"),
    f"{OTHER}/module.js": (SCRIPT, b"export default 1;"),
    f"{OTHER}/frame.html": ("text/html", b"<!doctype html><title>A frame</title>framed"),
    f"https://{'a' * 60}.other.example/probe": ("image/svg+xml", PICTURE),
}


class Stage(NamedTuple):
    browser: Chromium
    server: ShimServer


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with ShimServer(RESOURCES) as server:
        browser = Chromium(tmp_path_factory.mktemp("shim") / "profile", server.port)
        try:
            yield Stage(browser, server)
        finally:
            browser.close()


@pytest.mark.parametrize("name", WAYS)
def test_a_way_to_another_host_leads_into_the_archive(stage: Stage, name: str) -> None:
    browser, server = stage
    page = browser.open(server.address(f"{HOME}/"))
    url = f"{PROBE}?{name}"
    server.outside.clear()
    page.value(f"ways['{name}']('{url}').then(() => 1)")
    assert url in server.asked
    assert not server.outside
    assert not page.errors
    page.close()

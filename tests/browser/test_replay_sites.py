"""Real Chromium shows the test sites out of the archive, their servers off: each gets what it got live, and no more."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from browsing import Browsed, chosen
from devtools import Browser, BrowserError, Page, chromium, evaluate, event_of, open_page, photograph, takes_note
from pictures import difference
from serve_calls import Client, served

from sites.plan import Site
from webkeep.api.recording.recording_browser import browser_command
from webkeep.browser.process import quiet_switches
from webkeep.clock import SystemClock
from webkeep.fetch.proxy import CertificateAuthority
from webkeep.replay.server import ServerName
from webkeep.store.archive import Archive

PATIENCE = 30.0
SPECKS = 0.0002
"""The share of pixels that may differ by the moment a picture was taken at: a hundredth of a second of a film."""
ALLOWED = {
    "cookies": 0.004,  # cookies of servers are secrets, and are not recorded
    "frameset": 0.004,  # whether a link counts as visited
    "timers": 0.004,  # pictures stand in the order in which they came
}
"""What is known to look otherwise, none of it more than a line of text."""
NOWHERE = "MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE localhost"


@pytest.fixture(scope="module")
def client(browsed: Browsed) -> Iterator[Client]:
    with served(browsed.archive) as client:
        yield client
        assert client.hub is not None
        assert client.hub.errors == 0


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    program = next(name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name))
    words = [program, f"--user-data-dir={folder}", *quiet_switches(), "--no-sandbox", "--headless=new",
             f"--host-resolver-rules={NOWHERE}", f"--log-net-log={folder / 'net.json'}", "about:blank"]  # fmt: skip
    with chromium(words) as browser:
        yield browser
        browser.close()
    live = {name for _, site in chosen() for name in site.all_hosts}
    assert not live & asked_hosts(folder / "net.json"), "something was asked of the live web"


def asked_hosts(log: Path) -> set[str]:
    """The hosts of all requests that Chromium began, whatever became of them."""
    text = log.read_text("utf-8", "replace")
    (number,) = re.findall(r'"URL_REQUEST_START_JOB":(\d+)', text)
    begun = [line for line in text.splitlines() if re.search(rf'"type":{number}[,}}]', line)]
    assert begun
    return {host for line in begun for host in re.findall(r'"url":"(?:http|ws)s?://([^/:"]+)', line)}


def shown(browser: Browser, page: Page) -> Page:
    """A page that has been loaded, and has said that it is done."""
    open_page(browser, page)
    browser.call("Page.bringToFront", page.session)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        message = event_of(browser, [page])
        if message.get("sessionId") == page.session and takes_note(page, message):
            break
    page.text = evaluate(browser, page, "document.body ? document.body.innerText : ''")
    photograph(browser, page)
    browser.call("Target.closeTarget", targetId=page.target)
    return page


def visited(browser: Browser, url: str) -> Page:
    """A page at a URL; one that waits to be seen is opened again, as a window without a screen may never be drawn."""
    for _ in range(2):
        page = Page(url)
        with suppress(BrowserError):  # silence tells as much as a word
            shown(browser, page)
        if page.done:
            break
    return page


def looking_like(live: Page, browser: Browser, url: str, allowed: float) -> Page:
    """A page at a URL; one that looks otherwise is opened again, as frames may be drawn after all is loaded."""
    page = visited(browser, url)
    for _ in range(2):
        if not page.picture or difference(live.picture, page.picture) <= allowed:
            break
        page = visited(browser, url)
    return page


def complaints(page: Page) -> set[str]:
    """What a browser complained of, but for the addresses in it: a replay host has another name than the live one."""
    plain = [re.sub(r"'?(?:http|ws)s?://[^\s'\"]+", "ADDRESS", each) for each in page.complaints]
    return {each.partition("ADDRESS")[0][:40] for each in plain}


def address(browsed: Browsed, client: Client, url: str) -> str:
    with Archive(browsed.archive) as archive:
        seen = archive.lookup(url)
    assert seen is not None
    place = ServerName.parse(client.root).naming_at(seen.moment.digits()).replay_url(url)
    assert place is not None
    return place


VISITS = [pytest.param(scheme, site, id=f"{scheme}-{site.name}") for scheme, site in chosen()]


@pytest.mark.parametrize(("scheme", "site"), VISITS)
def test_a_site_gets_all_it_got_live(
    browsed: Browsed, client: Client, browser: Browser, scheme: str, site: Site
) -> None:
    live = browsed.pages[f"{scheme} {site.name}"]
    allowed = ALLOWED.get(site.name, SPECKS)
    page = looking_like(live, browser, address(browsed, client, live.url), allowed)
    assert page.done == "yes", page.text
    assert not complaints(page) - complaints(live), page.complaints
    assert difference(live.picture, page.picture) <= allowed


@pytest.fixture(scope="module")
def proxied(browsed: Browsed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser whose proxy is the archive."""
    folder = tmp_path_factory.mktemp("proxied")
    words = ["--port", "0", "--proxy-port", "0", "--authority", str(folder / "authority"), "--no-words", "--json"]
    call = [sys.executable, "-m", "webkeep", "serve", str(browsed.archive), *words]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            port = json.loads(process.stdout.readline())["port"]
            keys = CertificateAuthority(folder / "authority", SystemClock()).key_hashes[:1]
            with chromium(
                browser_command("", "about:blank", port, keys, str(folder / "profile"), headless=True)
            ) as browser:
                yield browser
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.parametrize(("scheme", "site"), VISITS)
def test_a_site_gets_all_it_got_live_through_the_proxy(
    browsed: Browsed, proxied: Browser, scheme: str, site: Site
) -> None:
    live = browsed.pages[f"{scheme} {site.name}"]
    allowed = ALLOWED.get(site.name, SPECKS)
    page = looking_like(live, proxied, live.url, allowed)
    assert page.done == "yes", page.text
    assert difference(live.picture, page.picture) <= allowed


def test_a_frame_shows_what_the_page_alone_shows(browsed: Browsed, client: Client, browser: Browser) -> None:
    url = next(page.url for name, page in browsed.pages.items() if name == "http images")
    framed = Page(f"{client.root}/view/{address(browsed, client, url)[7:21]}/{url}", is_plain=True)
    open_page(browser, framed)
    wanted = "document.getElementById('parts').textContent && document.getElementById('url').textContent"
    deadline = time.monotonic() + PATIENCE
    while not (told := evaluate(browser, framed, wanted)) and time.monotonic() < deadline:
        browser.event("the banner")
    assert told == url
    browser.call("Target.closeTarget", targetId=framed.target)

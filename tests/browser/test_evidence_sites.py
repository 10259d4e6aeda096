"""Packages of the test sites and the demo: pictures and words are what Chromium shows live, over TLS too."""

import base64
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from browsing import DEMO, StillClock
from devtools import Browser, chromium
from evidence_pages import Packed, make_evidence, words_of
from pictures import difference, greatest_step
from tls_front import TlsFront

from sites.plan import sites
from sites.serving import SiteServer
from webkeep.browser.process import quiet_switches
from webkeep.clock import SystemClock
from webkeep.fetch.proxy import CertificateAuthority
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan

SHOWN = ("images", "css", "svg", "charsets", "base-href", "templates")
"""Sites that look the same at every load, and need nobody to do anything."""
_RASTER_SHARE, _RASTER_STEP = 1e-4, 8
"""Of pixels, and how far their colours may differ, in steps of 255: in about one load of ten Chromium smooths edges of
curves otherwise, in the live browser as in ours: of 1,228,800 pixels 4 at round corners of the demo's pictures, by one
step, and 49 at the edge of the star of the SVG site, by eight. Anything else that is drawn differs by far more."""
_SCROLL = """new Promise(async (done) => {
  for (let top = 0; top < document.documentElement.scrollHeight; top += 960) {
    scrollTo(0, top);
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }
  scrollTo(0, 0);
  await Promise.all([...document.images].map((each) => each.decode().catch(() => 0)));
  await document.fonts.ready;
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


@dataclass(frozen=True)
class Shown:
    """A package of several sites, and the pictures of them in a browser of its own."""

    packed: Packed
    live: dict[str, tuple[bytes, str]]
    """Pictures of windows and texts by URL."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("sites")
    authority = CertificateAuthority(folder / "servers", SystemClock())
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("XDG_CONFIG_HOME", str(folder / "settings"))
        server = stack.enter_context(SiteServer())
        demo = stack.enter_context(DemoServer(DemoSite(SitePlan(), StillClock().now()), clock=StillClock()))
        front = stack.enter_context(TlsFront(authority.context_for(DEMO), demo.port))
        urls = [server.url(site, "http") for site in sites() if site.name in SHOWN]
        urls.append(f"https://{DEMO}:{front.port}/")
        names = [*server.resolve(), f"{DEMO}:{front.port}:127.0.0.1"]
        words = [word for name in names for word in ("--resolve", name)]
        trust = ("--ca", authority.certificate_path)
        packed = make_evidence(folder / "package", *urls, "--rounds", "1", *words, *trust)
        browser = stack.enter_context(chromium(_command(folder)))
        yield Shown(packed, {url: _look(browser, url) for url in urls})


def _command(folder: Path) -> list[str]:
    program = next(name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name))
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1"
    return [program, f"--user-data-dir={folder / 'profile'}", *quiet_switches(), "--no-sandbox", "--headless=new",
            "--ignore-certificate-errors", rules, "about:blank"]  # fmt: skip


def _look(browser: Browser, url: str) -> tuple[bytes, str]:
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.call("Page.enable", session)
    browser.call(
        "Emulation.setDeviceMetricsOverride", session, width=1280, height=960, deviceScaleFactor=1, mobile=False
    )
    browser.call("Emulation.setScrollbarsHidden", session, hidden=True)  # they are the window's
    browser.call("Page.navigate", session, url=url)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and browser.event("the load").get("method") != "Page.loadEventFired":
        pass
    browser.call("Runtime.evaluate", session, expression=_SCROLL, awaitPromise=True)
    picture = base64.b64decode(browser.call("Page.captureScreenshot", session, format="png")["data"])
    words = "document.body ? document.body.innerText : ''"
    text = browser.call("Runtime.evaluate", session, expression=words)["result"].get("value", "")
    browser.call("Target.closeTarget", targetId=target)
    return picture, str(text)


def test_pictures_are_what_chromium_shows_live(shown: Shown) -> None:
    differences, steps = {}, {}
    for each in shown.packed.facts["pages"]:
        picture = (shown.packed.folder / f"{each['name']}-window.png").read_bytes()
        live = shown.live[each["page"]][0]
        differences[each["page"]], steps[each["page"]] = difference(picture, live), greatest_step(picture, live)
    assert len(differences) == len(SHOWN) + 1
    assert {url: share for url, share in differences.items() if share > _RASTER_SHARE} == {}
    assert {url: step for url, step in steps.items() if step > _RASTER_STEP} == {}


def test_text_and_pdf_have_the_words_that_chromium_shows_live(shown: Shown) -> None:
    for each in shown.packed.facts["pages"]:
        live = "".join(shown.live[each["page"]][1].split())
        text = (shown.packed.folder / f"{each['name']}.txt").read_text("utf-8")
        assert live.casefold() in "".join(text.split()).casefold(), "and the words in frames besides"


def test_the_demo_on_paper_and_in_one_file_has_its_words(shown: Shown) -> None:
    (demo,) = (each for each in shown.packed.facts["pages"] if DEMO in each["page"])
    text = "".join((shown.packed.folder / f"{demo['name']}.txt").read_text("utf-8").split()).casefold()
    paper = "".join(words_of(shown.packed.folder / f"{demo['name']}.pdf").split()).casefold()
    hidden = "skiptothetext" + "thetidewickcourier"  # what only screen readers are told
    assert sorted(paper + hidden) == sorted(text), "lines of columns come in another order"
    page = (shown.packed.folder / f"{demo['name']}.html").read_text("utf-8")
    assert "Divers find the breakwater" in page
    assert "data:image/png;base64" in page


def test_certificates_and_whether_they_were_valid_then_are_told(shown: Shown) -> None:
    (secure,) = (each for each in shown.packed.connections["origins"] if each["origin"].startswith("https:"))
    assert secure["is_trusted"] is True
    assert secure["addresses"] == ["127.0.0.1"]
    assert secure["names_by"] == "given by --resolve"
    assert secure["chain"][0]["valid_then"] is True
    assert DEMO in secure["chain"][0]["names"]
    assert secure["chain"][0]["pem"].startswith("-----BEGIN CERTIFICATE-----")
    (demo, *_) = (each for each in shown.packed.connections["exchanges"] if each["url"] == f"{secure['origin']}/")
    assert any("tls" in protocol for protocol in demo["protocols"]), json.dumps(demo)
    assert secure["moment"] > demo["moment"]
    assert "given by the operator (--resolve)" in shown.packed.cover()
    assert "authorities that the operator named (--ca)" in shown.packed.cover()
    for words in (shown.packed.facts["servers"]["words"], shown.packed.cover()):
        assert "asked for once more, right after the capture." in words

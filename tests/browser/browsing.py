"""One Chromium that browses everything there is through one recording proxy, and what is known of it afterwards."""

import base64
import http.client
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devtools import Page, chromium, photograph, visit_all
from exchanges import Exchanged, exchanges
from long_recording import long_recording
from net_log import Logged, requests_in
from record_calls import RecordRun
from tls_front import TlsFront

from sites.plan import Site, sites
from sites.serving import Sent, SiteServer
from webkeep.api.recording.recording_browser import browser_command
from webkeep.clock import SystemClock
from webkeep.fetch.proxy import CertificateAuthority
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan
from webkeep.model import Moment

ENCRYPTED = frozenset(
    {"beacon", "cookies", "cross-origin", "events", "fetch", "forms", "frames", "hints", "images", "media", "modules",
     "ranges", "redirects", "shared-workers", "sockets", "uploads", "workers"}
)  # fmt: skip
"""The sites that are browsed over https too; some are over https alone."""

DEMO_PATHS = ("", "news/", "weather/", "gallery/", "guestbook/", "welcome/fr/", "old-harbour/", "about/")
DEMO = "demo-site.test"


class StillClock:
    """A clock that stands still, so that the demo site does not change while it is browsed."""

    def now(self) -> Moment:
        return Moment.parse("2026-05-20T08:00:00Z")


@dataclass
class Browsed:
    """What everyone says of the same session: the pages, Chromium's log, the servers, the archive."""

    pages: dict[str, Page] = field(default_factory=dict)
    """By scheme and site, as in `http images`."""
    logged: list[Logged] = field(default_factory=list)
    exchanged: list[Exchanged] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    demo: dict[str, bytes] = field(default_factory=dict)
    """What the demo site says, asked without a proxy, by path."""
    archive: Path = Path()

    def cut(self) -> set[str]:
        """What its client broke off before an answer came."""
        return {event["url"] for event in self.events if event.get("event") == "cut"}


def chosen() -> list[tuple[str, Site]]:
    """Every site by every scheme it is browsed with."""
    plain = [("http", site) for site in sites() if not site.secure]
    return plain + [("https", site) for site in sites() if site.secure or site.name in ENCRYPTED]


def browse(folder: Path) -> Browsed:
    """Browse all of it."""
    browsed, log = Browsed(), folder / "net.json"
    authority = CertificateAuthority(folder / "servers", SystemClock())
    with ExitStack() as stack:
        server = stack.enter_context(SiteServer(authority.context_for("localhost")))
        demo = stack.enter_context(DemoServer(DemoSite(SitePlan(), StillClock().now()), clock=StillClock()))
        front = stack.enter_context(TlsFront(authority.context_for(DEMO), demo.port))
        names = [*server.resolve(), f"{DEMO}:{demo.port}:127.0.0.1", f"{DEMO}:{front.port}:127.0.0.1"]
        words = [word for name in names for word in ("--resolve", name)]
        trust = ("--certificate-authorities", authority.certificate_path)
        with long_recording(folder, *trust, *words, code=0) as run:
            pages = _pages(server) | _demo_pages(demo.port, front.port)
            with chromium(_command(run, folder, log)) as browser:
                visit_all(browser, list(pages.values()), then=photograph)
                browser.close()
        browsed.events, browsed.summary = run.events, run.summary
        browsed.pages, browsed.sent, browsed.archive = pages, server.sent, run.archive
        browsed.logged = [each for each in requests_in(log) if ".test" in each.url]
        browsed.exchanged = exchanges(run.archive)
        browsed.demo = {path: _asked(demo.port, path) for path in _demo_paths(browsed.exchanged)}
    return browsed


def _pages(server: SiteServer) -> dict[str, Page]:
    return {f"{scheme} {site.name}": Page(server.url(site, scheme)) for scheme, site in chosen()}


def _demo_pages(plain: int, encrypted: int) -> dict[str, Page]:
    ports = {"http": plain, "https": encrypted}
    return {
        f"{scheme} demo /{path}": Page(f"{scheme}://{DEMO}:{port}/{path}", is_plain=True)
        for scheme, port in ports.items()
        for path in DEMO_PATHS
    }


def _command(run: RecordRun, folder: Path, log: Path) -> list[str]:
    """Chromium as `webkeep record --open` starts it, but what it asks for on its own account leads nowhere."""
    key = CertificateAuthority(run.authority, SystemClock()).key_hashes[:1]
    words = browser_command("", "about:blank", run.port, key, str(folder / "profile"), headless=True)
    script = f"""function FindProxyForURL(url, host) {{
        return host.endsWith('.test') ? 'PROXY 127.0.0.1:{run.port}' : 'PROXY 127.0.0.1:1';
    }}"""
    rules = "data:application/x-ns-proxy-autoconfig;base64," + base64.b64encode(script.encode()).decode()
    words = [word for word in words if not word.startswith("--proxy-")]
    words[1:1] = [f"--proxy-pac-url={rules}", f"--log-net-log={log}", "--net-log-capture-mode=Everything"]
    return words


def _demo_paths(exchanged: list[Exchanged]) -> set[str]:
    return {_path(each.url) for each in exchanged if f"//{DEMO}:" in each.url}


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def _asked(port: int, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers={"Host": f"{DEMO}:{port}"})
    body = connection.getresponse().read()
    connection.close()
    return body

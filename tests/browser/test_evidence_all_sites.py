"""Packages of every test site and of the demo, made with no more options than lead to them: each has its pages, and
`verify` says that it is whole; whatever is not proven is named.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browsing import DEMO, StillClock
from evidence_pages import Packed, make_evidence
from tls_front import TlsFront
from warc_material import webkeep

from sites.plan import Site, sites
from sites.serving import SiteServer
from webkeep.clock import SystemClock
from webkeep.fetch.proxy import CertificateAuthority
from webkeep.lab.demo import DemoServer, DemoSite, SitePlan

GROUPS = 5
"""Packages that all sites are shared out to: a browser is started for each, and not for each site."""
BOUNDS = ("--rounds", "1", "--retries", "0", "--timeout", "8", "--page-seconds", "12")
"""Some sites hold answers back for ever; nobody waits for those here as long as people would."""
IS_PAGE = ("shown", "restless")
NOT_THE_PAGE = frozenset({"forms.test"})
"""Sites that lead away from their page by themselves, to what a server refuses."""


@dataclass(frozen=True)
class Surroundings:
    """All sites as they are served, and how the command finds them."""

    server: SiteServer
    words: tuple[object, ...]
    demo: str

    def url(self, site: Site) -> str:
        return self.server.url(site, "https" if site.secure else "http")


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    folder = tmp_path_factory.mktemp("all-sites")
    authority = CertificateAuthority(folder / "servers", SystemClock())
    tls = authority.context_for("all.test")
    tls.sni_callback = lambda end, name, _context: setattr(end, "context", authority.context_for(name or "all.test"))
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("XDG_CONFIG_HOME", str(folder / "settings"))
        server = stack.enter_context(SiteServer(tls))
        demo = stack.enter_context(DemoServer(DemoSite(SitePlan(), StillClock().now()), clock=StillClock()))
        front = stack.enter_context(TlsFront(authority.context_for(DEMO), demo.port))
        names = [*server.resolve(), f"{DEMO}:{front.port}:127.0.0.1"]
        words = [word for name in names for word in ("--resolve", name)]
        yield Surroundings(server, (*words, "--ca", authority.certificate_path), f"https://{DEMO}:{front.port}/")


def _check_whole(packed: Packed, urls: list[str]) -> None:
    assert packed.done.code in (0, 1), packed.done.err
    facts = packed.facts
    shown = sorted(urlsplit(each["page"]).netloc for each in facts["pages"])
    assert shown == sorted(urlsplit(url).netloc for url in urls), "one page each, maybe where it led to"
    assert facts["is_proven"] is (packed.done.code == 0) is (facts["shortcomings"] == [])
    for each in facts["pages"]:
        assert f"{each['name']}-full.png" in each["files"], each
        is_named = any(said.startswith(each["name"]) for said in facts["shortcomings"])
        assert each["condition"] == "shown" or is_named, each
    verified = webkeep("verify", packed.folder)
    assert (verified.code, verified.summary["sound"]) == (0, True), verified.err
    assert verified.summary["log"]["included"] >= packed.summary["parts"]


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_site_makes_a_package_that_is_whole(group: int, around: Surroundings, tmp_path: Path) -> None:
    chosen = sites()[group::GROUPS]
    urls = [around.url(site) for site in chosen]
    packed = make_evidence(tmp_path / "package", *urls, *BOUNDS, *around.words)
    _check_whole(packed, urls)
    replaced = {urlsplit(each["page"]).hostname for each in packed.facts["pages"] if each["condition"] not in IS_PAGE}
    assert replaced <= NOT_THE_PAGE


def test_the_demo_makes_a_package_that_is_whole(around: Surroundings, tmp_path: Path) -> None:
    packed = make_evidence(tmp_path / "package", around.demo, "--rounds", "1", *around.words)
    _check_whole(packed, [around.demo])
    assert packed.summary["parts"] == packed.summary["parts_proven"] > 1
    (said,) = packed.facts["shortcomings"]
    assert said.startswith("The time is in doubt"), "the demo's clock stands still, and that is told"

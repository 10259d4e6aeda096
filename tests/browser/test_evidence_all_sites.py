"""Packages of every test site and of the demo, made with no more options than lead to them: each has its pages as
Chromium shows them live, with the same words in all their forms; `verify` says that it is whole, and whatever is not
proven is named.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsing import DEMO, StillClock
from evidence_pages import Packed, make_evidence, words_of
from live_looks import look_live, words_in
from pictures import difference, greatest_step
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
NOT_THE_PAGE = frozenset({"forms"})
"""Sites that lead away from their page by themselves, to what a server refuses."""

GOES_AWAY = frozenset({"forms", "navigation"})
"""Sites whose page is left while anybody looks at it."""
ALLOWED = {
    "clicks": 0.0002,  # a caret blinks
    "media": 0.002,  # a film is smoothed otherwise now and then, by less than anybody sees
    "timers": 0.004,  # pictures stand in the order in which they came
}
"""What share of pixels may differ on sites that are not twice the same, live either."""
UNREADABLE = {
    "charsets": {"港の灯台"},
    "cross-origin": {"origins", "other"},
    "fonts": {"boxes"},
    "hints": {"hints"},
}
"""Words on paper that are there and read as others: drawn in fonts that have one box for all letters, or in parts."""
RASTER_SHARE, RASTER_STEP = 1e-4, 8
"""Of pixels, and steps of 255, as in test_evidence_sites."""


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


def _name_of(exhibit: dict[str, Any]) -> str:
    return str(urlsplit(exhibit["page"]).hostname).removesuffix(".test")


def _check_live(packed: Packed, folder: Path) -> None:
    """Pictures, text, PDF and HTML file are what Chromium shows of the same pages live."""
    exhibits = [each for each in packed.facts["pages"] if _name_of(each) not in GOES_AWAY]
    live = look_live([each["page"] for each in exhibits], folder / "live")
    files = {each["page"]: (packed.folder / f"{each['name']}.html").as_uri() for each in exhibits}
    copies = look_live(files.values(), folder / "copies", is_plain=True)
    lacking: dict[str, set[str]] = {}
    differing: dict[str, tuple[float, int]] = {}
    for each in exhibits:
        page, file = each["page"], packed.folder / each["name"]
        text, shown = (
            file.with_suffix(".txt").read_text("utf-8"),
            file.with_name(f"{file.name}-window.png").read_bytes(),
        )
        share, step = difference(shown, live[page].picture), greatest_step(shown, live[page].picture)
        if share > ALLOWED.get(_name_of(each), RASTER_SHARE) or (step > RASTER_STEP and _name_of(each) not in ALLOWED):
            differing[page] = share, step
        paper = "".join(words_of(file.with_suffix(".pdf")).split()).casefold()
        words, unreadable = words_in(live[page].text), UNREADABLE.get(_name_of(each), set())
        forms = {
            "text": words - words_in(text),
            "paper": {word for word in words - unreadable if word not in paper},
            "file": words - words_in(copies[files[page]].text),
        }
        lacking |= {f"{_name_of(each)}, {form}": missing for form, missing in forms.items() if missing}
    assert differing == {}
    assert lacking == {}


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_site_makes_a_package_that_is_whole(group: int, around: Surroundings, tmp_path: Path) -> None:
    chosen = sites()[group::GROUPS]
    urls = [around.url(site) for site in chosen]
    packed = make_evidence(tmp_path / "package", *urls, *BOUNDS, *around.words)
    _check_whole(packed, urls)
    replaced = {_name_of(each) for each in packed.facts["pages"] if each["condition"] != "shown"}
    assert replaced <= NOT_THE_PAGE
    assert [each["page"] for each in packed.facts["pages"] if each["condition"] == "restless"] == []
    _check_live(packed, tmp_path)


def test_what_is_held_back_is_named(around: Surroundings, tmp_path: Path) -> None:
    (site,) = (each for each in sites() if each.name == "xhr")
    words = ("--allow-post", "host:elsewhere.test", *BOUNDS, *around.words)
    packed = make_evidence(tmp_path / "package", around.url(site), *words)
    assert packed.done.code == 1
    assert any("what it sent was held back (POST http://xhr.test:" in said for said in packed.facts["shortcomings"])
    assert "what it sent was held back" in packed.cover()


def test_what_came_once_is_never_proven(around: Surroundings, tmp_path: Path) -> None:
    chosen = [around.url(each) for each in sites() if each.name in ("sockets", "xhr")]
    packed = make_evidence(tmp_path / "package", *chosen, *BOUNDS, *around.words)
    (shown,) = (each["rounds"][each["shown_round"] - 1] for each in packed.facts["vantages"])
    reasons = {each["url"]: each["reason"] for each in shown["unproven"]}
    assert (packed.done.code, packed.facts["is_proven"]) == (1, False)
    assert {urlsplit(url).scheme for url in reasons} == {"http", "ws"}
    assert {urlsplit(url).path for url in reasons if url.startswith("http:")} == {"/post"}
    assert shown["parts"] == shown["proven"] + len(reasons)
    verified = webkeep("verify", packed.folder)
    assert verified.code == 0
    (judged,) = verified.summary["coherence"]
    assert (judged["parts"], judged["proven"]) == (shown["parts"], shown["proven"])


def test_the_demo_makes_a_package_that_is_whole(around: Surroundings, tmp_path: Path) -> None:
    packed = make_evidence(tmp_path / "package", around.demo, "--rounds", "1", *around.words)
    _check_whole(packed, [around.demo])
    assert packed.summary["parts"] == packed.summary["parts_proven"] > 1
    (said,) = packed.facts["shortcomings"]
    assert said.startswith("The time is in doubt"), "the demo's clock stands still, and that is told"

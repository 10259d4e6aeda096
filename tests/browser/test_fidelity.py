"""`webkeep report --browser`: pages opened live and in replay, in real Chromium, and what is made of differences."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from devtools import Browser, Page, evaluate, visit_all
from report_looks import LOOK, look
from shown_site import WORDS, ShownSite
from small_site import GONE, Page as Answer, SmallSite

import webkeep
from webkeep.quality.fidelity import read_kept_rendering

SLIDE = """
(async () => {
  const figure = document.querySelector('figure.slider');
  const [range, pictures] = [figure.querySelector('input[type=range]'), figure.querySelector('.pictures')];
  const shown = () => getComputedStyle(figure.querySelector('.other')).clipPath;
  const found = {sliders: document.querySelectorAll('figure.slider').length, role: range.type, label: range.ariaLabel};
  found.before = shown();
  range.value = '80';
  range.dispatchEvent(new Event('input'));
  found.moved = shown();
  found.images = [...document.querySelectorAll('figure.slider img')].map(
    (each) => each.complete && each.naturalWidth > 0 && each.alt.length > 5);
  found.marks = figure.querySelectorAll('.mark').length;
  figure.querySelector('input[type=checkbox]').click();
  found.unmarked = getComputedStyle(figure.querySelector('.mark')).display;
  for (const each of document.querySelectorAll('details')) each.open = true;
  found.wide = document.documentElement.scrollWidth - innerWidth;
  return JSON.stringify(found);
})()
"""
ROOM = 20
"""Pages that are looked at: more than the site has."""


@dataclass
class Shown:
    """What the report says of the site, and the site itself."""

    archive: Path
    root: str
    page: Path
    report: dict[str, Any]
    asked: list[tuple[str, str]]
    """By whom the site was asked for what while it was reported on."""

    def told(self, name: str, reference: str = "live") -> dict[str, Any]:
        (page,) = [each for each in self.report["fidelity"]["pages"] if each["url"] == f"{self.root}{name}"]
        (told,) = [each for each in page["comparisons"] if each["reference"] == reference]
        return dict(told)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("shown")
    archive = folder / "kept"
    answers = ShownSite()
    with SmallSite(answers) as site:
        webkeep.capture(site.url("/"), into=archive, sitemaps=False, browser="off")
        answers.is_later = True
        before = len(site.asked)
        files = {"html": folder / "report.html", "output": folder / "report.json"}
        done = webkeep.report(archive, browser=True, browser_pages=ROOM, **files)
        yield Shown(archive, site.url("/"), done.file, json.loads(done.output.read_text()), site.asked[before:])


def test_a_sound_page_is_told_to_be_the_same(shown: Shown) -> None:
    told = shown.told("")
    assert (told["verdict"], told["reason"]) == ("the same", "")
    assert told["picture"]["different"] == 0
    assert told["picture"]["drawn"] > 1000
    assert told["text"]["category"] == "unchanged"
    assert told["requests"]["lacking"] == told["errors"] == []


@pytest.mark.parametrize(("name", "part"), [("unstyled", "late.css"), ("unpictured", "late.png")])
def test_a_part_that_replay_lacks_is_told_and_shown(shown: Shown, name: str, part: str) -> None:
    told = shown.told(name)
    assert told["verdict"] == "different in replay"
    assert told["requests"]["lacking"] == [f"{shown.root}{part}"]
    assert told["picture"]["dissimilarity"] > 0.02
    assert told["picture"]["regions"]
    assert [each["media_type"] for each in told["pictures"]] == ["image/webp", "image/webp"]


def test_what_is_loaded_when_it_comes_into_view_is_in_the_picture(shown: Shown) -> None:
    told = shown.told("long")
    assert told["verdict"] == "different in replay"
    ((_, top, _, height),) = told["picture"]["regions"]
    assert top > 3000
    assert height == 240


def test_what_a_missing_script_would_have_written_is_told(shown: Shown) -> None:
    told = shown.told("unscripted")
    assert told["verdict"] == "different in replay"
    assert told["requests"]["lacking"] == [f"{shown.root}late.js"]
    assert told["text"]["missing"] == ["High water at noon, low water at six."]


@pytest.mark.parametrize("name", ["changed", "restyled"])
def test_a_page_that_changed_since_is_no_damage(shown: Shown, name: str) -> None:
    told = shown.told(name)
    assert told["verdict"] == "changed since"
    assert told["picture"]["different"] > 0
    assert told["change"] in told["reason"]


def test_a_box_over_the_page_is_left_out(shown: Shown) -> None:
    told = shown.told("covered")
    assert told["verdict"] == "the same"
    assert told["overlays"] == ["div#cookie-consent"]
    assert told["text"]["category"] == "unchanged"


def test_what_is_never_the_same_twice_is_no_damage(shown: Shown) -> None:
    told = shown.told("random")
    assert told["verdict"] == "the same but for what varies"
    assert told["picture"]["varying"] > 100


def test_what_cannot_be_compared_is_told_with_its_reason(shown: Shown) -> None:
    assert (shown.told("gone")["verdict"], "404" in shown.told("gone")["reason"]) == ("not compared", True)
    private = shown.told("private")
    assert (private["verdict"], "robots" in private["reason"]) == ("not compared", True)


def test_robots_are_obeyed_while_looking(shown: Shown) -> None:
    paths = [path for _, path in shown.asked]
    assert "/robots.txt" in paths
    assert "/private" not in paths
    assert "/changed" in paths


def test_the_figures_count_only_what_says_something_of_replay(shown: Shown) -> None:
    key = {each["key"]: each for each in shown.report["verdict"]["figures"]}["fidelity"]
    assert key["value"] == pytest.approx(3 / 7)
    assert "replay shows 3 of 7 pages" in shown.report["verdict"]["sentence"]


@dataclass
class Kept:
    """A capture that kept pictures, whose site is gone by now."""

    archive: Path
    root: str
    asked: list[tuple[str, str]]
    """What the site was asked for since it was captured."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    archive = tmp_path_factory.mktemp("kept") / "kept"
    answers = ShownSite()
    with SmallSite(answers) as site:
        for path in ("/", "/covered", "/restyled"):
            webkeep.capture(site.url(path), into=archive, scope="page", sitemaps=False, screenshots=True)
        webkeep.remove(archive, url=site.url("/theme.css"), reason="to see whether it is missed", yes=True)
        site.asked.clear()
        yield Kept(archive, site.url("/"), site.asked)


def compare_kept(kept: Kept, name: str, **options: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The report on one page, and how it compares."""
    done = webkeep.report(kept.archive, seed=f"{kept.root}{name}", browser=True, **options)
    told = json.loads(done.output.read_text())
    pages = [each for each in told["fidelity"]["pages"] if each["url"] == f"{kept.root}{name}"]
    return told, [dict(each) for page in pages for each in page["comparisons"]]


def test_without_the_live_web_replay_is_held_against_the_picture_that_was_kept(kept: Kept) -> None:
    _, (told,) = compare_kept(kept, "", offline=True)
    assert (told["reference"], told["verdict"]) == ("kept at capture", "the same")
    assert told["picture"]["different"] == 0
    assert kept.asked == []


def test_a_kept_picture_is_compared_without_what_lay_over_the_page(kept: Kept) -> None:
    _, (told,) = compare_kept(kept, "covered", offline=True)
    assert (told["verdict"], told["overlays"]) == ("the same", ["div#cookie-consent"])


def test_what_is_lost_since_is_told_by_the_picture_that_was_kept(kept: Kept) -> None:
    _, (told,) = compare_kept(kept, "restyled", offline=True)
    assert told["verdict"] == "different in replay"
    assert told["requests"]["lacking"] == [f"{kept.root}theme.css"]


def test_a_kept_picture_is_held_against_the_version_that_it_is_of(tmp_path: Path) -> None:
    """A capture that looks at pages twice holds later versions, too; the walk of the next one may be nearer to them."""
    editions = iter(range(1000))

    def answer(_host: str, path: str) -> Answer:
        if path not in ("/", "/other"):
            return GONE
        return Answer(f"<!doctype html><h1>Edition {next(editions)}</h1><p>{WORDS}</p><a href=/other>on</a>".encode())

    with SmallSite(answer) as site:
        root = site.url("/")
        for _ in range(2):
            webkeep.capture(root, into=tmp_path / "kept", sitemaps=False, screenshots=True, new=True,
                            purpose="evidence", delay=1.1)  # fmt: skip
    with webkeep.open(tmp_path / "kept") as archive:
        captures = [each.id for each in archive.captures() if each.kind == "capture"]
        assert len({each.payload_digest for each in archive.history(root)}) > 2, "no capture looked twice"
    for capture in captures:
        done = webkeep.report(tmp_path / "kept", capture=capture, browser=True, offline=True)
        pages = json.loads(done.output.read_text())["fidelity"]["pages"]
        assert [each["verdict"] for page in pages for each in page["comparisons"]] == ["the same"] * 2


def test_a_site_that_is_gone_is_told_and_the_kept_picture_speaks_for_it(tmp_path: Path) -> None:
    with SmallSite(ShownSite()) as site:
        root = site.url("/")
        webkeep.capture(root, into=tmp_path / "kept", scope="page", sitemaps=False, screenshots=True, retries=0)
    _, told = compare_kept(Kept(tmp_path / "kept", root, []), "")
    assert [(each["reference"], each["verdict"]) for each in told] == [
        ("live", "not compared"),
        ("kept at capture", "the same"),
    ]
    assert "could not be had" in told[0]["reason"]


def test_the_budget_of_pages_and_seconds_is_kept(shown: Shown) -> None:
    with pytest.raises(webkeep.UsageError):
        webkeep.report(shown.archive, browser=True, browser_pages=0)
    with pytest.raises(webkeep.UsageError):
        webkeep.report(shown.archive, offline=True)
    done = webkeep.report(shown.archive, browser=True, browser_pages=2, browser_seconds=0.001)
    figures = done.report.fidelity
    assert figures is not None
    assert (figures.pages, figures.left) == ((), 2)
    assert any("no time was left" in each for each in done.report.not_computed)


def test_a_capture_without_pictures_says_how_to_have_some(shown: Shown) -> None:
    done = webkeep.report(shown.archive, browser=True, offline=True)
    assert any("capture --screenshots keeps them" in each for each in done.report.not_computed)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1000), ("dark", 375)])
def test_the_pictures_are_shown_with_a_slider(offline_browser: Browser, shown: Shown, scheme: str, width: int) -> None:
    seen, page = look(offline_browser, shown.page, SLIDE, scheme, width)
    assert page.complaints == []
    assert (seen["role"], "live" in seen["label"], "replay" in seen["label"]) == ("range", True, True)
    assert (seen["before"], seen["moved"]) == ("inset(0px 0px 0px 50%)", "inset(0px 0px 0px 80%)")
    assert all(seen["images"])
    assert len(seen["images"]) == 2 * seen["sliders"] > 6
    assert seen["marks"] > 0
    assert seen["unmarked"] == "none"
    assert seen["wide"] <= 0, "the page is wider than the window"
    seen, page = look(offline_browser, shown.page, LOOK, scheme, width)
    assert (page.complaints, seen["unnamed"], seen["headless"], seen["pale"]) == ([], 0, 0, [])


def test_the_slider_moves_by_mouse_and_by_keys(offline_browser: Browser, shown: Shown) -> None:
    opened = Page(shown.page.as_uri(), is_plain=True)
    at: list[str] = []

    def move(browser: Browser, page: Page) -> None:
        found = evaluate(
            browser,
            page,
            """(() => {
          const pictures = document.querySelector('.slider .pictures');
          pictures.scrollIntoView({block: 'start'});
          const {left, top, width} = pictures.getBoundingClientRect();
          return JSON.stringify([left, top, width]);
        })()""",
        )
        left, top, width = json.loads(found)
        read = "document.querySelector('.slider input[type=range]').value"
        for kind, share in (("mousePressed", 0.2), ("mouseMoved", 0.3), ("mouseReleased", 0.3)):
            words = {"type": kind, "x": left + share * width, "y": top + 20, "button": "left", "clickCount": 1}
            browser.call("Input.dispatchMouseEvent", page.session, **words)
        at.append(evaluate(browser, page, read))
        evaluate(browser, page, "document.querySelector('.slider input[type=range]').focus()")
        for kind in ("keyDown", "keyUp"):
            words = {"type": kind, "key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39}
            browser.call("Input.dispatchKeyEvent", page.session, **words)
        at.append(evaluate(browser, page, read))
        at.append(evaluate(browser, page, "getComputedStyle(document.querySelector('.slider .other')).clipPath"))

    visit_all(offline_browser, [opened], then=move)
    assert at == ["30", "31", "inset(0px 0px 0px 31%)"]
    assert opened.complaints == []


WALL = """<style>.shade { position: fixed; inset: 0; background: #000c; z-index: 900 }
#ask { position: fixed; inset: 25%; background: #fff; z-index: 901 }</style>
<div class=shade></div><div id=ask role=dialog>Subscribe or accept all cookies.</div>"""
DIALOG = "<dialog id=notice>We use cookies.</dialog><script>document.getElementById('notice').showModal()</script>"
HEADER = "<header style='position:fixed;inset:0 0 auto 0;height:80px;background:#9cf'>Harbour news</header>"
APPLICATION = "<div id=overlay-root style='position:fixed;inset:0;overflow:auto'>{}</div>"


@pytest.mark.parametrize(
    ("page", "overlays"),
    [
        (WALL + f"<p>{WORDS}</p>", ("div.shade", "div#ask")),
        (DIALOG + f"<p>{WORDS}</p>", ("dialog#notice",)),
        (HEADER + f"<p>{WORDS}</p>", ()),
        (APPLICATION.format(f"<p>{WORDS}</p>"), ()),
    ],
    ids=["wall", "dialog", "header", "application"],
)
def test_what_lies_over_a_page_is_told_from_the_page(page: str, overlays: tuple[str, ...], tmp_path: Path) -> None:
    plain = f"<!doctype html><title>p</title><p>{WORDS}</p>".encode()
    shown = {"/": Answer(f"<!doctype html><title>p</title>{page}".encode()), "/plain": Answer(plain)}
    with SmallSite(lambda _host, path: shown.get(path, GONE)) as site:
        urls = [site.url("/"), site.url("/plain")]
        webkeep.capture(*urls, into=tmp_path / "kept", scope="page", sitemaps=False, screenshots=True)
    with webkeep.open(tmp_path / "kept") as archive:
        found, bare = (read_kept_rendering(archive, url, archive.clock.now(), "") for url in urls)
    assert found is not None
    assert bare is not None
    assert found.overlays == overlays
    if overlays:
        assert (found.picture, found.text) == (bare.picture, bare.text), "all is as if nothing lay over it"

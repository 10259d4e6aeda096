"""Captures with Chromium: what only clicks reveal is recorded, kept as states, and shown again with the server off."""

import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from bench.state_replays import state_replays
from devtools import Browser, BrowserError, Page, chromium, evaluate, open_page
from kept_states import captured, site
from serve_calls import served
from warc_material import on_disk

from webkeep.browser.process import find_program, quiet_switches
from webkeep.cli.main import main
from webkeep.crawl import CaptureResult
from webkeep.crawl.run import fates_of
from webkeep.formats.states import NO_PICTURE, ROOT_STATE, STATE_TYPE, StateNote, rendition_urn
from webkeep.model import Moment, UrlOutcome
from webkeep.quality.states import read_state_report
from webkeep.replay.endpoints import state_url
from webkeep.replay.server import ServerName
from webkeep.replay.words import TextIndex
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.views import read_state_notes, read_walk
from webkeep.store.views.state_notes import select_renditions

PATIENCE = 30.0
DAY = Moment.parse("2024-03-01")
NOWHERE = "MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE localhost"


@dataclass(frozen=True)
class Kept:
    archive: Path
    seed: str
    asked: Counter[str]
    captured: CaptureResult


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("states") / "kept"
    with site() as (seed, asked):
        done = captured(seed, folder, browser="always", states=2, screenshots=True)
        return Kept(folder, seed, asked.copy(), done)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    words = [find_program(), f"--user-data-dir={folder}", *quiet_switches(), "--no-sandbox", "--headless=new",
             f"--host-resolver-rules={NOWHERE}", "about:blank"]  # fmt: skip
    with chromium(words) as browser:
        yield browser
        browser.close()


def test_what_only_clicks_reveal_is_stored_and_followed(kept: Kept) -> None:
    with Archive(kept.archive) as archive:
        held = {each.url.removeprefix(kept.seed) for each in archive}
    clicked = {"menu/news.json", "menu/money.json", "picture/city.png", "picture/world.png", "picture/stocks.png"}
    assert clicked | {"story/city", "story/world", "story/stocks"} <= held
    assert kept.captured.finished
    assert kept.captured.browsed is not None
    assert kept.captured.browsed.resources_by_clicks >= len(clicked)


def test_the_report_has_the_numbers_that_the_capture_told(kept: Kept) -> None:
    with Archive(kept.archive) as archive:
        report, pages = read_state_report(archive)
    told = kept.captured.browsed
    assert told is not None
    assert (len(pages), report.views) == (told.pages, told.views)
    assert (report.fresh, report.clicks) == (told.resources, told.resources_by_clicks)
    assert report.clicks > 0


def test_a_takedown_takes_the_views_of_a_page_and_what_was_made_of_them(kept: Kept, tmp_path: Path) -> None:
    copied, url = tmp_path / "copied", f"{kept.seed}menu.html"
    shutil.copytree(kept.archive, copied)
    with Archive(copied) as archive:
        TextIndex(archive.layout.reports / "words.sqlite").fill(archive)
    assert main(["report", str(copied), "--states"]) == 0
    assert len(on_disk(copied, b"About ")) > 0
    assert main(["remove", str(copied), "--url", url, "--yes"]) == 0
    assert on_disk(copied, b"About ") == []
    assert not (copied / "reports" / "states.html").exists()
    with Archive(copied) as archive:
        assert [note for note in read_state_notes(archive) if note.page == url] == []
        assert [each for each in select_renditions(archive, Selection()) if each.via == url] == []


def test_pictures_and_texts_of_pages_have_names_that_other_viewers_know(kept: Kept) -> None:
    page = f"{kept.seed}menu.html"
    with Archive(kept.archive) as archive:
        for name, kind in (("view", "image/png"), ("text", "text/plain")):
            seen = archive.lookup(f"urn:{name}:{page}")
            assert seen is not None
            assert (seen.record_type, seen.media_type, seen.via) == ("resource", kind, page)
        notes = read_walk(archive, page)
        assert len(notes) > 5
        for note in notes:
            picture = archive.lookup(rendition_urn(note.page, note.id, "screenshot"))
            assert (picture is not None) is (NO_PICTURE not in note.comment)


def test_pictures_of_whole_pages_have_their_own_name(tmp_path: Path) -> None:
    with site() as (seed, _):
        page = f"{seed}plain.html"
        said = {"browser": "always", "scope": "page", "sitemaps": False, "states": 0, "full_page": True}
        assert captured(page, tmp_path / "kept", **said).finished
    with Archive(tmp_path / "kept") as archive:
        whole, text = archive.lookup(f"urn:fullPage:{page}"), archive.lookup(f"urn:text:{page}")
        assert whole is not None
        assert text is not None
        assert (whole.record_type, whole.media_type, whole.via) == ("resource", "image/png", page)
        assert b"".join(archive.read(whole).content()).startswith(b"\x89PNG")
        assert archive.lookup(f"urn:view:{page}") is None, "it is a picture of more than the window"


def test_a_report_tells_which_views_have_no_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive, archive.begin("capture") as capture:
        why = "the browser made none"
        note = StateNote("http://example.org/", ROOT_STATE, "http://example.org/", DAY, rendered="<p>",
        capture=capture.id,
                         comment={NO_PICTURE: why})  # fmt: skip
        archive.submit_metadata(capture.id, note.urn, STATE_TYPE, note.to_block()).result()
    assert main(["report", str(tmp_path / "archive"), "--states", "--html", str(tmp_path / "states.html")]) == 0
    said = capsys.readouterr()
    assert f"no picture of http://example.org/, as it loads: {why}" in said.out + said.err
    assert why in (tmp_path / "states.html").read_text()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("story/city", "after mouseover News, then click city"),
        ("picture/stocks.png", "after mouseover Money, then click stocks"),
        ("menu/news.json", "after mouseover News"),
    ],
    ids=["a link", "a picture", "data"],
)
def test_the_way_to_a_url_tells_what_was_done(
    kept: Kept, capsys: pytest.CaptureFixture[str], url: str, words: str
) -> None:
    assert main(["why", str(kept.archive), kept.seed + url]) == 0
    assert f"found on {kept.seed}menu.html, {words}" in capsys.readouterr().out


def test_walking_costs_the_server_no_request_twice(kept: Kept) -> None:
    often = {asked: times for asked, times in kept.asked.items() if times > 1}
    # These are asked for a second time on one path: menus that are opened again, and a list that grows.
    assert set(often) <= {"GET /next", "GET /menu/news.json", "GET /menu/money.json"}
    assert "GET /" not in often


def test_what_might_do_something_is_withheld(kept: Kept) -> None:
    assert not any(asked.startswith("POST") for asked in kept.asked)
    with Archive(kept.archive) as archive:
        root = read_walk(archive, f"{kept.seed}list.html")[0]
        (wish,) = [wish for each in root.comment["happenings"] for wish in each.get("wishes", ())][:1]
    assert wish == ["POST", f"{kept.seed}order"]


def test_a_copy_says_which_page_lacks_the_answer_to_what_was_held_back(kept: Kept, tmp_path: Path) -> None:
    assert main(["mirror", str(kept.archive), str(tmp_path / "out")]) == 1
    told = (tmp_path / "out/_webkeep/needs-serving.txt").read_text()
    assert told.startswith(f"{kept.seed}list.html\tneeds an answer to what it sends ({kept.seed}order), which")
    assert told.count("\n") == 1


def test_states_have_addresses_of_their_own(kept: Kept) -> None:
    with Archive(kept.archive) as archive:
        notes = list(read_state_notes(archive))
    assert len({note.urn for note in notes}) == len(notes)
    menu = [note for note in notes if note.page.endswith("menu.html")]
    assert {note.level for note in menu} == {0, 1, 2}
    assert {deed.event for note in menu for deed in note.script} == {"mouseover", "click"}


def states(kept: Kept) -> list[StateNote]:
    with Archive(kept.archive) as archive:
        notes = list(read_state_notes(archive))
    return [note for note in notes if note.page.endswith(("menu.html", "list.html"))]


def test_every_state_is_shown_again_with_the_server_off(kept: Kept, browser: Browser) -> None:
    told = []
    with served(kept.archive) as client, Archive(kept.archive) as archive:
        for note in states(kept):
            shown, asked = replayed(browser, client.root, note)
            live = archive.lookup(rendition_urn(note.page, note.id, "text"))
            assert live is not None
            words = "".join(b"".join(archive.read(live).content()).decode().split())
            resources = {each for each in note.path_resources if each != note.page}
            told.append(
                (note.script, shown == words, shown, words, asked - {note.page} == resources, asked ^ resources)
            )
    assert len(told) > 6
    assert not [each for each in told if not (each[1] and each[4])]


def test_states_of_restless_pages_are_shown_again() -> None:
    """One has a clock and a carousel, the other gets something else under one URL each time."""
    found = state_replays(("restless", "load-more"))
    assert found == {"state_replays": 5, "state_replays_equal": 5, "state_replay_pages": 2}


def replayed(browser: Browser, root: str, note: StateNote) -> tuple[str, set[str]]:
    """What can be read in a state that is replayed, and what it asked for."""
    place = ServerName.parse(root).naming_at(note.moment.digits()).replay_url(note.page)
    assert place is not None
    page = Page(state_url(place, note.id), is_plain=True)
    open_page(browser, page)
    deadline = time.monotonic() + PATIENCE
    facts = None
    while facts is None and time.monotonic() < deadline:
        with suppress(BrowserError):  # it may be on its way to the page that is meant
            facts = json.loads(evaluate(browser, page, "JSON.stringify(window.webkeep_state$ || null)") or "null")
    assert facts is not None, "nothing was played"
    assert facts["done"] == facts["steps"] == len(note.script)
    text = evaluate(browser, page, "document.body.innerText")
    names = "JSON.stringify(performance.getEntriesByType('resource').map((each) => each.name))"
    asked = {each for each in json.loads(evaluate(browser, page, names)) if "/.webkeep/" not in each}
    asked = {each for each in asked if not each.endswith("/favicon.ico")}
    browser.call("Target.closeTarget", targetId=page.target)
    return "".join(text.split()), asked


def test_the_view_of_a_page_offers_its_states(kept: Kept) -> None:
    note = next(each for each in states(kept) if each.script)
    with served(kept.archive) as client:
        page = client.ask(f"/view/{note.moment.digits()}/{note.page}").body.decode()
        assert "states" in page
        chosen = client.ask(f"/view/{note.moment.digits()}-{note.id}/{note.page}").body.decode()
    assert f"/-{note.id}" not in page
    assert f"-{note.id}/" in page
    assert f"/.webkeep/state/{note.id}/" in chosen


def test_only_pages_that_need_it_are_run(tmp_path: Path) -> None:
    with site() as (seed, _):
        first = captured(seed, tmp_path / "auto", browser="auto", states=0)
        second = captured(seed, tmp_path / "always", browser="always", states=0)
    assert first.browsed is not None
    assert second.browsed is not None
    assert first.browsed.tiers is not None
    assert first.browsed.pages <= second.browsed.pages
    assert first.counts[UrlOutcome.STORED] == second.counts[UrlOutcome.STORED]


def test_a_capture_goes_on_without_a_browser_that_is_not_there(tmp_path: Path) -> None:
    with site() as (seed, _):
        done = captured(seed, tmp_path / "kept", browser="always", browser_program="no-such-browser")
    assert done.finished
    assert done.browsed is not None
    assert "no-such-browser" in done.browsed.trouble
    assert not done.browsed.is_whole
    assert done.counts[UrlOutcome.STORED] > 3


def test_a_page_is_not_walked_twice_when_a_capture_goes_on(kept: Kept) -> None:
    with Archive(kept.archive) as archive:
        roots = Counter(note.page for note in read_state_notes(archive) if note.id == ROOT_STATE)
    assert set(roots.values()) == {1}


def test_a_browser_obeys_robots_and_sends_what_is_allowed(tmp_path: Path) -> None:
    """Robots.txt holds for what clicks ask for; a request that might do something passes if a person said so."""
    said = {"browser": "always", "scope": "page", "sitemaps": False}
    with site(robots="User-agent: *\nDisallow: /menu/money") as (seed, asked):
        captured(f"{seed}menu.html", tmp_path / "robots", states=1, **said)
        captured(f"{seed}list.html", tmp_path / "posts", states=1, allow_post=["*/order"], **said)
    assert asked["GET /menu/news.json"]
    assert not asked["GET /menu/money.json"]
    assert asked["POST /order"] == 1
    with Archive(tmp_path / "robots") as archive:
        capture = next(iter(archive.captures()))
        fates = {fate.url.removeprefix(seed): fate for fate in fates_of(archive, capture.id)}
    assert fates["menu/money.json"].outcome is UrlOutcome.REFUSED
    assert fates["menu/money.json"].via == f"{seed}menu.html"
    with Archive(tmp_path / "posts") as archive:
        (posted,) = [each for each in archive if each.url == f"{seed}order"]
    assert posted.method == "POST"

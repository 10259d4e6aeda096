"""What a report says where a capture could not look: of what failed, of what lies behind it, and of what is no page."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from capture_calls import capture
from serve_calls import page
from small_site import GONE, Page, SmallSite, linking
from warc_material import webkeep

from certified_site import Look, capture_of, new_archive
from webkeep.model import Fate, UrlOutcome
from webkeep.store.archive import WritableArchive

TOWN = "http://town.example"
BUSY = Page(b"busy", status=500)
PICTURE = Page(b"x", "image/png")


def report(archive: Path, *words: object) -> dict[str, Any]:
    done = webkeep("report", archive, *words, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out.splitlines()[-1])


def changes(told: dict[str, Any], group: str) -> dict[str, int]:
    return {name: count for name, count in told["steps"][-1]["counts"].get(group, {}).items() if count}


@contextmanager
def site_of(archive: Path, *states: dict[str, Page]) -> Iterator[SmallSite]:
    """A site that was captured in each of these states."""
    shown: dict[str, Page] = {}
    with SmallSite(lambda _host, path: shown.get(path, GONE)) as site:
        for state in states:
            shown.clear()
            shown.update(state)
            assert capture(archive, site.url("/"), "--retries", "0").code in (0, 1)
        yield site


def test_what_lies_behind_a_page_that_failed_is_unknown_and_not_deleted(tmp_path: Path) -> None:
    """As `diff` has it; what hung from a page that was read and leads there no more is gone."""
    news, deeper = linking("/news/1", "/news/2"), {"/news/1": linking("/news/1/more"), "/news/2": linking()}
    whole = {"/": linking("/news", "/a"), "/news": news, "/a": linking("/b"), "/b": linking(), **deeper}
    with site_of(tmp_path / "kept", {**whole, "/news/1/more": linking()}, {**whole, "/news": BUSY, "/a": linking()}):
        told = report(tmp_path / "kept")
    assert changes(told, "pages") == {"unchanged": 1, "changed": 1, "unknown": 4, "deleted": 1}
    assert changes(told, "links") == {"unchanged": 2, "unknown": 3, "deleted": 1}
    assert "4 of the 7 resources that the capture before held could not be seen again" in told["verdict"]["sentence"]
    unchanged = next(each for each in told["verdict"]["figures"] if each["key"] == "unchanged")
    assert "3 of 7 could be" in unchanged["definition"]


def test_what_a_recording_lacks_was_not_looked_for(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "kept") as archive:
        for day, paths in ((1, ("/", "/a", "/b")), (2, ("/",))):
            with archive.begin("record", [f"{TOWN}/"]) as recording:
                for path in paths:
                    recording.append(page(f"{TOWN}{path}", f"2024030{day}120000", "<p>Home"))
    assert changes(report(tmp_path / "kept"), "pages") == {"unchanged": 1, "unknown": 2}


def test_a_seed_that_is_none_any_more_was_not_looked_for(tmp_path: Path) -> None:
    with new_archive(tmp_path / "kept") as archive:
        capture_of(archive, [Look("/", 0), Look("/other-seed/", 1)])
        capture_of(archive, [Look("/", 10)])
    assert changes(report(tmp_path / "kept"), "pages") == {"unchanged": 1, "unknown": 1}


def test_a_capture_that_nobody_answered_is_reported_on(tmp_path: Path) -> None:
    """Alone and behind one that went well; a later one is held against what went well."""
    with site_of(tmp_path / "kept", {"/": linking("/a"), "/a": linking()}) as site:
        seed = site.url("/")
    assert capture(tmp_path / "kept", seed, "--retries", "0").code == 1
    told = report(tmp_path / "kept")
    failed = told["series"]["captures"][-1]
    assert (failed["observations"], len(told["series"]["captures"])) == (0, 2)
    assert "holds 0 of 2 wanted URLs (0.0%; cause: connection)" in told["verdict"]["sentence"]
    assert told["verdict"]["sentence"].endswith("It should be made again.")
    assert told["verdict"]["grade"] == "poor"
    assert changes(told, "pages") == {"unknown": 2}
    assert capture(tmp_path / "alone", seed, "--retries", "0").code == 1
    assert report(tmp_path / "alone")["verdict"]["sentence"].endswith("It should be made again.")


def test_a_later_capture_is_held_against_one_that_has_something(tmp_path: Path) -> None:
    shown = {"/": linking("/a"), "/a": linking()}
    with SmallSite(lambda _host, path: shown.get(path, GONE)) as site:
        for address, title in (("127.0.0.1", "one"), ("127.0.0.9", "one"), ("127.0.0.1", "two")):
            shown["/a"] = linking(title=title)
            there = ("--resolve", f"town.example:{site.port}:{address}", "--retries", "0")
            assert capture(tmp_path / "kept", f"http://town.example:{site.port}/", *there).code in (0, 1)
    assert b'"listed": 3' in webkeep("list", tmp_path / "kept", "--captures").out
    told = report(tmp_path / "kept")
    assert [bool(each["observations"]) for each in told["series"]["captures"]] == [True, True]
    assert changes(told, "pages") == {"unchanged": 1, "changed": 1}


def test_failures_are_told_by_what_was_wanted_and_not_by_what_says_so(tmp_path: Path) -> None:
    """A server that has no picture says so in a page; one that does not answer says nothing."""
    with new_archive(tmp_path / "kept") as archive, archive.begin("capture", ["http://site.example/"]) as kept:
        for look in (Look("/", 0), Look("/p.png", 1, status=500), Look("/style.css", 2, status=404)):
            kept.submit(look.exchange())
        lost = [Fate(f"http://site.example/{name}", UrlOutcome.FAILED, "timed out") for name in ("q.jpg", "a/")]
        kept.submit_fates(lost)
    by_type = {
        row["value"]: (row["urls"], row["failed"]) for row in report(tmp_path / "kept")["completeness"]["by"]["type"]
    }
    assert by_type == {"pages": (2, 1), "images": (2, 2), "style sheets": (1, 1)}


def test_a_picture_that_is_gone_is_counted_among_pictures(tmp_path: Path) -> None:
    whole = {"/": linking("/p.png", "/q.png"), "/p.png": PICTURE, "/q.png": PICTURE}
    with site_of(tmp_path / "kept", whole, {**whole, "/p.png": GONE, "/q.png": Page(b"y", "image/png")}):
        told = report(tmp_path / "kept")
    assert changes(told, "images") == {"deleted": 1, "changed": 1}
    assert changes(told, "pages") == {"unchanged": 1}
    assert told["steps"][-1]["categories"] == {"major": 1}, "as diff has it: no text, and another"
    kept = json.loads(Path(told["output"]).read_text())
    points = {each["url"].rpartition("/")[2]: (each["group"], each["change"]) for each in kept["points"]}
    assert points["p.png"] == ("images", "deleted")


def test_a_page_that_asks_for_consent_is_named_itself(tmp_path: Path) -> None:
    asks = b"<title>Before you continue</title><p>We and our partners use cookies.<button>Accept all</button>"
    with new_archive(tmp_path / "kept") as archive:
        capture_of(archive, [Look("/", 0), Look("/shop", 1, asks)])
    notes = report(tmp_path / "kept")["proposal"]["notes"]
    assert [each for each in notes if "http://site.example/shop;" in each]

"""Captures that are stopped in the middle: the same command goes on, and asks again only for what was under way."""

import collections
import random
import shutil
import signal
from pathlib import Path

import pytest
from capture_calls import KEPT, agree, ask_to_stop, capture, ended, fates, is_sound, kept, running, wait_for_helpers
from small_disk import filling_up, make_room
from small_site import Page, SmallSite, linking, moved
from warc_material import webkeep

from webkeep.crawl.links.exchange_analysis import analyse_exchange
from webkeep.crawl.links.extracted_links import ExtractionContext
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive

PAGES = 40


def site_of_many() -> dict[str, Page]:
    """A tree of pages, each of which leads to two others and a picture; some redirects; a robots.txt that moved."""
    pages = {
        "/robots.txt": moved("/rules.txt"),
        "/rules.txt": Page(b"User-agent: *\nDisallow: /secret\n", "text/plain"),
        "/": linking("/0", "/secret"),
    }
    for number in range(PAGES):
        pages[f"/{number}"] = linking(f"/{2 * number + 1}", f"/{2 * number + 2}", f"/{number}.png", f"/to-{number}")
        pages[f"/{number}.png"] = Page(b"picture %d" % number, "image/png")
        pages[f"/to-{number}"] = moved(f"/{number}")
    return pages


def intact(archive: Path) -> set[str]:
    """The URLs that have a record at this moment."""
    with Archive(archive) as opened:
        return {each.url for each in opened.observations() if each.record_type != "metadata"}


def contents(archive: Path) -> collections.Counter[tuple[str, int | None, str]]:
    with Archive(archive) as opened:
        seen = [each for each in opened.observations() if each.record_type != "metadata"]
        return collections.Counter((each.url, each.status, str(each.payload_digest)) for each in seen)


def outcomes(archive: Path, capture_id: str) -> dict[str, tuple[str, str]]:
    """The fates; which of two equal pages came first, and so is not the duplicate, is chance."""
    told = fates(archive, capture_id).items()
    return {url: ("stored" if outcome in KEPT else outcome, reason) for url, (outcome, reason) in told}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.mark.parametrize("moment", [0, 1, 3, 10, 40, 90])
def test_killed_and_gone_on_with(archive: Path, tmp_path: Path, moment: int) -> None:
    with SmallSite(site_of_many()) as site:
        site.hold_after(moment)
        with running(archive, site.url()) as process:
            site.wait_for_requests(moment + 1)
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        site.let_go()
        held = intact(archive) if (archive / "catalog.sqlite").exists() else set()
        # Rules that had moved and were not followed to their end are asked for from the beginning.
        half_read = set() if site.url("/rules.txt") in held else {site.url("/robots.txt")}
        before = len(site.asked)
        done = capture(archive, site.url())
        assert done.code == 0, done.err
        asked_again = {site.url(path) for _, path in site.asked[before:]} & held
        assert asked_again <= half_read
        assert done.summary["finished"]
        agree(archive, done.summary)
        whole = tmp_path / "whole"
        uninterrupted = capture(whole, site.url())
        assert set(contents(archive)) == set(contents(whole))
        assert {count for (url, *_), count in contents(archive).items() if url not in half_read} == {1}
        assert outcomes(archive, done.summary["capture"]) == outcomes(whole, uninterrupted.summary["capture"])


@pytest.mark.parametrize("gone", ["frontier.sqlite", "jobs", "catalog and index"])
def test_what_the_url_store_knew_is_found_in_the_archive(archive: Path, gone: str) -> None:
    with SmallSite(site_of_many()) as site:
        site.hold_after(50)
        with running(archive, site.url()) as process:
            site.wait_for_requests(51)
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        site.let_go()
        wait_for_helpers(archive)  # which may still have the files open that are about to go
        held = intact(archive)
        assert len(held) > 10
        if gone == "jobs":
            shutil.rmtree(archive / "jobs")
        elif gone == "frontier.sqlite":
            for path in archive.glob("jobs/*/frontier.sqlite*"):
                path.unlink()
        else:
            (archive / "catalog.sqlite").unlink()
            shutil.rmtree(archive / "index")
        before = len(site.asked)
        done = capture(archive, site.url())
        assert done.code == 0, done.err
        assert done.summary["resumed"]
        assert not {site.url(path) for _, path in site.asked[before:]} & held
        assert {url.removeprefix(site.url("")) for url in kept(archive)} == {*site_of_many(), *missing_pages()}
        agree(archive, done.summary)


def missing_pages() -> set[str]:
    """Pages that are linked and not there; their answers are stored too."""
    linked = {f"/{2 * number + step}" for number in range(PAGES) for step in (1, 2)}
    return {path for path in linked if path not in site_of_many()}


def test_interrupted_once_finishes_what_is_under_way(archive: Path) -> None:
    with SmallSite(site_of_many()) as site:
        site.hold_after(10)
        with running(archive, site.url()) as process:
            site.wait_for_requests(12)
            ask_to_stop(process)
            site.let_go()
            summary = ended(process)
        asked = {site.url(path) for _, path in site.asked}
        assert summary["code"] == 3
        assert not summary["finished"]
        assert summary["fates"]["queued"] > 0
        assert intact(archive) == asked  # nothing that was under way is lost
        before = len(site.asked)
        done = capture(archive, site.url())
        assert done.code == 0
        assert done.summary["resumed"]
        assert not {site.url(path) for _, path in site.asked[before:]} & asked
        assert is_sound(archive)


def test_interrupted_twice_lets_go(archive: Path) -> None:
    with SmallSite(site_of_many()) as site:
        site.hold_after(10)
        with running(archive, site.url()) as process:
            site.wait_for_requests(12)
            ask_to_stop(process)
            process.send_signal(signal.SIGINT)
            summary = ended(process)  # the site answers nothing, and it ends all the same
        assert summary["code"] == 3
        site.let_go()
        held = intact(archive)
        before = len(site.asked)
        done = capture(archive, site.url())
        assert done.code == 0
        assert not {site.url(path) for _, path in site.asked[before:]} & held
        agree(archive, done.summary)


def test_the_same_command_goes_on_and_others_begin_anew(archive: Path) -> None:
    with SmallSite(site_of_many()) as site:
        stopped = stop_after(archive, site, site.url(), "--delay", "0")
        other = capture(archive, site.url(), "--exclude", "*.png", "--max-urls", "1")
        assert not other.summary["resumed"]
        anew = capture(archive, site.url(), "--delay", "0", "--new", "--max-seconds", "20")
        assert not anew.summary["resumed"]
        gone_on_with = capture(archive, site.url(), "--delay", "0", "--connections", "2")  # a pace is no plan
        assert gone_on_with.summary["resumed"]
        assert gone_on_with.summary["capture"] == stopped
        third = capture(archive, site.url(), "--delay", "0")
        assert not third.summary["resumed"]
        assert is_sound(archive)


def stop_after(archive: Path, site: SmallSite, *words: object) -> str:
    """Stop a capture in the middle; gives its identifier."""
    site.hold_after(10)
    with running(archive, *words) as process:
        site.wait_for_requests(len(site.asked) + 11)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    site.let_go()
    with Archive(archive) as opened:
        return next(each.id for each in opened.captures() if each.finished is None)


def test_a_full_disk_is_one_line_and_no_damage(tmp_path: Path) -> None:
    pages = site_of_many()
    noise = random.Random(5)
    pages |= {path: Page(noise.randbytes(150_000), "image/png") for path in pages if path.endswith(".png")}
    with SmallSite(pages) as site, filling_up(tmp_path / "disk") as disk:
        archive = disk / "archive"
        done = webkeep("capture", site.url(), "--into", archive, as_json=False)
        assert done.code == 3
        (line,) = done.lines
        assert line.startswith("webkeep: ")
        make_room(disk)
        held = intact(archive)
        assert len(held) > 3
        before = len(site.asked)
        again = webkeep("capture", site.url(), "--into", archive, as_json=False)
        assert again.code == 0
        assert f"going on with capture {unfinished(archive)[:8]}" in again.lines
        assert not {site.url(path) for _, path in site.asked[before:]} & held
        assert {url.removeprefix(site.url("")) for url in kept(archive)} == {*pages, *missing_pages()}
        assert is_sound(archive)


def unfinished(archive: Path) -> str:
    with Archive(archive) as opened:
        return next(each.id for each in opened.captures() if each.kind == "capture")


def test_where_rules_moved_to_is_known_after_a_stop(archive: Path) -> None:
    """It is in no queue; the capture that goes on finds it in the archive."""
    with SmallSite(site_of_many()) as site:
        site.hold_after(17)
        with running(archive, site.url()) as process:
            site.wait_for_requests(18)
            ask_to_stop(process)
            site.let_go()
            assert ended(process)["code"] == 3
        done = capture(archive, site.url())
        assert done.summary["resumed"]
        assert fates(archive, done.summary["capture"])[site.url("/rules.txt")][0] == "stored"
        agree(archive, done.summary)


def test_kill_after_kill(archive: Path) -> None:
    """Each a little later than the one before, until nothing is left to do."""
    with SmallSite(site_of_many()) as site:
        for _ in range(5):
            site.hold_after(17)
            with running(archive, site.url()) as process:
                site.wait_for_requests(len(site.asked) + 18)
                process.send_signal(signal.SIGKILL)
                process.wait(30)
            site.let_go()
        done = capture(archive, site.url())
        assert done.code == 0
        counted = contents(archive)
        assert max(counted.values()) == 1
        told = fates(archive, done.summary["capture"])
        assert {url for url, (outcome, _) in told.items() if outcome in KEPT} == {url for url, *_ in counted}


def test_links_of_what_was_not_stored_are_found_again_in_the_same_process(archive: Path) -> None:
    """Links that were told once are not told again, but only to the run that they were told to."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    seen = Exchange("http://example.org/", Moment(0), page, BytesBody(b'<a href="/next">next</a>'))
    with WritableArchive.create(archive) as opened:
        first = opened.begin("capture")
        again = opened.resume_capture(first.capture)
    told = [analyse_exchange(ExtractionContext(run.run_id), seen) for run in (first, first, again)]
    assert [len(each.links) for each in told] == [1, 0, 1]

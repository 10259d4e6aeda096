"""Bringing an archive up to date: only what changed is sent, and the report tells what that was."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from capture_calls import agree, capture, ended, events, is_sound, started
from small_site import GONE, Page, SmallSite, linking, moved
from warc_material import Done, webkeep

from webkeep.store.archive import Archive


class Site:
    """Pages that can be changed, with or without validators."""

    def __init__(self, pages: dict[str, Page], etags: bool = True) -> None:
        self.pages = pages
        self.etags = etags
        self.site: SmallSite
        self.sent = 0

    def __call__(self, _host: str, path: str) -> Page:
        page = self.pages.get(path, GONE)
        if not self.etags or page.status != 200:
            self.sent += len(page.body)
            return page
        tag = f'"{hash((path, page.body)) & 0xFFFFFFFF:x}"'
        if self.site.fields[-1].get("if-none-match") == tag:
            return Page(status=304, headers={"ETag": tag})
        self.sent += len(page.body)
        return Page(page.body, page.type, page.status, {"ETag": tag})

    def __enter__(self) -> "Site":
        self.site = SmallSite(self).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.site.__exit__(*error)


def text(words: str, *links: str) -> Page:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return Page(f"<!doctype html><title>t</title><p>{words}</p>{anchors}".encode())


def site() -> dict[str, Page]:
    return {
        "/": text("start", "/a", "/b", "/c", "/d"),
        "/a": text("first words of a"),
        "/b": text("b", "/e"),
        "/c": text("c"),
        "/d": text("d"),
        "/e": text("e"),
    }


def update(archive: Path, *words: object) -> Done:
    return webkeep("update", archive, "--connections", "1", "--changes", *words)


def changes(done: Done) -> dict[str, str]:
    return {"/" + each["url"].split("/", 3)[3]: each["kind"] for each in events(done, "change")}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.mark.parametrize("etags", [True, False])
def test_the_report_tells_what_was_done_to_the_site(archive: Path, etags: bool) -> None:
    with Site(site(), etags) as server:
        assert capture(archive, server.site.url()).code == 0
        server.pages["/a"] = text("other words of a")
        server.pages["/"] = text("start", "/a", "/b", "/c", "/d", "/new")
        server.pages["/new"] = text("n")
        del server.pages["/c"]
        server.pages["/moved"] = server.pages.pop("/d")
        server.pages["/b"] = text("b", "/e", "/moved")
        done = update(archive)
        told = {**changes(done)}
        assert done.summary["changes"] == {
            "added": 1, "changed": 3, "insignificant": 0, "removed": 1, "moved": 1, "unchanged": 1, "unknown": 0,
        }  # fmt: skip
        assert told == {
            "/": "changed",
            "/a": "changed",
            "/b": "changed",
            "/c": "removed",
            "/d": "moved",
            "/new": "added",
        }
        (a,) = [each for each in events(done, "change") if each["url"].endswith("/a")]
        assert a["text"] == ["-first words of a", "+other words of a"]
        agree(archive, done.summary)
        assert update(archive).summary["changes"]["unchanged"] == 6


def test_what_has_not_changed_is_not_sent_and_links_are_still_followed(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        server.sent = 0
        server.pages["/e"] = text("another e")
        done = update(archive)
        assert server.sent == len(server.pages["/e"].body) + len(GONE.body), (
            "that page, and that there is no robots.txt"
        )
        assert changes(done) == {"/e": "changed"}
        asked = [fields for fields in server.site.fields if "if-none-match" in fields]
        assert len(asked) == 6


@pytest.mark.parametrize("status", [500, 403, 503])
def test_a_server_in_trouble_removes_nothing(archive: Path, status: int) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        server.pages["/c"] = Page(b"trouble", status=status)
        done = update(archive, "--retries", "0")
        assert changes(done) == {"/c": "unknown"}
        assert done.summary["changes"]["removed"] == 0


def test_a_page_that_nothing_links_to_any_more_is_still_looked_at(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        server.pages["/b"] = text("b")
        done = update(archive)
        assert changes(done) == {"/b": "changed"}
        assert "/e" in server.site.paths[-7:]


def test_a_redirect_to_a_page_that_is_there_is_a_move(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        server.pages["/c"] = moved("/c2", 301)
        server.pages["/c2"] = text("c, revised")
        done = update(archive)
        (change,) = events(done, "change")
        assert (change["kind"], change["target"]) == ("moved", server.site.url("/c2"))


def test_a_new_session_makes_no_page_new(archive: Path) -> None:
    session = ["one" * 8]

    def answer(_host: str, path: str) -> Page:
        if path == "/robots.txt":
            return GONE
        return linking(*(f"/{name}?sid={session[0]}" for name in "abc"), title=path.partition("?")[0])

    with SmallSite(answer) as server:
        capture(archive, server.url())
        session[0] = "two" * 8
        done = update(archive)
        assert changes(done) == {}
        assert done.summary["changes"]["unchanged"] == 4
        assert not [path for path in server.paths[-4:] if "one" in path]


def test_a_page_that_was_gone_and_is_back_is_stored_whole(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        page = server.pages.pop("/c")
        assert changes(update(archive)) == {"/c": "removed"}
        server.pages["/c"] = page
        assert changes(update(archive)) == {"/c": "added"}
        with Archive(archive) as opened:
            held = opened.lookup(server.site.url("/c"))
            assert held is not None
            assert b"".join(opened.read(held).content()) == page.body


def test_a_stopped_update_is_gone_on_with_and_removes_nothing(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        server.pages["/a"] = text("other")
        server.site.hold_after(4)
        command = ["update", str(archive), "--connections", "1"]
        with started_update(command) as process:
            server.site.wait_for_requests(len(server.site.asked) + 3)
            process.send_signal(signal.SIGKILL)
            process.wait()
        server.site.let_go()
        done = update(archive)
        assert done.summary["resumed"]
        assert done.summary["changes"] == {
            "added": 0, "changed": 1, "insignificant": 0, "removed": 0, "moved": 0, "unchanged": 5, "unknown": 0,
        }  # fmt: skip
        assert is_sound(archive)


def started_update(words: list[str]) -> Any:
    return subprocess.Popen(
        [sys.executable, "-m", "webkeep", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def test_what_is_said_anew_overrules_the_plan(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url(), "--exclude", "/d")
        before = len(server.site.paths)
        done = update(archive, "--exclude", "/e", "--user-agent", "another/1")
        assert not {"/d", "/e"} & set(server.site.paths[before:])
        assert server.site.fields[-1]["user-agent"] == "another/1"
        assert changes(done) == {"/e": "unknown"}


def test_there_must_be_something_to_bring_up_to_date(archive: Path, tmp_path: Path) -> None:
    assert webkeep("update", tmp_path / "nothing").code == 2
    with SmallSite({"/": linking()}) as server, started(archive, server.url()) as process:
        server.wait_for_requests(1)
        assert ended(process)["code"] == 0
    assert webkeep("update", archive, "--capture", "zzz").code == 2


def test_pages_numbered_by_a_short_sid_are_pages_of_their_own(archive: Path) -> None:
    words = ["old"]

    def answer(_host: str, path: str) -> Page:
        if path == "/":
            return linking(*(f"/story?sid={number}" for number in range(3)))
        return text(f"{words[0]} {path}") if path.startswith("/story") else GONE

    with SmallSite(answer) as server:
        capture(archive, server.url())
        words[0] = "new"
        assert update(archive).summary["changes"]["changed"] == 3


def test_a_page_that_failed_once_is_asked_for_again_and_is_not_new(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        server.pages["/b"] = text("b")
        kept = server.pages["/e"]
        server.pages["/e"] = Page(b"trouble", status=500)
        assert changes(update(archive, "--retries", "0")) == {"/b": "changed", "/e": "unknown"}
        server.pages["/e"] = kept
        done = update(archive)
        assert changes(done) == {}
        assert done.summary["changes"]["unchanged"] == 6


def test_what_is_said_for_one_update_holds_for_that_alone(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        assert update(archive, "--max-urls", "2").summary["changes"]["unknown"] == 4
        done = update(archive)
        assert done.summary["changes"] == {
            "added": 0, "changed": 0, "insignificant": 0, "removed": 0, "moved": 0, "unchanged": 6, "unknown": 0,
        }  # fmt: skip


def test_a_page_that_was_cut_off_is_asked_for_whole(archive: Path) -> None:
    with Site(site()) as server:
        server.pages["/c"] = text("long " * 1000)
        capture(archive, server.site.url(), "--max-size", "1000")
        update(archive, "--max-size", "100kB")
        with Archive(archive) as opened:
            held = opened.lookup(server.site.url("/c"))
            assert held is not None
            assert b"".join(opened.read(held).content()) == server.pages["/c"].body


@pytest.mark.parametrize("tag", ["*", '"caf\u00e9"', '"' + "x" * 30_000 + '"', "bare", '"a" "b"'])
def test_tags_that_are_none_are_not_sent_back(archive: Path, tag: str) -> None:
    pages = {"/": Page(b"<p>one", headers={"ETag": tag.encode().decode("latin-1")})}
    with SmallSite(pages) as server:
        capture(archive, server.url())
        pages["/"] = Page(b"<p>two", headers=pages["/"].headers)
        assert changes(update(archive)) == {"/": "changed"}
        assert not any("if-none-match" in fields for fields in server.fields)


def test_an_update_does_not_go_on_with_a_capture_that_was_stopped(archive: Path) -> None:
    with Site(site()) as server:
        capture(archive, server.site.url())
        server.site.hold_after(2)
        with started(archive, server.site.url(), "--new") as process:
            server.site.wait_for_requests(len(server.site.asked) + 3)
            process.send_signal(signal.SIGKILL)
            process.wait()
        server.site.let_go()
        done = update(archive)
        assert not done.summary["resumed"]
        assert done.summary["changes"]["unchanged"] == 6


def test_pages_without_content_do_not_move_to_one_another(archive: Path) -> None:
    pages = {"/": linking("/a", "/b"), "/a": Page(b""), "/b": Page(b"")}
    with SmallSite(pages) as server:
        capture(archive, server.url())
        pages["/"] = linking("/a", "/b", "/c")
        del pages["/a"], pages["/b"]
        pages["/c"] = Page(b"")
        assert changes(update(archive)) == {"/": "changed", "/a": "removed", "/b": "removed", "/c": "added"}

"""Captures that are steered while they run, and asked why."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from capture_calls import capture, ended, events, fates, running
from small_site import Page, SmallSite, linking, moved
from warc_material import Done, webkeep

from webkeep.store.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def pages() -> dict[str, Page]:
    names = [f"/docs/{number}" for number in range(60)]
    more = {name: linking(f"{name}.png", "/blog/") for name in names}
    pictures = {f"{name}.png": Page(name.encode(), "image/png") for name in names}
    return {"/docs/": linking(*names), "/blog/": linking("/blog/post"), "/blog/post": linking()} | more | pictures


def control(archive: Path, *words: object) -> Done:
    return webkeep("control", archive, *words)


def hear(process: subprocess.Popen[str], text: str) -> dict[str, Any]:
    """Wait until a running capture says so."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            told: dict[str, Any] = json.loads(line)
            return told
    raise AssertionError(f"it ended without saying {text!r}")


def status(archive: Path) -> dict[str, Any]:
    done = control(archive, "status")
    assert done.code == 0, done.err
    return done.summary


def wait_for_state(archive: Path, **values: object) -> dict[str, Any]:
    """Ask until the capture is in a state, which it tells twice a second."""
    while True:
        told = status(archive)
        if all(told["state"].get(name) == value for name, value in values.items()):
            return told


def test_paused_and_resumed(archive: Path) -> None:
    with SmallSite(pages()) as site:
        site.hold_after(10)
        with running(archive, site.url("/docs/")) as process:
            site.wait_for_requests(12)
            assert control(archive, "pause").code == 0
            hear(process, "told to pause")
            site.let_go()
            told = wait_for_state(archive, paused=True, in_flight=0)
            assert told["running"]
            assert told["state"]["counts"]["queued"] > 0
            asked = len(site.asked)
            wait_for_state(archive, paused=True, in_flight=0)
            assert len(site.asked) == asked
            line = webkeep("control", archive, "status", as_json=False).err
            assert ": paused; " in line
            assert control(archive, "resume").code == 0
            summary = ended(process)
        assert summary["code"] == 0
        assert set(site.paths) == {path for path in pages() if path.startswith("/docs/")}


def test_stopped_and_gone_on_with(archive: Path) -> None:
    with SmallSite(pages()) as site:
        site.hold_after(10)
        with running(archive, site.url("/docs/")) as process:
            site.wait_for_requests(12)
            control(archive, "stop")
            hear(process, "told to stop")
            site.let_go()
            summary = ended(process)
        assert summary["code"] == 3
        told = status(archive)
        assert not told["running"]
        assert ": stopped; " in webkeep("control", archive, "status", as_json=False).err
        for order in ("pause", "resume", "stop"):
            refused = control(archive, order)
            assert refused.code == 2
            assert "goes on with it" in refused.summary["error"]
        done = capture(archive, site.url("/docs/"))
        assert done.code == 0
        assert done.summary["resumed"]
        over = control(archive, "status")
        assert over.code == 2
        assert "no capture is under way" in over.summary["error"]


def test_scope_changed_while_it_runs(archive: Path) -> None:
    with SmallSite(pages()) as site:
        site.hold_after(10)
        with running(archive, site.url("/docs/"), "--connections", "1") as process:
            site.wait_for_requests(11)
            control(archive, "set", "--exclude", "*.png", "--include", "/blog/*")
            hear(process, "told to set")
            asked = set(site.paths)
            site.let_go()
            summary = ended(process)
        assert summary["code"] == 0
        assert {"/blog/", "/blog/post"} <= set(site.paths)
        assert {path for path in set(site.paths) - asked if path.endswith(".png")} == set()
        left_out = [reason for outcome, reason in fates(archive).values() if outcome == "out-of-scope"]
        assert left_out
        assert set(left_out) == {"the rule '*.png' excludes it"}


def test_what_was_changed_holds_when_it_is_gone_on_with(archive: Path) -> None:
    with SmallSite(pages()) as site:
        site.hold_after(10)
        with running(archive, site.url("/docs/"), "--connections", "1") as process:
            site.wait_for_requests(11)
            control(archive, "set", "--exclude", "*.png", "--delay", "0.01")
            hear(process, "told to set")
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        asked = set(site.paths)
        site.let_go()
        done = capture(archive, site.url("/docs/"), "--connections", "1")
        assert done.summary["resumed"]
        assert not [path for path in set(site.paths) - asked if path.endswith(".png")]
        ledger = done.summary["hosts"][f"127.0.0.1:{site.port}"]
        assert [seconds for _, seconds, _ in ledger["delays"]][-1] == 0.01


def test_delay_changed_while_it_runs(archive: Path) -> None:
    with SmallSite(pages()) as site:
        site.hold_after(90)
        with running(archive, site.url("/docs/"), "--connections", "1") as process:
            site.wait_for_requests(91)
            control(archive, "set", "--delay", "0.02")
            hear(process, "told to set")
            site.let_go()
            summary = ended(process)
        delays = [each[1:] for each in summary["hosts"][f"127.0.0.1:{site.port}"]["delays"]]
        assert delays[0] == [0.0, "loopback"]
        assert [0.02, "plan"] in delays  # beside that of a server that was slow to answer


def test_a_word_that_cannot_be_meant_does_not_end_the_capture(archive: Path) -> None:
    with SmallSite(pages()) as site:
        site.hold_after(10)
        with running(archive, site.url("/docs/")) as process:
            site.wait_for_requests(11)
            (folder,) = (archive / "jobs").iterdir()
            (folder / "word-1.json").write_text("[1, 2")
            (folder / "word-2.json").write_text('{"order": "explode"}')
            (folder / "word-3.json").write_text('{"order": "set", "values": {"delay": "soon", "include": 7}}')
            hear(process, "cannot be set")
            site.let_go()
            assert ended(process)["code"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["set"], "nothing to set"),
        (["pause", "--delay", "2"], "goes with set"),
        (["set", "--delay", "soon"], "is no duration"),
        (["set", "--include", "re:("], "is no regular expression"),
        (["set", "--exclude", "  "], "rule is empty"),
        (["dance"], "invalid choice"),
        (["status", "--capture", "zzz"], "no capture that begins with 'zzz'"),
        (["pause"], "no capture is under way"),
    ],
)
def test_wrong_calls_are_one_line(archive: Path, words: list[str], said: str) -> None:
    with SmallSite({"/": linking()}) as site:
        capture(archive, site.url())
    done = webkeep("control", archive, *words, as_json=False)
    assert done.code == 2
    (line,) = done.lines
    assert said in line


# ---- why ----

SITE = {
    "/robots.txt": Page(b"User-agent: *\nDisallow: /private\n", "text/plain"),
    "/": linking("/a/", "/private", "http://127.0.0.1:1/far"),
    "/a/": Page(b'<link rel=stylesheet href="s.css"><a href="/moved">x</a>'),
    "/a/s.css": Page(b"body { background: url(deep.png) }", "text/css"),
    "/a/deep.png": Page(b"png", "image/png"),
    "/moved": moved("/a/"),
}


def why(archive: Path, url: str) -> list[str]:
    done = webkeep("why", archive, url, as_json=False)
    assert done.code == 0, done.err
    return [line.strip() for line in done.out.decode().splitlines()]


def test_why_tells_the_fate_and_the_way(archive: Path) -> None:
    with SmallSite(SITE) as site:
        capture(archive, site.url())
        assert why(archive, site.url("/a/deep.png"))[1:] == [
            "stored",
            f"found on {site.url('/a/s.css')} in css url()",
            f"found on {site.url('/a/')} in html link[stylesheet]",
            f"found on {site.url()} in html a[href]",
            "which was named as a seed",
        ]
        refused = why(archive, site.url("/private"))
        assert refused[1] == "not asked for, because the site refuses it: robots.txt: Disallow: /private (line 2)"
        assert why(archive, "http://127.0.0.1:1/far#part")[1].startswith("not asked for, because it is out of scope: ")
        assert why(archive, site.url())[2] == "it was named as a seed"
        assert why(archive, site.url("/robots.txt"))[2] == "it was asked for its rules"
        told = webkeep("why", archive, site.url("/a/s.css"))
        (event,) = events(told, "why")
        assert event["trail"] == [site.url("/a/"), site.url()]
        assert told.summary["known"]


def test_why_of_what_nobody_saw(archive: Path) -> None:
    with SmallSite(SITE) as site:
        capture(archive, site.url())
        done = webkeep("why", archive, site.url("/never"), as_json=False)
    assert done.code == 1
    assert "no page it read had a link to it" in done.err


def test_why_while_it_runs_and_after_it_was_killed(archive: Path) -> None:
    with SmallSite(pages()) as site:
        site.hold_after(10)
        with running(archive, site.url("/docs/"), "--connections", "1") as process:
            site.wait_for_requests(11)
            while webkeep("why", archive, site.url("/docs/0"), as_json=False).code:
                pass  # it puts on disk about once a second what it knows
            under_way = why(archive, site.url("/docs/"))
            assert under_way[0].endswith("under way or stopped")
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        site.let_go()
        assert why(archive, site.url("/docs/59"))[1] == "still to be asked for"
        assert why(archive, site.url("/docs/0"))[1:3] == ["stored", f"found on {site.url('/docs/')} in html a[href]"]
        queued = [outcome for outcome, _ in fates(archive).values() if outcome == "queued"]
        assert queued
        assert events(webkeep("list", archive, "--hosts"), "host")
        for path in archive.glob("jobs/*/*"):
            if path.is_file():
                path.unlink()
        assert why(archive, site.url("/docs/0"))[1] == "stored"


def test_why_in_several_captures(archive: Path) -> None:
    with SmallSite(SITE) as site:
        first = capture(archive, site.url(), "--exclude", "/a/*").summary["capture"]
        second = capture(archive, site.url()).summary["capture"]
        answers = webkeep("why", archive, site.url("/a/")).summary["captures"]
        assert [(each["capture"], each["outcome"]) for each in answers] == [(second, "stored"), (first, "out-of-scope")]
        only = webkeep("why", archive, site.url("/a/"), "--capture", first[:8]).summary["captures"]
        assert [each["capture"] for each in only] == [first]


def test_why_of_an_import(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "index.html").write_text("hello")
    webkeep("import", tmp_path / "files", "--base-url", "http://example.org/", "--into", archive)
    with Archive(archive) as opened:
        url = next(each.url for each in opened.observations() if each.record_type == "resource")
    assert why(archive, url)[1:] == ["stored", "it was part of an import"]


def test_why_after_an_update_names_what_led_there_before(archive: Path) -> None:
    pages = {"/": linking("/a"), "/a": linking("/b"), "/b": linking()}
    with SmallSite(pages) as site:
        capture(archive, site.url())
        pages["/"], pages["/a"] = linking("/c"), linking()  # nothing leads to /b any more, and something to /c
        pages["/c"] = linking()
        webkeep("update", archive)
        webkeep("update", archive)
    first, second, third = (each["capture"] for each in events(webkeep("list", archive), "capture"))
    (told, between, _) = events(webkeep("why", archive, site.url("/b")), "why")
    assert [step.partition(" of ")[0] for step in told["found"]] == [
        f"known from capture {second[:8]}",
        f"known from capture {first[:8]}",
        f"found on {site.url('/a')} in html a[href]",
        f"found on {site.url()} in html a[href]",
    ]
    assert (told["origin"], told["known_from"]) == ("which was named as a seed", [second, first])
    assert between["known_from"] == [first]
    assert why(archive, site.url())[2] == "it was named as a seed"
    newest, _ = events(webkeep("why", archive, site.url("/c")), "why")
    assert newest["found"][1:] == [f"found on {site.url()} in html a[href]"]
    assert newest["capture"] == third


def test_why_after_a_second_coherent_capture(archive: Path) -> None:
    pages = {"/": linking("/a"), "/a": linking(), "/sitemap.xml": Page(b"<urlset></urlset>", "application/xml")}
    with SmallSite(pages) as site:
        for _ in range(2):
            capture(archive, site.url(), "--for", "exploring")
            pages["/"] = linking()
    (told, first) = events(webkeep("why", archive, site.url("/a")), "why")
    assert told["known_from"] == [first["capture"]]
    assert told["found"][1:] == [f"found on {site.url()} in html a[href]"]
    sitemaps = events(webkeep("why", archive, site.url("/sitemap.xml")), "why")
    assert sitemaps[1]["origin"] == "it was looked for because sites usually have it"

"""Which version of which URL is in a copy."""

from pathlib import Path

import pytest
from mirror_material import DAY, SITE, archived, seen

from webkeep.mirror.names.file_system_profile import PORTABLE
from webkeep.mirror.selection import CopySelection
from webkeep.mirror.selection.copy_contents import CopyContents, GoneUrl, choose_contents
from webkeep.model import Exchange
from webkeep.store.archive import Archive


def contents(folder: Path, *exchanges: Exchange, at: float = 0, strictly: bool = False) -> CopyContents:
    with Archive(archived(folder / "archive", *exchanges)) as archive:
        return choose_contents(archive, CopySelection(DAY.plus(at), strictly), PORTABLE)


@pytest.mark.parametrize(
    ("at", "strictly", "second"), [(0, False, 10), (24, False, 20), (26, False, 30), (26, True, 20), (99, True, 30)]
)
def test_the_nearest_version_is_taken_and_strictly_none_that_is_later(
    tmp_path: Path, at: int, strictly: bool, second: int
) -> None:
    pages = [seen("/", f"as of {when}", seconds=when) for when in (10, 20, 30)]
    item = contents(tmp_path, *pages, at=at, strictly=strictly).find(f"{SITE}/")
    assert item is not None
    assert item.moment == DAY.plus(second)


def test_strictly_before_everything_there_is_nothing(tmp_path: Path) -> None:
    assert len(contents(tmp_path, seen("/", "x", seconds=10), at=5, strictly=True)) == 0


@pytest.mark.parametrize("status", [401, 403, 429, 451, 500, 503])
def test_what_failed_later_does_not_take_the_place_of_what_there_is(tmp_path: Path, status: int) -> None:
    found = contents(tmp_path, seen("/a", "there"), seen("/a", "failed", status=status, seconds=50), at=50)
    item = found.find(f"{SITE}/a")
    assert item is not None
    assert item.status == 200
    assert not found.gone


@pytest.mark.parametrize("status", [404, 410])
def test_what_was_gone_by_the_moment_is_not_there_and_told(tmp_path: Path, status: int) -> None:
    pages = seen("/", "home"), seen("/a", "there"), seen("/a", "gone", status=status, seconds=50)
    later = contents(tmp_path, *pages, seen("/a", "failed", status=503, seconds=60), at=99)
    assert later.find(f"{SITE}/a") is None
    assert later.gone == {f"{SITE}/a": GoneUrl(status, DAY.plus(50).micros, DAY.micros)}
    with Archive(tmp_path / "archive") as archive:
        before = choose_contents(archive, CopySelection(DAY.plus(20)), PORTABLE)
        shown = choose_contents(archive, CopySelection(DAY.plus(99), with_gone=True), PORTABLE)
        left = choose_contents(archive, CopySelection(DAY.plus(99), includes=lambda url: "a" not in url), PORTABLE)
    for each in (before, shown):
        assert each.find(f"{SITE}/a") is not None
    assert not before.gone
    assert shown.gone == later.gone
    assert not left.gone, "what is not wanted at all is not told"


def test_what_came_back_is_there(tmp_path: Path) -> None:
    pages = [seen("/a", "x", status=status, seconds=when) for when, status in enumerate((200, 404, 200))]
    found = contents(tmp_path, *pages, at=99)
    assert found.find(f"{SITE}/a") is not None
    assert not found.gone


def test_what_was_never_there_is_not_gone(tmp_path: Path) -> None:
    assert not contents(tmp_path, seen("/", "x"), seen("/a", "gone", status=404), at=99).gone
    assert contents(tmp_path / "b", seen("/a", "gone", status=404)).find(f"{SITE}/a") is None


def test_names_that_urls_end_with_are_not_held_twice(tmp_path: Path) -> None:
    found = contents(tmp_path, seen("/a/b.html", "b"), seen("/a/", "a"), seen("/c?d=1", "c"))
    held = {item.name: item.own_leaf for item in found}
    assert held == {
        "example.org/a/b.html": "",
        "example.org/a/index.html": "index.html",
        "example.org/c_d=1.html": "c_d=1.html",
    }


def test_what_is_embedded_comes_along(tmp_path: Path) -> None:
    page = (
        "<link rel=stylesheet href=/s.css><script src=/s.js></script><img src=/moved><img src=/not.png>"
        "<iframe src=/frame></iframe><a href=/on>on</a>"
    )
    archived(
        tmp_path / "archive",
        seen("/in/", page),
        seen("/s.css", "@import 't.css'", "text/css"),
        seen("/t.css", "p { background: url(b.png) }", "text/css"),
        seen("/s.js", "fetch('tides.json'); go('/on')", "text/javascript"),
        seen("/in/tides.json", "{}", "application/json"),
        seen("/moved", status=302, Location="/pic.png"),
        seen("/frame", "<img src=framed.png>"),
        seen("/on", "<img src=beyond.png>"),
        *(seen(f"/{name}.png", b"png", "image/png") for name in ("b", "pic", "not", "framed", "beyond")),
    )
    rules = {"includes": lambda url: url == f"{SITE}/in/", "embeds": lambda url: "not" not in url}
    with Archive(tmp_path / "archive") as archive:
        found = choose_contents(archive, CopySelection(DAY, **rules), PORTABLE)
    names = {"in/", "s.css", "t.css", "b.png", "s.js", "in/tides.json", "moved", "pic.png", "frame", "framed.png"}
    assert {item.url for item in found} == {f"{SITE}/{name}" for name in names}


def test_one_capture_alone(tmp_path: Path) -> None:
    archived(tmp_path / "archive", seen("/", "first"), seen("/only-then", "first"))
    archived(tmp_path / "archive", seen("/", "second", seconds=100))
    with Archive(tmp_path / "archive") as archive:
        first, second = (each.id for each in archive.captures())
        assert len(choose_contents(archive, CopySelection(DAY, capture=first), PORTABLE)) == 2
        later = choose_contents(archive, CopySelection(DAY, capture=second), PORTABLE)
    assert [item.moment for item in later] == [DAY.plus(100)]


def test_not_modified_stands_for_what_it_was_before(tmp_path: Path) -> None:
    pages = [seen("/a.php", "kept", "text/html", seconds=0, ETag='"1"'), seen("/a.php", b"", "", 304, 50, ETag='"1"')]
    item = contents(tmp_path, *pages, at=50).find(f"{SITE}/a.php")
    assert item is not None
    assert (item.status, item.media_type, item.name) == (200, "text/html", "example.org/a.php.html")
    with Archive(tmp_path / "archive") as archive:
        assert archive.read_place(item.place).read() == b"kept"


def test_redirects_are_followed_within_the_copy_and_no_further(tmp_path: Path) -> None:
    def leads(path: str, target: str) -> Exchange:
        return seen(path, b"", "text/html", 302, Location=target)

    chain = [leads(f"/{step}", f"/{step + 1}") for step in range(5)]
    loop = [leads("/here", "/there"), leads("/there", "/here#there")]
    outside = leads("/out", "https://elsewhere.example/")
    nowhere = seen("/nowhere", b"", "text/html", 302)
    found = contents(tmp_path, *chain, *loop, outside, nowhere, seen("/5", "the end"))
    final = found.follow_redirects(f"{SITE}/0")
    assert final is not None
    assert final.url == f"{SITE}/5"
    assert found.follow_redirects(f"{SITE}/here") is None
    assert found.follow_redirects(f"{SITE}/out") is None
    assert found.find(f"{SITE}/out") is not None
    assert found.find(f"{SITE}/nowhere") is None


def test_only_what_was_asked_for_plainly_is_in_a_copy(tmp_path: Path) -> None:
    post = Exchange(f"{SITE}/post", DAY, b"HTTP/1.1 200 OK\r\n\r\n", request=b"POST /post HTTP/1.1\r\n\r\n")
    found = contents(tmp_path, post, seen("/", "x"), seen("ws://example.org/socket", "x"))
    assert [item.url for item in found] == [f"{SITE}/"]


def test_pages_that_had_more_of_a_server_are_known(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    counted = head.replace(b"application/json", b"image/gif")
    posts = [
        Exchange(f"{SITE}/{name}", DAY, answer, request=f"POST /{name} HTTP/1.1\r\n\r\n".encode(), via=f"{SITE}/{at}")
        for name, answer, at in (("graph", head, "a"), ("count", counted, "b"))
    ]
    socket = seen("ws://example.org/socket", "x", via=f"{SITE}/c")
    found = contents(tmp_path, *posts, socket, *(seen(f"/{name}", "x") for name in "abc"))
    assert found.live_pages == {
        f"{SITE}/a": f"an answer to what it sends ({SITE}/graph)",
        f"{SITE}/c": "a live connection (ws://example.org/socket)",
    }

"""Importing the files behind a web server: each under the URL it is served at."""

import os
from pathlib import Path

import pytest
from warc_material import contents_of, findings_of, webkeep

from webkeep.model import Moment
from webkeep.store.archive import Archive

BASE = "https://example.org/site/"


def grown(folder: Path) -> Path:
    (folder / "pictures").mkdir(parents=True)
    (folder / "index.html").write_text("<title>Home</title>")
    (folder / "about us.html").write_text("<title>About</title>")
    (folder / "pictures/logo.svg").write_text("<svg/>")
    (folder / "pictures/copy.svg").write_text("<svg/>")
    (folder / "pictures/index.html").write_text("<title>Pictures</title>")
    return folder


def test_files_are_stored_as_they_are_served(tmp_path: Path) -> None:
    folder = grown(tmp_path / "www")
    os.utime(folder / "index.html", (1_700_000_000, 1_700_000_000))
    done = webkeep("import", folder, "--base-url", "https://EXAMPLE.org/site", "--into", tmp_path / "archive")
    assert (done.code, done.summary["stored"]) == (0, 5)
    with Archive(tmp_path / "archive") as archive:
        held = {url: payload for url, _, payload in contents_of(archive)}
        kinds = {each.url: (each.record_type, each.media_type) for each in archive}
        home = archive.lookup(BASE)
        assert home is not None
        assert home.last_modified == "Tue, 14 Nov 2023 22:13:20 GMT"
        assert [each.seeds for each in archive.captures()] == [(BASE,)]
    assert held == {
        BASE: b"<title>Home</title>",
        f"{BASE}about%20us.html": b"<title>About</title>",
        f"{BASE}pictures/": b"<title>Pictures</title>",
        f"{BASE}pictures/copy.svg": b"<svg/>",
        f"{BASE}pictures/logo.svg": b"<svg/>",
    }
    assert kinds[BASE] == ("resource", "text/html")
    assert kinds[f"{BASE}pictures/logo.svg"] == ("revisit", "image/svg+xml")
    assert findings_of(tmp_path / "archive") == []


def test_links_and_odd_things_are_told_and_left_out(tmp_path: Path) -> None:
    folder = grown(tmp_path / "www")
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "out.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "out").symlink_to(tmp_path, target_is_directory=True)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "round").symlink_to(folder, target_is_directory=True)
    (folder / "gone").symlink_to(folder / "nothing")
    (folder / "within.html").symlink_to(folder / "about us.html")
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("hidden")
    (folder / ".env").write_text("hidden")
    os.mkfifo(folder / "pipe")
    done = webkeep("import", folder, "--base-url", BASE, "--into", tmp_path / "archive", as_json=False)
    assert done.code == 1
    told = {Path(line.partition(":")[0]).name: line for line in done.lines[:-1]}
    assert sorted(told) == ["gone", "loop", "out", "out.txt", "pipe", "round"]
    assert all(line.endswith("left out [file-passed-over]") for line in told.values())
    with Archive(tmp_path / "archive") as archive:
        urls = {each.url for each in archive}
    assert f"{BASE}within.html" in urls
    assert len(urls) == 6


def test_a_second_time_is_a_second_observation(tmp_path: Path) -> None:
    folder = grown(tmp_path / "www")
    for _ in range(2):
        assert webkeep("import", folder, "--base-url", BASE, "--into", tmp_path / "archive").code == 0
        (folder / "index.html").write_text("<title>Changed</title>")
    with Archive(tmp_path / "archive") as archive:
        home = [archive.read(each).read() for each in archive.history(BASE)]
        kinds = [each.record_type for each in archive]
    assert home == [b"<title>Home</title>", b"<title>Changed</title>"]
    assert kinds.count("revisit") == 1 + 4


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) + 1, 3 << 20])
def test_large_files(tmp_path: Path, size: int) -> None:
    folder = tmp_path / "www"
    folder.mkdir()
    data = os.urandom(size)
    (folder / "video.mp4").write_bytes(data)
    assert webkeep("import", folder, "--base-url", BASE, "--into", tmp_path / "archive").code == 0
    with Archive(tmp_path / "archive") as archive:
        found = archive.lookup(f"{BASE}video.mp4", Moment.parse("2100"))
        assert found is not None
        assert b"".join(archive.read(found).body.chunks()) == data
        assert b"".join(archive.read(found).body.chunks(size - 100)) == data[-100:]


@pytest.mark.parametrize("base", ["example", "ftp://example.org/", "", "http://"])
def test_a_base_that_is_no_web_address(tmp_path: Path, base: str) -> None:
    (tmp_path / "www").mkdir()
    done = webkeep("import", tmp_path / "www", "--base-url", base, "--into", tmp_path / "archive")
    assert done.code == 2
    assert not (tmp_path / "archive").exists()

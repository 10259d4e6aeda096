"""The commands that make copies, from the outside: hostile sites, full disks, helpers, whole runs."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_disk import filling_up, make_room
from small_site import GONE, Page, SmallSite, linking, moved

sys.path.insert(0, str(Path(__file__).parents[1] / "unit/mirror"))

from mirror_material import DAY, HTML, SITE, archived, copied, seen, texts

from webkeep.clock import SystemClock
from webkeep.errors import StorageError
from webkeep.mirror import CopyOptions
from webkeep.mirror.worker_pool import run_in_processes
from webkeep.model import Exchange
from webkeep.store.archive import Archive, WritableArchive


def webkeep(*words: object, code: int = 0) -> dict[str, object]:
    call = [sys.executable, "-m", "webkeep", *map(str, words), "--json"]
    ended = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == code, ended.stderr + ended.stdout
    return dict(json.loads(ended.stdout.splitlines()[-1]))


DAYS = 86400 * 10


def said(*words: object, code: int = 0) -> str:
    call = [sys.executable, "-m", "webkeep", *map(str, words)]
    ended = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == code, ended.stderr + ended.stdout
    return ended.stdout + ended.stderr


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("wrong", ["", "yes", "http://example.org/", f"urn:webkeep:state:{'0' * 16}:0"])
@pytest.mark.parametrize("form", [[], ["--single-file", SITE + "/"]], ids=["a copy", "one file"])
def test_what_is_no_state_cannot_be_frozen(tmp_path: Path, form: list[str], wrong: str) -> None:
    archived(tmp_path / "archive", seen("/", "here"))
    told = said("mirror", tmp_path / "archive", tmp_path / "out", *form, "--freeze", wrong, code=2)
    assert len(told.splitlines()) == 1
    assert "state" in told
    assert not (tmp_path / "out").exists()


HOSTILE = [
    "/../../../etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/x", "/a\\..\\..\\x", "/a%5C..%5Cx",
    "//x//y", "/con", "/aux.html", "/nul.txt/", "/a.", "/a ", "/a%00b", "/a%0Ab", "/a\x7fb", "/%ff%fe",
    "/" + "x" * 8000, "/" + "d/" * 900, "/A", "/a", "/%C3%A9", "/e%CC%81", "/%E9", "/index.html", "/INDEX.HTML", "/",
    "/_webkeep/copy.json", "/~root", "/-rf", "/*", "/a:b", "/a|b", "/<b>", "/\u202egpj.exe", "/a?/../../x",
    "/?q=../..", "/a;b=c", "/C:/x", "/.htaccess", "/..", "/...", "/a/./b", "/a//", "/%2F", "/ünï", "/a#b",
]  # fmt: skip


def test_whatever_urls_a_site_has_nothing_is_written_outside(tmp_path: Path) -> None:
    links = "".join(f'<a href="{path}">x</a><img src="{path}">' for path in HOSTILE if '"' not in path)
    pages = [seen(SITE + path, f"{number} {links}") for number, path in enumerate(HOSTILE)]
    hosts = [
        "https://_webkeep/",
        "https://index.html/",
        "http://127.0.0.1:1/",
        "https://[::1]/",
        "https://x@example.org/",
    ]
    pages += [seen(url, url) for url in hosts]
    (tmp_path / "around").mkdir()
    archived(tmp_path / "archive", *pages)
    made = copied(tmp_path / "archive", tmp_path / "around/out")
    assert made.built.files == len(made.contents)
    assert len({item.name for item in made.contents}) == made.built.files
    assert [each.name for each in (tmp_path / "around").iterdir()] == ["out"]
    assert json.loads((tmp_path / "around/out/_webkeep/copy.json").read_text())["made by"] == "webkeep"
    root = (tmp_path / "around/out").resolve()
    for path in (tmp_path / "around/out").rglob("*"):
        assert path.resolve().is_relative_to(root)
        assert not path.is_symlink()


def many(path: Path, count: int, size: int = 200) -> Path:
    chance = random.Random(1)
    with WritableArchive.create(path) as archive, archive.begin("test") as capture:
        for number in range(count):
            near = f'<a href="/p/{(number + 1) % count}.html">next</a><img src="/gone/{number % 7}.png">'
            body = f"<title>Page {number}</title>{near}{chance.randbytes(size).hex()}"
            capture.submit(seen(f"/p/{number}.html", body, HTML, seconds=number))
    return path


def test_many_files_are_written_by_several_processes_as_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many(tmp_path / "archive", 1000)
    together = copied(tmp_path / "archive", tmp_path / "together")
    monkeypatch.delattr(os, "fork")
    alone = copied(tmp_path / "archive", tmp_path / "alone")
    assert tree(tmp_path / "together") == tree(tmp_path / "alone")
    assert together.built.files == alone.built.files == 1000
    assert together.built.links.missing == alone.built.links.missing
    assert len(together.built.links.missing) == 7


def test_a_helper_that_fails_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    parent = os.getpid()

    def work(_alone: bool) -> tuple[object, object]:
        def do(number: int) -> tuple[int, int]:
            if os.getpid() != parent:
                (tmp_path / "failed").touch()
                raise StorageError("the disk of the helper is full")
            # There is always something left for the helper.
            while not (tmp_path / "failed").exists() and number > 20:
                os.sched_yield()
            return 1, 1

        return do, lambda: None

    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor")
    with pytest.raises(StorageError, match="the disk of the helper is full"):
        list(run_in_processes(40, work, lambda _files, _bytes: None))  # type: ignore[arg-type]


def test_a_full_disk_stops_with_one_line_and_changes_nothing(tmp_path: Path) -> None:
    archived(tmp_path / "archive", seen("/", "small"))
    big = many(tmp_path / "big", 600, 3000)
    with filling_up(tmp_path / "disk") as disk:
        copied(tmp_path / "archive", disk / "out")
        before = tree(disk / "out")
        with pytest.raises(StorageError) as full:
            copied(big, disk / "out")
        assert "\n" not in str(full.value)
        assert tree(disk / "out") == before
        assert [each.name for each in disk.iterdir() if "building" in each.name] == []
        make_room(disk)


def test_a_zip_file_that_finds_no_room_leaves_the_copy_as_it_was(tmp_path: Path) -> None:
    copied(archived(tmp_path / "archive", seen("/", "small")), tmp_path / "out")
    before = tree(tmp_path / "out")
    big = many(tmp_path / "big", 600, 3000)
    with filling_up(tmp_path / "disk") as disk:
        with pytest.raises(StorageError, match="what was there is unchanged"):
            copied(big, tmp_path / "out", form=CopyOptions(zip_file=disk / "all.zip"))
        assert [each.name for each in disk.iterdir() if "zip" in each.name] == []
    assert tree(tmp_path / "out") == before


def test_targets_are_looked_at_first_and_results_are_named(tmp_path: Path) -> None:
    archive, out = archived(tmp_path / "archive", seen("/", "old")), tmp_path / "out"
    webkeep("mirror", archive, out, "--at", "2024-03")
    archived(archive, seen("/", "new", seconds=9))
    assert "no folder" in str(webkeep("mirror", archive, out, "--zip", tmp_path / "no/a.zip", code=2)["error"])
    assert texts(out)["example.org/index.html"] == b"old"
    page = ("mirror", archive, tmp_path / "no/p.html", "--single-file", f"{SITE}/")
    assert "no folder" in str(webkeep(*page, code=2)["error"])
    webkeep(*page, "--zip", tmp_path / "a.zip", code=2)
    versioned = ("mirror", archive, tmp_path / "v", "--versions", "--zip", tmp_path / "a.zip")
    assert f"also in {tmp_path / 'a.zip'}, " in said(*versioned)
    assert "1 file, 0 bytes new; open " in said(*versioned, "--replace")


def test_what_was_gone_by_the_moment_is_left_out_and_told(tmp_path: Path) -> None:
    home = seen("/", "<a href=/old.html>old</a><img src=/old.png>")
    old = [seen("/old.html", "as it was"), seen("/old.png", b"png", "image/png")]
    archive, out = archived(tmp_path / "archive", home, *old), tmp_path / "out"
    archived(archive, *(seen(f"/{name}", "gone", status=410, seconds=DAYS) for name in ("old.html", "old.png")))
    words = said("mirror", archive, out, code=1)
    assert f"2 URLs were gone by then and are left out, see {out}/_webkeep/gone.txt; 1 embedded thing missing" in words
    assert list(texts(out)) == ["example.org/index.html"]
    assert b'href="https://example.org/old.html"' in texts(out)["example.org/index.html"], "it leads to the web"
    told = (out / "_webkeep/gone.txt").read_text().splitlines()
    assert told[0] == (
        f"{SITE}/old.html\twas gone (status 410) 2024-03-11T00:00:00Z; is held as it was 2024-03-01T00:00:00Z"
    )
    assert 'href="_webkeep/gone.txt"' in (out / "index.html").read_text()
    assert webkeep("mirror", archive, out, "--with-gone")["gone"] == 2
    assert len(texts(out)) == 3
    page = ("mirror", archive, tmp_path / "p.html", "--single-file", f"{SITE}/old.html")
    assert "was gone (status 410)" in str(webkeep(*page, code=2)["error"])
    webkeep(*page, "--with-gone")
    nothing = webkeep("mirror", archive, tmp_path / "none", "--include", "*.html", code=2)
    assert "were gone by then; --with-gone" in str(nothing["error"])
    webkeep("mirror", archive, tmp_path / "then", "--at", "2024-03-02")
    assert not (tmp_path / "then/_webkeep/gone.txt").exists()


def test_a_copy_of_what_has_not_come_to_its_end_says_so(tmp_path: Path) -> None:
    archive, out = tmp_path / "archive", tmp_path / "out"
    with WritableArchive.create(archive) as opened:
        capture = opened.begin("capture", [f"{SITE}/"])
        capture.append(seen("/", "home"))
    words = said("mirror", archive, out, code=1)
    assert f"the capture {capture.id} of " in words
    assert "has not come to its end, and what it had not come to is not in the copy" in words
    assert "has not come to its end" in (out / "index.html").read_text()
    assert webkeep("mirror", archive, out, "--capture", capture.id, code=1)["unfinished"] == [capture.id]
    archived(archive, seen("/b", "b", seconds=9))
    assert webkeep("mirror", archive, out)["unfinished"] == [], "it was made again to its end since"
    assert "has not come" not in (out / "index.html").read_text()


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    many(tmp_path / "archive", 3000, 2000)
    archived(tmp_path / "small", seen("/", "small"))
    copied(tmp_path / "small", tmp_path / "out")
    before = tree(tmp_path / "out")
    call = [sys.executable, "-m", "webkeep", "mirror", str(tmp_path / "archive"), str(tmp_path / "out")]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".out.building-*/example.org/p/*")) and time.monotonic() < deadline:
            assert run.poll() is None
        os.killpg(run.pid, signal.SIGINT)
        assert run.wait(60) != 0
    assert tree(tmp_path / "out") == before
    assert not list(tmp_path.glob(".out.building-*"))


def test_a_version_that_was_killed_is_made_anew_beside_those_that_are_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    webkeep("mirror", archived(tmp_path / "small", seen("/", "small")), out, "--versions")
    whole = tree(out)
    del whole["index.html"]  # the page that lists all versions
    words = ("mirror", many(tmp_path / "big", 1500, 2000), out, "--versions")
    call = [sys.executable, "-m", "webkeep", *map(str, words)]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        deadline = time.monotonic() + 60
        while not list(out.glob(".version.building-*/example.org/p/*")) and time.monotonic() < deadline:
            assert run.poll() is None
        os.killpg(run.pid, signal.SIGKILL)
        assert run.wait(60) == -signal.SIGKILL
    assert list(out.glob(".version.building-*"))
    assert whole.items() <= tree(out).items()
    assert webkeep(*words, code=1)["files"] == 1500
    assert whole.items() <= tree(out).items()
    assert not list(out.glob(".version.building-*"))


def test_damaged_records_are_told_and_the_rest_is_copied(tmp_path: Path) -> None:
    archived(tmp_path / "archive", *(seen(f"/{number}.html", f"page {number}" * 50) for number in range(5)))
    warc = next((tmp_path / "archive/warcs").iterdir())
    with_one_lost = bytearray(warc.read_bytes())
    middle = len(with_one_lost) // 2
    with_one_lost[middle : middle + 30] = bytes(30)
    warc.write_bytes(with_one_lost)
    made = copied(tmp_path / "archive", tmp_path / "out")
    assert made.built.files >= 3
    assert made.built.files + len(made.built.damaged) == len(made.contents)


def test_a_copy_in_one_step(tmp_path: Path) -> None:
    pages = {
        "/": linking("/a/", "/b.html", "/old", "/p.png", "/cgi/x.html"),
        "/a/": linking("/"),
        "/b.html": linking("/gone.html"),
        "/old": moved("/a/"),
        "/p.png": Page(b"\x89PNG", "image/png"),
        "/cgi/x.html": Page(b"left out"),
    }
    with SmallSite(pages) as site:
        start = f"http://127.0.0.1:{site.port}/"
        words = ("copy", start, tmp_path / "out", "--delay", "0", "--filters=-*/cgi/*", "--zip", tmp_path / "o.zip")
        first = webkeep(*words)
        assert "--replace" in str(webkeep(*words, code=2)["error"])
        again = webkeep(*words, "--replace")
    assert (first["files"], first["missing"], first["archive"]) == (5, 0, str(tmp_path / "out.archive"))
    assert again["files"] == 5
    host = f"127.0.0.1_{site.port}"
    assert (tmp_path / "out" / host / "a/index.html").is_file()
    assert not (tmp_path / "out" / host / "cgi").exists()
    assert (tmp_path / "o.zip").stat().st_size == again["zip_bytes"]
    assert webkeep("list", tmp_path / "out.archive")["observations"]


def test_one_page_in_one_step(tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<img src=/p.png>", "text/html"), "/p.png": Page(b"\x89PNG", "image/png")}) as site:
        start = f"http://127.0.0.1:{site.port}/"
        words = ("copy", start, tmp_path / "page.html", "--delay", "0", "--single-file", start)
        made = webkeep(*words)
        assert (made["missing"], made["archive"]) == ([], str(tmp_path / "page.html.archive"))
        assert "data:image/png" in (tmp_path / "page.html").read_text()
        asked = len(site.asked)
        assert "is there already" in str(webkeep(*words, code=2)["error"])
        assert "take --zip" in str(webkeep(*words, "--replace", "--zip", tmp_path / "o.zip", code=2)["error"])
        assert len(site.asked) == asked, "nothing is captured for a copy that cannot be written"


def test_a_site_of_which_nothing_can_be_had_is_not_copied(tmp_path: Path) -> None:
    rules = {"/robots.txt": Page(b"User-agent: *\nDisallow: /private", "text/plain"), "/": linking("/private")}
    with SmallSite(rules) as site:
        start = f"http://127.0.0.1:{site.port}/"
        nothing = "nothing is copied, as nothing could be had"
        told = webkeep("copy", f"{start}private", tmp_path / "a", code=3)["error"]
        assert told == f"{nothing}: {start}private (robots.txt: Disallow: /private (line 2))"
        told = webkeep("copy", f"{start}none", tmp_path / "b", code=3)["error"]
        assert told == f"{nothing}: {start}none (status 404)"
        webkeep("copy", start, tmp_path / "c", code=0)
    before = texts(tmp_path / "c")
    told = webkeep("copy", start, tmp_path / "c", "--retries", "0", code=3)["error"]
    assert told == f"{nothing}: {start} (nobody listens there)"
    assert texts(tmp_path / "c") == before
    assert not list(tmp_path.glob("[ab]"))


def test_a_copy_in_one_step_with_what_is_gone(tmp_path: Path) -> None:
    answers = {"/": linking("/a.html"), "/a.html": Page(b"<p>was here</p>", "text/html")}
    with SmallSite(answers) as site:
        words = ("copy", f"http://127.0.0.1:{site.port}/", tmp_path / "out", "--delay", "0")
        webkeep(*words)
        answers["/a.html"] = GONE
        webkeep(*words)
        page = tmp_path / "out" / f"127.0.0.1_{site.port}" / "a.html"
        assert not page.exists()
        webkeep(*words, "--with-gone")
        assert "was here" in page.read_text()


def test_a_part_of_an_archive_and_one_page(tmp_path: Path) -> None:
    archive = archived(tmp_path / "archive", seen("/", "<img src=/a.gif>"), seen("/a.gif", b"GIF8", "image/gif"))
    assert webkeep("mirror", archive, tmp_path / "gifs", "--filters", "+*.gif")["files"] == 1
    only = ("mirror", archive, tmp_path / "page", "--include", "example.org/")
    assert webkeep(*only)["files"] == 2, "what is embedded comes along"
    assert webkeep(*only, "--exclude", "*.gif", code=1)["files"] == 1
    assert webkeep("mirror", archive, tmp_path / "rest", "--exclude", "*.gif", code=1)["missing"] == 1
    assert webkeep("mirror", archive, tmp_path / "p.html", "--single-file", f"{SITE}/")["missing"] == []
    assert "nothing in" in str(webkeep("mirror", archive, tmp_path / "x", "--include", "*.pdf", code=2)["error"])
    assert not (tmp_path / "x").exists()
    assert "is no filter" in str(webkeep("mirror", archive, tmp_path / "x", "--filters", "gif", code=2)["error"])


def test_moments_are_chosen(tmp_path: Path) -> None:
    archive = archived(tmp_path / "archive", seen("/", "old"), seen("/", "new", seconds=86400 * 60))
    webkeep("mirror", archive, tmp_path / "out", "--at", "2024-03")
    assert texts(tmp_path / "out")["example.org/index.html"] == b"old"
    webkeep("mirror", archive, tmp_path / "out")
    assert texts(tmp_path / "out")["example.org/index.html"] == b"new"
    webkeep("mirror", archive, tmp_path / "none", "--at", "2023", "--strictly", code=2)


OLD = {"Last-Modified": "Sun, 05 May 2019 00:00:00 GMT"}


def test_a_mirror_of_httrack_is_imported_with_its_cache(tmp_path: Path) -> None:
    latin = "text/html; charset=iso-8859-1"
    pages = {
        "/": Page("<a href='/b.html'>ä</a><img src='/p.png'><a href='/old'>o</a>".encode("latin-1"), latin),
        "/b.html": linking("/"),
        "/p.png": Page(b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "image/png", headers=OLD),
        "/old": moved("/b.html"),
    }  # fmt: skip
    with SmallSite(pages) as site:
        before = SystemClock().now()
        start = f"http://127.0.0.1:{site.port}/"
        call = ["httrack", start, "-O", str(tmp_path / "mirror"), "-q", "-I0", "-s0", "-A1000000000", "-%c0"]
        subprocess.run(call, check=True, timeout=120, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    summary = webkeep("import", tmp_path / "mirror", "--into", tmp_path / "archive")
    assert summary["findings"] == 0
    with Archive(tmp_path / "archive") as archive:
        found = {path: archive.lookup(start + path[1:]) for path in pages}
        assert {path: each.status for path, each in found.items() if each} == {**dict.fromkeys(pages, 200), "/old": 302}
        seconds = [each.moment.seconds_since(before) for each in found.values() if each]
    assert min(seconds) > -1, "the date is that of the copying, in whole seconds, not that of the last change"
    assert max(seconds) < SystemClock().now().seconds_since(before)
    webkeep("mirror", tmp_path / "archive", tmp_path / "out")
    host = tmp_path / "out" / f"127.0.0.1_{site.port}"
    assert (host / "p.png").read_bytes() == pages["/p.png"].body
    assert b"href='b.html'>\xe4" in (host / "index.html").read_bytes().replace(b'"', b"'")


def test_a_cache_of_httrack_that_names_files_elsewhere_gets_none(tmp_path: Path) -> None:
    import struct
    import zipfile

    (tmp_path / "secret").write_text("secret")
    (tmp_path / "mirror/hts-cache").mkdir(parents=True)
    name = tmp_path / "mirror/hts-cache/new.zip"
    head = b"HTTP/1.1 200 OK\r\nX-In-Cache: 0\r\nContent-Type: text/html\r\nX-Save: ../secret\r\n"
    entry = zipfile.ZipInfo("http://example.org/", (2024, 3, 1, 0, 0, 0))
    with zipfile.ZipFile(name, "w") as pack:
        pack.writestr(entry, b"")
    data = name.read_bytes()
    at = 26
    length, _ = struct.unpack_from("<HH", data, at)
    local = data[:at] + struct.pack("<HH", length, len(head)) + data[30 : 30 + length] + head
    rest = data[30 + length :]
    end = rest.rindex(b"PK\x05\x06")
    offset = struct.unpack_from("<I", rest, end + 16)[0] + len(head)
    name.write_bytes(local + rest[: end + 16] + struct.pack("<I", offset) + rest[end + 20 :])
    summary = webkeep("import", tmp_path / "mirror", "--into", tmp_path / "archive", code=1)
    assert (summary["stored"], summary["findings"]) == (0, 1)


def test_a_body_of_no_length_and_a_head_of_none(tmp_path: Path) -> None:
    bare = Exchange(f"{SITE}/bare", DAY, b"")
    made = copied(archived(tmp_path / "archive", bare, seen("/empty", b"")), tmp_path / "out")
    assert {item.url for item in made.contents} >= {f"{SITE}/empty"}

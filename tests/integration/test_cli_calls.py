"""Calls of import, export and remove: what is a wrong call, what is selected, and what is said of it."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from warc_material import MOMENT, SITE, exchange, gzipped, response, webkeep

from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.maintenance import VerificationResult, rebuild_caches, verify_archive

PAGES = ("news/1", "news/2", "about")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """An archive of three pages, and one of a subdomain."""
    path = tmp_path / "archive"
    with WritableArchive.create(path) as archive, archive.begin("capture", [SITE]) as capture:
        for number, page in enumerate(PAGES):
            capture.append(exchange(SITE + page, page.encode(), MOMENT.plus(number)))
        capture.append(exchange("http://sub.example.org/", b"sub", MOMENT.plus(9)))
    return path


def refused(*words: object) -> str:
    """The one line of a wrong call."""
    done = webkeep(*words, as_json=False)
    assert done.code == 2, done.err
    assert done.out == b""
    (line,) = done.lines
    return line


@pytest.mark.parametrize("command", ["list", "export", "remove"])
@pytest.mark.parametrize("option", ["url", "capture", "since", "until"])
def test_an_empty_value_is_never_everything(kept: Path, tmp_path: Path, command: str, option: str) -> None:
    target = ["--warc", tmp_path / "x.warc.gz"] if command == "export" else []
    given = [""] if (command, option) == ("list", "url") else [f"--{option}", ""]
    assert "is empty" in refused(command, kept, *target, *given)
    assert not (tmp_path / "x.warc.gz").exists()


@pytest.mark.parametrize("url", ["http://[", "http://", "https://example.org:99999999/"])
def test_what_is_no_url_is_a_wrong_call(kept: Path, tmp_path: Path, url: str) -> None:
    for words in (
        ["list", kept, url],
        ["show", kept, url],
        ["export", kept, "--warc", tmp_path / "x.warc.gz", "--url", url],
        ["remove", kept, "--url", url],
    ):
        assert "is not a URL" in refused(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--warc", "x.warc.gz", "--match", "host"], "give the URL"),
        (["--warc", "x.warc.gz", "--title", "T"], "--wacz"),
        (["--wacz", "x.wacz", "--post"], "--cdxj"),
        (["--warc", "news.warc"], "name it news.warc.gz"),
        (["--warc", "."], "name it"),
        (["--wacz", "."], "is a directory"),
        (["--wacz", ""], "is a directory"),
        (["--wacz", "no-such/x.wacz"], "no directory no-such"),
        (["--wacz", "x.wacz", "--url", "*.example.org", "--match", "host"], "leave out --match"),
    ],
)
def test_exports_that_cannot_be_meant(kept: Path, words: list[str], message: str) -> None:
    assert message in refused("export", kept, *words)


@pytest.mark.parametrize("option", ["--warc", "--wacz", "--cdxj"])
def test_an_export_and_json_do_not_mix(kept: Path, option: str) -> None:
    done = webkeep("export", kept, option, "-")
    assert done.code == 2
    assert "would mix" in done.summary["error"]
    assert len(done.out.splitlines()) == 1


@pytest.mark.parametrize(("option", "code"), [("--warc", 2), ("--wacz", 2), ("--cdxj", 0)])
def test_a_terminal_gets_text_only(kept: Path, option: str, code: int) -> None:
    words = [sys.executable, "-m", "webkeep.cli.main", "export", kept, option, "-"]
    shown, terminal = pty.openpty()
    with os.fdopen(shown, "rb", buffering=0) as screen:
        with os.fdopen(terminal, "wb") as target:
            done = subprocess.run(words, stdout=target, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        printed = b""
        with suppress(OSError):  # the end of what a terminal shows is an error
            while piece := screen.read(1000):
                printed += piece
    assert done.returncode == code
    assert ("could disturb the terminal" in done.stderr) == bool(code)
    assert printed.count(b"org,example") == (0 if code else 4)


@pytest.mark.parametrize(
    ("url", "pages"), [(f"{SITE}news/*", 2), ("example.org/news/*", 2), ("*.example.org", 4), ("*", 4)]
)
def test_patterns_select_what_they_do_in_list(kept: Path, tmp_path: Path, url: str, pages: int) -> None:
    assert webkeep("list", kept, url).summary["listed"] == pages
    assert webkeep("export", kept, "--cdxj", tmp_path / "x", "--url", url).summary["index_lines"] >= pages
    if url != "*":
        assert webkeep("remove", kept, "--url", url).summary["would_remove"] == pages


def test_everything_is_not_removed(kept: Path) -> None:
    assert "delete its directory" in refused("remove", kept, "--url", "*", "--yes")
    assert webkeep("list", kept).summary["observations"] == 4


@pytest.mark.parametrize("more", [[], ["--yes"]])
def test_where_nothing_is_selected_there_is_nothing_to_confirm(kept: Path, more: list[str]) -> None:
    done = webkeep("remove", kept, "--url", f"{SITE}nowhere", *more, as_json=False)
    assert done.code == 1
    assert "nothing is selected" in done.err
    assert "--yes" not in done.err


def test_what_is_exported_is_named_apart(kept: Path, tmp_path: Path) -> None:
    keys = {"--warc": {"records"}, "--wacz": {"index_lines", "pages"}, "--cdxj": {"index_lines"}}
    numbers = {}
    for option, expected in keys.items():
        summary = webkeep("export", kept, option, tmp_path / f"x{option}.gz", "--url", f"{SITE}news/").summary
        assert set(summary) - {"archive", "file", "bytes"} == expected
        numbers[option] = summary
    assert numbers["--cdxj"]["index_lines"] == 2
    told = webkeep("export", kept, "--cdxj", tmp_path / "one", "--url", f"{SITE}about", as_json=False)
    assert told.err.startswith("wrote 1 index line to ")


def test_hopeless_files_make_no_archive(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# not an archive")
    done = webkeep("import", tmp_path / "README.md", "--into", tmp_path / "made", as_json=False)
    assert done.code == 1
    assert done.lines[-1] == "nothing could be stored; 1 finding; no archive was made"
    assert done.lines[0].startswith(str(tmp_path / "README.md"))
    assert not (tmp_path / "made").exists()
    (tmp_path / "there").mkdir()
    webkeep("import", tmp_path / "README.md", "--into", tmp_path / "there")
    assert list((tmp_path / "there").iterdir()) == []


def test_an_archive_that_was_there_stays(kept: Path, tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "empty"):
        pass
    (tmp_path / "README.md").write_text("# not an archive")
    for path, held in ((kept, 4), (tmp_path / "empty", 0)):
        assert webkeep("import", tmp_path / "README.md", "--into", path).code == 1
        assert webkeep("list", path).summary["observations"] == held


def test_an_archive_is_made_only_where_there_is_a_place_for_it(tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(gzipped([response(1, SITE, b"x")]))
    line = refused("import", tmp_path / "x.warc.gz", "--into", tmp_path / "no/such/archive")
    assert str(tmp_path / "no/such") in line
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("base", ["", "http://example.org/?a=1", "http://example.org/#top", "http://["])
def test_a_base_url_is_that_of_a_directory(tmp_path: Path, base: str) -> None:
    refused("import", tmp_path, "--base-url", base, "--into", tmp_path / "archive")
    assert not (tmp_path / "archive").exists()


def test_importing_a_site_again_says_what_is_new(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    # Two files of one content: the second is stored as a revisit and is new all the same.
    for name in ("a.html", "b.html", "c.html"):
        (folder / name).write_text("same" if name != "c.html" else "other")
    words = ["import", folder, "--base-url", SITE, "--into", tmp_path / "archive"]
    first = webkeep(*words).summary
    assert (first["new"], first["changed"], first["unchanged"]) == (3, 0, 0)
    (folder / "c.html").write_text("changed")
    (folder / "d.html").write_text("new")
    again = webkeep(*words).summary
    assert (again["stored"], again["new"], again["changed"], again["unchanged"]) == (4, 1, 1, 2)
    told = webkeep(*words, as_json=False)
    assert told.lines == [f"stored 4 files (0 new, 0 changed, 4 unchanged; 18 bytes) under {SITE}"]


def test_one_is_not_many(tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(gzipped([response(1, SITE, b"x")]))
    done = webkeep("import", tmp_path / "x.warc.gz", "--into", tmp_path / "archive", as_json=False)
    assert done.lines == ["stored 1 record from 1 file"]
    done = webkeep("remove", tmp_path / "archive", "--url", SITE, as_json=False)
    assert done.lines[-1].startswith("1 record (")


def test_a_rebuild_and_a_verification_can_be_watched(kept: Path) -> None:
    batches: list[int] = []
    rebuild_caches(kept, batches.append)
    with Archive(kept) as archive:
        assert sum(batches) == archive.count() > 0
        watched = VerificationResult()
        assert verify_archive(archive, lambda _finding: None, watched) is watched
        assert watched.records == sum(1 for _ in archive.records())


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", [["list", "ARCHIVE"], ["list", "ARCHIVE", "--urls", "--json"], ["verify", "ARCHIVE"]])
def test_closed_streams_do_no_harm(kept: Path, tmp_path: Path, words: list[str], closed: str) -> None:
    before = {path: path.read_bytes() for path in kept.rglob("*.warc.gz")}
    command = " ".join([sys.executable, "-m", "webkeep", *(word.replace("ARCHIVE", str(kept)) for word in words)])
    told = tmp_path / "told"
    done = subprocess.run(["/bin/sh", "-c", f"exec 3>{told}; {command} 2>&3 {closed}"], check=False, timeout=60)
    assert done.returncode == 0
    assert "Traceback" not in told.read_text()
    assert before == {path: path.read_bytes() for path in kept.rglob("*.warc.gz")}


@pytest.mark.parametrize("name", [b"ar\xffchive", "\u2028\U0001f600".encode(), b'quo"te\\\x7f\n'])
def test_a_folder_of_any_name_can_be_an_archive(tmp_path: Path, name: bytes) -> None:
    folder = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
    with WritableArchive.create(folder) as archive, archive.begin("test") as capture:
        capture.append(exchange(SITE, b"page"))
    for command in (["list"], ["verify"], ["rebuild"], ["export", "--cdxj", "-"]):
        words = [command[0], os.fsencode(folder), *command[1:]]
        done = subprocess.run([sys.executable, "-m", "webkeep", *words], capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
    with Archive(folder) as archive:
        assert archive.name
        archive.name.encode()


@pytest.mark.parametrize(("said", "name"), [(r"ar\udcffchive", "ar\ufffdchive"), (r"a\ud83d\ude00b", "a\U0001f600b")])
def test_settings_with_halves_of_characters_are_read(tmp_path: Path, said: str, name: str) -> None:
    WritableArchive.create(tmp_path / "archive", "plain").close()
    settings = tmp_path / "archive" / "archive.toml"
    settings.write_text(settings.read_text().replace("plain", said))
    with Archive(tmp_path / "archive") as archive:
        assert archive.name == name

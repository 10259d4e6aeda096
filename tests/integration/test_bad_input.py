"""Bad input of every kind through the command: an exit code, a line for each problem, and nothing lost."""

import contextlib
import functools
import gzip
import importlib
import io
import json
import os
import pkgutil
import re
import shutil
import sqlite3
import stat
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from warc_material import (
    MOMENT,
    SITE,
    contents_of,
    exchange,
    findings_of,
    gzipped,
    record,
    record_id,
    response,
    webkeep,
    zstandarded,
)

import webkeep as webkeep_package
from webkeep.store.archive import Archive, WritableArchive

GOOD = {f"{SITE}{name}": name.encode() * 500 for name in ("first", "middle", "last")}
FIRST, MIDDLE, LAST = GOOD
HTML = b"<!DOCTYPE html><title>Not found</title><p>This is the page you got instead.</p>" * 20


def good() -> list[bytes]:
    return [response(number, url, body) for number, (url, body) in enumerate(GOOD.items())]


def with_middle(**fields: str | None) -> list[bytes]:
    """Three records, the one in the middle with these fields."""
    first, _, last = good()
    return [first, response(1, MIDDLE, GOOD[MIDDLE], **fields), last]


def damaged(member: bytes) -> bytes:
    """A gzip member with bytes changed in its middle."""
    at = len(member) // 2
    return member[:at] + bytes(byte ^ 0x5A for byte in member[at : at + 4]) + member[at + 4 :]


def members(change: Callable[[bytes], bytes], number: int = 1) -> bytes:
    """Three gzip members, one of them changed."""
    packed = [gzip.compress(each, mtime=0) for each in good()]
    packed[number] = change(packed[number])
    return b"".join(packed)


def zipped(*entries: tuple[str, bytes], method: int = zipfile.ZIP_STORED, link: str = "") -> bytes:
    """A WACZ with a good manifest, a good WARC file, and other entries."""
    target = io.BytesIO()
    warc = gzipped(good())
    with zipfile.ZipFile(target, "w", method) as package:
        package.writestr("archive/good.warc.gz", warc)
        for name, data in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK if name == link else stat.S_IFREG) << 16
            package.writestr(info, data, zipfile.ZIP_DEFLATED if name.endswith("zeros.warc") else method)
        resources = [{"name": "good", "path": "archive/good.warc.gz", "hash": _sha256(warc), "bytes": len(warc)}]
        manifest = {"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}
        package.writestr("datapackage.json", json.dumps(manifest))
    return target.getvalue()


def _sha256(data: bytes) -> str:
    import hashlib

    return "sha256:" + hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Case:
    """A file, what must be said of it, and the URLs that must be stored all the same."""

    name: str
    data: bytes
    says: list[str]
    stored: list[str] = field(default_factory=list)
    in_part: str = ""
    """The URL that must be stored as far as it is there."""


OUTER = [FIRST, LAST]
ALL = [FIRST, MIDDLE, LAST]
CASES = {
    # files that are empty or cut
    "empty gzip": Case("x.warc.gz", b"", ["empty"]),
    "empty plain": Case("x.warc", b"", ["empty"]),
    "empty zstd": Case("x.warc.zst", b"", ["empty"]),
    "empty arc": Case("x.arc", b"", ["empty"]),
    "empty wacz": Case("x.wacz", b"", ["empty"]),
    "gzip cut in its last record": Case("x.warc.gz", gzipped(good())[:-30], ["cut off"], [FIRST, MIDDLE], LAST),
    "gzip cut in its first bytes": Case("x.warc.gz", gzipped(good())[:5], ["cut off"]),
    "plain cut in its last block": Case("x.warc", b"".join(good())[:-300], ["shorter"], [FIRST, MIDDLE], LAST),
    "plain cut in a header": Case("x.warc", b"".join(good()[:2]) + good()[2][:60], ["header"], [FIRST, MIDDLE]),
    "zstd cut": Case("x.warc.zst", zstandarded(good())[:-10], ["cut off"], [FIRST, MIDDLE]),
    "whole gzip cut": Case("x.warc.gz", gzip.compress(b"".join(good()))[:-60], ["cut off"], [FIRST, MIDDLE]),
    # damage in the middle
    "member damaged": Case("x.warc.gz", members(damaged), ["corrupt"], OUTER),
    "member cut in the middle": Case("x.warc.gz", members(lambda data: data[: len(data) // 2]), ["corrupt|cut"], OUTER),
    "first member damaged": Case("x.warc.gz", members(damaged, 0), ["corrupt"], [MIDDLE, LAST]),
    "garbage between members": Case("x.warc.gz", members(lambda data: b"garbage!" + data), ["not the start"], ALL),
    "checksum wrong": Case("x.warc.gz", members(lambda data: data[:-8] + b"\0\0\0\0" + data[-4:]), ["corrupt"], OUTER),
    # digests and lengths
    "payload digest wrong": Case(
        "x.warc.gz",
        gzipped(with_middle(WARC_Payload_Digest="sha1:" + "A" * 32)),
        ["WARC-Payload-Digest of http://example.org/middle"],
        ALL,
    ),
    "block digest wrong": Case(
        "x.warc", b"".join(with_middle(WARC_Block_Digest="sha1:" + "A" * 32)), ["WARC-Block-Digest"], ALL
    ),
    "length too long, gzip": Case(
        "x.warc.gz", gzipped(with_middle(Content_Length="99999")), ["shorter"], OUTER, MIDDLE
    ),
    "length too short, gzip": Case(
        "x.warc.gz", gzipped(with_middle(Content_Length="100")), ["does not end"], OUTER, MIDDLE
    ),
    "length too long, plain": Case("x.warc", b"".join(with_middle(Content_Length="2200")), ["."], OUTER, MIDDLE),
    "length too short, plain": Case(
        "x.warc", b"".join(with_middle(Content_Length="100")), ["does not end"], OUTER, MIDDLE
    ),
    "length missing": Case("x.warc.gz", gzipped(with_middle(Content_Length=None)), ["Content-Length"], OUTER, MIDDLE),
    "length no number": Case("x.warc", b"".join(with_middle(Content_Length="many")), ["Content-Length"], OUTER, MIDDLE),
    "length negative": Case("x.warc", b"".join(with_middle(Content_Length="-1")), ["Content-Length"], OUTER, MIDDLE),
    "length beyond all disks": Case(
        "x.warc.gz", gzipped(with_middle(Content_Length="9" * 18)), ["shorter"], OUTER, MIDDLE
    ),
    # other things under these names
    "html named warc.gz": Case("x.warc.gz", HTML, ["not a WARC file"]),
    "html named warc": Case("x.warc", HTML, ["not a WARC file"]),
    "html named arc": Case("x.arc", HTML, ["not an ARC record"]),
    "html named wacz": Case("x.wacz", HTML, ["not a ZIP file"]),
    "html compressed": Case("x.warc.gz", gzip.compress(HTML), ["."]),
    "noise": Case("x.warc.gz", bytes(range(7, 256)) * 50, ["not a WARC file"]),
    # headers
    "no record id": Case("x.warc.gz", gzipped(with_middle(WARC_Record_ID=None)), ["lacks WARC-Record-ID"], ALL),
    "no date": Case("x.warc.gz", gzipped(with_middle(WARC_Date=None)), ["lacks WARC-Date"], OUTER),
    "no type": Case("x.warc.gz", gzipped(with_middle(WARC_Type=None)), ["lacks WARC-Type"], OUTER),
    "a date that is none": Case("x.warc.gz", gzipped(with_middle(WARC_Date="tomorrow")), ["date"], OUTER),
    "no version": Case(
        "x.warc.gz",
        gzipped([good()[0], good()[1].replace(b"WARC/1.0", b"WORC/9.9"), good()[2]]),
        ["not a WARC record"],
        OUTER,
    ),
    # WACZ
    "wacz with a way up": Case(
        "x.wacz", zipped(("archive/../../evil.warc", good()[0])), ["no plain relative path"], ALL
    ),
    "wacz with an absolute name": Case(
        "x.wacz", zipped(("/etc/evil.warc", good()[0])), ["no plain relative path"], ALL
    ),
    "wacz with a windows name": Case(
        "x.wacz", zipped(("archive\\evil.warc", good()[0])), ["no plain relative path"], ALL
    ),
    "wacz with a link": Case(
        "x.wacz", zipped(("archive/evil.warc", b"/etc/passwd"), link="archive/evil.warc"), ["symbolic link"], ALL
    ),
    "wacz with an absurd ratio": Case(
        "x.wacz", zipped(("archive/zeros.warc", bytes(40 << 20))), [r"claims 41943040 bytes out of \d+"], ALL
    ),
    "wacz cut": Case("x.wacz", zipped()[:-40], ["not a ZIP file, or one cut short"]),
    "wacz with an unlisted file": Case("x.wacz", zipped(("logs/x.log", b"log")), ["not in the manifest"], ALL),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_file(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    source, path = tmp_path / "in", tmp_path / "archive"
    source.mkdir()
    (source / case.name).write_bytes(case.data)
    # A good file after it, in the same call, is stored in full.
    (source / "z.warc.gz").write_bytes(gzipped([response(9, f"{SITE}z", b"z")]))
    done = webkeep("import", source, "--into", path, as_json=False)
    *told, summary = done.lines
    assert done.code == 1, done.err
    assert len(told) == len(case.says), done.err
    for line, expected in zip(told, case.says, strict=True):
        assert re.match(rf"{re.escape(str(source / case.name))}\S*?(, byte \d+)?: .*{expected}.*\[[a-z-]+\]$", line), (
            line
        )
    assert summary.startswith("stored ")
    with Archive(path) as archive:
        held = {url: payload for url, _, payload in contents_of(archive)}
    if case.in_part:
        assert GOOD[case.in_part].startswith(held.pop(case.in_part))
    assert held == {url: GOOD[url] for url in case.stored} | {f"{SITE}z": b"z"}
    assert not any((path / "jobs").iterdir())
    # What was stored is sound, but for what was told of it.
    assert len(findings_of(path)) <= len(case.says)


def test_two_problems_are_two_lines(tmp_path: Path) -> None:
    wrong = {"WARC_Payload_Digest": "sha1:" + "A" * 32, "WARC_Block_Digest": "sha1:" + "B" * 32}
    (tmp_path / "x.warc.gz").write_bytes(gzipped(with_middle(**wrong)) + members(damaged))
    done = webkeep("import", tmp_path / "x.warc.gz", "--into", tmp_path / "archive", as_json=False)
    assert (done.code, len(done.lines)) == (1, 4)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A good archive of three pages."""
    path = tmp_path / "archive"
    with WritableArchive.create(path) as archive, archive.begin("capture", [SITE]) as capture:
        for number, (url, body) in enumerate(GOOD.items()):
            capture.append(exchange(url, body, MOMENT.plus(number)))
    return path


def held_in(path: Path) -> dict[str, bytes]:
    with Archive(path) as archive:
        return {url: payload for url, _, payload in contents_of(archive)}


def says(words: list[object], code: int, *expected: str) -> None:
    """One line, which begins with the command's name and says all of this."""
    done = webkeep(*words, as_json=False)
    assert (done.code, len(done.lines)) == (code, 1), done.err
    assert done.lines[0].startswith("webkeep: ")
    for text in expected:
        assert text in done.lines[0]
    assert done.out == b""
    summary = webkeep(*words).summary
    assert (summary["exit"], summary["error"]) == (code, done.lines[0].removeprefix("webkeep: "))


COMMANDS: dict[str, Callable[[Path, Path], list[object]]] = {
    "import": lambda path, folder: ["import", folder / "in.warc.gz", "--into", path],
    "export": lambda path, folder: ["export", path, "--warc", folder / "out.warc.gz"],
    "verify": lambda path, folder: ["verify", path],
    "rebuild": lambda path, folder: ["rebuild", path],
    "remove": lambda path, folder: ["remove", path, "--url", FIRST, "--yes"],
}
WRITING = ("import", "rebuild", "remove")


def words(command: str, path: Path, folder: Path) -> list[object]:
    (folder / "in.warc.gz").write_bytes(gzipped([response(50, f"{SITE}new", b"new")]))
    return COMMANDS[command](path, folder)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", ["a directory of other things", "a file", "nothing"])
def test_not_an_archive(tmp_path: Path, command: str, what: str) -> None:
    path = tmp_path / "other"
    if what == "a file":
        path.write_text("mine")
    elif what != "nothing":
        path.mkdir()
        (path / "mine.txt").write_text("mine")
    if command == "import" and what == "nothing":
        return  # which makes it
    says(words(command, path, tmp_path), 2, str(path))
    left = [file.name for file in path.iterdir()] if path.is_dir() else []
    assert left == (["mine.txt"] if what == "a directory of other things" else [])


@pytest.mark.parametrize("named", ["missing.warc.gz", "missing/"])
def test_files_that_are_not_there(kept: Path, tmp_path: Path, named: str) -> None:
    (tmp_path / "good.warc.gz").write_bytes(gzipped([response(50, f"{SITE}new", b"new")]))
    says(
        ["import", tmp_path / "good.warc.gz", tmp_path / named, "--into", kept], 2, named.rstrip("/"), "does not exist"
    )
    assert held_in(kept) == GOOD


def test_a_directory_without_records(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    says(["import", tmp_path / "empty", "--into", kept], 2, "holds no WARC", "--base-url")


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "{}", "--warc", "{}/no/such/place.warc.gz"],
        ["export", "{}", "--warc", "{}"],
        ["export", "{}", "--wacz", "x.wacz", "--cdxj", "x.cdxj"],
        ["export", "{}"],
        ["export", "{}", "--cdxj", "{}.cdxj", "--capture", "no-such-capture"],
        ["export", "{}", "--cdxj", "{}.cdxj", "--since", "no such moment"],
        ["export", "{}", "--cdxj", "{}.cdxj", "--since", "2025", "--until", "2024"],
        ["export", "{}", "--cdxj", "{}.cdxj", "--url", "http://nothing.example/"],
        ["remove", "{}"],
        ["remove", "{}", "--url", "", "--yes"],
        ["verify"],
        ["verify", "{}", "--no-such-option"],
        ["import", "--into", "{}"],
        ["no-such-command"],
        [],
    ],
)
def test_wrong_calls(kept: Path, arguments: list[str]) -> None:
    says([word.replace("{}", str(kept)) for word in arguments], 2)
    assert held_in(kept) == GOOD


@pytest.mark.parametrize("command", COMMANDS)
def test_a_second_writer(kept: Path, tmp_path: Path, command: str) -> None:
    with WritableArchive(kept):
        if command in WRITING:
            says(words(command, kept, tmp_path), 3, str(kept), f"pid {os.getpid()}")
        else:
            assert webkeep(*words(command, kept, tmp_path)).code == 0
    assert held_in(kept) == GOOD
    assert webkeep(*words(command, kept, tmp_path), *(["--replace"] if command == "export" else [])).code == 0


@functools.cache
def load_all_modules() -> None:
    """Whatever a command loads late: the checkout may lie where nobody else may read, such as root's home."""
    for module in pkgutil.walk_packages(webkeep_package.__path__, "webkeep."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """As somebody whom permissions bind, which they do not for root."""
    if os.geteuid() != 0:
        yield
        return
    load_all_modules()
    os.setresgid(65534, 65534, 0)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


def opened_up(folder: Path) -> None:
    """Let everybody read what is there and everybody else walk to it."""
    for parent in [folder, *folder.parents]:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)


@pytest.mark.parametrize("command", ["list", "verify"])
def test_an_archive_that_may_not_be_read(kept: Path, command: str) -> None:
    opened_up(kept.parent)
    kept.chmod(0o000)
    with as_nobody():
        done = webkeep(command, kept, as_json=False)
    kept.chmod(0o755)
    assert (done.code, len(done.lines)) == (3, 1), done.err
    assert f"{kept}" in done.err
    assert "ermission" in done.err
    assert "acknowledged" not in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_read_only_archive(kept: Path, tmp_path: Path, command: str) -> None:
    opened_up(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out").chmod(0o777)
    ready = words(command, kept, tmp_path / "out")
    for path in [kept, *kept.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with as_nobody():
            if command in WRITING:
                says(ready, 3, str(kept), "writable")
            else:
                assert webkeep(*ready).code == 0
                part = ["export", kept, "--wacz", tmp_path / "out/part.wacz", "--url", FIRST, "--match", "exact"]
                assert webkeep(*part).code == 0
            assert held_in(kept) == GOOD
    finally:
        for path in [kept, *kept.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert findings_of(kept) == []


def test_a_read_only_place_for_a_new_archive(tmp_path: Path) -> None:
    opened_up(tmp_path)
    ready = words("import", tmp_path / "locked/archive", tmp_path)
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked").chmod(0o555)
    with as_nobody():
        says(ready, 3, str(tmp_path / "locked/archive"))


def test_files_and_directories_that_may_not_be_read(tmp_path: Path) -> None:
    opened_up(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out").chmod(0o777)
    source = tmp_path / "in"
    (source / "closed").mkdir(parents=True)
    (source / "a.warc.gz").write_bytes(gzipped(good()))
    (source / "b.warc.gz").write_bytes(gzipped([response(8, f"{SITE}b", b"b")]))
    (source / "b.warc.gz").chmod(0o000)
    (source / "closed").chmod(0o000)
    with as_nobody():
        done = webkeep("import", source, "--into", tmp_path / "out/archive", as_json=False)
        site = webkeep("import", source, "--base-url", SITE, "--into", tmp_path / "out/site", as_json=False)
        assert held_in(tmp_path / "out/archive") == GOOD
    (source / "closed").chmod(0o755)
    assert (done.code, len(done.lines)) == (1, 3)
    assert re.match(r".*closed: cannot be read \(Permission denied\); left out", done.lines[0])
    assert re.match(r".*b\.warc\.gz: cannot be read \(Permission denied\); left out", done.lines[1])
    assert (site.code, len(site.lines)) == (1, 3)
    assert sum("left out" in line for line in site.lines) == 2


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("this machine does not let a small disk be made")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.fixture
def filling(tmp_path: Path) -> Path:
    """A file of records that do not fit on a small disk."""
    records = [response(100 + n, f"{SITE}large/{n}", os.urandom(200_000)) for n in range(20)]
    (tmp_path / "large.warc.gz").write_bytes(gzipped(records))
    return tmp_path / "large.warc.gz"


def on_small_disk(kept: Path, small_disk: Path) -> Path:
    shutil.copytree(kept, small_disk / "archive")
    return small_disk / "archive"


def test_a_full_disk_while_importing(kept: Path, small_disk: Path, filling: Path, tmp_path: Path) -> None:
    path = on_small_disk(kept, small_disk)
    done = webkeep("import", filling, "--into", path, as_json=False)
    assert (done.code, len(done.lines)) == (3, 1), done.err
    assert re.match(r"webkeep: .*(full|No space)", done.lines[0])
    assert findings_of(path) == []
    held = held_in(path)
    assert {url: held[url] for url in GOOD} == GOOD
    # With room again the same call finishes what it began.
    shutil.copytree(path, tmp_path / "roomy")
    assert webkeep("import", filling, "--into", tmp_path / "roomy").code == 0
    assert findings_of(tmp_path / "roomy") == []
    assert len(held_in(tmp_path / "roomy")) == len(GOOD) + 20


def fill(disk: Path, leave: int = 0) -> None:
    room = os.statvfs(disk)
    with (disk / "filler").open("wb") as filler:
        filler.write(bytes(room.f_bavail * room.f_frsize - leave))


@pytest.mark.parametrize("command", ["rebuild", "remove"])
def test_a_full_disk_while_working_on_an_archive(kept: Path, small_disk: Path, tmp_path: Path, command: str) -> None:
    path = on_small_disk(kept, small_disk)
    fill(small_disk)
    done = webkeep(*words(command, path, tmp_path), as_json=False)
    assert (done.code, len(done.lines)) == (3, 1), done.err
    assert re.match(r"webkeep: .*(full|No space)", done.lines[0])
    (small_disk / "filler").unlink()
    assert held_in(path) == GOOD
    assert findings_of(path) == []
    assert webkeep(*words(command, path, tmp_path)).code == 0
    assert findings_of(path) == []


@pytest.mark.parametrize("option", ["--warc", "--wacz", "--cdxj"])
def test_a_full_disk_while_exporting(kept: Path, small_disk: Path, option: str) -> None:
    fill(small_disk)
    more = ["--url", SITE] if option == "--wacz" else []
    says(["export", kept, option, small_disk / "out.gz", *more], 3, str(small_disk / "out.gz"), "No space left")
    assert [file.name for file in small_disk.iterdir()] == ["filler"]


def test_an_index_that_points_past_the_end(kept: Path, tmp_path: Path) -> None:
    for cache, table in (("index/index.sqlite", "entry"), ("catalog.sqlite", "observation")):
        database = sqlite3.connect(kept / cache)
        with database:
            database.execute(f"UPDATE {table} SET offset = 10000000 WHERE url = ?", (MIDDLE,))
        database.close()
    done = webkeep("verify", kept, as_json=False)
    assert done.code == 1
    assert len(done.lines) == 5
    assert all("run webkeep rebuild" in line for line in done.lines[:-1])
    says(["export", kept, "--warc", tmp_path / "out.warc.gz", "--url", SITE], 3, "10000000")
    says(["remove", kept, "--url", MIDDLE, "--yes"], 3, "10000000")
    assert not list(tmp_path.glob("*out*"))
    assert webkeep("rebuild", kept).code == 0
    assert held_in(kept) == GOOD


@pytest.mark.parametrize("cache", ["index/index.sqlite", "catalog.sqlite"])
@pytest.mark.parametrize("data", [b"", b"not a database at all " * 100])
@pytest.mark.parametrize("command", ["verify", "export", "import", "remove"])
def test_caches_that_are_no_databases(kept: Path, tmp_path: Path, cache: str, data: bytes, command: str) -> None:
    for ending in ("-wal", "-shm"):
        (kept / f"{cache}{ending}").unlink(missing_ok=True)
    (kept / cache).write_bytes(data)
    done = webkeep(*words(command, kept, tmp_path), as_json=False)
    if done.code:
        assert (done.code, len(done.lines)) == (3, 1), done.err
        assert "webkeep rebuild" in done.lines[0]
    assert webkeep("rebuild", kept).code == 0
    assert {**GOOD, **held_in(kept)} == {**held_in(kept), **GOOD}
    assert findings_of(kept) == []


@pytest.mark.parametrize(
    "text", ["", "name = ", "name = 1\nversion = 1\n", 'name = "x"\ncreated = "2024"\nversion = 99\n']
)
@pytest.mark.parametrize("command", COMMANDS)
def test_settings_that_cannot_be_read(kept: Path, tmp_path: Path, text: str, command: str) -> None:
    good_text = (kept / "archive.toml").read_text()
    (kept / "archive.toml").write_text(text)
    says(words(command, kept, tmp_path), 3, "archive")
    (kept / "archive.toml").write_text(good_text)
    assert held_in(kept) == GOOD


def test_a_warc_file_that_went_missing(kept: Path) -> None:
    (file,) = (kept / "warcs").iterdir()
    file.unlink()
    done = webkeep("verify", kept, as_json=False)
    assert done.code == 1
    assert file.name in done.lines[0]
    assert webkeep("verify", kept).code == 1
    assert webkeep("rebuild", kept).code == 0
    assert webkeep("verify", kept).code == 0


def test_a_warc_file_that_was_cut(kept: Path) -> None:
    (file,) = (kept / "warcs").iterdir()
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    done = webkeep("verify", kept, as_json=False)
    assert done.code == 1
    assert file.name in done.lines[0]
    held = held_in(kept)
    assert held
    assert all(GOOD[url] == payload for url, payload in held.items())


def test_record_ids_that_are_hostile(tmp_path: Path) -> None:
    """Control characters in what is told do not reach the terminal."""
    wrong = response(1, f"{SITE}\x1b[31mred", b"x", WARC_Payload_Digest="sha1:" + "A" * 32, WARC_Record_ID=record_id(3))
    (tmp_path / "x.warc.gz").write_bytes(gzipped([wrong]))
    done = webkeep("import", tmp_path / "x.warc.gz", "--into", tmp_path / "archive", as_json=False)
    assert done.code == 1
    assert "\x1b" not in done.err


def test_json_that_nests_without_end_is_no_end_of_webkeep(tmp_path: Path) -> None:
    page = b'<!doctype html><script type=importmap>{"a":' + b'{"a":' * 20_000 + b"</script><script type=module>"
    warc = response(1, SITE, page + b"import 'x'</script>hi")
    (tmp_path / "deep.warc").write_bytes(warc + b"".join(deep_notes(b"[" * 100_000)))
    (tmp_path / "half.warc").write_bytes(b"".join(deep_notes(b'{"capture":"c","fates":[["\\ud800","stored","",""]]}')))
    archive = str(tmp_path / "a")
    assert webkeep("import", str(tmp_path / "deep.warc"), "--into", archive).code == 0
    shutil.copy(tmp_path / "deep.warc", Path(archive) / "warcs")
    shutil.copy(tmp_path / "half.warc", Path(archive) / "warcs")
    assert webkeep("list", archive, SITE).code == 0
    assert webkeep("mirror", archive, tmp_path / "copy").code in (0, 1)
    assert (tmp_path / "copy" / "index.html").exists()


def deep_notes(block: bytes) -> Iterator[bytes]:
    """Records that seem to be webkeep's own, with a block that is not."""
    for number, kind in enumerate(("fates", "capture-end", "tombstones", "provenance")):
        fields = {"WARC-Record-ID": record_id(50 + number), "WARC-Target-URI": SITE}
        yield record("metadata", block, fields | {"Content-Type": f"application/vnd.webkeep.{kind}+json"})

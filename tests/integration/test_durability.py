"""The promises of an archive on disk, each with a test that tries to break it."""

import gzip
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest
import zstandard
from small_disk import IS_ROOT, filling_up, make_room, mounted, read_only

from webkeep.errors import StorageError, UsageError
from webkeep.model import BytesBody, Exchange, Fate, Finding, Moment, UrlOutcome
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.folder.writer_lock import WriterLock
from webkeep.store.maintenance import rebuild_caches, verify_archive

ROOT = Path(__file__).parents[2]
DAY = Moment.parse("2024-03-01")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"

WRITER = """
import sys
from pathlib import Path
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive.writable_archive import WritableArchive

with WritableArchive.open_or_create(Path(sys.argv[1]), rotate_at=5000) as archive:
    print("open", flush=True)
    capture = archive.begin("test")
    for number in range(int(sys.argv[2])):
        body = BytesBody(b"%d " % number * 500)
        head = b"HTTP/1.1 200 OK\\r\\n\\r\\n"
        capture.append(Exchange(f"http://example.org/{number}", Moment(number), head, body))
        print(number, flush=True)
    sys.stdin.readline()
"""


@contextmanager
def writing(path: Path, count: int = 0) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the archive open, stores records and then waits to be told to end."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert _said(process) == "open"
        yield process
    finally:
        process.kill()
        process.communicate()


def _said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def exchange(name: str, body: bytes = b"body", url: str = "http://example.org/") -> Exchange:
    return Exchange(url + name, DAY, HEAD, BytesBody(body))


def store(path: Path, *names: str, rotate_at: int = 1 << 30) -> None:
    with WritableArchive.open_or_create(path, rotate_at=rotate_at) as archive:
        for name in names:
            archive.append(exchange(name, name.encode() * 50))


def names_in(archive: Archive) -> list[str]:
    return [observation.url.removeprefix("http://example.org/") for observation in archive.observations()]


def findings_in(archive: Archive) -> list[str]:
    found: list[Finding] = []
    verify_archive(archive, found.append)
    return [finding.code for finding in found]


def files_in(path: Path) -> list[Path]:
    return sorted((path / "warcs").iterdir())


# Killed, and without power


@pytest.mark.timeout(120)
def test_what_was_acknowledged_survives_kills_and_power_cuts() -> None:
    seed = random.SystemRandom().randrange(10**6)
    done = subprocess.run(
        [sys.executable, "-m", "bench.archive_kill", "--kills", "5", "--power-cuts", "10", "--seed", str(seed)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (summary["lost"], summary["repeated"], summary["unclean"]) == (0, 0, 0)
    assert (summary["kills"], summary["power_cuts"]) == (5, 10)
    assert summary["acknowledged"] > 100


@pytest.mark.parametrize("cut", [1, 100, 300])
def test_a_torn_record_is_cut_off_and_reported(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "archive"
    store(path, "first", "second")
    whole = _grown(path, exchange("torn", os.urandom(400)))
    (file,) = files_in(path)
    os.truncate(file, file.stat().st_size - cut)
    with Archive(path) as archive:
        (finding,) = archive.repair_findings
        assert (finding.code, finding.source, finding.offset) == ("torn-tail", file.name, whole)
        assert "bytes of a record that was never acknowledged" in finding.message
        assert names_in(archive) == ["first", "second"]
        assert findings_in(archive) == []
    assert file.stat().st_size == whole
    with WritableArchive(path) as archive:
        assert archive.repair_findings == []
        archive.append(exchange("third"))
        assert names_in(archive) == ["first", "second", "third"]
        assert findings_in(archive) == []


def _grown(path: Path, torn: Exchange) -> int:
    """Append a record as a process that is killed does: neither index nor catalog nor lock know of it.

    Gives the size of the growing file before it.
    """
    with WritableArchive(path) as archive:
        size = files_in(path)[0].stat().st_size
        archive.writer.flush()
        lock, caches = _content(archive.layout.lock), {}
        for cache in (archive.layout.index, archive.layout.catalog):
            with closing(sqlite3.connect(cache)) as connection:
                caches[cache] = connection.serialize()
        capture = archive.begin("test")
        archive.writer.flush()
        whole = files_in(path)[0].stat().st_size
        capture.append(torn)
        grown = _content(files_in(path)[0])
    for cache, data in caches.items():
        cache.write_bytes(data)
    (path / "lock").write_bytes(lock)
    files_in(path)[0].write_bytes(grown)
    assert size < whole
    return whole


def _content(path: Path) -> bytes:
    return path.read_bytes()


def test_records_inside_a_torn_record_are_not_taken_for_records(tmp_path: Path) -> None:
    """A WARC file that was captured lies in its record as it is."""
    store(tmp_path / "other", "inner")
    inner = files_in(tmp_path / "other")[0].read_bytes()
    path = tmp_path / "archive"
    store(path, "first")
    whole = _grown(path, exchange("inner.warc.gz", os.urandom(9000) + inner + os.urandom(3000)))
    (file,) = files_in(path)
    os.truncate(file, file.stat().st_size - 1000)
    assert inner in file.read_bytes()
    with Archive(path) as archive:
        assert [finding.code for finding in archive.repair_findings] == ["torn-tail"]
        assert names_in(archive) == ["first"]
        assert findings_in(archive) == []
    assert file.stat().st_size == whole


def test_whole_records_are_kept_though_no_one_waited_for_them(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, "first")
    _grown(path, exchange("whole"))
    with Archive(path) as archive:
        assert archive.repair_findings == []
        assert names_in(archive) == ["first", "whole"]


def test_a_damaged_old_file_is_reported_and_never_cut(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, *"abcdef", rotate_at=500)
    old = files_in(path)[0]
    size = old.stat().st_size
    os.truncate(old, size - 20)
    with Archive(path) as archive:
        codes = {finding.code: finding.source for finding in archive.repair_findings}
        assert codes["file-shrunk"] == codes["corrupt"] == old.name
        assert "torn-tail" not in codes
        assert names_in(archive) == list("abcdef"), "of the record that was hit there is as much as can be read"
        assert findings_in(archive) != []
    assert old.stat().st_size == size - 20


@pytest.mark.parametrize("caches", ["kept", "lost"])
def test_damage_at_the_end_of_a_file_that_was_closed_is_no_tear(tmp_path: Path, caches: str) -> None:
    path = tmp_path / "archive"
    store(path, "first", "second")
    (file,) = files_in(path)
    data = bytearray(file.read_bytes())
    data[-5] ^= 255
    file.write_bytes(data)
    if caches == "lost":
        assert "corrupt" in {finding.code for finding in rebuild_caches(path)}
    with WritableArchive(path) as archive:
        assert archive.repair_findings == []
        archive.append(exchange("third"))
        assert names_in(archive) == ["first", "second", "third"]
        assert findings_in(archive) != []
    assert file.read_bytes().startswith(bytes(data))


def test_a_file_that_was_only_just_begun_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, "first")
    with closing(WriterLock(path / "lock")) as lock:
        lock.announce_growing("webkeep-begun.warc.gz")
    begun = path / "warcs" / "webkeep-begun.warc.gz"
    for kind in (Archive, WritableArchive):
        begun.write_bytes(b"")
        with kind(path) as archive:
            assert not begun.exists()
            assert archive.repair_findings == []
            assert findings_in(archive) == []


def test_a_creation_that_was_broken_off_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "archive" / "warcs").mkdir(parents=True)
    with pytest.raises(UsageError, match="is not a webkeep archive"):
        WritableArchive(tmp_path / "archive")
    store(tmp_path / "archive", "first")
    with Archive(tmp_path / "archive") as archive:
        assert names_in(archive) == ["first"]


# Two processes


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with writing(tmp_path / "archive") as process:
        with pytest.raises(StorageError, match=rf"being written by another process \(pid {process.pid}\)") as refused:
            WritableArchive(tmp_path / "archive")
        assert "\n" not in str(refused.value)
    store(tmp_path / "archive", "after")


def test_a_reader_beside_a_writer_sees_what_is_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with writing(path, 120) as process:
        _said(process)
        with Archive(path) as steady:
            for number in range(1, 120):
                assert _said(process) == str(number)
                with nullcontext(steady) if number % 10 else Archive(path) as archive:
                    seen = archive.lookup(f"http://example.org/{number}")
                    assert seen is not None
                    assert archive.read(seen).read() == b"%d " % number * 500
                    assert archive.repair_findings == []
            assert len(files_in(path)) > 1
            assert findings_in(steady) == []
    with Archive(path) as archive:
        assert archive.repair_findings == []
        assert names_in(archive) == [str(number) for number in range(120)]


def test_a_reader_brings_in_order_what_a_killed_writer_left(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with writing(path, 30) as process:
        last = [_said(process) for _ in range(30)][-1]
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert last == "29"
    with Archive(path) as archive:
        assert names_in(archive) == [str(number) for number in range(30)]
        assert findings_in(archive) == []


# Full and read-only disks


def test_a_full_disk_stops_with_one_line_and_no_damage(tmp_path: Path) -> None:
    chance = random.Random(1)
    with filling_up(tmp_path / "disk") as disk:
        path, kept = disk / "archive", list[tuple[str, bytes]]()
        with pytest.raises(StorageError) as full, WritableArchive.create(path) as archive:
            for number in range(1000):
                body = chance.randbytes(20_000)
                archive.append(exchange(str(number), body))
                kept.append((str(number), body))
        assert "\n" not in str(full.value)
        assert "nothing kept is lost" in str(full.value)
        assert "full" in str(full.value) or not IS_ROOT
        assert 20 < len(kept) < 1000
        make_room(disk)
        with WritableArchive(path) as archive:
            assert names_in(archive)[: len(kept)] == [name for name, _ in kept]
            for name, body in kept:
                seen = archive.lookup(f"http://example.org/{name}")
                assert seen is not None
                assert archive.read(seen).read() == body
            archive.append(exchange("after"))
            assert findings_in(archive) == []


def test_no_room_even_to_begin(tmp_path: Path) -> None:
    if not IS_ROOT:
        with pytest.raises(StorageError, match="cannot make an archive"):
            WritableArchive.create(Path("/dev/full/archive"))
        return
    with mounted(tmp_path / "disk", "256k") as disk:
        (disk / "ballast").write_bytes(bytes(200 << 10))
        with pytest.raises(StorageError) as full:
            store(disk / "archive", "first")
        assert "\n" not in str(full.value)
        (disk / "ballast").unlink()
        store(disk / "archive", "first")


@pytest.mark.parametrize("ended", ["closed", "killed"])
def test_what_cannot_be_written_can_still_be_read(tmp_path: Path, ended: str) -> None:
    with mounted(tmp_path / "disk", "16m") if IS_ROOT else nullcontext(tmp_path) as disk:
        path = disk / "archive"
        with writing(path, 20) as process:
            assert [_said(process) for _ in range(20)][-1] == "19"
            if ended == "closed":
                process.communicate("\n")
        with read_only(disk):
            with Archive(path) as archive:
                assert names_in(archive) == [str(number) for number in range(20)]
                seen = archive.lookup("http://example.org/7")
                assert seen is not None
                assert archive.read(seen).read() == b"7 " * 500
            with pytest.raises(StorageError, match="make it writable or choose another place") as refused:
                WritableArchive(path)
            assert "\n" not in str(refused.value)


# Files that come and go


def test_files_dropped_in_are_noticed(tmp_path: Path) -> None:
    store(tmp_path / "other", "dropped")
    member_file = files_in(tmp_path / "other")[0].read_bytes()
    plain = gzip.decompress(member_file)
    path = tmp_path / "archive"
    store(path, "own")
    warcs = path / "warcs"
    (warcs / "a.warc.gz").write_bytes(member_file)
    (warcs / "b.warc").write_bytes(plain)
    (warcs / "c.warc.zst").write_bytes(b"".join(map(zstandard.compress, _records(plain))))
    described = b"1 0 test\nURL IP-address Archive-date Content-type Archive-length\n"
    page = b"HTTP/1.0 200 OK\r\n\r\nbody"
    (warcs / "d.arc").write_bytes(
        b"filedesc://d.arc 127.0.0.1 20240301000000 text/plain %d\n%s\n" % (len(described), described)
        + b"http://example.org/arc 127.0.0.1 20240301000000 text/html %d\n%s\n" % (len(page), page)
    )
    (warcs / "e.warc.gz").write_bytes(b"junk " * 100)
    (warcs / "f.warc.gz").write_bytes(b"")
    (warcs / "g.txt").write_bytes(b"a letter")
    with Archive(path) as archive:
        by_file = {seen.place.file[:1]: seen.url.rpartition("/")[2] for seen in archive.observations()}
        assert by_file == {"w": "own", "a": "dropped", "b": "dropped", "c": "dropped", "d": "arc"}
        assert {finding.source for finding in archive.repair_findings} == {"e.warc.gz", "f.warc.gz"}
        assert "torn-tail" not in {finding.code for finding in archive.repair_findings}
        for seen in archive.observations():
            assert archive.read(seen).read() in (b"own" * 50, b"dropped" * 50, b"body")
    with Archive(path) as archive:
        assert archive.repair_findings == []
    store(path, "more")


def _records(plain: bytes) -> list[bytes]:
    """The records of a plain WARC file."""
    starts = [at for at in range(len(plain)) if plain.startswith(b"WARC/1.1\r\n", at)]
    return [plain[start:end] for start, end in zip(starts, [*starts[1:], len(plain)], strict=True)]


def test_a_file_that_vanished_is_missed_until_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, *"abc", rotate_at=300)
    gone = files_in(path)[1]
    kept = gone.read_bytes()
    gone.unlink()
    with Archive(path) as archive:
        assert [(finding.code, finding.source) for finding in archive.repair_findings] == [("file-gone", gone.name)]
        left = names_in(archive)
    store(path, "a")
    for _ in range(2):
        with Archive(path) as archive:
            assert archive.repair_findings == []
            assert findings_in(archive) == ["file-gone"]
    gone.write_bytes(kept)
    with Archive(path) as archive:
        assert archive.repair_findings == []
        assert sorted(names_in(archive)) == list("aabc") != left
        assert findings_in(archive) == []


def test_a_file_that_shrinks_vanishes_and_comes_back_is_measured_by_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, *"abcd")
    (file,) = files_in(path)
    whole = file.read_bytes()

    def losses() -> list[tuple[str, int]]:
        with Archive(path) as archive:
            assert archive.repair_findings != []
        with Archive(path) as archive:
            return [(finding.code, finding.offset) for finding in archive.catalog.log.losses()]

    for size in (len(whole) - 20, len(whole) // 2):
        os.truncate(file, size)
        assert losses() == [("file-shrunk", len(whole))]
    file.unlink()
    assert losses() == [("file-gone", len(whole))]
    file.write_bytes(whole[:-20])
    assert losses() == [("file-shrunk", len(whole))]
    # The last record is whole only if the file is read from the start again.
    file.write_bytes(whole)
    with Archive(path) as archive:
        assert findings_in(archive) == []
        assert names_in(archive) == list("abcd")


def test_nothing_is_appended_to_what_is_left_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, *"abc")
    (file,) = files_in(path)
    whole = file.read_bytes()
    os.truncate(file, len(whole) - 20)
    store(path, *"defgh")
    assert file.read_bytes() == whole[:-20]
    with Archive(path) as archive:
        assert "file-shrunk" in findings_in(archive)
    file.write_bytes(whole)
    with Archive(path) as archive:
        assert sorted(names_in(archive)) == list("abcdefgh")
        assert findings_in(archive) == []


def test_a_rebuild_accepts_a_loss(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, *"abc", rotate_at=300)
    files_in(path)[1].unlink()
    with Archive(path) as archive:
        assert findings_in(archive) == ["file-gone"]
    assert rebuild_caches(path) == []
    with Archive(path) as archive:
        assert findings_in(archive) == []


@pytest.mark.parametrize("forgotten_by", ["index/index.sqlite", "catalog.sqlite"])
def test_a_loss_is_told_though_forgetting_was_interrupted(tmp_path: Path, forgotten_by: str) -> None:
    path = tmp_path / "archive"
    store(path, *"abc", rotate_at=300)
    gone = files_in(path)[1]
    gone.unlink()
    with closing(sqlite3.connect(path / forgotten_by)) as cache, cache:
        assert cache.execute("UPDATE file SET covered = 0 WHERE name = ?", (gone.name,)).rowcount == 1
    with Archive(path) as archive:
        assert [finding.code for finding in archive.repair_findings] == ["file-gone"]
    with Archive(path) as archive:
        assert findings_in(archive) == ["file-gone"]


def test_an_archive_to_read_says_how_to_write(tmp_path: Path) -> None:
    store(tmp_path / "archive", "a")
    with Archive(tmp_path / "archive") as archive:
        with pytest.raises(UsageError, match="write=True"):
            archive.begin("test")
        with pytest.raises(UsageError, match="write=True"):
            archive.append(exchange("b"))


@pytest.mark.parametrize("lost", [["index/index.sqlite"], ["catalog.sqlite"], ["index/index.sqlite", "catalog.sqlite"]])
def test_caches_that_are_gone_are_made_anew(tmp_path: Path, lost: list[str]) -> None:
    path = tmp_path / "archive"
    store(path, "first", "second")
    for name in lost:
        (path / name).unlink()
    if "index/index.sqlite" in lost:
        (path / "index").rmdir()
    with Archive(path) as archive:
        assert archive.repair_findings == []
        assert names_in(archive) == ["first", "second"]
        assert findings_in(archive) == []


@pytest.mark.parametrize("cache", ["index/index.sqlite", "catalog.sqlite"])
@pytest.mark.parametrize("kind", [Archive, WritableArchive])
def test_garbage_in_a_cache_is_told_in_one_line_and_mended_by_a_rebuild(
    tmp_path: Path, cache: str, kind: type[Archive]
) -> None:
    path = tmp_path / "archive"
    store(path, "first")
    (path / cache).write_bytes(os.urandom(20_000))
    with pytest.raises(StorageError, match=rf"file is not a database; run webkeep rebuild {path}$"):
        kind(path)
    assert rebuild_caches(path) == []
    store(path, "second")
    with Archive(path) as archive:
        assert names_in(archive) == ["first", "second"]


def test_garbage_in_the_middle_of_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, *(str(number) for number in range(300)))
    with (path / "index/index.sqlite").open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(60_000))
    with pytest.raises(StorageError, match="run webkeep rebuild"), Archive(path) as archive:
        for number in range(300):
            archive.lookup(f"http://example.org/{number}")
    rebuild_caches(path)
    with Archive(path) as archive:
        assert findings_in(archive) == []


# Growing


def test_the_unfinished_file_is_continued_and_a_full_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    store(path, "a")
    store(path, "b")
    assert len(files_in(path)) == 1
    store(path, "c", rotate_at=100)
    assert len(files_in(path)) > 1
    with Archive(path) as archive:
        assert names_in(archive) == list("abc")
        assert findings_in(archive) == []


def test_rotation(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    limit = 20_000
    with WritableArchive.create(path, rotate_at=limit) as archive:
        for number in range(30):
            archive.append(exchange(str(number), random.Random(number).randbytes(3000)))
    files = files_in(path)
    assert len(files) > 4
    assert all(file.stat().st_size >= limit for file in files[:-1])
    assert all(file.stat().st_size < limit + 4000 for file in files)
    with Archive(path) as archive:
        assert names_in(archive) == [str(number) for number in range(30)]
        (capture,) = archive.captures()
        for file in files:  # each can be read alone
            first = next(record for record in archive.records() if record.source == file.name)
            assert first.type == "warcinfo"
            assert capture.id in first.read().decode()


@pytest.mark.parametrize("rotate_at", [300, 1 << 30])
def test_two_captures_take_turns(tmp_path: Path, rotate_at: int) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path, rotate_at=rotate_at) as archive:
        with archive.begin("one", ["http://a/"]) as one, archive.begin("two", [], {"plan": "x"}) as two:
            for number in range(10):
                (two if number % 3 else one).append(exchange(str(number)))
        ids = [one.id, two.id]
    for _ in range(2):
        with Archive(path) as archive:
            captures = {capture.id: capture for capture in archive.captures()}
            assert [captures[each].kind for each in ids] == ["one", "two"]
            assert all(capture.finished is not None for capture in captures.values())
            numbers = [[int(seen.url[-1]) for seen in archive.observations(each)] for each in ids]
            assert numbers == [[0, 3, 6, 9], [1, 2, 4, 5, 7, 8]]
        rebuild_caches(path)


def test_fates_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    # More than one record of them, and records of more than a megabyte.
    fates = [
        Fate(f"http://example.org/{'x' * 300}/{n:05d}", UrlOutcome.REFUSED, f"rule {n}", "http://a/")
        for n in range(6000)
    ]
    with WritableArchive.create(path) as archive, archive.begin("test") as capture:
        capture.submit_fates([Fate(fates[0].url, UrlOutcome.QUEUED)])
        capture.submit_fates(fates)
    for _ in range(2):
        with Archive(path) as archive:
            assert list(archive.catalog.log.fates()) == [(capture.id, fate) for fate in fates]
            assert findings_in(archive) == []
        rebuild_caches(path)

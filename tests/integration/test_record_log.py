"""The log of an archive: every record is in it, whatever way it came, and it is rebuilt from the WARC files alone."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from logged_archives import (
    SIGNER,
    exchange,
    logged_entries,
    members,
    plain_hash,
    plain_root,
    record_hashes,
    store,
)

from webkeep.formats.transparency import Checkpoint, parse_checkpoint
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.log import begin_log, make_checkpoint, prove_records
from webkeep.store.maintenance import rebuild_caches
from webkeep.store.transfer import RecordImport

WRITER = """
import sys
from pathlib import Path
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive

with WritableArchive.open_or_create(Path(sys.argv[1]), rotate_at=20000, keep_log=True) as archive:
    capture = archive.begin("test")
    for number in range(int(sys.argv[2])):
        head = b"HTTP/1.1 200 OK\\r\\n\\r\\n"
        capture.append(Exchange(f"http://example.org/{number}", Moment(number), head, BytesBody(b"%d " % number * 500)))
    print("done", flush=True)
    sys.stdin.readline()
"""


def checkpoint_of(note: bytes) -> Checkpoint:
    return parse_checkpoint(note)[0]


def open_and_close(path: Path) -> None:
    with Archive(path):
        pass


def test_the_log_has_every_record_in_order_and_the_checkpoint_its_root(tmp_path: Path) -> None:
    note = store(tmp_path / "a", *map(str, range(40)), rotate_at=5000)
    entries = record_hashes(tmp_path / "a")
    assert logged_entries(tmp_path / "a") == entries
    found = checkpoint_of(note)
    assert 80 < found.size < len(entries)
    assert found.root == plain_root(entries[: found.size])
    assert (tmp_path / "a/log/checkpoint").read_bytes() == note
    _, signed = parse_checkpoint(note)
    assert signed.signers_among([SIGNER.note_key(found.origin)])


def test_records_prepared_by_another_process_and_large_ones_are_logged_alike(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "a", keep_log=True) as archive, archive.begin("test") as capture:
        archive.writer.expect_many_records()
        for number in range(600):
            capture.submit(exchange(str(number)))
        capture.submit(exchange("large", b"large " * 400_000))
        capture.submit(exchange("again", b"large " * 400_000))
    assert logged_entries(tmp_path / "a") == record_hashes(tmp_path / "a")


def test_a_log_can_be_begun_later_and_has_what_came_before(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "a") as archive:
        archive.append(exchange("before"))
    assert begin_log(tmp_path / "a", "example.org/log") == "example.org/log"
    assert begin_log(tmp_path / "a") == "example.org/log"
    store(tmp_path / "a", "after")
    assert logged_entries(tmp_path / "a") == record_hashes(tmp_path / "a")


def test_without_news_the_same_checkpoint_is_given_again(tmp_path: Path) -> None:
    first = store(tmp_path / "a", "x")
    with WritableArchive(tmp_path / "a") as archive:
        assert make_checkpoint(archive, SIGNER) == first
        assert make_checkpoint(archive) == first
        archive.append(exchange("y"))
        assert checkpoint_of(make_checkpoint(archive, SIGNER)).size > checkpoint_of(first).size


@pytest.mark.parametrize("lost", ["log", "log/state.json", "log/entries", "log/row1", "log/checkpoint"])
def test_a_log_is_rebuilt_from_the_warc_files_alone(tmp_path: Path, lost: str) -> None:
    path = tmp_path / "a"
    store(path, *map(str, range(300)))
    note = store(path, "later")
    entries = logged_entries(path)
    target = path / lost
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()
    open_and_close(path)
    assert logged_entries(path) == entries
    with WritableArchive(path) as archive:
        archive.append(exchange("last"))
        found = checkpoint_of(make_checkpoint(archive, SIGNER))
    assert found.root == plain_root(logged_entries(path)[: found.size])
    assert checkpoint_of(note).root == plain_root(entries[: checkpoint_of(note).size])


def test_a_rebuild_of_index_and_catalog_leaves_the_log_as_it_is(tmp_path: Path) -> None:
    store(tmp_path / "a", "x", "y")
    before = logged_entries(tmp_path / "a")
    rebuild_caches(tmp_path / "a")
    assert logged_entries(tmp_path / "a") == before


def test_files_dropped_in_are_logged_behind_what_is_there_and_stay_so(tmp_path: Path) -> None:
    path = tmp_path / "a"
    store(path, "x")
    before = logged_entries(path)
    with WritableArchive.create(tmp_path / "b") as other:
        other.append(exchange("dropped"))
    (dropped,) = (tmp_path / "b/warcs").iterdir()
    shutil.copy(dropped, path / "warcs" / "aaa.warc.gz")
    store(path, "y")
    entries = logged_entries(path)
    assert entries[: len(before)] == before
    assert entries[len(before) :][: len(members(dropped))] == list(map(plain_hash, members(dropped)))
    shutil.rmtree(path / "log")
    open_and_close(path)
    assert logged_entries(path) == entries


def test_imported_records_are_logged_as_they_are_stored(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "b") as other, other.begin("test") as capture:
        capture.submit(exchange("small"))
        capture.submit(exchange("large", bytes(range(256)) * 9000))
    (source,) = (tmp_path / "b/warcs").iterdir()
    plain = tmp_path / "plain.warc"
    plain.write_bytes(b"".join(members(source)))
    arc = tmp_path / "old.arc"
    arc.write_bytes(
        b"filedesc://old.arc 0.0.0.0 20200101000000 text/plain 76\n1 0 Test\n"
        b"URL IP-address Archive-date Content-type Archive-length\n\n"
        b"http://example.org/arc 127.0.0.1 20200101000000 text/html 33\nHTTP/1.0 200 OK\r\n\r\n<p>old</p>\r\n\r\n\n"
    )
    for number, file in enumerate((source, plain, arc)):
        path = tmp_path / f"a{number}"
        with WritableArchive.create(path, keep_log=True) as archive:
            imported = RecordImport(archive, [], lambda _: None)
            imported.add_file(file)
            imported.finish()
        assert imported.result.records
        assert logged_entries(path) == record_hashes(path)


def test_a_writer_that_is_killed_leaves_a_log_that_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "a"
    store(path, "x")
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "30"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "done\n"
    process.kill()
    process.communicate()
    open_and_close(path)
    assert logged_entries(path) == record_hashes(path)


def test_entries_that_a_power_cut_took_are_made_again(tmp_path: Path) -> None:
    path = tmp_path / "a"
    store(path, "x")
    state = (path / "log/state.json").read_bytes()
    store(path, *map(str, range(20)))
    expected = logged_entries(path)
    size = json.loads(state)["size"]
    for torn in (expected[:size], [*expected[:size], bytes(32), bytes(32)]):
        (path / "log/state.json").write_bytes(state)
        (path / "log/entries").write_bytes(b"".join(torn))
        open_and_close(path)
        assert logged_entries(path) == expected == record_hashes(path)


class FailsWhenReadAgain:
    """A large body that is gone when it is written, after it was digested."""

    size = 2 << 20

    def __init__(self) -> None:
        self._reads = 0

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        self._reads += 1
        yield b"x" * (self.size // 2 - start)
        if self._reads > 1:
            raise ValueError("the source is gone")
        yield b"x" * (self.size // 2)


def test_records_that_could_not_be_written_are_not_logged(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "a", keep_log=True) as archive, archive.begin("test") as capture:
        capture.submit(exchange("before"))
        url, moment = "http://example.org/f", exchange("x").moment
        failed = capture.submit_resource(url, moment, "text/plain", FailsWhenReadAgain())
        with pytest.raises(ValueError, match="gone"):
            failed.result()
        capture.submit(exchange("after"))
    assert logged_entries(tmp_path / "a") == record_hashes(tmp_path / "a")


def test_proofs_show_that_records_are_in_the_log_without_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    note = store(path, *map(str, range(150)))
    checkpoint = checkpoint_of(note)
    entries = record_hashes(path)[: checkpoint.size]
    with Archive(path) as archive:
        assert archive.log is not None
        proofs = prove_records(archive.log, [*entries[::7], b"x" * 32], checkpoint)
    assert proofs.list_unproven([*entries[::7], entries[1]], checkpoint) == [entries[1]]

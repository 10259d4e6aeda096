import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.store.folder.writer_lock import WriterLock


def test_a_second_writer_of_the_same_process_is_refused_and_told_so(tmp_path: Path) -> None:
    first = WriterLock(tmp_path / "lock")
    with pytest.raises(StorageError, match=r"being written by this process \(pid") as refused:
        WriterLock(tmp_path / "lock")
    assert "\n" not in str(refused.value)
    first.close()
    WriterLock(tmp_path / "lock").close()


def test_what_grows_is_remembered(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path / "lock")
    assert (lock.growing_file, lock.synced_bytes) == ("", 0)
    lock.announce_growing("a-file-with-a-long-name.warc.gz")
    lock.announce_growing("b.warc.gz", 123456789)
    lock.close()
    again = WriterLock(tmp_path / "lock")
    assert (again.growing_file, again.synced_bytes) == ("b.warc.gz", 123456789)
    again.announce_growing("c")
    assert (again.growing_file, again.synced_bytes) == ("c", 0)
    again.close()


def test_closing_twice_closes_nothing_else(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path / "lock")
    lock.close()
    other = os.open(tmp_path, os.O_RDONLY)  # takes the number that became free
    lock.close()
    os.close(other)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"growing": "x", "sure": "many"}', b"\xff\xfe", b"\0" * 400])
def test_a_garbled_lock_can_be_taken(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lock").write_bytes(content)
    lock = WriterLock(tmp_path / "lock")
    assert lock.synced_bytes == 0
    lock.announce_growing("x", 5)
    lock.close()
    again = WriterLock(tmp_path / "lock")
    assert (again.growing_file, again.synced_bytes) == ("x", 5)
    again.close()


def test_no_place_to_write(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot write to .* make it writable or choose another place"):
        WriterLock(tmp_path / "missing" / "lock")


def test_what_a_killed_writer_left_behind_is_waited_for(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        pass
    lock = WriterLock(tmp_path / "lock")
    told = json.loads((tmp_path / "lock").read_text())
    (tmp_path / "lock").write_text(json.dumps({**told, "pid": dead.pid}))
    threading.Timer(0.1, lock.close).start()
    WriterLock(tmp_path / "lock").close()

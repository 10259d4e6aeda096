"""A cache whose making was cut short by a power cut opens all the same, for readers too."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive

PAGE = Exchange("http://example.org/", Moment.parse("2024-03-01"), b"HTTP/1.1 200 OK\r\n\r\n", BytesBody(b"page"))


def leave_half_written(path: Path, scratch: Path) -> None:
    """Bring a database into the state of one that is being changed without write-ahead logging."""
    journal = path.with_name(f"{path.name}-journal")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE half (text)")
    connection.executemany("INSERT INTO half VALUES (?)", [("written " * 20,)] * 3000)
    for file in (path, journal):
        shutil.copy(file, scratch / file.name)
    connection.close()
    for file in (path, journal):
        shutil.copy(scratch / file.name, file)


@pytest.mark.parametrize("cache", ["catalog.sqlite", "index/index.sqlite"])
def test_readers_open_what_was_left_half_written(tmp_path: Path, cache: str) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path) as made:
        made.append(PAGE)
    leave_half_written(path / cache, tmp_path)
    with Archive(path) as archive:
        found = archive.lookup("http://example.org/")
        assert found is not None
        assert archive.read(found).read() == b"page"

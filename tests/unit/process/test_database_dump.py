"""Databases made into files."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.process import DumpKind, write_dump


def test_a_database_that_stood_still_is_the_same_file_twice(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as writing:
        writing.executescript("PRAGMA journal_mode = wal; CREATE TABLE item (name); INSERT INTO item VALUES ('gone')")
        writing.execute("UPDATE item SET name = 'kettle'")
        writing.commit()
        for name in ("one", "two"):
            write_dump(DumpKind.SQLITE, str(tmp_path / "shop.db"), "shop", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert b"gone" not in (tmp_path / "one").read_bytes()
    with closing(sqlite3.connect(tmp_path / "one")) as copy:
        assert copy.execute("SELECT name FROM item").fetchall() == [("kettle",)]


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "shop.db").write_text("nothing of the kind" * 100)
    with pytest.raises(UsageError, match=r"the dump shop failed \(file is not a database\)"):
        write_dump(DumpKind.SQLITE, str(tmp_path / "shop.db"), "shop", tmp_path / "dump")


def test_a_command_is_kept_as_it_prints(tmp_path: Path) -> None:
    write_dump(DumpKind.COMMAND, f"{sys.executable} -c 'print(\"x\" * 300000)'", "data", tmp_path / "dump")
    assert (tmp_path / "dump").read_text() == "x" * 300_000 + "\n"
    with pytest.raises(UsageError, match=r"the dump data failed with status 4 \(its reason\)"):
        write_dump(DumpKind.COMMAND, "echo its reason >&2; exit 4", "data", tmp_path / "other")


@pytest.mark.parametrize(
    ("kind", "program", "what", "call"),
    [
        (
            DumpKind.POSTGRESQL,
            "pg_dump",
            "postgresql://keeper:s3cret%21@db/shop",
            "--dbname=postgresql://keeper@db/shop",
        ),
        (DumpKind.POSTGRESQL, "pg_dump", "postgresql:///shop?host=/run/db", "--dbname=postgresql:///shop?host=/run/db"),
        (DumpKind.POSTGRESQL, "pg_dump", "shop", "--dbname=shop"),
        (DumpKind.MYSQL, "mysqldump", "mysql://keeper:s3cret%21@db:3307/shop", "--host=db --port=3307 --user=keeper"),
        (DumpKind.MYSQL, "mysqldump", "shop", "-- shop"),
    ],
)
def test_no_password_is_on_a_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: DumpKind, program: str, what: str, call: str
) -> None:
    """The program says how it was called, and which password it was handed."""
    (tmp_path / program).write_text('#!/bin/sh\necho "$@" "|$PGPASSWORD$MYSQL_PWD"\n')
    (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    write_dump(kind, what, "shop", tmp_path / "dump")
    said, _, password = (tmp_path / "dump").read_text().partition("|")
    assert call in said
    assert "s3cret" not in said
    assert password.strip() == ("s3cret!" if "s3cret" in what else "")

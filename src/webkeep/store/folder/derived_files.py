"""What was made of an archive's records and lies beside them, such as reports, pictures and words of pages: it leaves
with them at a takedown.

Databases are emptied where they are, as a server that is running may have them open: were they deleted, it would go on
with what it has. Everything else is deleted; all of it can be made again.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from webkeep.store.folder.layout import ArchiveLayout, sync_directory, write_error

_LOCK_TIMEOUT_SECONDS = 30.0
"""How long a server that has such a database open may keep it locked."""
_SELECT_TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
_SELECT_SCHEMA = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name IN ({marks})"
_SIDE_FILE_ENDINGS = ("-wal", "-shm", "-journal")


def clear_derived(layout: ArchiveLayout) -> None:
    """Take away reports, pictures and words of pages, and what captures that were killed had spooled."""
    try:
        databases = list(layout.reports.glob("*.sqlite"))
        for database in databases:
            _clear_database(database)
        kept = {path.name for path in databases if path.exists()}
        for path in _other_files(layout.reports, kept):
            _delete(path)
        for spool in layout.jobs.glob("*/spool/*"):
            _delete(spool)
        if layout.reports.is_dir():
            sync_directory(layout.reports)
    except OSError as error:
        raise write_error(layout.reports, error) from error


def _other_files(folder: Path, kept: set[str]) -> Iterator[Path]:
    beside = {name + ending for name in kept for ending in _SIDE_FILE_ENDINGS}
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in kept | beside:
            yield path


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _clear_database(path: Path) -> None:
    """Leave the tables of a database and nothing in them; one that cannot be emptied is deleted."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(path, timeout=_LOCK_TIMEOUT_SECONDS, isolation_level=None)) as database,
    ):
        if _try_empty(database):
            return
    for ending in ("", *_SIDE_FILE_ENDINGS):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _try_empty(database: sqlite3.Connection) -> bool:
    """Make all tables anew, and have nothing of what they held stay in the file or in its log."""
    database.execute("PRAGMA secure_delete = ON")
    database.execute("BEGIN IMMEDIATE")
    names = [name for (name,) in database.execute(_SELECT_TABLES) if not name.startswith("sqlite_")]
    making = _SELECT_SCHEMA.format(marks=",".join("?" * len(names)))
    made = [sql for (sql,) in database.execute(making, names)]
    for name in names:
        database.execute('DROP TABLE "{}"'.format(name.replace('"', '""')))
    for sql in made:
        database.execute(sql)
    database.execute("COMMIT")
    database.execute("VACUUM")
    busy: tuple[int, int, int] = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return busy[0] == 0

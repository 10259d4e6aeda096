"""A takedown reaches what was made of an archive: words, reports, spools; also while a server shows it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from serve_calls import archive_of, page, served
from warc_material import on_disk, webkeep

from webkeep.replay.words import TextIndex
from webkeep.store.archive import Archive
from webkeep.store.folder import replacement_journal as journal
from webkeep.store.folder.derived_files import clear_derived

AT = "20240301120000"
SECRET = "http://example.org/secret.html"
MARKER, TITLE = b"zyxomma", b"quagswagging"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with words, reports, pictures, and what a killed capture had spooled."""
    others = [page(f"http://example.org/{number}", AT, f"<title>No. {number}</title> plain") for number in range(20)]
    body = f"<title>{TITLE.decode()}</title><p>{MARKER.decode()} " + " ".join(f"word{each}" for each in range(3000))
    path = archive_of(tmp_path / "archive", *others, page(SECRET, AT, body))
    fill(path)
    for name in ("states.html", "recoveries/x.tsv", "pictures/1.png"):
        (path / "reports" / name).parent.mkdir(exist_ok=True)
        (path / "reports" / name).write_bytes(b"of " + MARKER)
    (path / "jobs" / "x" / "spool").mkdir(parents=True)
    (path / "jobs" / "x" / "spool" / "1").write_bytes(MARKER)
    assert len(on_disk(path, MARKER)) >= 6
    return path


def fill(path: Path) -> int:
    with Archive(path) as archive:
        return words_of(path).fill(archive)


def words_of(path: Path) -> TextIndex:
    return TextIndex(path / "reports" / "words.sqlite")


def take_down(path: Path) -> None:
    assert webkeep("remove", path, "--url", SECRET, "--yes").summary["removed"] == 1


def test_nothing_that_was_made_of_it_is_left(archive: Path) -> None:
    take_down(archive)
    assert on_disk(archive, MARKER) == on_disk(archive, TITLE) == []
    assert fill(archive) == 20
    assert on_disk(archive, MARKER) == on_disk(archive, TITLE) == []


def test_nothing_is_left_where_a_server_has_it_open(archive: Path) -> None:
    with served(archive) as client, closing(sqlite3.connect(archive / "reports" / "words.sqlite")) as reading:
        assert MARKER in client.ask(f"/search?q={MARKER.decode()}").body
        assert reading.execute("SELECT count(*) FROM page").fetchone() == (21,)
        take_down(archive)
        assert on_disk(archive, MARKER) == on_disk(archive, TITLE) == []
        assert SECRET.encode() not in client.ask(f"/search?q={TITLE.decode()}").body
        assert client.ask(f"/web/{AT}/{SECRET}").status == 451
        assert fill(archive) == 20
        assert b"/19" in client.ask("/search?q=plain").body
        assert reading.execute("SELECT count(*) FROM page").fetchone() == (20,)


def test_a_crash_in_between_leaves_nothing_either(archive: Path) -> None:
    with Archive(archive) as opened:
        layout = opened.layout
    take_down(archive)
    (layout.reports / "states.html").write_bytes(MARKER)
    new = layout.warc_names()[0]
    journal.write_journal(layout, [("gone.warc.gz", new)])
    with Archive(archive) as opened:
        assert len(list(opened)) == 20
    assert webkeep("import", archive / "warcs" / new, "--into", archive).code == 0
    assert on_disk(archive, MARKER) == []


def test_a_database_that_is_none_is_deleted(archive: Path) -> None:
    with Archive(archive) as opened:
        layout = opened.layout
    (layout.reports / "other.sqlite").write_bytes(MARKER * 1000)
    clear_derived(layout)
    assert [each.name for each in layout.reports.iterdir() if each.suffix == ".sqlite"] == ["words.sqlite"]

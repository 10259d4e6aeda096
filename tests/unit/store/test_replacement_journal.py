"""Files that take the place of others: all or none, and twice is as good as once."""

from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.store.folder import UNFINISHED_SUFFIX, ArchiveLayout
from webkeep.store.folder.layout import create_archive
from webkeep.store.folder.replacement_journal import apply_journal, close_journal, write_journal


@pytest.fixture
def layout(tmp_path: Path) -> ArchiveLayout:
    made = create_archive(tmp_path / "archive", "x", Moment(0))
    for name in ("a.warc.gz", "b.warc.gz"):
        (made.warcs / name).write_text(f"old {name}")
        (made.warcs / f"new-{name}{UNFINISHED_SUFFIX}").write_text(f"new {name}")
    return made


PAIRS = [("a.warc.gz", "new-a.warc.gz"), ("b.warc.gz", "new-b.warc.gz")]


def names(layout: ArchiveLayout) -> list[str]:
    return sorted(file.name for file in layout.warcs.iterdir())


def test_what_was_not_decided_is_thrown_away(layout: ArchiveLayout) -> None:
    assert apply_journal(layout) == frozenset()
    assert names(layout) == ["a.warc.gz", "b.warc.gz"]


def test_what_was_decided_is_done_as_often_as_it_is_asked_for(layout: ArchiveLayout) -> None:
    write_journal(layout, PAIRS)
    for _ in range(3):
        assert apply_journal(layout) == {"a.warc.gz", "b.warc.gz"}
        assert names(layout) == ["new-a.warc.gz", "new-b.warc.gz"]
    close_journal(layout)
    close_journal(layout)
    assert apply_journal(layout) == frozenset()
    assert (layout.warcs / "new-a.warc.gz").read_text() == "new a.warc.gz"


def test_an_old_file_is_not_deleted_for_a_new_one_that_is_missing(layout: ArchiveLayout) -> None:
    write_journal(layout, PAIRS)
    (layout.warcs / f"new-b.warc.gz{UNFINISHED_SUFFIX}").unlink()
    with pytest.raises(StorageError, match=r"new-b\.warc\.gz is missing"):
        apply_journal(layout)
    assert names(layout) == ["b.warc.gz", "new-a.warc.gz"]


@pytest.mark.parametrize("text", ["", "{", "[1]", '[["a"]]', "\udcff"])
def test_a_journal_that_cannot_be_read_stops_everything(layout: ArchiveLayout, text: str) -> None:
    write_journal(layout, PAIRS)
    (journal,) = layout.jobs.iterdir()
    journal.write_text(text, errors="surrogateescape")
    with pytest.raises(StorageError, match="restore it"):
        apply_journal(layout)
    assert {"a.warc.gz", "b.warc.gz"} <= set(names(layout))

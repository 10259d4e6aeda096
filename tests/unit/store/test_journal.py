"""Files that take the place of others: all or none, and twice is as good as once."""

from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.store.journal import UNFINISHED, carry_out, conclude, decide
from webkeep.store.layout import Layout, create


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = create(tmp_path / "archive", "x", Moment(0))
    for name in ("a.warc.gz", "b.warc.gz"):
        (made.warcs / name).write_text(f"old {name}")
        (made.warcs / f"new-{name}{UNFINISHED}").write_text(f"new {name}")
    return made


PAIRS = [("a.warc.gz", "new-a.warc.gz"), ("b.warc.gz", "new-b.warc.gz")]


def names(layout: Layout) -> list[str]:
    return sorted(file.name for file in layout.warcs.iterdir())


def test_what_was_not_decided_is_thrown_away(layout: Layout) -> None:
    assert carry_out(layout) == frozenset()
    assert names(layout) == ["a.warc.gz", "b.warc.gz"]


def test_what_was_decided_is_done_as_often_as_it_is_asked_for(layout: Layout) -> None:
    decide(layout, PAIRS)
    for _ in range(3):
        assert carry_out(layout) == {"a.warc.gz", "b.warc.gz"}
        assert names(layout) == ["new-a.warc.gz", "new-b.warc.gz"]
    conclude(layout)
    conclude(layout)
    assert carry_out(layout) == frozenset()
    assert (layout.warcs / "new-a.warc.gz").read_text() == "new a.warc.gz"


def test_an_old_file_is_not_deleted_for_a_new_one_that_is_missing(layout: Layout) -> None:
    decide(layout, PAIRS)
    (layout.warcs / f"new-b.warc.gz{UNFINISHED}").unlink()
    with pytest.raises(StorageError, match=r"new-b\.warc\.gz is missing"):
        carry_out(layout)
    assert names(layout) == ["b.warc.gz", "new-a.warc.gz"]


@pytest.mark.parametrize("text", ["", "{", "[1]", '[["a"]]', "\udcff"])
def test_a_journal_that_cannot_be_read_stops_everything(layout: Layout, text: str) -> None:
    decide(layout, PAIRS)
    (journal,) = layout.jobs.iterdir()
    journal.write_text(text, errors="surrogateescape")
    with pytest.raises(StorageError, match="restore it"):
        carry_out(layout)
    assert {"a.warc.gz", "b.warc.gz"} <= set(names(layout))

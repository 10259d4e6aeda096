from collections.abc import Iterator
from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.model import Moment, RecordPlace, VisitKind
from webkeep.store.index import IndexRange, RecordFacts, UrlIndex
from webkeep.store.index.index_rows import IndexRows
from webkeep.url import surt

DAY = Moment.parse("2024-03-01")
SIGHT = RecordFacts(
    "", "response", "", DAY, 200, "text/html", "text/html", "", None, b"", 1, "", "", "", "", "", VisitKind.VISIT
)
PAGE = "http://example.org/page"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[UrlIndex]:
    made = UrlIndex(tmp_path / "index.sqlite", writable=True)
    yield made
    made.database.close()


def put(
    index: UrlIndex, *seen: tuple[str, int], file: str = "a.warc.gz", kind: str = "response", post: str = ""
) -> None:
    """Put URLs with their seconds into the index, one record after the other."""
    rows = IndexRows(file)
    rows.covered = index.database.covered_bytes().get(file, 0)
    for url, seconds in seen:
        sight = SIGHT._replace(url=url, moment=DAY.plus(seconds), record_type=kind, post=post)
        rows.add(RecordPlace(file, rows.covered, 100), sight, None)
        rows.covered += 100
    index.add_rows(rows)


def nearest(index: UrlIndex, url: str, seconds: int) -> tuple[str, int] | None:
    entry = index.nearest(surt(url), url, DAY.plus(seconds))
    return (entry.url, int(entry.moment.seconds_since(DAY))) if entry else None


@pytest.mark.parametrize(
    ("asked", "found"), [(-50, 0), (0, 0), (1, 0), (4, 0), (5, 10), (6, 10), (10, 10), (11, 10), (24, 30), (10**6, 30)]
)
def test_nearest_in_time_and_the_later_of_two(index: UrlIndex, asked: int, found: int) -> None:
    put(index, (PAGE, 10), (PAGE, 0), (PAGE, 30))
    assert nearest(index, PAGE, asked) == (PAGE, found)


def test_the_exact_url_is_preferred_over_the_nearer_one(index: UrlIndex) -> None:
    put(index, ("http://www.example.org/Page", 10), ("https://example.org/page", 11), (PAGE, 1000))
    assert nearest(index, PAGE, 10) == (PAGE, 1000)
    assert nearest(index, "https://example.org/page", 0) == ("https://example.org/page", 11)
    assert nearest(index, "http://example.org/PAGE", 12) == ("https://example.org/page", 11)


def test_what_is_not_shown_is_not_found(index: UrlIndex) -> None:
    put(index, (PAGE, 0), kind="metadata")
    put(index, (PAGE, 0), post="__wb_method=POST")
    assert nearest(index, PAGE, 0) is None
    assert nearest(index, "http://example.org/other", 0) is None


def test_the_latest_before(index: UrlIndex) -> None:
    put(index, (PAGE, 0), (PAGE, 10), ("https://example.org/page", 15), (PAGE, 20))
    latest = index.latest_before(surt(PAGE), PAGE, DAY.plus(20))
    assert latest is not None
    assert latest.moment == DAY.plus(10)
    assert index.latest_before(surt(PAGE), PAGE, DAY) is None


def test_two_records_of_one_moment_are_two(index: UrlIndex) -> None:
    put(index, (PAGE, 0), (PAGE, 0))
    put(index, (PAGE, 0), file="b.warc.gz")
    assert [entry.place for entry in index.entries(IndexRange())] == [
        RecordPlace("a.warc.gz", 0, 100),
        RecordPlace("a.warc.gz", 100, 100),
        RecordPlace("b.warc.gz", 0, 100),
    ]


def test_spans(index: UrlIndex) -> None:
    put(index, *((f"http://example.org/{name}", second) for name in "cab" for second in (20, 10)))

    def found(span: IndexRange) -> list[str]:
        return [f"{entry.url[-1]}{int(entry.moment.seconds_since(DAY))}" for entry in index.entries(span)]

    assert found(IndexRange()) == ["a10", "a20", "b10", "b20", "c10", "c20"]
    assert found(IndexRange(surt("http://example.org/b"))) == ["b10", "b20", "c10", "c20"]
    assert found(IndexRange("", surt("http://example.org/b"))) == ["a10", "a20"]
    assert found(IndexRange(since=DAY.plus(20))) == ["a20", "b20", "c20"]
    assert found(IndexRange(until=DAY.plus(10))) == ["a10", "b10", "c10"]
    assert found(IndexRange("x", "a")) == []
    assert index.count(IndexRange(since=DAY.plus(11))) == 3
    assert [entry.url[-1] for entry in index.entries(IndexRange(), newest_first=True)] == ["c", "c", "b", "b", "a", "a"]


def test_what_is_there_already_stays(index: UrlIndex) -> None:
    put(index, (PAGE, 0))
    with index.database.transaction():
        index.database.set_covered("a.warc.gz", 0)
    put(index, (PAGE, 0), (PAGE, 5))
    assert index.count(IndexRange()) == 2


def test_a_file_is_forgotten_alone(index: UrlIndex) -> None:
    put(index, (PAGE, 0))
    put(index, (PAGE, 5), file="b.warc.gz")
    with index.database.transaction():
        index.drop_file("a.warc.gz")
    assert [entry.place.file for entry in index.entries(IndexRange())] == ["b.warc.gz"]
    assert index.database.covered_bytes() == {"a.warc.gz": 0, "b.warc.gz": 100}


def test_a_failed_change_changes_nothing(index: UrlIndex) -> None:
    put(index, (PAGE, 0))
    with pytest.raises(ValueError, match="halfway"), index.database.transaction():
        index.drop_file("a.warc.gz")
        index.database.file_number("new.warc.gz")
        raise ValueError("halfway")
    put(index, (PAGE, 5), file="other.warc.gz")
    put(index, (PAGE, 6), file="new.warc.gz")
    assert [entry.place.file for entry in index.entries(IndexRange())] == ["a.warc.gz", "other.warc.gz", "new.warc.gz"]


def test_a_reader_sees_what_is_committed_and_only_that(index: UrlIndex, tmp_path: Path) -> None:
    reader = UrlIndex(tmp_path / "index.sqlite")
    with index.database.transaction() as connection:
        connection.execute("INSERT INTO file (name, covered) VALUES ('a.warc.gz', 7)")
        assert reader.database.covered_bytes() == {}
    assert reader.database.covered_bytes() == {"a.warc.gz": 7}
    with pytest.raises(StorageError, match="readonly"), reader.database.transaction():
        reader.drop_file("a.warc.gz")
    reader.database.close()


def test_tables_are_there_all_or_none(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"")  # as a process leaves it that is killed before it made the tables
    reader = UrlIndex(path)
    assert not reader.database.has_tables
    reader.database.close()
    UrlIndex(path, writable=True).database.close()
    reader = UrlIndex(path)
    assert reader.database.has_tables
    reader.database.close()


@pytest.mark.parametrize("writable", [True, False])
def test_garbage_is_told_in_one_line(tmp_path: Path, writable: bool) -> None:
    path = tmp_path / "index" / "index.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"garbage " * 1000)
    with pytest.raises(StorageError, match=rf"file is not a database; run webkeep rebuild {tmp_path}$"):
        UrlIndex(path, writable).nearest("key", "url", DAY)

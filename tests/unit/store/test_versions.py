from collections.abc import Iterator
from pathlib import Path

import pytest

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import WritableArchive
from webkeep.store.index import UrlVersions, read_request_method
from webkeep.url import surt

URL = "http://example.org/"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def at(day: int) -> Moment:
    return Moment.parse(f"202401{day:02d}")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WritableArchive]:
    path: Path = tmp_path_factory.mktemp("versions") / "archive"
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        for day in (3, 1, 5, 2):
            capture.append(Exchange(URL, at(day), OK, BytesBody(b"%d" % day)))
        capture.append(Exchange("http://www.example.org/", at(4), OK, BytesBody(b"www")))
        capture.append(Exchange("http://example.org/n", at(6), b"HTTP/1.1 304 Not Modified\r\n\r\n", BytesBody(b"")))
        asked = b"POST / HTTP/1.1\r\nHost: example.org\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\n"
        capture.append(Exchange(URL, at(7), OK, BytesBody(b"posted"), asked, BytesBody(b"x")))
        capture.append(Exchange("http://example.org/h", at(8), OK, BytesBody(b""), b"HEAD /h HTTP/1.1\r\n\r\n"))
        yield archive


@pytest.fixture
def versions(archive: WritableArchive) -> UrlVersions:
    return UrlVersions(archive.index, surt(URL))


def test_an_answer_that_nothing_changed_shows_nothing_by_itself(archive: WritableArchive) -> None:
    assert UrlVersions(archive.index, surt("http://example.org/n")).first() is None


def test_versions_are_in_order_of_time(versions: UrlVersions) -> None:
    assert [entry.moment for entry in versions.all()] == [at(day) for day in (1, 2, 3, 4, 5)]
    assert [entry.moment for entry in versions.all(at(4))] == [at(4), at(5)]
    assert [entry.moment for entry in versions.all_before(at(3))] == [at(2), at(1)]


def test_few_are_told_from_many(versions: UrlVersions) -> None:
    few = versions.all_if_few(5)
    assert few is not None
    assert len(few) == 5
    assert versions.all_if_few(4) is None


def test_the_ends_and_the_neighbours_are_found(versions: UrlVersions) -> None:
    assert [found.moment if found else None for found in (versions.first(), versions.last())] == [at(1), at(5)]
    before, since = versions.before(at(3)), versions.since(at(3))
    assert before is not None
    assert since is not None
    assert (before.moment, since.moment) == (at(2), at(3))
    assert versions.before(at(1)) is None
    assert versions.since(Moment(at(5).micros + 1)) is None


def test_one_url_is_told_from_its_likes(versions: UrlVersions) -> None:
    found = versions.since(at(4), URL)
    assert found is not None
    assert found.moment == at(5)


def test_versions_are_counted_off(versions: UrlVersions) -> None:
    after, back, all_before = versions.nth_after(at(1), 3), versions.nth_before(at(5), 2), versions.nth_before(at(3), 9)
    assert after is not None
    assert back is not None
    assert all_before is not None
    assert [after.moment, back.moment, all_before.moment] == [at(4), at(3), at(1)]
    assert versions.nth_after(at(1), 5) is None


def test_the_method_of_a_request_is_known(archive: WritableArchive, versions: UrlVersions) -> None:
    first = versions.first()
    head = UrlVersions(archive.index, surt("http://example.org/h")).first()
    assert first is not None
    assert head is not None
    assert read_request_method(archive.catalog, first.place) == "GET"
    assert read_request_method(archive.catalog, head.place) == "HEAD"

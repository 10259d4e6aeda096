"""Fingerprints of pages in the catalog: of every observation, made anew from the WARC files, and in old catalogs."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

from webkeep.change.detection import PageFingerprint, fingerprint_page
from webkeep.document import read_page_content
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.maintenance import rebuild_caches

MOMENT = Moment.parse("2024-03-01T12:00:00Z")
PAGE = b"<title>t</title><main><p>Words of a page that is kept</main><a href=/x>x</a>"
LARGE = b"<p>" + b"A paragraph of a large page, of which there are many.</p><p>" * 40_000


def exchange(path: str, body: bytes, *fields: str, seconds: int = 0) -> Exchange:
    head = "\r\n".join(["HTTP/1.1 200 OK", *fields, "", ""]).encode()
    return Exchange(f"http://a.example/{path}", MOMENT.plus(seconds), head, BytesBody(body))


def fingerprint(page: bytes) -> PageFingerprint:
    content = read_page_content(page.decode())
    assert content is not None
    return fingerprint_page(content)


def write_archive(path: Path) -> None:
    html = "Content-Type: text/html; charset=utf-8"
    with WritableArchive.open_or_create(path) as archive:
        capture = archive.begin("capture")
        capture.submit(exchange("page", PAGE, html))
        capture.submit(exchange("again", PAGE, html))
        capture.submit(exchange("packed", gzip.compress(PAGE), html, "Content-Encoding: gzip"))
        capture.submit(exchange("large", LARGE, html))
        capture.submit(exchange("picture", b"\x89PNG\r\n\x1a\n" + bytes(500), "Content-Type: image/png"))
        capture.submit(exchange("style", b"p { color: red }", "Content-Type: text/css"))
        capture.submit_resource("file:///notes.txt", MOMENT, "text/plain", BytesBody(b"some notes\n"), "")
        capture.end({})


def is_outdated(path: Path) -> bool:
    with Archive(path) as archive:
        return archive.catalog.fingerprints.is_outdated


def read_fingerprints(path: Path) -> dict[str, PageFingerprint | None]:
    with Archive(path) as archive:
        listed = {each.url: found for each, found in archive.catalog.observations.with_fingerprints()}
        asked = {each.url: archive.catalog.fingerprints.find(each) for each in archive.observations()}
    assert listed == asked
    return {url.rpartition("/")[2]: found for url, found in listed.items()}


def test_every_observation_of_a_page_has_one_and_a_rebuild_gives_the_same(tmp_path: Path) -> None:
    write_archive(tmp_path / "a")
    found = read_fingerprints(tmp_path / "a")
    assert found["page"] == found["again"] == found["packed"] == fingerprint(PAGE)
    assert found["large"] == fingerprint(LARGE)
    assert found["picture"] is None
    assert found["style"] is None
    assert found["notes.txt"] is not None
    rebuild_caches(tmp_path / "a")
    assert read_fingerprints(tmp_path / "a") == found


def test_a_catalog_from_before_there_were_any_opens_and_is_filled_by_a_rebuild(tmp_path: Path) -> None:
    write_archive(tmp_path / "a")
    found = read_fingerprints(tmp_path / "a")
    with closing(sqlite3.connect(tmp_path / "a/catalog.sqlite")) as connection:
        connection.execute("DROP TABLE page_fingerprint")
        connection.execute("CREATE TABLE fingerprint (file, offset, text, main, links, sketch)")
    assert set(read_fingerprints(tmp_path / "a").values()) == {None}
    with WritableArchive.open_or_create(tmp_path / "a") as archive:
        capture = archive.begin("capture")
        capture.submit(exchange("new", PAGE + b"<p>more", "Content-Type: text/html", seconds=5))
        capture.end({})
    assert read_fingerprints(tmp_path / "a")["new"] is not None
    assert is_outdated(tmp_path / "a")
    rebuild_caches(tmp_path / "a")
    assert not is_outdated(tmp_path / "a")
    assert found.items() <= read_fingerprints(tmp_path / "a").items()

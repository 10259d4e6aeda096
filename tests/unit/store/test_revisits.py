"""A revisit of any kind has status, type, size, head and body of what it refers to, or says that this is not held."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.formats.warc import IDENTICAL_PAYLOAD_PROFILE, NOT_MODIFIED_PROFILE, build_member, build_record_head
from webkeep.model import BytesBody, Digest, Exchange, Headers, Moment, Observation
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.maintenance import rebuild_caches, take_down

DAY = Moment.parse("2024-03-01")
BODY = b"the same wherever it is seen " * 20
OK = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: "1"\r\n\r\n'
PLAIN = OK.replace(b"text/html", b"text/plain")
UNMODIFIED = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
URL = "http://example.org/"
NOTHING = str(Digest.from_chunks("sha1", []))


def exchange(name: str, head: bytes, body: bytes = BODY, seconds: int = 0) -> Exchange:
    return Exchange(f"{URL}{name}", DAY.plus(seconds), head, BytesBody(b"" if head == UNMODIFIED else body))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[WritableArchive]:
    with WritableArchive.create(tmp_path / "archive") as made:
        made.begin("test")
        yield made


def facts(seen: Observation | None) -> tuple[object, ...]:
    assert seen is not None
    return seen.status, seen.media_type, seen.size, seen.not_modified, seen.is_dangling


def head_of(archive: Archive, seen: Observation | None) -> tuple[object, ...]:
    assert seen is not None
    holding = archive.read(seen)
    assert holding.read() == BODY
    assert holding.head is not None
    return holding.head.status, holding.head.headers.get("content-type").partition(";")[0]


def test_not_modified_is_what_it_was_about(archive: WritableArchive) -> None:
    archive.append(exchange("a", OK))
    archive.append(exchange("a", UNMODIFIED, seconds=60))
    archive.append(exchange("a", UNMODIFIED, seconds=120))
    whole = (200, "text/html", len(BODY), True, False)
    assert facts(archive.lookup(URL + "a")) == whole
    assert [facts(each) for each in archive.history(URL + "a")][1:] == [whole, whole]
    assert [facts(each) for each in archive.observations()][1:] == [whole, whole]
    assert head_of(archive, archive.lookup(URL + "a")) == (200, "text/html")
    assert {each.content_digest for each in archive.observations()} == {Digest.from_chunks("sha1", [BODY])}
    recorded = [each.status for each in archive.history(URL + "a", resolve=False)]
    assert recorded == [200, 304, 304], "what the records say can be had as well"


def test_the_same_payload_elsewhere_keeps_the_head_it_came_with(archive: WritableArchive) -> None:
    archive.append(exchange("a", PLAIN))
    archive.append(exchange("b", OK, seconds=60))
    assert facts(archive.lookup(URL + "b")) == (200, "text/html", len(BODY), False, False)
    assert head_of(archive, archive.lookup(URL + "b")) == (200, "text/html")


def test_not_modified_after_that_has_the_head_of_its_own_url(archive: WritableArchive) -> None:
    archive.append(exchange("a", PLAIN))
    archive.append(exchange("b", OK, seconds=60))
    archive.append(exchange("b", UNMODIFIED, seconds=120))
    assert facts(archive.lookup(URL + "b")) == (200, "text/html", len(BODY), True, False)
    assert head_of(archive, archive.lookup(URL + "b")) == (200, "text/html")


def test_not_modified_has_the_last_head_of_that_payload(archive: WritableArchive) -> None:
    for seconds, head in enumerate((PLAIN, UNMODIFIED, OK, UNMODIFIED)):
        archive.append(exchange("a", head, seconds=seconds))
    failed = OK.replace(b"200 OK", b"500 Trouble")
    archive.append(exchange("a", failed, b"trouble", seconds=5))
    archive.append(exchange("a", UNMODIFIED, seconds=6))
    types = [each.media_type for each in archive.history(URL + "a")]
    assert types == ["text/plain", "text/plain", "text/html", "text/html", "text/html", "text/html"]
    heads = [head_of(archive, each)[1] for each in archive.history(URL + "a") if each.status == 200]
    assert heads[:4] == types[:4]


def test_not_modified_of_nothing_is_no_more_than_that(archive: WritableArchive) -> None:
    archive.append(exchange("a", UNMODIFIED))
    assert facts(archive.lookup(URL + "a")) == (304, "", 0, True, True)


def test_a_304_that_was_stored_like_any_answer_is_about_what_came_before(tmp_path: Path) -> None:
    unmodified = member(1, "response", UNMODIFIED)
    with Archive(dropped(tmp_path, RESPONSE + unmodified)) as archive:
        assert facts(archive.lookup(URL)) == (200, "text/html", len(BODY), True, False)
        assert head_of(archive, archive.lookup(URL)) == (200, "text/html")


def test_not_modified_keeps_its_head_when_the_answer_it_was_about_is_taken_down(archive: WritableArchive) -> None:
    archive.append(exchange("a", PLAIN))
    archive.append(exchange("b", OK, seconds=60))
    for seconds in (120, 180):
        archive.append(exchange("b", UNMODIFIED, seconds=seconds))
    take_down(archive, Selection(URL + "b", until=DAY.plus(100)), "asked for", lambda _: None)
    assert [facts(each)[:3] for each in archive.history(URL + "b")] == [(200, "text/html", len(BODY))] * 2
    assert [head_of(archive, each) for each in archive.history(URL + "b")] == [(200, "text/html")] * 2
    assert facts(archive.lookup(URL + "a"))[1] == "text/plain"


# ---- records of other tools ----


def member(number: int, kind: str, block: bytes = b"", url: str = URL, **fields: str) -> bytes:
    named = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>",
        "WARC-Target-URI": url,
        "WARC-Date": DAY.plus(number * 60).iso(),
        "Content-Type": "application/http; msgtype=response",
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    return build_member(build_record_head(Headers(list(named.items())), len(block)), block)


def refers_to(number: int, url: str = URL) -> dict[str, str]:
    return {"WARC_Refers_To_Target_URI": url, "WARC_Refers_To_Date": DAY.plus(number * 60).iso()}


RESPONSE = member(0, "response", OK + BODY)
SAME = {"WARC_Profile": IDENTICAL_PAYLOAD_PROFILE}
UNCHANGED = {"WARC_Profile": NOT_MODIFIED_PROFILE.replace("1.1", "1.0")}
DIGEST = {"WARC_Payload_Digest": str(Digest.from_chunks("sha1", [BODY]))}
TAGGED_OTHERWISE = UNMODIFIED.replace(b'"1"', b'"2"')


def dropped(tmp_path: Path, *files: bytes) -> Path:
    with WritableArchive.create(tmp_path / "archive"):
        pass
    for number, data in enumerate(files):
        (tmp_path / f"archive/warcs/{number}.warc.gz").write_bytes(data)
    return tmp_path / "archive"


@pytest.mark.parametrize(
    ("revisits", "not_modified"),
    [
        pytest.param([member(1, "revisit", OK, **SAME, **DIGEST)], False, id="by its digest"),
        pytest.param([member(1, "revisit", OK, **SAME, **refers_to(0))], False, id="by URL and date"),
        pytest.param([member(1, "revisit", b"", **SAME, **DIGEST)], False, id="without a head"),
        pytest.param(
            [member(1, "revisit", UNMODIFIED, **UNCHANGED, **refers_to(0), WARC_Payload_Digest=NOTHING)],
            True,
            id="not modified, with the digest of nothing",
        ),
        pytest.param([member(1, "revisit", UNMODIFIED, **UNCHANGED)], True, id="not modified, which names nothing"),
        pytest.param([member(1, "revisit", b"", **UNCHANGED)], False, id="not modified, without a head"),
        pytest.param(
            [
                member(1, "revisit", UNMODIFIED, **UNCHANGED, **refers_to(0)),
                member(2, "revisit", UNMODIFIED, **UNCHANGED, **refers_to(1)),
                member(3, "revisit", UNMODIFIED, **UNCHANGED, **refers_to(2)),
            ],
            True,
            id="of a revisit of a revisit",
        ),
    ],
)
def test_what_other_tools_wrote_is_resolved(tmp_path: Path, revisits: list[bytes], not_modified: bool) -> None:
    path = dropped(tmp_path, b"".join(revisits), RESPONSE)
    with Archive(path) as archive:
        before = _rows(archive)
        assert facts(archive.lookup(URL)) == (200, "text/html", len(BODY), not_modified, False)
        assert head_of(archive, archive.lookup(URL)) == (200, "text/html")
    rebuild_caches(path)
    with Archive(path) as archive:
        assert _rows(archive) == before
        assert facts(archive.lookup(URL)) == (200, "text/html", len(BODY), not_modified, False)


@pytest.mark.parametrize(
    ("revisit", "status"),
    [
        pytest.param(member(1, "revisit", OK, **SAME, **DIGEST, **refers_to(0, URL + "x")), 200, id="same payload"),
        pytest.param(member(1, "revisit", UNMODIFIED, **UNCHANGED, **refers_to(0, URL + "x")), 304, id="elsewhere"),
        pytest.param(member(1, "revisit", UNMODIFIED, **UNCHANGED), 304, id="names nothing"),
    ],
)
def test_where_the_original_is_not_held_it_says_so_until_it_is(tmp_path: Path, revisit: bytes, status: int) -> None:
    path = dropped(tmp_path, revisit)
    with Archive(path) as archive:
        seen = archive.lookup(URL)
        assert seen is not None
        assert (seen.status, seen.size, seen.is_dangling) == (status, 0, True)
        with pytest.raises(StorageError, match="refers to nothing held here"):
            archive.read(seen)
    there = URL + "x" if b"/x" in _inflated(revisit) else URL
    (path / "warcs/late.warc.gz").write_bytes(member(0, "response", OK + BODY, there))
    with Archive(path) as archive:
        assert facts(archive.lookup(URL)) == (200, "text/html", len(BODY), status == 304, False)


def test_not_modified_with_another_tag_is_not_about_what_is_held(tmp_path: Path) -> None:
    path = dropped(tmp_path, RESPONSE + member(1, "revisit", TAGGED_OTHERWISE, **UNCHANGED))
    with Archive(path) as archive:
        assert facts(archive.lookup(URL)) == (304, "", 0, True, True)


def _inflated(data: bytes) -> bytes:
    import gzip

    return gzip.decompress(data)


def _rows(archive: Archive) -> list[object]:
    index = archive.index.database.query("SELECT * FROM entry ORDER BY key, moment")
    return [*index, *archive.catalog.database.query("SELECT * FROM observation ORDER BY file, offset")]

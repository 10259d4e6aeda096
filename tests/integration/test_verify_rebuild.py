"""Verifying finds what is wrong and only that; rebuilding gives what was there, from the WARC files alone."""

import sqlite3
from pathlib import Path

import pytest
from warc_material import (
    MOMENT,
    SITE,
    contents_of,
    exchange,
    findings_of,
    gzipped,
    http,
    record,
    record_id,
    response,
    revisit,
    webkeep,
)

from webkeep.model import BytesBody, Fate, UrlOutcome
from webkeep.store.archive import Archive, WritableArchive


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "archive"
    with WritableArchive.create(path, "A name", rotate_at=4000) as archive:
        with archive.begin("capture", [SITE], {"plan": "all"}) as capture:
            for number in range(12):
                asked = b"GET / HTTP/1.1\r\n\r\n" if number % 3 else b""
                body = b"%d " % (number % 5) * 100
                capture.append(exchange(f"{SITE}{number}", body, MOMENT.plus(number), asked, via=SITE))
            capture.append(exchange(f"{SITE}1", b"", MOMENT.plus(50), head=b"HTTP/1.1 304 Not Modified\r\n\r\n"))
            capture.submit_resource(f"{SITE}file", MOMENT.plus(60), "text/plain", BytesBody(b"file"), "yesterday")
            capture.submit_fates([Fate(f"{SITE}x", UrlOutcome.REFUSED, "robots", SITE)])
        (path.parent / "in.warc.gz").write_bytes(gzipped([response(1, f"{SITE}imported", b"imported")]))
    assert webkeep("import", path.parent / "in.warc.gz", "--into", path).code == 0
    assert webkeep("remove", path, "--url", f"{SITE}0", "--reason", "asked", "--yes").code == 0
    return path


def everything(path: Path) -> dict[str, object]:
    with Archive(path) as archive:
        return {
            "captures": list(archive.captures()),
            "observations": sorted(archive.observations(), key=lambda each: (each.moment, each.url)),
            "entries": list(archive.entries()),
            "fates": list(archive.catalog.log.fates()),
            "tombstones": list(archive.tombstones()),
            "contents": sorted(contents_of(archive)),
        }


def tampered(path: Path, cache: str, sql: str) -> None:
    database = sqlite3.connect(path / cache)
    with database:
        assert database.execute(sql).rowcount != 0
    database.close()


def test_nothing_is_wrong_with_what_we_write(kept: Path) -> None:
    done = webkeep("verify", kept)
    assert (done.code, done.summary["findings"], done.summary["codes"]) == (0, 0, {})
    with Archive(kept) as archive:
        assert done.summary["records"] == sum(1 for _ in archive.records())
        assert done.summary["bytes"] == sum(file.stat().st_size for file in (kept / "warcs").iterdir())


def test_rebuilding_gives_what_was_there(kept: Path) -> None:
    before = everything(kept)
    done = webkeep("rebuild", kept)
    assert (done.code, done.summary["entries"]) == (0, len(before["entries"]))  # type: ignore[arg-type]
    after = everything(kept)
    for name, expected in before.items():
        assert after[name] == expected, name
    assert findings_of(kept) == []


@pytest.mark.parametrize("lost", [["catalog.sqlite"], ["index/index.sqlite"], ["catalog.sqlite", "index/index.sqlite"]])
def test_a_cache_that_is_gone_is_made_anew(kept: Path, lost: list[str]) -> None:
    before = everything(kept)
    for name in lost:
        (kept / name).unlink()
    assert everything(kept) == before


@pytest.mark.parametrize(
    ("cache", "sql", "codes"),
    [
        ("index/index.sqlite", "DELETE FROM entry WHERE url LIKE '%/3'", {"index-missing": 1}),
        ("catalog.sqlite", "DELETE FROM observation WHERE url LIKE '%/3'", {"catalog-missing": 1}),
        (
            "index/index.sqlite",
            "UPDATE entry SET offset = 99999999 WHERE url LIKE '%/3'",
            {"index-missing": 1, "index-stale": 1},
        ),
        (
            "index/index.sqlite",
            "UPDATE entry SET moment = moment + 1000000 WHERE url LIKE '%/3'",
            {"index-missing": 1, "index-stale": 1},
        ),
        (
            "catalog.sqlite",
            "UPDATE observation SET offset = offset + 1 WHERE url LIKE '%/3'",
            {"catalog-missing": 1, "catalog-stale": 1},
        ),
        (
            "index/index.sqlite",
            "INSERT INTO entry SELECT key, moment, file, offset + 1, length, url, type, status, media, digest, post "
            "FROM entry WHERE url LIKE '%/3'",
            {"index-stale": 1},
        ),
        ("index/index.sqlite", "UPDATE entry SET length = 7 WHERE url LIKE '%/3'", {"index-missing": 1}),
    ],
)
def test_caches_that_lie_are_found_and_mended(kept: Path, cache: str, sql: str, codes: dict[str, int]) -> None:
    before = everything(kept)
    tampered(kept, cache, sql)
    done = webkeep("verify", kept)
    assert (done.code, done.summary["codes"]) == (1, codes)
    assert webkeep("rebuild", kept).code == 0
    assert everything(kept) == before


def test_a_changed_byte_is_found(kept: Path) -> None:
    file = sorted((kept / "warcs").iterdir())[0]
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x10
    file.write_bytes(data)
    done = webkeep("verify", kept, as_json=False)
    assert done.code == 1
    assert any(line.startswith(file.name) for line in done.lines)


@pytest.mark.parametrize(
    ("field", "code"),
    [("WARC_Payload_Digest", "payload-digest-wrong"), ("WARC_Block_Digest", "block-digest-wrong")],
)
def test_every_digest_is_checked(tmp_path: Path, field: str, code: str) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path):
        pass
    wrong = {field: "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}
    records = [response(1, f"{SITE}wrong", b"wrong", **wrong), response(2, f"{SITE}right", b"right")]
    (path / "warcs/dropped.warc.gz").write_bytes(gzipped(records))
    assert [(each.code, each.source, each.offset) for each in findings_of(path)] == [(code, "dropped.warc.gz", 0)]


def test_a_revisit_of_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "in.warc.gz").write_bytes(
        gzipped([revisit(1, SITE, http(b""), WARC_Payload_Digest="sha1:" + "A" * 32)])
    )
    webkeep("import", tmp_path / "in.warc.gz", "--into", tmp_path / "archive")
    assert [each.code for each in findings_of(tmp_path / "archive")] == ["revisit-dangling"]


def test_files_dropped_in_are_noticed(kept: Path) -> None:
    assert webkeep("verify", kept).code == 0
    (kept / "warcs/dropped.warc").write_bytes(response(7, f"{SITE}dropped", b"dropped in"))
    with Archive(kept) as archive:
        found = archive.lookup(f"{SITE}dropped")
        assert found is not None
        assert archive.read(found).read() == b"dropped in"
    assert findings_of(kept) == []
    (kept / "warcs/dropped.warc").unlink()
    with Archive(kept) as archive:
        assert archive.lookup(f"{SITE}dropped") is None
    for _ in range(2):
        done = webkeep("verify", kept)
        assert (done.code, done.summary["findings"], done.summary["codes"]) == (1, 1, {"file-gone": 1})
    assert webkeep("rebuild", kept).code == 0
    assert webkeep("verify", kept).code == 0


def test_flaws_of_files_are_told_by_a_rebuild(kept: Path) -> None:
    good, bad = gzipped([response(8, f"{SITE}good", b"good")]), gzipped([response(9, f"{SITE}bad", b"bad" * 500)])
    (kept / "warcs/flawed.warc.gz").write_bytes(bad[:40] + good)
    done = webkeep("rebuild", kept, as_json=False)
    assert done.code == 1
    assert done.lines[0].startswith("flawed.warc.gz, byte 0:")
    with Archive(kept) as archive:
        assert archive.lookup(f"{SITE}good") is not None


def test_metadata_that_only_looks_like_ours_does_no_harm(tmp_path: Path) -> None:
    fields: dict[str, str | None] = {
        "WARC-Record-ID": record_id(1),
        "WARC-Target-URI": "urn:webkeep:fates:x",
        "Content-Type": "application/vnd.webkeep.fates+json",
    }
    blocks = (b"", b"[]", b'{"fates": 1}', b'{"capture": "x", "fates": [["u", "no such outcome", "", ""]]}', b"\xff")
    records = [record("metadata", block, fields | {"WARC-Record-ID": record_id(n)}) for n, block in enumerate(blocks)]
    (tmp_path / "in.warc.gz").write_bytes(gzipped(records))
    assert webkeep("import", tmp_path / "in.warc.gz", "--into", tmp_path / "archive").code == 0
    with Archive(tmp_path / "archive") as archive:
        assert list(archive.catalog.log.fates()) == []
    assert webkeep("rebuild", tmp_path / "archive").code == 0


def test_fates_with_long_addresses_survive_a_rebuild(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    fates = [Fate(f"{SITE}{'long/' * 80}{number:05d}", UrlOutcome.FAILED, "timeout", SITE) for number in range(6000)]
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        capture.submit_fates(fates)
    assert webkeep("rebuild", path).code == 0
    with Archive(path) as archive:
        assert [fate for _, fate in archive.catalog.log.fates()] == fates


def test_tombstones_with_long_addresses_survive_a_rebuild(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    urls = [f"{SITE}{'long/' * 400}{number:04d}" for number in range(700)]
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        for number, url in enumerate(urls):
            capture.submit(exchange(url, b"%d" % number, MOMENT.plus(number)))
    assert webkeep("remove", path, "--url", SITE, "--match", "host", "--yes").summary["removed"] == 700
    assert webkeep("rebuild", path).code == 0
    with Archive(path) as archive:
        assert [each.url for each in archive.tombstones()] == urls
        assert list(archive.observations()) == []

"""What was taken down does not come back unasked, and every removal is remembered."""

import json
from pathlib import Path

import pytest
from warc_material import MOMENT, SITE, Done, findings_of, gzipped, record, record_id, request, response, webkeep

from webkeep.store.archive import Archive
from webkeep.store.maintenance import rebuild_caches

SECRET, OTHER = f"{SITE}secret", f"{SITE}other"


def about(number: int, of: int, url: str, kind: str = "metadata", media_type: str = "text/plain") -> bytes:
    fields: dict[str, str | None] = {
        "WARC-Record-ID": record_id(number),
        "WARC-Refers-To": record_id(of),
        "WARC-Target-URI": url,
        "Content-Type": media_type,
    }
    return record(kind, b"the secret in other words", fields)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    records = [
        response(1, SECRET, b"secret"),
        request(2, 1, SECRET),
        about(3, 1, SECRET),
        about(4, 1, SECRET, "conversion"),
        response(5, OTHER, b"other"),
    ]
    (tmp_path / "site.warc.gz").write_bytes(gzipped(records))
    return tmp_path / "site.warc.gz"


@pytest.fixture
def kept(tmp_path: Path, source: Path) -> Path:
    """An archive of which the secret was taken down."""
    path = tmp_path / "archive"
    assert webkeep("import", source, "--into", path).summary["stored"] == 5
    removed(path, "a court said so")
    return path


def removed(path: Path, reason: str) -> None:
    assert webkeep("remove", path, "--url", SECRET, "--reason", reason, "--yes").summary["removed"] == 1


def urls_in(path: Path) -> list[str]:
    with Archive(path) as archive:
        return sorted(each.url for each in archive.entries() if each.url.startswith(SITE))


def reasons_in(path: Path) -> list[str]:
    with Archive(path) as archive:
        return [stone.reason for stone in archive.tombstones()]


def told(done: Done) -> list[dict[str, object]]:
    return [each for each in map(json.loads, done.out.splitlines()) if each.get("event") == "finding"]


def test_an_import_leaves_it_out_and_says_why(kept: Path, source: Path) -> None:
    done = webkeep("import", source, "--into", kept)
    (finding,) = told(done)
    assert (done.code, done.summary["stored"], done.summary["held"]) == (1, 0, 1)
    assert (finding["code"], Path(str(finding["source"])).name, finding["offset"]) == ("taken-down", source.name, 0)
    for part in (SECRET, "a court said so", "--restore"):
        assert part in str(finding["message"])
    assert urls_in(kept) == [OTHER]


@pytest.mark.parametrize(
    ("number", "fields", "left_out"),
    [
        (1, {"WARC_Date": MOMENT.plus(60).iso()}, True),
        (7, {}, True),
        (7, {"WARC_Date": MOMENT.plus(60).iso()}, False),
    ],
    ids=["same identifier", "same sight", "neither"],
)
def test_it_is_known_by_its_identifier_or_by_what_was_seen(
    kept: Path, tmp_path: Path, number: int, fields: dict[str, str | None], left_out: bool
) -> None:
    (tmp_path / "again.warc.gz").write_bytes(gzipped([response(number, SECRET, b"secret", **fields)]))
    done = webkeep("import", tmp_path / "again.warc.gz", "--into", kept)
    assert (done.code, done.summary["stored"]) == ((1, 0) if left_out else (0, 1))
    assert (SECRET in urls_in(kept)) is not left_out


def test_it_is_restored_when_asked_for(kept: Path, source: Path) -> None:
    done = webkeep("import", source, "--into", kept, "--restore")
    assert (done.code, done.summary["stored"], done.summary["held"]) == (0, 4, 1)
    assert urls_in(kept) == [OTHER, SECRET, SECRET]
    assert findings_of(kept) == []
    again = webkeep("import", source, "--into", kept)
    assert (again.code, again.summary["held"]) == (0, 5)


def test_each_removal_has_its_tombstone(kept: Path, source: Path, tmp_path: Path) -> None:
    webkeep("import", source, "--into", kept, "--restore")
    removed(kept, "and again")
    reasons = ["a court said so", "and again"]
    assert reasons_in(kept) == reasons
    rebuild_caches(kept)
    assert reasons_in(kept) == reasons
    webkeep("import", source, "--into", kept, "--restore")
    webkeep("export", kept, "--warc", tmp_path / "out.warc.gz")
    # The tombstones come along, and so does what was restored behind them.
    assert webkeep("import", tmp_path / "out.warc.gz", "--into", tmp_path / "copy").code == 0
    assert reasons_in(tmp_path / "copy") == reasons
    assert urls_in(tmp_path / "copy") == [OTHER, SECRET, SECRET]


def test_an_import_remembers_what_was_wrong_with_its_source(tmp_path: Path) -> None:
    flawed = response(1, SECRET, b"x", WARC_Payload_Digest="sha1:" + "A" * 32, WARC_Block_Digest="sha1:" + "A" * 32)
    (tmp_path / "flawed.warc.gz").write_bytes(gzipped([flawed, response(2, OTHER, b"y")]))
    assert webkeep("import", tmp_path / "flawed.warc.gz", "--into", tmp_path / "archive").code == 1
    for _ in range(2):
        with Archive(tmp_path / "archive") as archive:
            (capture,) = archive.captures()
        assert capture.facts["findings"] == "2 (payload-digest-wrong, block-digest-wrong)"
        rebuild_caches(tmp_path / "archive")


def test_files_of_a_site_that_were_taken_down_are_left_out(tmp_path: Path) -> None:
    folder, path = tmp_path / "site", tmp_path / "archive"
    folder.mkdir()
    for name in ("secret", "other"):
        (folder / name).write_text(name)
    words = ("import", folder, "--base-url", SITE, "--into", path)
    assert webkeep(*words).summary["stored"] == 2
    removed(path, "a court said so")
    again = webkeep(*words)
    (finding,) = told(again)
    assert (again.code, again.summary["stored"], finding["code"]) == (1, 1, "file-taken-down")
    for part in (SECRET, "(a court said so)", "--restore brings it back"):
        assert part in str(finding["message"])
    assert SECRET not in urls_in(path)
    assert webkeep(*words, "--restore").summary["stored"] == 2
    assert SECRET in urls_in(path)

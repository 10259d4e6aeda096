"""Records with a sound head and a flawed block come in as far as they are there, wherever they lie."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from capture_calls import events
from warc_material import findings_of, webkeep
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.maintenance import rebuild_caches
from webkeep.store.transfer import RecordImport

DATA = Path(__file__).parents[1] / "data/warc"
EXPECTED = json.loads((DATA / "expected.json").read_text())
FLAWED = {
    name: next(each for each in case["records"] if not each["intact"] and each.get("held"))
    for name, case in EXPECTED.items()
    if any(not each["intact"] and each.get("held") for each in case["records"])
}
WITHOUT_SOUND_HEADS = {"date-impossible.arc", "date-impossible.warc.gz", "date-missing.warc.gz",
                       "header-without-end.warc.gz"}  # fmt: skip

each_flaw = pytest.mark.parametrize("name", FLAWED)


def test_there_are_many_kinds() -> None:
    assert len(FLAWED) >= 20


def held_size(name: str) -> int:
    """How many bytes of the body are there; those of ARC records stand behind an HTTP head."""
    held = int(FLAWED[name]["held"])
    return held - len(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n") if ".arc" in name else held


def rows(archive: Archive) -> list[object]:
    index = archive.index.database.query("SELECT key, moment, url, type, status, media, digest, length FROM entry")
    observed = archive.catalog.database.query("SELECT url, offset, payload, content, size, status FROM observation")
    return [*index, *observed]


@each_flaw
def test_it_is_imported_as_truncated_with_a_finding(name: str, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    done = webkeep("import", DATA / name, "--into", path)
    codes = {each["code"] for each in events(done, "finding")}
    assert codes == {each["code"] for each in EXPECTED[name]["findings"]} - {"not-per-record"}
    assert done.code == 1
    assert findings_of(path) == [], "what was written is in order"
    with Archive(path) as archive:
        seen = archive.lookup(FLAWED[name]["url"])
        assert seen is not None
        assert (len(archive.read(seen).read()), seen.size) == (held_size(name), held_size(name))
        before = rows(archive)
    shown = webkeep("show", path, FLAWED[name]["url"], as_json=False).out.decode()
    assert "\ntruncated  cut off" in shown
    rebuild_caches(path)
    with Archive(path) as archive:
        assert rows(archive) == before


# What is compressed in one piece can only be imported.
@pytest.mark.parametrize(
    "name",
    ["block-cut.arc", "block-cut.warc", "checksum-of-last-member-cut.warc.gz", "length-huge.warc",
     "length-missing.warc.gz", "length-too-large.warc", "length-too-large.warc.gz", "length-too-small.arc.gz",
     "length-too-small.warc"],
)  # fmt: skip
def test_it_is_read_where_it_lies_and_exported_in_order(name: str, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path):
        pass
    shutil.copy(DATA / name, path / "warcs" / name)
    with Archive(path) as archive:
        seen = archive.lookup(FLAWED[name]["url"])
        assert seen is not None
        assert (len(archive.read(seen).read()), seen.size) == (held_size(name), held_size(name))
        before = rows(archive)
    webkeep("export", path, "--warc", tmp_path / "out.warc.gz")
    webkeep("import", tmp_path / "out.warc.gz", "--into", tmp_path / "again")
    assert findings_of(tmp_path / "again") == []
    with Archive(tmp_path / "again") as archive:
        assert {each.url: each.size for each in archive.observations()}[FLAWED[name]["url"]] == held_size(name)
    rebuild_caches(path)
    with Archive(path) as archive:
        assert rows(archive) == before
    assert webkeep("remove", path, "--url", FLAWED[name]["url"], "--yes").summary["removed"] >= 1
    with Archive(path) as archive:
        assert archive.lookup(FLAWED[name]["url"]) is None
        others = {each["url"] for each in EXPECTED[name]["records"] if each["intact"]}
        assert {each.url for each in archive.observations()} == others


def read_by_warcio(name: str) -> set[str]:
    """The URLs of the records that warcio gives before it stumbles."""
    found: set[str] = set()
    with (DATA / name).open("rb") as stream, suppress(ArchiveLoadFailed, AttributeError, OverflowError):
        for record in ArchiveIterator(stream, arc2warc=True):
            found |= set(filter(None, [record.rec_headers.get_header("WARC-Target-URI")]))
            record.content_stream().read()
    return found


def test_all_comes_in_that_warcio_reads(tmp_path: Path) -> None:
    names = [name for name in EXPECTED.keys() - WITHOUT_SOUND_HEADS if not name.endswith(".zst")]
    theirs = {name: read_by_warcio(name) for name in names}
    assert sum(bool(urls) for urls in theirs.values()) >= 50
    for name, urls in theirs.items():
        path = tmp_path / name
        with WritableArchive.create(path) as archive:
            importing = RecordImport(archive, [], lambda _finding: None)
            importing.add_file(DATA / name)
            importing.finish()
            assert {each.url for each in archive.observations()} >= urls, name

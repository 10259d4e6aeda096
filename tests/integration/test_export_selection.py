"""Exporting everything and parts: each export is complete in itself and comes back equal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from warc_material import (
    MOMENT,
    SITE,
    contents_of,
    exchange,
    facts_of,
    findings_of,
    gzipped,
    http,
    record,
    record_id,
    response,
    revisit,
    sha1,
    webkeep,
)
from warcio.archiveiterator import ArchiveIterator

from webkeep.model import BytesBody, Fate, Observation, UrlOutcome
from webkeep.store.archive import Archive, WritableArchive

SHARED = b"shared by all " * 100
NOT_MODIFIED = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'

Wanted = Callable[[Observation], bool]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two captures that share payloads, over two hosts and a day."""
    path = tmp_path_factory.mktemp("kept") / "archive"
    with WritableArchive.create(path, rotate_at=5000) as archive:
        with archive.begin("capture", [SITE], {"plan": "one"}) as first:
            first.append(exchange(f"{SITE}a/1", SHARED, MOMENT, b"GET /a/1 HTTP/1.1\r\n\r\n"))
            first.append(exchange(f"{SITE}a/2", b"only here", MOMENT.plus(60)))
            first.append(exchange(f"{SITE}b/1", b"of b", MOMENT.plus(120)))
            first.submit_fates([Fate(f"{SITE}lost", UrlOutcome.FAILED, "timeout")])
        with archive.begin("capture", ["http://other.example/"]) as second:
            second.append(exchange("http://other.example/", SHARED, MOMENT.plus(3600), b"GET / HTTP/1.1\r\n\r\n"))
            second.append(exchange(f"{SITE}b/2", SHARED, MOMENT.plus(3660)))
            second.append(exchange(f"{SITE}a/2", b"", MOMENT.plus(3720), head=NOT_MODIFIED))
            second.append(exchange(f"{SITE}b/3", b"of b", MOMENT.plus(3780)))
            second.submit_resource(f"{SITE}b/file", MOMENT.plus(3800), "text/plain", BytesBody(SHARED)).result()
    return path


def first_capture(path: Path) -> str:
    with Archive(path) as archive:
        return next(archive.captures()).id


def second_capture(path: Path) -> str:
    with Archive(path) as archive:
        return list(archive.captures())[1].id


SELECTIONS: dict[str, tuple[Callable[[Path], list[str]], Wanted]] = {
    "one capture": (lambda path: ["--capture", second_capture(path)[:8]], lambda o: o.moment >= MOMENT.plus(3600)),
    "the other capture": (lambda path: ["--capture", first_capture(path)], lambda o: o.moment < MOMENT.plus(3600)),
    "a prefix": (lambda _: ["--url", f"{SITE}b/"], lambda o: "/b/" in o.url),
    "a host": (lambda _: ["--url", "http://other.example/", "--match", "host"], lambda o: "other" in o.url),
    "one url": (lambda _: ["--url", f"{SITE}a/2", "--match", "exact"], lambda o: o.url.endswith("/a/2")),
    "a time": (
        lambda _: ["--since", "20240301130000", "--until", "20240301130200"],
        lambda o: MOMENT.plus(3600) <= o.moment <= MOMENT.plus(3720),
    ),
    "a prefix and a time": (
        lambda _: ["--url", f"{SITE}b/", "--since", "20240301130000"],
        lambda o: "/b/" in o.url and o.moment >= MOMENT.plus(3600),
    ),
}


@pytest.mark.parametrize("option", ["--warc", "--wacz"])
@pytest.mark.parametrize("name", SELECTIONS)
def test_a_part_comes_back_equal_and_whole(kept: Path, tmp_path: Path, name: str, option: str) -> None:
    arguments, wanted = SELECTIONS[name]
    target = tmp_path / ("part.warc.gz" if option == "--warc" else "part.wacz")
    done = webkeep("export", kept, option, target, *arguments(kept))
    assert (done.code, done.summary["bytes"]) == (0, target.stat().st_size)
    assert webkeep("import", target, "--into", tmp_path / "fresh").code == 0
    assert findings_of(tmp_path / "fresh") == []
    with Archive(kept) as archive, Archive(tmp_path / "fresh") as fresh:
        expected = [each for each in archive if wanted(each)]
        captures = {each.id: each for each in archive.captures()}
        assert len(expected) > 0
        for each in expected:
            back = fresh.lookup(each.url, each.moment)
            assert back is not None
            assert (facts_of(back), back.capture) == (facts_of(each), each.capture)
            holding, original = fresh.read(back), archive.read(each)
            assert (holding.raw_head, holding.read()) == (original.raw_head, original.read())
        assert {each.id: each for each in fresh.captures() if each.kind != "import"} == {
            each: captures[each] for each in sorted({one.capture for one in fresh})
        }
        assert [each for each in fresh.captures() if each.finished is None] == []


@pytest.mark.parametrize("name", SELECTIONS)
def test_no_revisit_refers_by_name_to_what_is_not_there(kept: Path, tmp_path: Path, name: str) -> None:
    arguments, _ = SELECTIONS[name]
    webkeep("export", kept, "--warc", tmp_path / "part.warc.gz", *arguments(kept))
    names, referred = set(), set()
    with (tmp_path / "part.warc.gz").open("rb") as stream:
        for each in ArchiveIterator(stream):
            field = each.rec_headers.get_header
            if each.rec_type == "revisit":
                referred.add(
                    (field("WARC-Refers-To-Target-URI"), field("WARC-Refers-To-Date"), field("WARC-Refers-To"))
                )
            else:
                names.add((field("WARC-Target-URI"), field("WARC-Date"), field("WARC-Record-ID")))
    assert referred <= names


def test_fates_go_with_their_capture(kept: Path, tmp_path: Path) -> None:
    for arguments, expected in ((["--capture", first_capture(kept)], 1), (["--url", f"{SITE}a/"], 0)):
        target = tmp_path / f"{expected}.warc.gz"
        webkeep("export", kept, "--warc", target, *arguments)
        webkeep("import", target, "--into", tmp_path / f"fresh{expected}")
        with Archive(tmp_path / f"fresh{expected}") as fresh:
            assert len(list(fresh.catalog.log.fates())) == expected


def test_cdxj_of_parts_has_the_lines_of_the_whole(kept: Path, tmp_path: Path) -> None:
    assert webkeep("export", kept, "--cdxj", tmp_path / "all.cdxj").code == 0
    lines = (tmp_path / "all.cdxj").read_text().splitlines()
    assert lines == sorted(lines)
    for name, (arguments, wanted) in SELECTIONS.items():
        target = tmp_path / f"{name}.cdxj"
        assert webkeep("export", kept, "--cdxj", target, *arguments(kept)).code == 0
        part = target.read_text().splitlines()
        assert part == [line for line in lines if line in set(part)]
        with Archive(kept) as archive:
            expected = sorted(each.url for each in archive if wanted(each))
        urls = [json.loads(line.split(" ", 2)[2])["url"] for line in part]
        assert sorted(url for url in urls if not url.startswith("urn:")) == expected


def test_standard_output(kept: Path) -> None:
    done = webkeep("export", kept, "--cdxj", "-", as_json=False)
    assert (done.code, done.out.count(b"\n")) == (0, 11)
    done = webkeep("export", kept, "--warc", "-", as_json=False)
    assert done.out.startswith(b"\x1f\x8b")


def test_the_whole_as_one_warc_has_every_record(kept: Path, tmp_path: Path) -> None:
    done = webkeep("export", kept, "--warc", tmp_path / "all.warc.gz")
    with Archive(kept) as archive:
        before = [(each.id, each.raw_head, each.read()) for each in archive.records()]
    assert done.summary["records"] == len(before)
    with WritableArchive.create(tmp_path / "empty"):
        pass
    (tmp_path / "empty/warcs/all.warc.gz").write_bytes((tmp_path / "all.warc.gz").read_bytes())
    with Archive(tmp_path / "empty") as dropped:
        assert [(each.id, each.raw_head, each.read()) for each in dropped.records()] == before


def test_exporting_leaves_the_archive_alone(kept: Path, tmp_path: Path) -> None:
    def state() -> list[tuple[str, int]]:
        files = [file for file in kept.rglob("*") if file.is_file() and not file.name.endswith(("-shm", "-wal"))]
        return sorted((str(file), file.stat().st_mtime_ns) for file in files)

    before = state()
    webkeep("export", kept, "--wacz", tmp_path / "part.wacz", "--url", f"{SITE}b/")
    assert state() == before
    assert [file.name for file in tmp_path.iterdir()] == ["part.wacz"]


def test_a_file_that_is_there_is_not_written_over(kept: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.cdxj"
    target.write_text("mine")
    done = webkeep("export", kept, "--cdxj", target)
    assert (done.code, target.read_text()) == (2, "mine")
    assert webkeep("export", kept, "--cdxj", target, "--replace").code == 0
    assert target.read_text() != "mine"


def test_a_payload_held_twice_is_named_where_it_is_exported(tmp_path: Path) -> None:
    """The revisit names one holder, the selection has the other: it is turned to that one."""
    body = b"held twice " * 20
    fields = {"WARC_Refers_To_Target_URI": f"{SITE}x/named", "WARC_Refers_To_Date": MOMENT.iso()}
    records = [
        response(1, f"{SITE}y/other", body),
        response(2, f"{SITE}x/named", body),
        revisit(3, f"{SITE}y/again", http(b""), WARC_Payload_Digest=sha1(body), **fields),
    ]
    (tmp_path / "in.warc.gz").write_bytes(gzipped(records))
    webkeep("import", tmp_path / "in.warc.gz", "--into", tmp_path / "archive")
    webkeep("export", tmp_path / "archive", "--warc", tmp_path / "out.warc.gz", "--url", f"{SITE}y/")
    with (tmp_path / "out.warc.gz").open("rb") as stream:
        turned = [each.rec_headers for each in ArchiveIterator(stream) if each.rec_type == "revisit"]
    assert [each.get_header("WARC-Refers-To-Target-URI") for each in turned] == [f"{SITE}y/other"]
    assert [each.get_header("WARC-Refers-To") for each in turned] == [record_id(1)]


def test_metadata_of_others_goes_with_its_url(tmp_path: Path) -> None:
    fields: dict[str, str | None] = {"WARC-Record-ID": record_id(9), "Content-Type": "application/json"}
    about = [record("metadata", b"{}", fields | {"WARC-Target-URI": f"{SITE}{name}"}) for name in ("a", "b")]
    (tmp_path / "in.warc.gz").write_bytes(gzipped([response(1, f"{SITE}a", b"a"), *about]))
    webkeep("import", tmp_path / "in.warc.gz", "--into", tmp_path / "archive")
    webkeep("export", tmp_path / "archive", "--warc", tmp_path / "out.warc.gz", "--url", f"{SITE}a")
    with (tmp_path / "out.warc.gz").open("rb") as stream:
        found = [(each.rec_type, each.rec_headers.get_header("WARC-Target-URI")) for each in ArchiveIterator(stream)]
    assert ("metadata", f"{SITE}a") in found
    assert ("metadata", f"{SITE}b") not in found


def test_export_beside_a_writer(tmp_path: Path) -> None:
    """What is being written is in the export as far as the index reaches, and the export is whole."""
    with WritableArchive.create(tmp_path / "archive") as archive, archive.begin("capture") as capture:
        capture.append(exchange(f"{SITE}1", b"first"))
        growing = next((tmp_path / "archive/warcs").iterdir())
        with growing.open("ab") as torn:
            torn.write(b"\x1f\x8b\x08 a record on its way")
        assert webkeep("export", tmp_path / "archive", "--wacz", tmp_path / "out.wacz").code == 0
        assert webkeep("export", tmp_path / "archive", "--warc", tmp_path / "out.warc.gz").code == 0
        assert webkeep("verify", tmp_path / "archive").summary["findings"] == 0
        with growing.open("rb+") as torn:
            torn.truncate(archive.index.database.covered_bytes()[growing.name])
    for name in ("out.wacz", "out.warc.gz"):
        assert webkeep("import", tmp_path / name, "--into", tmp_path / f"fresh-{name}").code == 0
        with Archive(tmp_path / f"fresh-{name}") as fresh:
            assert [payload for _, _, payload in contents_of(fresh)] == [b"first"]


def test_what_belongs_to_no_capture_belongs_to_none_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with WritableArchive.create(path) as archive, archive.begin("capture") as capture:
        capture.append(exchange(f"{SITE}a", b"a"))
    (path / "warcs/zz.warc.gz").write_bytes(gzipped([response(1, f"{SITE}dropped", b"dropped in")]))
    with Archive(path) as archive:
        before = {each.url: each.capture for each in archive}
    for number, part in enumerate(([], ["--url", SITE])):
        webkeep("export", path, "--warc", tmp_path / f"{number}.warc.gz", *part)
        webkeep("import", tmp_path / f"{number}.warc.gz", "--into", tmp_path / f"fresh{number}")
        with Archive(tmp_path / f"fresh{number}") as fresh:
            (imported,) = (each.id for each in fresh.captures() if each.kind == "import")
            assert {each.url: each.capture for each in fresh} == {
                url: known or imported for url, known in before.items()
            }


def test_states_that_are_not_there_are_no_export(kept: Path, tmp_path: Path) -> None:
    done = webkeep("export", kept, "--states", tmp_path / "states.json")
    assert done.code == 2
    assert "there are no states in" in done.err
    assert not (tmp_path / "states.json").exists()

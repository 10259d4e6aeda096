"""WACZ files written and read back."""

import gzip
import hashlib
import io
import json
import zipfile

import pytest

from webkeep.errors import UsageError
from webkeep.formats import Flaws
from webkeep.formats.wacz import Wacz, WaczDescription, WaczPage, WaczWriter, read_wacz
from webkeep.model import Moment

CREATED = Moment.parse("2024-03-01T12:00:00Z")
WARC = bytes(range(256)) * 2000
LINES = [f'com,example)/{number:05d} 20240301120000 {{"url": "http://example.com/{number}"}}' for number in range(2500)]
PAGES = [
    WaczPage("http://example.com/", CREATED, "Exämple", "p1"),
    WaczPage("http://example.com/two", CREATED, text="All the words", extra={"seed": True}),
]
SIGNED = {"signature": "abc", "publicKey": "def", "created": "2024-03-01T12:00:00Z"}


def written(stream: io.BytesIO | None = None) -> bytes:
    out = stream or io.BytesIO()
    description = WaczDescription("Title", "About *it*", "webkeep", "http://example.com/", CREATED, {"licenses": []})
    writer = WaczWriter(out, CREATED, description)
    writer.add_warc("One.warc.gz", [WARC[:1000], WARC[1000:]])
    writer.add_warc("two.warc", [b"small"], size=5)
    writer.add_index(LINES)
    writer.add_pages(PAGES, has_text=True)
    writer.add_pages([WaczPage("http://example.com/extra", CREATED)], extra=True)
    writer.add_file("logs/crawl.log", [b"done\n"])
    writer.close(SIGNED)
    return out.getvalue()


def read(data: bytes) -> tuple[Wacz, Flaws]:
    flaws = Flaws()
    return read_wacz(io.BytesIO(data), "a.wacz", flaws), flaws


def test_all_comes_back() -> None:
    wacz, flaws = read(written())
    assert [(member.path, member.size) for member in wacz.warcs] == [
        ("archive/One.warc.gz", len(WARC)),
        ("archive/two.warc", 5),
    ]
    assert wacz.open(wacz.warcs[0]).read() == WARC
    assert (wacz.version, wacz.profile, wacz.title) == ("1.1.1", "data-package", "Title")
    assert (wacz.description, wacz.software, wacz.created) == ("About *it*", "webkeep", CREATED)
    assert wacz.main_page == WaczPage("http://example.com/", CREATED)
    assert wacz.signature == SIGNED
    assert wacz.manifest["licenses"] == []
    wacz.verify()
    assert flaws.findings == []


def test_pages_come_back() -> None:
    wacz, flaws = read(written())
    first, second, third = wacz.pages()
    assert first == PAGES[0]
    assert (second.text, dict(second.extra), len(second.id)) == ("All the words", {"seed": True}, 22)
    assert third.url == "http://example.com/extra"
    assert flaws.findings == []


def test_the_manifest_lists_every_file_with_size_and_digest() -> None:
    with zipfile.ZipFile(io.BytesIO(written())) as opened:
        manifest = json.loads(opened.read("datapackage.json"))
        seal = json.loads(opened.read("datapackage-digest.json"))
        listed = {entry["path"]: (entry["bytes"], entry["hash"]) for entry in manifest["resources"]}
        actual = {}
        for name in opened.namelist():
            data = opened.read(name)
            actual[name] = (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
    del actual["datapackage-digest.json"]
    assert seal["hash"] == actual.pop("datapackage.json")[1]
    assert listed == actual
    names = [entry["name"] for entry in manifest["resources"]]
    assert names[0] == "one.warc.gz"
    assert len(set(names)) == len(names)


def test_what_is_compressed_is_stored_as_it_is() -> None:
    with zipfile.ZipFile(io.BytesIO(written())) as opened:
        stored = {info.filename for info in opened.infolist() if info.compress_type == zipfile.ZIP_STORED}
    assert stored == {"archive/One.warc.gz", "archive/two.warc", "indexes/index.cdx.gz"}


def test_the_second_index_points_to_each_block() -> None:
    with zipfile.ZipFile(io.BytesIO(written())) as opened:
        blocks = opened.read("indexes/index.cdx.gz")
        meta, *entries = opened.read("indexes/index.idx").decode().splitlines()
    assert meta == '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}'
    found = []
    for entry in entries:
        prefix, _, place = entry.partition(" {")
        value = json.loads("{" + place)
        block = blocks[value["offset"] : value["offset"] + value["length"]]
        assert value["digest"] == f"sha256:{hashlib.sha256(block).hexdigest()}"
        lines = gzip.decompress(block).decode().splitlines()
        assert lines[0].startswith(f"{prefix} {{")
        found += lines
    assert found == LINES
    assert len(entries) == 3


def test_the_same_parts_give_the_same_bytes() -> None:
    assert written() == written()


def test_a_stream_that_cannot_seek_will_do() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    wacz, flaws = read(written(Pipe()))
    wacz.verify()
    assert flaws.findings == []
    assert wacz.open(wacz.warcs[0]).read() == WARC


def test_what_is_not_added_is_written_empty() -> None:
    out = io.BytesIO()
    with WaczWriter(out, CREATED) as writer:
        writer.add_warc("one.warc", [b"x"])
    wacz, flaws = read(out.getvalue())
    wacz.verify()
    assert list(wacz.pages()) == []
    assert flaws.findings == []
    assert [resource.path for resource in wacz.resources] == [
        "archive/one.warc",
        "indexes/index.cdx.gz",
        "indexes/index.idx",
        "pages/pages.jsonl",
    ]


def test_a_failure_is_not_sealed() -> None:
    out = io.BytesIO()
    with pytest.raises(ZeroDivisionError), WaczWriter(out, CREATED) as writer:
        writer.add_warc("one.warc", (bytes(1 // (2 - number)) for number in range(5)))
    _, flaws = read(out.getvalue())
    assert "wacz-no-manifest" in {flaw.code for flaw in flaws.findings}


@pytest.mark.parametrize("name", ["../x.warc", "/x.warc", "a\\b.warc", "", "a//b.warc", "./a.warc", "a\0.warc"])
def test_names_that_leave_their_place_are_refused(name: str) -> None:
    with WaczWriter(io.BytesIO(), CREATED) as writer, pytest.raises(UsageError):
        writer.add_warc(name, [])


def test_calls_that_are_wrong() -> None:
    with WaczWriter(io.BytesIO(), CREATED) as writer:
        writer.add_warc("a.warc", [])
        with pytest.raises(UsageError, match="already"):
            writer.add_warc("a.warc", [])
        with pytest.raises(UsageError, match="elsewhere"):
            writer.add_file("pages/more.jsonl", [])


def test_a_part_that_failed_cannot_be_sealed() -> None:
    writer = WaczWriter(io.BytesIO(), CREATED)
    with pytest.raises(UsageError, match="sorted"):
        writer.add_index(["b 2024 {}", "a 2024 {}"])
    with pytest.raises(UsageError, match="anew"):
        writer.close()


def test_more_bytes_than_announced() -> None:
    with pytest.raises(UsageError, match="announced"), WaczWriter(io.BytesIO(), CREATED) as writer:
        writer.add_warc("a.warc", [b"four"], size=3)


def test_open_members_are_seekable_and_independent() -> None:
    wacz, _ = read(written())
    one, two = (wacz.open(member) for member in wacz.warcs)
    assert one.read(3) == WARC[:3]
    assert two.read() == b"small"
    assert one.seek(-2, io.SEEK_END) == len(WARC) - 2
    assert one.read() == WARC[-2:]
    assert one.seek(100) == 100
    assert one.read(4) == WARC[100:104]
    assert one.seek(10**9) == 10**9
    assert one.read(1) == b""


def test_version_1_2_0() -> None:
    manifest = {
        "profile": "wacz",
        "resources": [],
        "home": {"url": "http://example.com/home", "ts": "2024-03-01T12:00:00Z"},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("datapackage.json", json.dumps(manifest))
        target.writestr("archive/a.warc", b"x", zipfile.ZIP_DEFLATED)
        target.writestr("indexes/index.cdx", b"")
        target.writestr(
            "pages/pages.jsonl",
            b'{"format": "json-pages-1.0"}\n{"url": "http://a/", "ts": 1709294400000}\n\n{"x": 1}\nbad',
        )
    wacz, flaws = read(out.getvalue())
    assert (wacz.version, wacz.main_page) == ("1.2.0", WaczPage("http://example.com/home", CREATED))
    assert list(wacz.pages()) == [WaczPage("http://a/", CREATED)]
    assert [(flaw.code, flaw.source) for flaw in flaws.findings] == [("wacz-page", "a.wacz!pages/pages.jsonl")] * 2
    assert wacz.open(wacz.warcs[0]).read() == b"x"

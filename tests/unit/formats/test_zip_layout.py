"""ZIP files that two readers would read in two ways, and such as usual programs write."""

import io
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from bench.evidence_zip import HandMadeZip, deflate, further_field, hide_directory, make_by_hand, other_name

from webkeep.formats import Flaws
from webkeep.formats.wacz import check_zip_layout

FILES = {"archive/a.warc": b"records" * 40, "evidence/cover.html": b"<h1>What was seen</h1>", "empty": b""}
COVER = "evidence/cover.html"


def codes(data: bytes) -> set[str]:
    flaws = Flaws()
    check_zip_layout(io.BytesIO(data), "a.wacz", flaws)
    return {each.code for each in flaws.findings}


def hand_made(**cover: Any) -> HandMadeZip:
    return make_by_hand(FILES, COVER, **cover)


def test_what_is_made_by_hand_is_right_where_nothing_is_otherwise() -> None:
    assert codes(hand_made().data) == set()
    assert codes(hand_made(packed=deflate(FILES[COVER])).data) == set()
    dated = further_field(0x5455, b"\1" + bytes(4))
    assert codes(hand_made(local=dated, central=dated).data) == set()


NAME = other_name(COVER, "evidence/other.html")


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"local": NAME, "central": NAME}, "another name, which other programs go by"),
        ({"local": further_field(0x4242, bytes(4000))}, "room for anything"),
        ({"central": further_field(0x4242, b"x")}, "a field that nobody knows"),
        ({"local": b"\0"}, "a field that breaks off"),
        ({"local": further_field(1, struct.pack("<2Q", 7, 7))}, "sizes that are others"),
        ({"local": further_field(0x5455, bytes(200))}, "dates that are none"),
        ({"central": further_field(0xCAFE, b"") * 2}, "a field twice"),
    ],
)
def test_further_fields_that_readers_differ_in_are_told(fields: dict[str, Any], what: str) -> None:
    assert codes(hand_made(**fields).data) == {"zip-header"}, what


def test_nothing_lies_behind_the_end_of_what_is_deflated() -> None:
    whole = deflate(FILES[COVER])
    assert codes(hand_made(packed=whole + b"hidden" * 9).data) == {"zip-hidden"}
    assert codes(hand_made(packed=whole[:-2]).data) == {"zip-hidden"}


@pytest.mark.parametrize("name", ["evidence/more/", "evidence/cover.html/", "evidence/"])
def test_folders_have_nothing_in_themselves(name: str) -> None:
    made = hand_made()
    made.add(name, b"hidden")
    assert "zip-hidden" in codes(made.data)


def test_a_folder_of_no_file_is_told() -> None:
    made = hand_made()
    made.add("evidence/cover.html/", b"")
    assert "zip-hidden" in codes(made.data), "one of the two is lost to whoever unpacks it"


@pytest.mark.parametrize(
    ("end64", "end", "what"),
    [
        ({}, {"offset": 7}, "a directory elsewhere for those who know no 64 bits"),
        ({}, {"count": 1}, "fewer files for them"),
        ({}, {"size": 46}, "a shorter directory for them"),
        ({"count": 2}, {}, "fewer files by one of two counts"),
        ({"length": 50}, {}, "more behind it"),
        ({"at": 3}, {}, "a record elsewhere"),
        ({"offset": 3}, {}, "a directory elsewhere"),
    ],
)
def test_there_is_one_directory_however_it_is_looked_for(end64: dict[str, int], end: dict[str, int], what: str) -> None:
    made = hand_made()
    assert codes(made.members + made.directory + made.end64() + made.end()) == set()
    marks = {"count": 0xFFFF, "size": 0xFFFFFFFF, "offset": 0xFFFFFFFF}
    assert codes(made.members + made.directory + made.end64() + made.end(**marks)) == set()
    assert "zip-header" in codes(made.members + made.directory + made.end64(**end64) + made.end(**end)), what


def test_who_knows_no_64_bits_is_shown_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "two.zip"
    path.write_bytes(hide_directory(FILES, COVER, {COVER: b"<h1>Another story</h1>"}))
    assert codes(path.read_bytes()) == {"zip-header"}
    with zipfile.ZipFile(path) as zipped:
        assert zipped.read(COVER) == FILES[COVER], "others, such as unzip, read the other story"


def test_a_directory_that_is_said_to_be_elsewhere_is_told() -> None:
    made = hand_made()
    assert codes(made.members + made.directory + made.end(offset=3)) != set()


def test_what_lies_far_behind_needs_a_later_version_in_the_directory_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is of whatever lies behind 2 GB."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        for name, data in FILES.items():
            zipped.writestr(name, data)
    assert codes(out.getvalue()) == set()


def test_empty_files_whose_sizes_stand_behind_them_are_right() -> None:
    class Pipe(io.RawIOBase):
        written = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.written += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in FILES.items():
            with zipped.open(name, "w", force_zip64=True) as member:
                member.write(data)
    assert codes(pipe.written) == set()


def test_folders_are_told_apart_from_files_by_their_names_alone() -> None:
    data = bytearray(hand_made().data)
    at = data.rindex(COVER.encode()) - 46 + 38
    data[at] |= 0x10
    assert codes(bytes(data)) == {"zip-header"}


def test_what_is_packed_with_its_folders_is_right(tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "files" / name).write_bytes(data)
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "files"))
    with zipfile.ZipFile(packed) as zipped:
        assert any(name.endswith("/") for name in zipped.namelist())
    assert codes(packed.read_bytes()) == set()

"""WACZ files made to do harm, or merely broken: findings and one-line errors, nothing else."""

import io
import json
import random
import stat
import struct
import zipfile
from collections.abc import Callable

import pytest

from webkeep.errors import FormatError
from webkeep.formats import Flaws
from webkeep.formats.wacz import WaczPage, WaczWriter, read_wacz
from webkeep.model import Moment

CREATED = Moment.parse("2024-03-01T12:00:00Z")
Entry = tuple[str | zipfile.ZipInfo, bytes]


def zipped(*entries: Entry, manifest: bytes | None = b'{"profile": "data-package", "resources": []}') -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("archive/good.warc", b"good")
        for name, data in entries:
            target.writestr(name, data)
        if manifest is not None:
            target.writestr("datapackage.json", manifest)
    return out.getvalue()


def findings(data: bytes, verify: bool = False) -> list[str]:
    flaws = Flaws()
    wacz = read_wacz(io.BytesIO(data), "a.wacz", flaws)
    assert [member.path for member in wacz.warcs] == ["archive/good.warc"]
    assert wacz.open(wacz.warcs[0]).read() == b"good"
    if verify:
        wacz.verify()
        list(wacz.pages())
    return [flaw.code for flaw in flaws.findings]


def special(name: str, **attributes: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    for attribute, value in attributes.items():
        setattr(info, attribute, value)
    return info


def patched(data: bytes, name: bytes, change: Callable[[bytearray, int], None]) -> bytes:
    """Change the directory entry of a member; `change` is handed the bytes and where the entry begins."""
    at = data.rfind(name) - 46
    assert data[at : at + 4] == b"PK\1\2"
    out = bytearray(data)
    change(out, at)
    return bytes(out)


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd.warc", "/archive/x.warc", "archive/../../x.warc", "archive\\x.warc", "C:/x.warc",
     "archive//x.warc", "archive/./x.warc", "archive/x\n.warc"],
)  # fmt: skip
def test_names_that_lead_elsewhere(name: str) -> None:
    assert findings(zipped((name, b"bad"))) == ["zip-path"]


def test_a_name_with_a_nul() -> None:
    data = zipped(("archive/bad.warcX", b"bad")).replace(b"bad.warcX", b"bad.warc\0")
    assert findings(data) == ["zip-path"]


def test_a_symbolic_link() -> None:
    link = special("archive/link.warc", external_attr=(stat.S_IFLNK | 0o777) << 16)
    assert findings(zipped((link, b"/etc/passwd"))) == ["zip-link"]


def test_a_duplicate() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = zipped(("archive/good.warc", b"evil"))
    assert findings(data) == ["zip-duplicate"]


def test_an_encrypted_member() -> None:
    def encrypt(out: bytearray, at: int) -> None:
        out[at + 8] |= 1

    assert findings(patched(zipped(("archive/x.warc", b"x")), b"archive/x.warc", encrypt)) == ["zip-encrypted"]


def test_a_method_that_wacz_does_not_use() -> None:
    info = special("archive/x.warc", compress_type=zipfile.ZIP_LZMA)
    assert findings(zipped((info, b"x"))) == ["zip-method"]


def test_a_bomb() -> None:
    info = special("archive/x.warc", compress_type=zipfile.ZIP_DEFLATED)
    assert findings(zipped((info, bytes(32 << 20)))) == ["zip-ratio"]


def test_a_small_file_that_compresses_well_is_no_bomb() -> None:
    info = special("notes/x", compress_type=zipfile.ZIP_DEFLATED)
    assert findings(zipped((info, bytes(1 << 20)))) == []


def test_members_that_overlap() -> None:
    def run_into_the_next(out: bytearray, at: int) -> None:
        struct.pack_into("<II", out, at + 20, 40, 40)

    assert findings(patched(zipped(("archive/x.warc", b"x")), b"archive/x.warc", run_into_the_next)) == ["zip-overlap"]


def test_a_member_that_points_to_another() -> None:
    def point_to_the_first(out: bytearray, at: int) -> None:
        struct.pack_into("<I", out, at + 42, 0)

    flaws = Flaws()
    data = patched(zipped(("archive/x.warc", b"evil")), b"archive/x.warc", point_to_the_first)
    wacz = read_wacz(io.BytesIO(data), "a.wacz", flaws)
    assert [flaw.code for flaw in flaws.findings] == ["zip-overlap"]
    with pytest.raises(FormatError):
        wacz.open(wacz.warcs[0])


def test_a_member_beyond_the_file() -> None:
    def point_beyond(out: bytearray, at: int) -> None:
        struct.pack_into("<I", out, at + 42, 0x7FFFFFFF)

    assert findings(patched(zipped(("archive/x.warc", b"x")), b"archive/x.warc", point_beyond)) == ["zip-place"]


def test_a_stored_member_of_two_sizes() -> None:
    def grow(out: bytearray, at: int) -> None:
        struct.pack_into("<I", out, at + 24, 1000)

    assert findings(patched(zipped(("archive/x.warc", b"x")), b"archive/x.warc", grow)) == ["zip-size"]


def test_a_header_that_is_not_where_the_directory_says() -> None:
    data = zipped()
    flaws = Flaws()
    wacz = read_wacz(io.BytesIO(b"XX" + data[2:]), "a.wacz", flaws)
    with pytest.raises(FormatError, match="not where the ZIP directory says"):
        wacz.open(wacz.warcs[0])


def test_no_manifest() -> None:
    assert findings(zipped(manifest=None)) == ["wacz-no-manifest"]


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_a_manifest_that_is_no_object(text: bytes) -> None:
    assert findings(zipped(manifest=text)) == ["wacz-json"]


@pytest.mark.parametrize(
    ("manifest", "codes"),
    [
        ({"resources": 1, "title": 5, "created": [], "home": "x", "mainPageUrl": {}}, ["wacz-unlisted"]),
        ({"resources": [1, {}, {"path": 3}]}, ["wacz-resource"] * 3 + ["wacz-unlisted"]),
        ({"resources": [{"path": "archive/good.warc"}]}, ["wacz-no-digest"]),
        ({"resources": [{"path": "archive/good.warc", "hash": "sha256:" + "0" * 64, "bytes": 5}]},
         ["wacz-size", "wacz-digest"]),
        ({"resources": [{"path": "archive/good.warc", "hash": "md5:755f85c2723bb39381c7379a604160d8", "bytes": 4},
                        {"path": "archive/lost.warc"}]}, ["wacz-missing"]),
    ],
)  # fmt: skip
def test_a_manifest_that_is_wrong(manifest: dict[str, object], codes: list[str]) -> None:
    assert findings(zipped(manifest=json.dumps(manifest).encode()), verify=True) == codes


def test_a_manifest_changed_after_sealing() -> None:
    seal = json.dumps({"path": "datapackage.json", "hash": "sha256:" + "0" * 64}).encode()
    codes = findings(zipped(("datapackage-digest.json", seal)), verify=True)
    assert codes == ["wacz-digest", "wacz-unlisted"]


def test_pages_that_are_damaged() -> None:
    info = special("pages/pages.jsonl", compress_type=zipfile.ZIP_DEFLATED)
    data = bytearray(zipped((info, b'{"url": "http://example.com/"}\n' * 50)))
    at = data.find(b"pages/pages.jsonl") + len("pages/pages.jsonl")
    data[at + 2 : at + 6] = b"\xff\xff\xff\xff"
    assert "wacz-unreadable" in findings(bytes(data), verify=True)


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"not a zip file at all", zipped()[:-30], zipped()[:100], b"PK\5\6" + b"\xff" * 18, b"\0" * 100_000],
    ids=["empty", "two-bytes", "text", "no-directory", "cut", "all-ones", "zeros"],
)
def test_what_is_no_zip_is_one_error(data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read_wacz(io.BytesIO(data), "a.wacz", Flaws())
    assert str(caught.value).startswith("a.wacz, byte 0: ")
    assert "\n" not in str(caught.value)


def test_a_directory_too_large_to_load() -> None:
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0x7FFFFFFF, 0, 0)
    with pytest.raises(FormatError, match="ZIP directory is larger"):
        read_wacz(io.BytesIO(bytes(1000) + end), "a.wacz", Flaws())


def test_no_bytes_raise_anything_else() -> None:
    out = io.BytesIO()
    with WaczWriter(out, CREATED) as writer:
        writer.add_warc("a.warc", [b"text" * 100])
        writer.add_index(["a 2024 {}"])
        writer.add_pages([WaczPage("http://example.com/", CREATED)])
    whole = out.getvalue()
    chance = random.Random(7)
    for _ in range(1500):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 2, 8))):
            data[chance.randrange(len(data))] = chance.choice((0, 255, chance.randrange(256)))
        if chance.random() < 0.2:
            data = data[: chance.randrange(len(data))]
        try:
            wacz = read_wacz(io.BytesIO(bytes(data)), "a.wacz", Flaws())
            wacz.verify()
            list(wacz.pages())
            for member in wacz.warcs:
                wacz.open(member).read()
        except FormatError:
            continue

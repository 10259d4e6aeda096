"""Packages signed in place."""

import base64
import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.evidence.sealing import sign_package
from webkeep.formats.wacz import WaczDescription, WaczWriter, read_signed_data
from webkeep.model import Moment
from webkeep.signing import SigningIdentity, VerifyingKey, open_own_key

CREATED = Moment.parse("2024-03-01T12:00:00.75Z")


def make_package(path: Path) -> Path:
    with path.open("wb") as stream, WaczWriter(stream, CREATED, WaczDescription(software="webkeep/1")) as writer:
        writer.add_warc("a.warc.gz", [b"bytes" * 1000])
        writer.add_file("evidence/evidence.json", [b"{}"])
    return path


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as zipped:
        assert zipped.testzip() is None
        return {name: zipped.read(name) for name in zipped.namelist()}


def test_a_signature_is_put_in_and_nothing_else_changed(tmp_path: Path) -> None:
    path = make_package(tmp_path / "a.wacz")
    before = contents(path)
    key = open_own_key(path=tmp_path / "key.pem")
    sign_package(path, SigningIdentity(key))
    after = contents(path)
    assert list(after) == list(before)
    digest = json.loads(after.pop("datapackage-digest.json"))
    assert after == {name: data for name, data in before.items() if name != "datapackage-digest.json"}
    hashed = "sha256:" + hashlib.sha256(after["datapackage.json"]).hexdigest()
    assert (digest["path"], digest["hash"]) == ("datapackage.json", hashed)
    signed = read_signed_data(digest["signedData"])
    assert (signed.hash, signed.created, signed.software, signed.version) == (
        hashed,
        "2024-03-01T12:00:00Z",
        "webkeep/1",
        "0.1.0",
    )
    assert VerifyingKey.from_text(signed.public_key) == key.public
    assert key.public.has_signed(hashed.encode(), base64.b64decode(signed.signature))
    assert not list(tmp_path.glob(".*"))


def test_signing_again_replaces_the_signature_and_drops_its_stamps(tmp_path: Path) -> None:
    path = make_package(tmp_path / "a.wacz")
    sign_package(path, SigningIdentity(open_own_key(path=tmp_path / "one.pem")))
    with zipfile.ZipFile(path, "a") as zipped:
        zipped.writestr("stamps/one-tsr", b"stamp")
    second = open_own_key(path=tmp_path / "two.pem")
    sign_package(path, SigningIdentity(second))
    after = contents(path)
    assert "stamps/one-tsr" not in after
    assert json.loads(after["datapackage-digest.json"])["signedData"]["publicKey"] == second.public.base64


@pytest.mark.parametrize("manifest", [None, b"{}", b"no json", b"[]"])
def test_what_is_no_package_is_not_signed(manifest: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("archive/a.warc", b"")
        if manifest is not None:
            zipped.writestr("datapackage.json", manifest)
    before = path.read_bytes()
    with pytest.raises(UsageError):
        sign_package(path, SigningIdentity(open_own_key(path=tmp_path / "key.pem")))
    assert path.read_bytes() == before


def test_a_file_that_is_no_zip_is_not_signed(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    path.write_bytes(b"no ZIP")
    with pytest.raises(UsageError, match="cannot be signed"):
        sign_package(path, SigningIdentity(open_own_key(path=tmp_path / "key.pem")))

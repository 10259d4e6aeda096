"""Packages that others signed by the published form: made by `wacz create`, sealed here with `cryptography` and
`openssl` alone, none of it by webkeep. What is right is found right, and of what is not it is told why.
"""

import base64
import gzip
import hashlib
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from bench.measuring import PEERS
from bench.time_authority import TestCertificate, TimeAuthority, make_certificate
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import ExtendedKeyUsageOID
from warc_material import webkeep

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 22\r\n\r\n<h1>It stood here</h1>"
RECORD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:5f0e7b5e-3a52-4a36-9d0f-6f3a1d6a7c01>\r\n"
    b"WARC-Date: 2026-03-02T14:05:11Z\r\nWARC-Target-URI: http://archive.example/\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (len(ANSWER), ANSWER)
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package by another program, which nobody signed."""
    folder = tmp_path_factory.mktemp("plain")
    warc, made = folder / "data.warc.gz", folder / "plain.wacz"
    warc.write_bytes(gzip.compress(RECORD))
    words = [PEERS / "tools/bin/wacz", "create", "--detect-pages", "-o", made, warc]
    subprocess.run(list(map(str, words)), check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def stamps(tmp_path_factory: pytest.TempPathFactory) -> TimeAuthority:
    return TimeAuthority(tmp_path_factory.mktemp("stamps"))


@pytest.fixture(scope="module")
def root() -> TestCertificate:
    return make_certificate("domains root")


def _seal(plain: Path, target: Path, signed: dict[str, str]) -> Path:
    """The package with what was signed, as the published form has it."""
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(target, "w") as sealed:
        for each in source.infolist():
            data = source.read(each)
            if each.filename == "datapackage-digest.json":
                data = json.dumps({**json.loads(data), "signedData": signed}).encode()
            sealed.writestr(each, data, each.compress_type)
    return target


def _described(plain: Path) -> dict[str, str]:
    """The fields that every signature has."""
    with zipfile.ZipFile(plain) as packed:
        manifest = packed.read("datapackage.json")
    told = json.loads(manifest)
    digest = hashlib.sha256(manifest).hexdigest()
    return {"hash": f"sha256:{digest}", "created": told["created"], "software": told["software"]}


def _sign_as_browser(key: ec.EllipticCurvePrivateKey, text: str) -> str:
    numbers = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return base64.b64encode(b"".join(each.to_bytes(48, "big") for each in numbers)).decode()


def _public_key(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return base64.b64encode(key.public_key().public_bytes(serialization.Encoding.DER, form)).decode()


def _anonymous(plain: Path) -> dict[str, str]:
    key = ec.generate_private_key(ec.SECP384R1())
    common = _described(plain)
    return {**common, "signature": _sign_as_browser(key, common["hash"]), "publicKey": _public_key(key)}


def _by_domain(plain: Path, root: TestCertificate, stamps: TimeAuthority, folder: Path) -> dict[str, str]:
    name = "archive.example"
    domain = make_certificate(name, root, ExtendedKeyUsageOID.SERVER_AUTH, alternative=x509.DNSName(name))
    common = _described(plain)
    signature = base64.b64encode(domain.key.sign(common["hash"].encode(), ec.ECDSA(hashes.SHA256()))).decode()
    text, asked = folder / "signature", folder / "asked.tsq"
    text.write_text(signature)
    words = ["openssl", "ts", "-query", "-data", str(text), "-sha256", "-cert", "-out", str(asked)]
    subprocess.run(words, check=True, capture_output=True)
    stamp = base64.b64encode(stamps.answer(asked.read_bytes())).decode()
    chain = (stamps.signer.pem + stamps.chain_path.read_bytes()).decode()
    return {**common, "signature": signature, "domain": name, "domainCert": (domain.pem + root.pem).decode(),
            "timeSignature": stamp, "timestampCert": chain}  # fmt: skip


def _failed_codes(summary: dict[str, Any]) -> str:
    return json.dumps(summary["failed"])


def test_a_key_of_ones_own_is_right_and_names_nobody(plain: Path, tmp_path: Path) -> None:
    done = webkeep("verify", _seal(plain, tmp_path / "own.wacz", _anonymous(plain)))
    assert (done.code, done.summary["sound"]) == (0, True), done.summary
    assert any("names nobody" in each for each in done.summary["missing"])


def test_a_domain_with_a_time_stamp_is_right(
    plain: Path, root: TestCertificate, stamps: TimeAuthority, tmp_path: Path
) -> None:
    path = _seal(plain, tmp_path / "domain.wacz", _by_domain(plain, root, stamps, tmp_path))
    authorities = tmp_path / "root.pem"
    authorities.write_bytes(root.pem)
    done = webkeep("verify", path, "--ca", authorities, "--tsa-ca", stamps.root_path, "--stamped")
    assert (done.code, done.summary["sound"]) == (0, True), done.summary
    assert "archive.example" in json.dumps(done.summary["signature"])
    assert len(done.summary["stamps"]) == 1
    stranger = webkeep("verify", path, "--tsa-ca", stamps.root_path)
    assert stranger.code == 1, "nobody trusted vouches for the domain"
    assert "certificate" in _failed_codes(stranger.summary)


@pytest.mark.parametrize("field", ["signature", "hash", "publicKey"])
def test_what_was_put_in_from_elsewhere_is_wrong(field: str, plain: Path, tmp_path: Path) -> None:
    signed, other = _anonymous(plain), _anonymous(plain)
    other["hash"] = f"sha256:{hashlib.sha256(b'another').hexdigest()}"
    done = webkeep("verify", _seal(plain, tmp_path / "moved.wacz", {**signed, field: other[field]}))
    assert (done.code, done.summary["sound"]) == (1, False), done.summary
    assert "signature" in _failed_codes(done.summary)

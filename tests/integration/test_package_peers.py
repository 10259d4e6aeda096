"""What other programs say of our packages, and we of theirs: `wacz validate --verify-auth`, which is authsign."""

import base64
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from bench.evidence_package import DIGEST_FILE, Parts, Sealer, build_package
from bench.measuring import PEERS
from bench.time_authority import TestCertificate, make_certificate, serve_authority
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID

from webkeep.clock import SystemClock
from webkeep.evidence.sealing import AuthorityClient, sign_package, signature_stamper
from webkeep.evidence.verification import PackageTrust, verify_package
from webkeep.fetch import FetchSettings
from webkeep.signing import SigningIdentity, SigningKey, StampVerifier

VALIDATE = """
import sys
import authsign.verifier
authsign.verifier.DEFAULT_TRUSTED_ROOTS = sys.argv[1]
from wacz.main import main
sys.exit(main(["validate", "--verify-auth", "-f", sys.argv[2]]))
"""
"""The program itself, with authorities of ours on the list of those that it trusts."""


class Notary:
    """A domain with a certificate, whose signatures are stamped as the published form wants it."""

    def __init__(self, sealer: Sealer, folder: Path) -> None:
        self.sealer = sealer
        self.root = make_certificate("domains root")
        self.domain = self._issue("archive.example")
        self.roots = folder / "roots.yaml"
        trusted = {"domain_cert_roots": self.root, "timestamp_cert_roots": sealer.authority.root}
        self.roots.write_text(json.dumps({name: [fingerprint(each)] for name, each in trusted.items()}))
        self.trust = PackageTrust(
            SystemClock().now(), (self.root.certificate,), (sealer.authority.root.certificate,), needs_stamp=True
        )

    def _issue(self, name: str) -> TestCertificate:
        return make_certificate(name, self.root, ExtendedKeyUsageOID.SERVER_AUTH, alternative=x509.DNSName(name))

    def sign(self, path: Path) -> None:
        chain = (self.domain.certificate, self.root.certificate)
        verifier = StampVerifier((self.sealer.authority.root.certificate,), SystemClock().now())
        client = AuthorityClient(verifier, FetchSettings(connections=1, connections_per_host=1))
        with serve_authority(self.sealer.authority) as address:
            stamper = signature_stamper([address], client)
            sign_package(path, SigningIdentity(SigningKey(self.domain.key), chain), stamper)

    def validate(self, path: Path) -> tuple[bool, str]:
        """Whether the other program finds a package valid, and what it says."""
        words = [str(PEERS / "signing/bin/python"), "-c", VALIDATE, str(self.roots), str(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        return done.returncode == 0 and "Successfully verified signature" in said, said


def fingerprint(certificate: TestCertificate) -> str:
    return certificate.certificate.fingerprint(hashes.SHA256()).hex()


@pytest.fixture(scope="module")
def notary(tmp_path_factory: pytest.TempPathFactory) -> Notary:
    folder = tmp_path_factory.mktemp("notary")
    return Notary(Sealer.create(folder), folder)


@pytest.fixture(scope="module")
def package(notary: Notary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    maker = replace(notary.sealer, key=SigningKey(notary.domain.key))
    path = build_package(tmp_path_factory.mktemp("package") / "evidence.wacz", maker)
    notary.sign(path)
    return path


def test_a_package_signed_by_a_domain_is_right_for_both(notary: Notary, package: Path) -> None:
    verdict = verify_package(package, notary.trust)
    assert verdict.is_sound, verdict.findings
    assert verdict.signature is not None
    assert (verdict.signature.name, verdict.signature.names_holder) == ("archive.example", True)
    assert [each.place for each in verdict.stamps] == ["signedData.timeSignature"]
    is_valid, said = notary.validate(package)
    assert is_valid, said


def test_a_stamp_beside_it_disturbs_nobody(notary: Notary, package: Path, tmp_path: Path) -> None:
    path = tmp_path / "stamped.wacz"
    path.write_bytes(package.read_bytes())
    notary.sealer.stamp(path)
    assert len(verify_package(path, notary.trust).stamps) == 2
    is_valid, said = notary.validate(path)
    assert is_valid, said


@pytest.mark.parametrize("change", ["content", "signature", "domain", "stamp", "created"])
def test_what_was_tampered_with_is_wrong_for_both(change: str, notary: Notary, package: Path, tmp_path: Path) -> None:
    parts = Parts.read(package)
    value = parts.json(DIGEST_FILE)
    signed = value["signedData"]
    if change == "content":
        parts = parts.put({"evidence/cover.html": b"<h1>What was not</h1>"})
    elif change == "signature":
        data = bytearray(base64.b64decode(signed["signature"]))
        data[-1] ^= 1
        signed["signature"] = base64.b64encode(data).decode()
    elif change == "domain":
        signed["domain"] = "court.example"
    elif change == "stamp":
        data = bytearray(base64.b64decode(signed["timeSignature"]))
        data[-1] ^= 1
        signed["timeSignature"] = base64.b64encode(data).decode()
    else:
        signed["created"] = "2020-01-01T00:00:00Z"
    path = tmp_path / "tampered.wacz"
    path.write_bytes(parts.put({DIGEST_FILE: json.dumps(value, indent=2).encode()}).build())
    assert not verify_package(path, notary.trust).is_sound
    assert not notary.validate(path)[0]


def test_authorities_that_nobody_trusts_are_wrong_for_both(notary: Notary, package: Path, tmp_path: Path) -> None:
    others = replace(notary.trust, signers=(make_certificate("others").certificate,))
    assert {each.code for each in verify_package(package, others).findings} == {"signature-certificate"}
    roots = tmp_path / "roots.yaml"
    roots.write_text(json.dumps({"domain_cert_roots": [], "timestamp_cert_roots": []}))
    words = [str(PEERS / "signing/bin/python"), "-c", VALIDATE, str(roots), str(package)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "Successfully verified signature" not in done.stdout + done.stderr


def test_packages_without_a_certificate_are_valid_as_far_as_it_looks(notary: Notary, tmp_path: Path) -> None:
    path = build_package(tmp_path / "own.wacz", notary.sealer)
    notary.sealer.sign(path)
    notary.sealer.stamp(path)
    words = [str(PEERS / "signing/bin/wacz"), "validate", "-f", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Has signature" in done.stdout

"""Whoever a certificate names: PEM, PKCS#12, tokens; chains followed to somebody trusted."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pkcs11
import pytest
from bench.time_authority import TestCertificate, make_certificate
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID
from pkcs11 import Attribute, ObjectClass

from webkeep.clock import SystemClock
from webkeep.errors import FormatError, UsageError
from webkeep.signing import (
    SigningIdentity,
    SigningRequest,
    find_chain_flaw,
    open_identity,
    parse_certificates,
    public_authorities,
    read_authorities,
)

ROOT = make_certificate("root")
BETWEEN = make_certificate("between", ROOT)
DOMAIN = make_certificate("archive.example", BETWEEN, ExtendedKeyUsageOID.SERVER_AUTH)
CHAIN = (DOMAIN.certificate, BETWEEN.certificate)
SOFT_TOKEN = Path("/usr/lib/softhsm/libsofthsm2.so")


def write_secret(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def signs(identity: SigningIdentity) -> bool:
    return identity.key.public.has_signed(b"message", identity.key.sign(b"message"))


def test_pem_with_its_key_beside_it_or_in_one_file(tmp_path: Path) -> None:
    chain = tmp_path / "fullchain.pem"
    chain.write_bytes(BETWEEN.pem + DOMAIN.pem)  # in any order
    key = write_secret(tmp_path / "privkey.pem", DOMAIN.key_pem)
    both = write_secret(tmp_path / "both.pem", DOMAIN.key_pem + DOMAIN.pem + BETWEEN.pem)
    for request in (SigningRequest(key, chain), SigningRequest(certificate=both)):
        identity = open_identity(request)
        assert (identity.name, identity.chain) == ("archive.example", CHAIN)
        assert signs(identity)
        assert parse_certificates(identity.chain_pem) == CHAIN


def test_pkcs12_with_its_passphrase(tmp_path: Path) -> None:
    hidden = BestAvailableEncryption(b"open")
    data = pkcs12.serialize_key_and_certificates(b"a", DOMAIN.key, DOMAIN.certificate, [BETWEEN.certificate], hidden)
    path = write_secret(tmp_path / "person.p12", data)
    (tmp_path / "right").write_text("open\n")
    (tmp_path / "wrong").write_text("shut\n")
    identity = open_identity(SigningRequest(certificate=path, passphrase_file=tmp_path / "right"))
    assert (identity.name, identity.chain) == ("archive.example", CHAIN)
    assert signs(identity)
    with pytest.raises(UsageError, match="the passphrase is wrong"):
        open_identity(SigningRequest(certificate=path, passphrase_file=tmp_path / "wrong"))
    write_secret(path, data[:-40])
    with pytest.raises(UsageError, match="export it again"):
        open_identity(SigningRequest(certificate=path, passphrase_file=tmp_path / "right"))


def test_what_does_not_belong_together_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBKEEP_PASSPHRASE", raising=False)
    chain, key = tmp_path / "chain.pem", write_secret(tmp_path / "key.pem", ROOT.key_pem)
    chain.write_bytes(DOMAIN.pem)
    loose = tmp_path / "loose.pem"
    loose.write_bytes(DOMAIN.key_pem)
    loose.chmod(0o644)
    hidden = pkcs12.serialize_key_and_certificates(b"a", DOMAIN.key, None, None, BestAvailableEncryption(b"open"))
    for request, expected in (
        (SigningRequest(key, chain), "none of the certificates"),
        (SigningRequest(key, tmp_path / "nowhere"), "check its name"),
        (SigningRequest(loose, chain), "chmod 600"),
        (SigningRequest(key, key), "holds no certificates in PEM"),
        (SigningRequest(certificate=write_secret(tmp_path / "a.p12", hidden)), "it needs a passphrase"),
        (SigningRequest(certificate=write_secret(tmp_path / "b.pfx", b"no")), "export it again"),
    ):
        with pytest.raises(UsageError, match=expected):
            open_identity(request)
    for words in ({"token": SOFT_TOKEN, "key": key}, {"token_label": "mine"}):
        with pytest.raises(UsageError):
            SigningRequest(**words)


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A token of SoftHSM with the domain's key and certificates on it."""
    (tmp_path / "tokens").mkdir()
    (tmp_path / "softhsm2.conf").write_text(f"directories.tokendir = {tmp_path}/tokens\n")
    monkeypatch.setenv("SOFTHSM2_CONF", str(tmp_path / "softhsm2.conf"))
    words = ["softhsm2-util", "--init-token", "--free", "--label", "card", "--pin", "1234", "--so-pin", "5678"]
    subprocess.run(words, check=True, capture_output=True)
    key = write_secret(tmp_path / "key.pem", DOMAIN.key_pem)
    words = ["softhsm2-util", "--import", str(key), "--token", "card", "--label", "mine", "--id", "01", "--pin", "1234"]
    subprocess.run(words, check=True, capture_output=True)
    library = pkcs11.lib(str(SOFT_TOKEN))
    library.reinitialize()
    with library.get_token(token_label="card").open(user_pin="1234", rw=True) as session:
        for number, each in ((1, DOMAIN), (2, BETWEEN)):
            session.create_object(certificate_attributes(each, number))
    pin = tmp_path / "pin"
    pin.write_text("1234\n")
    return SimpleNamespace(pin=pin, wrong=write_secret(tmp_path / "wrong", b"4321\n"))


def certificate_attributes(each: TestCertificate, number: int) -> dict[Attribute, object]:
    return {
        Attribute.CLASS: ObjectClass.CERTIFICATE,
        Attribute.CERTIFICATE_TYPE: pkcs11.CertificateType.X_509,
        Attribute.TOKEN: True,
        Attribute.ID: bytes([number]),
        Attribute.SUBJECT: each.certificate.subject.public_bytes(),
        Attribute.VALUE: each.certificate.public_bytes(Encoding.DER),
    }


def test_a_key_on_a_token_signs_there(token: SimpleNamespace) -> None:
    with pytest.raises(UsageError, match=r"cannot be used .*check the PIN"):
        open_identity(SigningRequest(token=SOFT_TOKEN, passphrase_file=token.wrong))
    for label in ("", "mine"):
        identity = open_identity(SigningRequest(token=SOFT_TOKEN, token_label=label, passphrase_file=token.pin))
        assert (identity.name, identity.chain) == ("archive.example", CHAIN)
        assert signs(identity)
    with pytest.raises(UsageError, match="has 0 such keys"):
        open_identity(SigningRequest(token=SOFT_TOKEN, token_label="yours", passphrase_file=token.pin))


def test_a_library_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is no library for tokens|cannot be used"):
        open_identity(SigningRequest(token=tmp_path / "nowhere.so"))


def test_without_the_extra_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pkcs11", None)
    with pytest.raises(UsageError, match=r"pip install webkeep\[pkcs11\]"):
        open_identity(SigningRequest(token=SOFT_TOKEN))


def test_a_chain_leads_to_whom_is_trusted_as_of_a_moment() -> None:
    now = SystemClock().now()
    assert find_chain_flaw(CHAIN, [ROOT.certificate], now) == ""
    assert find_chain_flaw(CHAIN, [BETWEEN.certificate, ROOT.certificate], now) == ""
    assert find_chain_flaw(CHAIN[:1], [ROOT.certificate], now)
    assert find_chain_flaw(CHAIN, [make_certificate("root").certificate], now)
    assert find_chain_flaw(CHAIN, [], now)
    for days in (-2, 40):
        assert find_chain_flaw(CHAIN, [ROOT.certificate], now.plus(days * 86400))
    assert find_chain_flaw(CHAIN, public_authorities(), now)


def test_who_may_not_issue_vouches_for_nobody() -> None:
    """A certificate for a server signs another one, as anybody can who has one."""
    server = make_certificate("server.example", ROOT, ExtendedKeyUsageOID.SERVER_AUTH)
    forged = make_certificate("court.example", server, ExtendedKeyUsageOID.SERVER_AUTH)
    chain = (forged.certificate, server.certificate)
    assert "must be asserted in a CA certificate" in find_chain_flaw(chain, [ROOT.certificate], SystemClock().now())


def test_authorities_that_browsers_trust_are_there() -> None:
    assert len(public_authorities()) > 100


@pytest.mark.parametrize("pem", ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
def test_what_is_no_certificate_is_told(pem: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        parse_certificates(pem)
    (tmp_path / "a.pem").write_text(pem)
    with pytest.raises(UsageError):
        read_authorities(tmp_path / "a.pem")


def test_a_chain_longer_than_any_is_not_read() -> None:
    with pytest.raises(FormatError):
        parse_certificates(ROOT.pem.decode() * 100)
    with pytest.raises(FormatError):
        parse_certificates(ROOT.pem.decode() * 1000)

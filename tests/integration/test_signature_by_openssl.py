"""The signature of a package checked by openssl alone, by the words of its README, also of what was changed."""

import os
import subprocess
from pathlib import Path

import pytest
from bench.evidence_package import DIGEST_FILE, Parts, Sealer, build_package
from bench.time_authority import make_certificate
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID

from webkeep.evidence.package import PackageSeal
from webkeep.evidence.package.package_seal import LogProofs
from webkeep.evidence.package.readme_text import render_readme
from webkeep.signing import SigningIdentity, SigningKey

ROOT = make_certificate("authority")
DOMAIN = make_certificate("archive.example", ROOT, ExtendedKeyUsageOID.SERVER_AUTH,
                          alternative=x509.DNSName("archive.example"))  # fmt: skip
CERTIFIED = SigningIdentity(SigningKey(DOMAIN.key), (DOMAIN.certificate, ROOT.certificate))
IDENTITIES = {
    "P-384": SigningIdentity(SigningKey(ec.generate_private_key(ec.SECP384R1()))),
    "P-256": SigningIdentity(SigningKey(ec.generate_private_key(ec.SECP256R1()))),
    "P-521": SigningIdentity(SigningKey(ec.generate_private_key(ec.SECP521R1()))),
    "certificate": CERTIFIED,
}


@pytest.fixture(scope="module")
def sealer(tmp_path_factory: pytest.TempPathFactory) -> Sealer:
    return Sealer.create(tmp_path_factory.mktemp("keys"))


def make_folder(folder: Path, sealer: Sealer, identity: SigningIdentity) -> str:
    """A package with what lies beside it; gives the commands in its README that are about its signature."""
    package = build_package(folder / "evidence.wacz", sealer)
    sealer.sign(package, identity)
    (folder / DIGEST_FILE).write_bytes(Parts.read(package).files[DIGEST_FILE])
    return read_commands(identity)


def read_commands(identity: SigningIdentity) -> str:
    readme = render_readme(PackageSeal(identity).describe(LogProofs("log", 1, b"", b""))).decode()
    _, _, rest = readme.partition("The signature, with openssl alone")
    lines = [line[2:] for line in rest.splitlines() if line.startswith("  ") and not line.startswith("      ")]
    until = next((at for at, line in enumerate(lines) if line.startswith("webkeep")), len(lines))
    return "\n".join(lines[:until])


def run_commands(commands: str, folder: Path) -> str:
    trusted = commands.replace("openssl verify", f"openssl verify -CAfile {folder / 'root.pem'}")
    (folder / "root.pem").write_bytes(ROOT.pem)
    done = subprocess.run(
        ["sh", "-c", trusted],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("kind", IDENTITIES)
def test_openssl_finds_it_right_and_whose_it_is(kind: str, sealer: Sealer, tmp_path: Path) -> None:
    identity = IDENTITIES[kind]
    said = run_commands(make_folder(tmp_path, sealer, identity), tmp_path)
    assert "Verified OK" in said, said
    if identity.chain:
        assert "archive.example" in said
        assert "certificates: OK" in said, "by the authority that was named"
    else:
        assert identity.key.public.fingerprint.removeprefix("sha256:") in said


@pytest.mark.parametrize("kind", ["P-384", "certificate"])
def test_openssl_finds_what_was_changed(kind: str, sealer: Sealer, tmp_path: Path) -> None:
    identity = IDENTITIES[kind]
    commands = make_folder(tmp_path, sealer, identity)
    changed = Parts.read(tmp_path / "evidence.wacz").put({"evidence/cover.html": b"<h1>Never</h1>"}).rehash()
    (tmp_path / "evidence.wacz").write_bytes(changed.build())
    (tmp_path / DIGEST_FILE).write_bytes(changed.files[DIGEST_FILE])
    said = run_commands(commands, tmp_path)
    assert "Verified OK" not in said, "all digests were mended, and still it is not what was signed"
    assert "erification failure" in said.replace("Verification Failure", "Verification failure")


def test_what_openssl_cannot_be_told_in_a_few_words_is_not_promised() -> None:
    long_key = SigningIdentity(SigningKey(rsa.generate_private_key(65537, 2048)))
    assert read_commands(long_key) == ""
    assert long_key.key.public.algorithm == "RSA"

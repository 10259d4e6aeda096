"""Certificates for a domain or a person, with the keys that belong to them: PEM files as certificate authorities hand
them out, and PKCS#12 files as browsers and mail programs export them.
"""

from __future__ import annotations

from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12

from webkeep.errors import FormatError, UsageError
from webkeep.signing.certificate_chain import certificate_key, follow_chain, parse_certificates
from webkeep.signing.key_file import parse_private_key, read_private_file
from webkeep.signing.signing_key import Signer, SigningIdentity, signing_key_from

_PKCS12_ENDINGS = (".p12", ".pfx")
_MAX_CERTIFICATE_BYTES = 256 << 10
"""A chain of certificates is no larger."""


def open_certificate(certificate: Path, key: Path | None, passphrase: str | None) -> SigningIdentity:
    """Whoever a certificate names: PEM with its key beside it or in the same file, or PKCS#12 with both."""
    if certificate.suffix.lower() in _PKCS12_ENDINGS:
        return _open_pkcs12(certificate, passphrase)
    data = _read_certificate_file(certificate) if key is not None else read_private_file(certificate)
    secret = read_private_file(key) if key is not None else data
    signer = parse_private_key(secret, passphrase, key or certificate)
    return identity_of(signer, _parse_chain(data, certificate), str(certificate))


def identity_of(signer: Signer, chain: tuple[x509.Certificate, ...], source: str) -> SigningIdentity:
    """A key with its certificates, that of the key first; raises UsageError where none is its own."""
    own = [each for each in chain if _is_of_key(each, signer)]
    if not own:
        raise UsageError(f"none of the certificates in {source} belongs to that key; name both of the same pair")
    return SigningIdentity(signer, follow_chain(own[0], chain))


def _is_of_key(certificate: x509.Certificate, signer: Signer) -> bool:
    try:
        return certificate_key(certificate) == signer.public
    except FormatError:
        return False


def _open_pkcs12(path: Path, passphrase: str | None) -> SigningIdentity:
    data = read_private_file(path)
    try:
        key, certificate, others = pkcs12.load_key_and_certificates(data, passphrase.encode() if passphrase else None)
    except ValueError as error:
        if "password" in str(error).lower():
            needed = "the passphrase is wrong" if passphrase else "it needs a passphrase: --passphrase-file FILE"
            raise UsageError(f"{path} cannot be opened: {needed}") from error
        raise UsageError(f"{path} is no PKCS#12 file that can be read; export it again") from error
    if key is None or certificate is None:
        raise UsageError(f"{path} holds no key with its certificate; export both")
    return identity_of(signing_key_from(key, str(path)), (certificate, *others), str(path))


def _parse_chain(data: bytes, path: Path) -> tuple[x509.Certificate, ...]:
    try:
        return parse_certificates(data.decode("ascii", "replace"))
    except FormatError as error:
        raise UsageError(f"{path} holds no certificates in PEM ({error.args[0]}); check the file") from error


def _read_certificate_file(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_MAX_CERTIFICATE_BYTES)
    except OSError as error:
        raise UsageError(f"the certificate {path} cannot be read ({error.strerror}); check its name") from error

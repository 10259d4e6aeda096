"""Private keys: what signs, be it a key in a file or one on a card that never leaves it; and whom certificates name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import NameOID

from webkeep.errors import UsageError
from webkeep.signing.certificate_chain import render_certificates
from webkeep.signing.verifying_key import VerifyingKey

PrivateKey: TypeAlias = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey


class Signer(Protocol):
    """Whatever signs with a key."""

    @property
    def public(self) -> VerifyingKey:
        """The half of the key that may be known."""
        ...

    def sign(self, message: bytes) -> bytes:
        """The signature of a message, ECDSA as DER."""
        ...


class SigningKey:
    """A private key in memory."""

    def __init__(self, key: PrivateKey) -> None:
        self._key = key
        self.public = VerifyingKey.from_public_key(key.public_key())
        """The half of the key that may be known."""

    def __repr__(self) -> str:
        return f"SigningKey({self.public.fingerprint})"

    def sign(self, message: bytes) -> bytes:
        """The signature of a message, ECDSA as DER."""
        match self._key:
            case ed25519.Ed25519PrivateKey():
                return self._key.sign(message)
            case rsa.RSAPrivateKey():
                return self._key.sign(message, padding.PKCS1v15(), hashes.SHA256())
            case ec.EllipticCurvePrivateKey():
                return self._key.sign(message, ec.ECDSA(hashes.SHA256()))


def signing_key_from(key: PrivateKeyTypes, source: str) -> SigningKey:
    """A key of the library's; raises UsageError where nothing can be signed with it."""
    if not isinstance(key, ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey):
        raise UsageError(f"the key in {source} is of a kind that signs nothing here; use ECDSA, Ed25519 or RSA")
    return SigningKey(key)


@dataclass(frozen=True, slots=True)
class SigningIdentity:
    """Who signs: a key, and the certificates that say whose it is; none for a key of one's own."""

    key: Signer
    chain: tuple[x509.Certificate, ...] = ()
    """The certificate of the key first, then those of whoever vouches for it."""

    @property
    def name(self) -> str:
        """Whom the certificate names; empty for a key of one's own, which names nobody."""
        return certificate_name(self.chain[0]) if self.chain else ""

    @property
    def chain_pem(self) -> str:
        """The certificates as signed WACZ files have them."""
        return render_certificates(self.chain)


def certificate_name(certificate: x509.Certificate) -> str:
    """Whom a certificate names: its common name, else the first domain or address in it."""
    for attribute in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME):
        return attribute.value if isinstance(attribute.value, str) else attribute.value.decode("utf-8", "replace")
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, x509.DuplicateExtension, x509.UnsupportedGeneralNameType, ValueError):
        return ""
    found = [*names.get_values_for_type(x509.DNSName), *names.get_values_for_type(x509.RFC822Name)]
    return found[0] if found else ""

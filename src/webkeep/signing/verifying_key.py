"""Public keys: who has signed, told apart by a fingerprint; signatures checked, of ECDSA in both forms that are in use,
and whether one is written as it is here.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

from webkeep.errors import FormatError
from webkeep.signing.ecdsa_form import der_signature, lower_signature, side_by_side_signature

_DER, _SPKI = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
_CURVES = ("secp256r1", "secp384r1", "secp521r1")
"""Curves that browsers and certificate authorities sign with."""
_MIN_RSA_BITS = 2048
"""Shorter ones are not held to be safe any more."""
_MAX_RSA_BITS = 16384
"""Longer ones take minutes to check."""
_MAX_KEY_BYTES = 16 << 10
"""No public key is larger."""


@dataclass(frozen=True, slots=True)
class VerifyingKey:
    """A public key, kept as DER (SubjectPublicKeyInfo)."""

    der: bytes

    @classmethod
    def from_public_key(cls, key: PublicKeyTypes) -> VerifyingKey:
        """Take a key of the library's; raises FormatError where nothing can be signed safely with such keys."""
        match key:
            case ec.EllipticCurvePublicKey() if key.curve.name not in _CURVES:
                raise FormatError(f"keys of the curve {key.curve.name} are not used for signatures here")
            case rsa.RSAPublicKey() if not _MIN_RSA_BITS <= key.key_size <= _MAX_RSA_BITS:
                raise FormatError(f"an RSA key of {key.key_size} bits is not safe to sign with")
            case ec.EllipticCurvePublicKey() | rsa.RSAPublicKey() | ed25519.Ed25519PublicKey():
                return cls(key.public_bytes(_DER, _SPKI))
        raise FormatError("it is neither an ECDSA, an Ed25519 nor an RSA key")

    @classmethod
    def from_der(cls, der: bytes) -> VerifyingKey:
        """Read a key; raises FormatError where it is none, or one that nothing can be signed with."""
        try:
            return cls.from_public_key(serialization.load_der_public_key(der[:_MAX_KEY_BYTES]))
        except (ValueError, UnsupportedAlgorithm) as error:
            raise FormatError("it is no public key") from error

    @classmethod
    def from_text(cls, text: str) -> VerifyingKey:
        """Read a key as people hand it on: base64 of its DER, or PEM."""
        body = "".join(line for line in text.split("\n") if "-----" not in line)
        try:
            return cls.from_der(base64.b64decode("".join(body.split()), validate=True))
        except (binascii.Error, ValueError) as error:
            raise FormatError("it is no public key in base64 or PEM") from error

    @property
    def base64(self) -> str:
        """The key as a signed WACZ has it."""
        return base64.b64encode(self.der).decode()

    @property
    def pem(self) -> str:
        """The key as other programs read it."""
        pem = serialization.load_der_public_key(self.der).public_bytes(serialization.Encoding.PEM, _SPKI)
        return pem.decode()

    @property
    def fingerprint(self) -> str:
        """What people compare: the digest of the key, `sha256:` and 64 digits."""
        return f"sha256:{hashlib.sha256(self.der).hexdigest()}"

    @property
    def algorithm(self) -> str:
        """By which kind of signature it signs: ECDSA, RSA or Ed25519."""
        match serialization.load_der_public_key(self.der):
            case ec.EllipticCurvePublicKey():
                return "ECDSA"
            case rsa.RSAPublicKey():
                return "RSA"
        return "Ed25519"

    @property
    def raw(self) -> bytes:
        """The 32 bytes of an Ed25519 key, as signed notes have it; raises FormatError for any other."""
        key = serialization.load_der_public_key(self.der)
        if not isinstance(key, ed25519.Ed25519PublicKey):
            raise FormatError("only Ed25519 keys have such a short form")
        return key.public_bytes_raw()

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        """Whether whoever holds the other half of this key made this signature of this message."""
        key = serialization.load_der_public_key(self.der)
        try:
            match key:
                case ed25519.Ed25519PublicKey():
                    key.verify(signature, message)
                case rsa.RSAPublicKey():
                    key.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
                case ec.EllipticCurvePublicKey():
                    key.verify(der_signature(signature, key.curve), message, ec.ECDSA(hashes.SHA256()))
                case _:
                    return False
        except (InvalidSignature, ValueError):
            return False
        return True

    def usual_signature(self, signature: bytes, is_side_by_side: bool) -> bytes:
        """A signature that is right, as it is written here: of the two of ECDSA the smaller, in the form asked for."""
        key = serialization.load_der_public_key(self.der)
        if not isinstance(key, ec.EllipticCurvePublicKey):
            return signature
        lower = lower_signature(der_signature(signature, key.curve), key.curve)
        return side_by_side_signature(lower, key.curve) if is_side_by_side else lower

"""Keys on cards and tokens (PKCS#11), which sign there and never leave; by `python-pkcs11`, if it is there."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from webkeep.errors import UsageError
from webkeep.signing.certificate_identity import identity_of
from webkeep.signing.signing_key import SigningIdentity
from webkeep.signing.verifying_key import VerifyingKey


class TokenKey:
    """A key on a token, which signs there."""

    def __init__(self, private: Any, certificate: x509.Certificate) -> None:
        self._private = private
        self.public = VerifyingKey.from_public_key(certificate.public_key())
        """The half of the key that may be known."""
        self._is_elliptic = isinstance(certificate.public_key(), ec.EllipticCurvePublicKey)

    def sign(self, message: bytes) -> bytes:
        """The signature of a message, ECDSA as DER."""
        from pkcs11 import Mechanism

        if not self._is_elliptic:
            return bytes(self._private.sign(message, mechanism=Mechanism.SHA256_RSA_PKCS))
        pair = bytes(self._private.sign(hashlib.sha256(message).digest(), mechanism=Mechanism.ECDSA))
        half = len(pair) // 2
        return encode_dss_signature(int.from_bytes(pair[:half], "big"), int.from_bytes(pair[half:], "big"))


def open_token(module: Path, label: str, pin: str | None) -> SigningIdentity:
    """Whoever the certificate on a token names; `label` says which key of it, where there are several."""
    try:
        import pkcs11
    except ImportError as error:
        raise UsageError("keys on tokens need python-pkcs11; install it with pip install webkeep[pkcs11]") from error
    try:
        library = pkcs11.lib(str(module))
        slots = library.get_slots(token_present=True)
        if not slots:
            raise UsageError(f"no token is present, as {module} says; insert it")
        return _find_identity(_open_session(slots[0].get_token(), pin), label, str(module))
    except pkcs11.PKCS11Error as error:
        said = str(error) or type(error).__name__
        raise UsageError(f"the token of {module} cannot be used ({said}); check the PIN and the module") from error
    except RuntimeError as error:
        raise UsageError(f"{module} is no library for tokens ({error}); name its .so file") from error


def _open_session(token: Any, pin: str | None) -> Any:
    from pkcs11 import UserAlreadyLoggedIn

    try:
        return token.open(user_pin=pin)
    except UserAlreadyLoggedIn:  # by this process, earlier
        return token.open()


def _find_identity(session: Any, label: str, source: str) -> SigningIdentity:
    from pkcs11 import Attribute, ObjectClass

    wanted = {Attribute.LABEL: label} if label else {}
    stored = session.get_objects({Attribute.CLASS: ObjectClass.CERTIFICATE})
    chain = tuple(x509.load_der_x509_certificate(bytes(each[Attribute.VALUE])) for each in stored)
    keys = list(session.get_objects({Attribute.CLASS: ObjectClass.PRIVATE_KEY, **wanted}))
    if len(keys) != 1:
        raise UsageError(f"the token of {source} has {len(keys)} such keys; say which by --token-label LABEL")
    for certificate in session.get_objects({Attribute.CLASS: ObjectClass.CERTIFICATE, Attribute.ID: keys[0].id}):
        own = x509.load_der_x509_certificate(bytes(certificate[Attribute.VALUE]))
        if isinstance(own.public_key(), ec.EllipticCurvePublicKey | rsa.RSAPublicKey):
            return identity_of(TokenKey(keys[0], own), chain, source)
    raise UsageError(f"the token of {source} has no certificate for that key")

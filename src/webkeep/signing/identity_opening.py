"""Whoever is to sign, as a person says it: a key of one's own, a certificate with its key, or a token."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import UsageError
from webkeep.signing.certificate_identity import open_certificate
from webkeep.signing.own_key import KeyPurpose, open_own_key
from webkeep.signing.passphrase import read_passphrase
from webkeep.signing.pkcs11_identity import open_token
from webkeep.signing.signing_key import SigningIdentity


@dataclass(frozen=True, slots=True)
class SigningRequest:
    """Who is to sign; nothing given means a key of one's own in the usual place."""

    key: Path | None = None
    """A key of one's own elsewhere, or that of the certificate."""
    certificate: Path | None = None
    """PEM or PKCS#12."""
    token: Path | None = None
    """The PKCS#11 library of a token."""
    token_label: str = ""
    """Which key of the token, where there are several."""
    passphrase_file: Path | None = None
    """The passphrase of the key, or the PIN of the token; without it what the environment has."""

    def __post_init__(self) -> None:
        """What can be known to be a wrong call before any key is touched."""
        if self.token is not None and (self.key is not None or self.certificate is not None):
            raise UsageError("a token has key and certificate; leave --sign-key and --certificate out with --token")
        if self.token_label and self.token is None:
            raise UsageError("--token-label says which key of a token; name its library with --token")


def open_identity(request: SigningRequest) -> SigningIdentity:
    """Whoever signs; a key of one's own is made if there is none yet."""
    passphrase = read_passphrase(request.passphrase_file)
    if request.token is not None:
        return open_token(request.token, request.token_label, passphrase)
    if request.certificate is not None:
        return open_certificate(request.certificate, request.key, passphrase)
    return SigningIdentity(open_own_key(KeyPurpose.PACKAGE, request.key, passphrase))

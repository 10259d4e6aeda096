"""Certificates: read from files, and their chains followed to somebody who is trusted, as of a moment."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import certifi
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509.verification import Criticality, ExtensionPolicy, Policy, PolicyBuilder, Store, VerificationError

from webkeep.errors import FormatError, UsageError
from webkeep.model import Moment
from webkeep.signing.verifying_key import VerifyingKey

LIBRARY_ERRORS = (
    ValueError, TypeError, OverflowError, UnsupportedAlgorithm, x509.InvalidVersion, x509.UnsupportedGeneralNameType,
    x509.DuplicateExtension, x509.AttributeNotFound,
)  # fmt: skip
"""What the library raises on hostile certificates, at once or when a part of one is asked for."""
_MAX_CERTIFICATES = 64
"""Of one chain; more come from nobody earnest."""
_MAX_CHAIN_CHARS = 256 << 10
"""Of PEM: far more than so many certificates take."""
_MAX_AUTHORITIES_BYTES = 16 << 20
"""A file of authorities is no larger."""
_LEADS_NOWHERE = "its chain leads to no authority that is trusted here"
_CHAIN_REASONS = (
    ("not valid at validation time", "a certificate of its chain was not valid then"),
    ("exceeds max depth", _LEADS_NOWHERE),
    ("with no interior errors", _LEADS_NOWHERE),
)
"""What the library says of chains, and what that means; a root that nobody trusts issues itself without end."""


def render_certificates(chain: Sequence[x509.Certificate]) -> str:
    """Certificates as PEM, one behind the other, as signed WACZ files have them."""
    return "".join(each.public_bytes(serialization.Encoding.PEM).decode() for each in chain)


def parse_certificates(pem: str) -> tuple[x509.Certificate, ...]:
    """The certificates of a chain in PEM; raises FormatError where there are none, or too many."""
    if len(pem) > _MAX_CHAIN_CHARS:
        raise FormatError("its certificates are longer than any earnest chain")
    try:
        found = x509.load_pem_x509_certificates(pem.encode())
    except LIBRARY_ERRORS as error:
        raise FormatError("its certificates cannot be read") from error
    if len(found) > _MAX_CERTIFICATES:
        raise FormatError(f"it has {len(found)} certificates, more than any earnest chain")
    return tuple(found)


def follow_chain(own: x509.Certificate, others: Sequence[x509.Certificate]) -> tuple[x509.Certificate, ...]:
    """A certificate, and those among others that vouch for it or for one that does, each once, nearest first."""
    found = [own]
    left = list(dict.fromkeys(others))
    for each in found:
        found += (issuers := [other for other in left if other != own and has_issued(other, each)])
        left = [other for other in left if other not in issuers]
    return tuple(found)


def has_issued(issuer: x509.Certificate, certificate: x509.Certificate) -> bool:
    """Whether one certificate was signed by the key of another."""
    try:
        certificate.verify_directly_issued_by(issuer)
    except (*LIBRARY_ERRORS, InvalidSignature):
        return False
    return True


def certificate_key(certificate: x509.Certificate) -> VerifyingKey:
    """The key of a certificate; raises FormatError where nothing can be signed with it."""
    try:
        return VerifyingKey.from_public_key(certificate.public_key())
    except LIBRARY_ERRORS as error:
        raise FormatError("the key of its certificate cannot be read") from error


def read_authorities(path: Path) -> tuple[x509.Certificate, ...]:
    """The certificates in a file that a person trusts; raises UsageError where there are none."""
    try:
        with path.open("rb") as stream:
            found = x509.load_pem_x509_certificates(stream.read(_MAX_AUTHORITIES_BYTES))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name") from error
    except LIBRARY_ERRORS as error:
        raise UsageError(f"{path} holds no certificates in PEM; check the file") from error
    return tuple(found)


@lru_cache(maxsize=1)
def public_authorities() -> tuple[x509.Certificate, ...]:
    """Those that browsers trust, as Mozilla lists them."""
    with warnings.catch_warnings():
        # An old root or two have numbers that certificates may not have any more.
        warnings.simplefilter("ignore", CryptographyDeprecationWarning)
        return tuple(x509.load_pem_x509_certificates(Path(certifi.where()).read_bytes()))


def find_chain_flaw(chain: Sequence[x509.Certificate], roots: Sequence[x509.Certificate], moment: Moment) -> str:
    """Why a chain led to none of the roots at a moment; empty where it did.

    What a certificate may be used for is not asked here: whoever asks knows what it is used for.
    """
    if not roots:
        return "no authority is trusted"
    policy = PolicyBuilder().store(Store(list(roots))).time(moment.datetime.replace(tzinfo=None))
    policy = policy.extension_policies(ca_policy=_authority_policy(), ee_policy=ExtensionPolicy.permit_all())
    try:
        policy.build_client_verifier().verify(chain[0], list(chain[1:]))
    except VerificationError as error:
        return _reason_from_error(str(error))
    except LIBRARY_ERRORS as error:
        return str(error)
    return ""


def _reason_from_error(text: str) -> str:
    """Why a chain does not hold, in words of people where the library has only its own."""
    for words, reason in _CHAIN_REASONS:
        if words in text:
            return reason
    return text.removeprefix("validation failed: ").split(" (encountered processing")[0]


def _authority_policy() -> ExtensionPolicy:
    may_issue = ExtensionPolicy.permit_all().require_present(x509.BasicConstraints, Criticality.AGNOSTIC, None)
    return may_issue.may_be_present(x509.KeyUsage, Criticality.AGNOSTIC, _check_signs_certificates)


def _check_signs_certificates(_policy: Policy, _cert: x509.Certificate, usage: x509.KeyUsage | None) -> None:
    if usage is not None and not usage.key_cert_sign:
        raise ValueError("a certificate of it was issued by a key that is not for certificates")

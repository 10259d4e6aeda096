"""Time stamps (RFC 3161): what an authority is asked, and whether its answer proves that something was there when it
says.

Theory of operation. An answer is a proof when five things hold: it is about the digest of the message; it has the nonce
of the request, so that it is no old one; its signature is right; the authority's certificate is for time stamps alone;
and its chain led to somebody trusted at the time that it states. The library checks these, and this module says in
words which of them failed. A time in the future is refused here, as no library knows what time it is for us.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509
from rfc3161_client import (
    Accuracy,
    HashAlgorithm,
    PKIStatus,
    TimeStampRequest,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)
from rfc3161_client._rust import parse_timestamp_request

from webkeep.model import Moment
from webkeep.signing.certificate_chain import (
    LIBRARY_ERRORS,
    find_chain_flaw,
    follow_chain,
    render_certificates,
)
from webkeep.signing.der_order import sort_certificates
from webkeep.signing.signing_key import certificate_name

MAX_STAMP_BYTES = 256 << 10
"""An answer with all certificates has a few thousand bytes."""
MAX_CLOCK_LEAD_SECONDS = 300.0
"""How far our clock may be behind that of an authority before a stamp is taken to be from the future."""
_MAX_CERTIFICATES = 64
"""Of one answer; more come from nobody earnest."""
_SHA256 = x509.ObjectIdentifier("2.16.840.1.101.3.4.2.1")
_TRUST_ADVICE = "give its certificates by --tsa-ca FILE"
_LIBRARY_REASON = re.compile(r'data: "Verify error: ([^"]+)"')
_UNKNOWN_AUTHORITY = ("issuer certificate", "self-signed", "self signed", "unable to verify the first certificate")
"""How OpenSSL says that a chain leads to nobody who is trusted."""


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """What an authority proves: that something was there at a moment."""

    moment: Moment
    authority: str
    serial: int
    policy: str
    accuracy_seconds: float | None
    """How far its clock may be off, if it says."""
    certificates: str
    """Those that the answer has and that vouch for the authority, as PEM, its own first."""

    @property
    def latest(self) -> Moment:
        """The moment at which it was there for certain, however far the clock of the authority may be off."""
        return self.moment.plus(self.accuracy_seconds or 0.0)


@dataclass(frozen=True, slots=True)
class StampFlaw:
    """Why an answer proves nothing: a stable code, and what it means."""

    code: str
    meaning: str


def build_stamp_request(message: bytes) -> bytes:
    """What an authority is sent: the SHA-256 of the message, a random number, and the wish for its certificates."""
    builder = TimestampRequestBuilder().data(message).hash_algorithm(HashAlgorithm.SHA256)
    return builder.nonce(nonce=True).cert_request(cert_request=True).build().as_bytes()


@dataclass(frozen=True, slots=True)
class StampVerifier:
    """Judges answers: by whom is trusted, and by what time it is."""

    roots: tuple[x509.Certificate, ...]
    now: Moment

    def verify(
        self, response: bytes, message: bytes, request: bytes = b"", chain: Sequence[x509.Certificate] = ()
    ) -> TimeStamp | StampFlaw:
        """What an answer proves of a message; the request, where there is one, must be the one that it answers.

        `chain` has the authority's certificates where the answer has none.
        """
        decoded = _decode_response(response)
        if isinstance(decoded, StampFlaw):
            return decoded
        asked = _decode_request(request, message) if request else None
        if isinstance(asked, StampFlaw):
            return asked
        try:
            flaw = self._find_flaw(decoded, message, asked, chain)
            return flaw or _stamp_from_response(decoded, chain)
        except LIBRARY_ERRORS:  # of parts that the library reads only when it is asked for them
            return StampFlaw("stamp-unreadable", "the answer of the authority is damaged")

    def _find_flaw(
        self,
        response: TimeStampResponse,
        message: bytes,
        request: TimeStampRequest | None,
        chain: Sequence[x509.Certificate],
    ) -> StampFlaw | None:
        stated = Moment.from_datetime(response.tst_info.gen_time)
        if stated > self.now.plus(MAX_CLOCK_LEAD_SECONDS):
            return StampFlaw("stamp-future", f"it states {stated.iso()}, which is yet to come by the clock here")
        builder = VerifierBuilder(roots=list(self.roots), nonce=request.nonce if request else None)
        if not response.signed_data.certificates:
            flaw = find_chain_flaw(chain, self.roots, stated) if chain else "it has no certificate"
            if flaw:
                return StampFlaw("stamp-authority", f"its authority is not known here: {flaw}; {_TRUST_ADVICE}")
            builder = builder.tsa_certificate(chain[0])
        if not self.roots:
            return StampFlaw("stamp-authority", f"its authority is not known here: nobody is trusted; {_TRUST_ADVICE}")
        try:
            builder.build().verify_message(response, message)
        except VerificationError as error:
            return _flaw_from_error(str(error))
        return self._find_stray(response)

    def _find_stray(self, response: TimeStampResponse) -> StampFlaw | None:
        """What is wrong with the certificates in an answer, which no signature covers."""
        held = _held_certificates(response)
        if len(held) > _MAX_CERTIFICATES:
            return StampFlaw("stamp-certificate", f"it has {len(held)} certificates, more than any earnest answer")
        own = _own_certificates(response, held)
        if held and len(own) != 1:
            return StampFlaw("stamp-certificate", "it has another certificate by the name of the authority's")
        if held and not set(held) <= set(follow_chain(own[0], (*held, *self.roots))):
            return StampFlaw("stamp-certificate", "a certificate in it is damaged, or of somebody else")
        return None


def _own_certificates(response: TimeStampResponse, held: Sequence[x509.Certificate]) -> tuple[x509.Certificate, ...]:
    """Those of the certificates in an answer that are named as the one whose key signed it: there is to be one."""
    (signer,) = response.signed_data.signer_infos
    named = (signer.issuer, signer.serial_number)
    return tuple(each for each in held if (each.issuer, each.serial_number) == named)


def _decode_response(response: bytes) -> TimeStampResponse | StampFlaw:
    try:
        decoded = decode_timestamp_response(sort_certificates(response[: MAX_STAMP_BYTES + 1]))
        status = PKIStatus(decoded.status)
    except LIBRARY_ERRORS:
        return StampFlaw("stamp-unreadable", "it is no answer of a time-stamping authority, or a damaged one")
    if status not in (PKIStatus.GRANTED, PKIStatus.GRANTED_WITH_MODS):
        said = " ".join(decoded.status_string)[:200] or status.name.lower().replace("_", " ")
        return StampFlaw("stamp-refused", f"the authority refused to stamp it: {said}")
    return decoded


def _decode_request(request: bytes, message: bytes) -> TimeStampRequest | StampFlaw:
    """A request of ours, which is written in one way alone."""
    try:
        asked = parse_timestamp_request(request[: MAX_STAMP_BYTES + 1])
    except LIBRARY_ERRORS:
        return StampFlaw("stamp-request", "the request that it is to answer is damaged")
    imprint = asked.message_imprint
    usual = (asked.version, asked.policy, asked.cert_req, imprint.hash_algorithm) == (1, None, True, _SHA256)
    if imprint.message != hashlib.sha256(message).digest() or not usual:
        return StampFlaw("stamp-request", "the request that it is to answer is about something else")
    return asked


def _stamp_from_response(response: TimeStampResponse, chain: Sequence[x509.Certificate]) -> TimeStamp:
    info = response.tst_info
    held = _held_certificates(response)
    found = follow_chain(_own_certificates(response, held)[0], held) if held else tuple(chain)
    return TimeStamp(
        Moment.from_datetime(info.gen_time),
        certificate_name(found[0]),
        info.serial_number,
        info.policy.dotted_string,
        _accuracy_of(response),
        render_certificates(found),
    )


def _held_certificates(response: TimeStampResponse) -> list[x509.Certificate]:
    """The certificates in an answer, in an order that is the same for everybody."""
    return [x509.load_der_x509_certificate(each) for each in sorted(response.signed_data.certificates)]


def _accuracy_of(response: TimeStampResponse) -> float | None:
    accuracy: Accuracy | None = response.tst_info.accuracy
    if not accuracy:
        return None
    return (accuracy.seconds or 0) + (accuracy.millis or 0) / 1000 + (accuracy.micros or 0) / 1_000_000


def _flaw_from_error(text: str) -> StampFlaw:
    reason = _LIBRARY_REASON.search(text)
    if reason is not None and any(each in reason[1] for each in _UNKNOWN_AUTHORITY):
        return StampFlaw("stamp-authority", f"its authority is not known here; {_TRUST_ADVICE}")
    if reason is not None:
        return StampFlaw("stamp-certificate", f"the authority's certificate does not hold: {reason[1]}")
    for words, code, meaning in (
        ("Nonce", "stamp-nonce", "it answers another request: its nonce is not the one that was sent"),
        ("messages", "stamp-digest", "it is about something else: the digest in it is not that of what was signed"),
        ("EKU", "stamp-certificate", "the authority's certificate is not one for time stamps"),
        ("PKIStatus", "stamp-refused", "the authority did not grant what was asked"),
    ):
        if words in text:
            return StampFlaw(code, meaning)
    return StampFlaw("stamp-signature", "its signature is wrong: it was altered after the authority signed it")

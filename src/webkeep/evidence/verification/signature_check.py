"""Whether the signature of a package is right, and whose it is.

What stands beside the signature in datapackage-digest.json is covered by no signature. Each such field is held against
the manifest, which is covered; in packages of webkeep's own the whole file is held against what webkeep writes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cryptography import x509

from webkeep.errors import FormatError, UsageError
from webkeep.evidence.verification.verdict import SIGNATURE_FORM_CODE, SignatureJudgement
from webkeep.evidence.verification.verification_request import PackageTrust
from webkeep.formats import Flaws, read_json
from webkeep.formats.wacz import (
    AUTH_VERSION,
    DIGEST_NAME,
    MANIFEST_NAME,
    SignedData,
    decode_base64,
    read_signed_data,
    render_digest_file,
)
from webkeep.model import Moment
from webkeep.signing import (
    VerifyingKey,
    certificate_key,
    certificate_name,
    find_chain_flaw,
    follow_chain,
    parse_certificates,
    render_certificates,
)

OWN_SOFTWARE = "webkeep/"
_KNOWN_FIELDS = frozenset({"path", "hash", "signedData"})


@dataclass(frozen=True, slots=True)
class SealedManifest:
    """The manifest of a package with the file that seals it, as they are."""

    manifest: bytes
    digest_file: bytes

    @property
    def described(self) -> Mapping[str, object]:
        """What the manifest says."""
        value = read_json(self.manifest)
        return value if isinstance(value, dict) else {}

    @property
    def is_own(self) -> bool:
        """Whether webkeep wrote it, as it says."""
        return str(self.described.get("software", "")).startswith(OWN_SOFTWARE)


@dataclass(frozen=True, slots=True)
class CheckedSignature:
    """A signature that was looked at: its fields, its certificates and what is to be thought of it."""

    signed: SignedData
    key: VerifyingKey
    chain: tuple[x509.Certificate, ...]
    judgement: SignatureJudgement
    is_own: bool = False
    """Whether the package is one of webkeep's."""


def check_signature(sealed: SealedManifest, trust: PackageTrust, source: str, flaws: Flaws) -> CheckedSignature | None:
    """Who signed a package; None where nobody did, or it cannot be read."""
    value = read_json(sealed.digest_file)
    if not isinstance(value, dict):
        return None  # told by whoever reads the package
    if "signedData" not in value:
        if trust.needs_signature:
            flaws.report("signature-missing", source, 0, "nobody signed it: whoever changed it changed its digests too")
        return None
    try:
        signed = read_signed_data(value["signedData"])
        chain = parse_certificates(signed.domain_cert) if signed.domain_cert else ()
        key = _signing_key(signed, chain)
        signature = signed.signature_bytes()
    except FormatError as error:
        flaws.report(SIGNATURE_FORM_CODE, source, 0, f"its signature cannot be checked: {error.args[0]}")
        return None
    judgement = SignatureJudgement(
        key.fingerprint,
        _parse_created(signed.created),
        certificate_name(chain[0]) if chain else "",
        chain[0].issuer.rfc4514_string() if chain else "",
        key.has_signed(signed.hash.encode(), signature),
        is_expected=trust.is_expected(key),
    )
    checked = CheckedSignature(signed, key, chain, judgement, sealed.is_own)
    _report_flaws(checked, sealed, value, source, flaws)
    return checked


def _signing_key(signed: SignedData, chain: Sequence[x509.Certificate]) -> VerifyingKey:
    """The key that a signature names, written as base64 is; raises FormatError where it is none."""
    if chain:
        return certificate_key(chain[0])
    return VerifyingKey.from_der(decode_base64(signed.public_key, "the key"))


def trust_certificate(
    checked: CheckedSignature, trust: PackageTrust, moment: Moment | None, source: str, flaws: Flaws
) -> SignatureJudgement:
    """Whether the certificate of a signature led to somebody trusted: at the moment of a stamp, or until now."""
    if not checked.chain:
        return checked.judgement
    reason = _certificate_flaw(checked, trust, moment)
    if reason:
        name = checked.judgement.name
        message = (
            f"it is not proven that {name!r} signed it: nobody trusted here vouches for the certificate ({reason})"
        )
        flaws.report("signature-certificate", source, 0, message)
    return replace(checked.judgement, is_trusted=not reason)


def _certificate_flaw(checked: CheckedSignature, trust: PackageTrust, moment: Moment | None) -> str:
    """Why a certificate does not say who signed; empty where it does.

    When it signed is the signer's word alone unless a stamp says so: then a certificate that has run out since may
    have signed after that, by whoever found its key.
    """
    if moment is not None:
        return find_chain_flaw(checked.chain, trust.signers, moment)
    if checked.judgement.created is None:
        return "it does not say when it signed"
    then, now = (find_chain_flaw(checked.chain, trust.signers, at) for at in (checked.judgement.created, trust.now))
    return then or (f"no stamp says that it signed while it was valid; by now, {now}" if now else "")


def _report_flaws(
    checked: CheckedSignature, sealed: SealedManifest, value: Mapping[str, object], source: str, flaws: Flaws
) -> None:
    signed, judgement = checked.signed, checked.judgement
    manifest_hash = f"sha256:{hashlib.sha256(sealed.manifest).hexdigest()}"
    if not judgement.is_valid:
        flaws.report("signature-wrong", source, 0, "its signature is wrong: it was altered, or is of something else")
    if signed.hash != manifest_hash or value.get("hash") != manifest_hash:
        message = f"what is signed is not {MANIFEST_NAME}: its digest is another"
        flaws.report("signature-digest", source, 0, message)
    if judgement.is_expected is False:
        message = f"another key signed it than the one that was asked for: {judgement.fingerprint}"
        flaws.report("signature-key", source, 0, message)
    for problem in _field_problems(checked, sealed, value):
        flaws.report("signature-fields", source, 0, f"{DIGEST_NAME} was changed: {problem}")


def _field_problems(checked: CheckedSignature, sealed: SealedManifest, value: Mapping[str, object]) -> list[str]:
    """What stands beside the signature and does not follow from what is signed."""
    signed, described = checked.signed, sealed.described
    problems = []
    if set(value) - _KNOWN_FIELDS or value.get("path") != MANIFEST_NAME:
        problems.append("it has fields that do not belong there")
    if signed.created != described.get("created"):
        problems.append("the moment of signing is not that of the package")
    if checked.chain and signed.domain != checked.judgement.name:
        problems.append(f"it says {signed.domain[:80]!r}, and the certificate names {checked.judgement.name[:80]!r}")
    if sealed.is_own:
        usual = replace(signed, **_usual_fields(checked), software=str(described["software"]))
        if render_digest_file(signed.hash, usual.to_object()) != sealed.digest_file:
            problems.append("it is not as webkeep writes it")
    return problems


def _usual_fields(checked: CheckedSignature) -> dict[str, str]:
    """What webkeep would have written in place of the fields that nobody signs."""
    fields = {"version": AUTH_VERSION, "cross_signed_cert": ""}
    if checked.judgement.is_valid:
        signature = checked.key.usual_signature(checked.signed.signature_bytes(), is_side_by_side=not checked.chain)
        fields["signature"] = base64.b64encode(signature).decode()
    chain = follow_chain(checked.chain[0], checked.chain) if checked.chain else ()
    fields |= {"domain": checked.judgement.name, "domain_cert": render_certificates(chain)}
    if not checked.signed.time_signature:
        fields["timestamp_cert"] = ""
    return fields


def _parse_created(text: str) -> Moment | None:
    try:
        return Moment.parse(text)
    except UsageError:
        return None

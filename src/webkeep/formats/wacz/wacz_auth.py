"""Signatures of WACZ packages as wacz-auth 0.1.0 has them: `signedData` in datapackage-digest.json, in its two forms,
read strictly and written.

The signature is made of the text of the manifest's digest (`sha256:…`) and of nothing else. What stands beside it in
the file is covered by no signature; so whoever checks it holds each of these fields against what is covered.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields

from webkeep.errors import FormatError

AUTH_VERSION = "0.1.0"
MANIFEST_NAME = "datapackage.json"
DIGEST_NAME = "datapackage-digest.json"
STAMP_FOLDER = "stamps/"
"""Where time stamps of datapackage-digest.json lie: they come after it, so the manifest cannot list them."""

_JSON_NAMES = {
    "hash": "hash",
    "created": "created",
    "software": "software",
    "version": "version",
    "signature": "signature",
    "public_key": "publicKey",
    "domain": "domain",
    "domain_cert": "domainCert",
    "time_signature": "timeSignature",
    "timestamp_cert": "timestampCert",
    "cross_signed_cert": "crossSignedCert",
}
"""Fields of `SignedData` by the names that the file has for them."""
_REQUIRED = ("hash", "signature", "created")


@dataclass(frozen=True, slots=True)
class SignedData:
    """A signature of a package; texts as they stand in the file, empty where there are none."""

    hash: str
    created: str
    signature: str
    """Base64."""
    software: str = ""
    version: str = AUTH_VERSION
    public_key: str = ""
    """Of the anonymous form: base64."""
    domain: str = ""
    """Of the form with a certificate: whom it names."""
    domain_cert: str = ""
    """PEM, the certificate of the signing key first."""
    time_signature: str = ""
    """A time stamp (RFC 3161) of the text of `signature`: base64."""
    timestamp_cert: str = ""
    """PEM, the certificate of the authority first."""
    cross_signed_cert: str = ""

    def to_object(self) -> dict[str, str]:
        """The fields under the names that the file has for them."""
        values = {name: str(getattr(self, field)) for field, name in _JSON_NAMES.items()}
        return {name: value for name, value in values.items() if value}

    def signature_bytes(self) -> bytes:
        """The signature; raises FormatError where it is not written as base64 is."""
        return decode_base64(self.signature, "the signature")


def render_digest_file(manifest_hash: str, signed: Mapping[str, object] | None = None) -> bytes:
    """The bytes of datapackage-digest.json."""
    value: dict[str, object] = {"path": MANIFEST_NAME, "hash": manifest_hash}
    if signed:
        value["signedData"] = dict(signed)
    return json.dumps(value, indent=2).encode()


def read_signed_data(value: object) -> SignedData:
    """`signedData` as a value; raises FormatError where it is of neither form."""
    if not isinstance(value, dict) or not all(isinstance(each, str | None) for each in value.values()):
        raise FormatError("signedData is no object of texts")
    texts = {name: text for name, text in value.items() if text is not None}
    unknown = sorted(set(texts) - set(_JSON_NAMES.values()))
    if unknown:
        raise FormatError(f"signedData has a field {unknown[0][:40]!r} that wacz-auth does not know")
    missing = [name for name in _REQUIRED if not texts.get(name)]
    if missing:
        raise FormatError(f"signedData has no {missing[0]}")
    if bool(texts.get("publicKey")) == bool(texts.get("domainCert")):
        raise FormatError("signedData names not one key: it needs either publicKey or domainCert")
    by_field = {field.name: texts.get(_JSON_NAMES[field.name], "") for field in fields(SignedData)}
    return SignedData(**by_field)


def decode_base64(text: str, what: str) -> bytes:
    """Bytes of base64, which may be written in one way only; raises FormatError otherwise."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"{what} is not written as base64") from error
    if base64.b64encode(data).decode() != text:
        raise FormatError(f"{what} is not written as base64 is")
    return data

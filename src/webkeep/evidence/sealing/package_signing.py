"""Packages signed: the signature of the manifest's digest, put where wacz-auth has it; who signs is handed in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from webkeep.errors import FormatError, StorageError, UsageError
from webkeep.formats import read_json
from webkeep.formats.wacz import (
    DIGEST_NAME,
    MANIFEST_NAME,
    STAMP_FOLDER,
    SignedData,
    read_wacz_file,
    render_digest_file,
    rewrite_wacz,
)
from webkeep.process import atomic_file
from webkeep.signing import SigningIdentity

MAX_MANIFEST_BYTES = 64 << 20
"""A manifest is held whole; no earnest one is longer."""
SignatureStamper = Callable[[bytes], tuple[str, str] | None]
"""From the text of a signature to a time stamp of it in base64 and the certificates of its authority; None where there
is none."""


def sign_package(path: Path, identity: SigningIdentity, stamper: SignatureStamper | None = None) -> SignedData:
    """Sign a WACZ in place; a signature that it had is replaced, and stamps of that one are void.

    With a certificate, the published form wants a time stamp of the signature itself, which a `stamper` gets.
    """
    try:
        with path.open("rb") as source:
            manifest = read_wacz_file(source, path.name, MANIFEST_NAME, MAX_MANIFEST_BYTES)
            signed = _sign_manifest(manifest, identity, path)
            stamped = stamper(signed.signature.encode()) if stamper is not None and identity.chain else None
            if stamped is not None:
                signed = replace(signed, time_signature=stamped[0], timestamp_cert=stamped[1])
            digest_file = render_digest_file(signed.hash, signed.to_object())
            with atomic_file(path, sync=True) as target:
                rewrite_wacz(source, path.name, target, {DIGEST_NAME: digest_file}, without=STAMP_FOLDER)
    except FormatError as error:
        raise UsageError(f"{path} cannot be signed: {error.args[0]}") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be signed ({error.strerror}); check the disk") from error
    return signed


def _sign_manifest(manifest: bytes, identity: SigningIdentity, path: Path) -> SignedData:
    described = read_json(manifest)
    created = described.get("created") if isinstance(described, dict) else None
    if not isinstance(created, str):
        raise UsageError(f"{path} does not say when it was created; write it anew")
    software = described.get("software")
    manifest_hash = f"sha256:{hashlib.sha256(manifest).hexdigest()}"
    common = SignedData(manifest_hash, created, "", software if isinstance(software, str) else "")
    key = identity.key.public
    signed = key.usual_signature(identity.key.sign(manifest_hash.encode()), is_side_by_side=not identity.chain)
    signature = base64.b64encode(signed).decode()
    if identity.chain:
        return replace(common, signature=signature, domain=identity.name, domain_cert=identity.chain_pem)
    return replace(common, signature=signature, public_key=key.base64)

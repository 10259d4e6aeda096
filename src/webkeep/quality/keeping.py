"""Keeping a certificate in the archive it is about."""

from __future__ import annotations

from webkeep.coherence.certificate import Certificate
from webkeep.quality.certification import certify
from webkeep.quality.kept import MEDIA_TYPE, certificate_urn, part_blocks
from webkeep.store.writable import WritableArchive


def keep_certificate(archive: WritableArchive, capture_id: str) -> Certificate:
    """Derive the certificate of a capture whose records are on disk, and write it beside them."""
    certificate = certify(archive, capture_id)
    name = certificate_urn(capture_id)
    for kept in [archive.note(capture_id, name, MEDIA_TYPE, block) for block in part_blocks(certificate)]:
        kept.result()
    return certificate

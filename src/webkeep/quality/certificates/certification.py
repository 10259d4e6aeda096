"""Certifying a capture (`webkeep certify`): from its WARC records, its intent and its sitemaps to its certificate, and
how that is kept in the archive.
"""

from __future__ import annotations

from collections.abc import Mapping

from webkeep.coherence.certificates import (
    CaptureIntent,
    CertificateEvidence,
    CertificateSummary,
    CertifiedResource,
    CoherenceCertificate,
    certificate_from_evidence,
    read_intent,
    round_figure,
)
from webkeep.errors import FormatError, WebkeepError
from webkeep.model import RecordPlace
from webkeep.quality.certificates.capture_records import CaptureRecords, read_capture_records, read_note_blocks
from webkeep.quality.certificates.certificate_records import (
    MAX_PART_BYTES,
    MEDIA_TYPE,
    certificate_urn,
    read_part,
    render_parts,
)
from webkeep.quality.certificates.subsites import assign_subsites
from webkeep.store.archive import Archive, WritableArchive

_MAX_SUMMARY_BYTES = 8 << 20
"""The first part of a certificate has its summary; what is larger is not ours."""


def derive_certificate(archive: Archive, capture_id: str) -> CoherenceCertificate:
    """The certificate of a capture, by its records alone."""
    return certificate_from_records(archive, capture_id, read_capture_records(archive, capture_id))


def certificate_from_records(
    archive: Archive, capture_id: str, records: CaptureRecords, known: Mapping[str, CertifiedResource] | None = None
) -> CoherenceCertificate:
    """The certificate that the records of a capture give, with what is `known` of resources that were taken down."""
    sightings = records.take_sightings()
    subsites = assign_subsites(archive, {**sightings, **(known or {})}, records.sitemaps)
    evidence = CertificateEvidence(
        capture_id,
        records.capture.seeds if records.capture else (),
        # Taken out one by one: what became a resource is not needed any more.
        ((url, sightings.pop(url)) for url in list(sightings)),
        _read_capture_intent(archive, records.intents),
        subsites,
        round_figure(records.setback),
        known or {},
    )
    return certificate_from_evidence(evidence)


def _read_capture_intent(archive: Archive, places: list[RecordPlace]) -> CaptureIntent | None:
    """What the capture set out to do; a note that is damaged is as good as none, and expects nothing."""
    try:
        return read_intent(read_note_blocks(archive, places, MAX_PART_BYTES))
    except FormatError:
        return None


# Keeping a certificate in the archive it is about.


def keep_certificate(archive: WritableArchive, capture_id: str) -> CoherenceCertificate:
    """Derive the certificate of a capture whose records are on disk, and write it beside them."""
    certificate = derive_certificate(archive, capture_id)
    name = certificate_urn(capture_id)
    for kept in [archive.submit_metadata(capture_id, name, MEDIA_TYPE, block) for block in render_parts(certificate)]:
        kept.result()
    return certificate


def read_certificate_summary(archive: Archive, capture: str) -> CertificateSummary | None:
    """What the certificate of a capture says, where there is one that can be read."""
    try:
        for entry in archive.entries(certificate_urn(capture)):
            content = b"".join(archive.read(entry).content(_MAX_SUMMARY_BYTES))
            part = read_part(content)
            if part.summary is not None:
                return part.summary
    except WebkeepError:
        return None  # what is wrong with it is for `webkeep certify` to say
    return None

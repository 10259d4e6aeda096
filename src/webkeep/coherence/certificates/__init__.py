"""The coherence certificate of a capture, and how it follows from sightings."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.coherence.certificates.capture_intent import (
        MEDIA_TYPE as MEDIA_TYPE,
        CaptureIntent as CaptureIntent,
        intent_urn as intent_urn,
        read_intent as read_intent,
    )
    from webkeep.coherence.certificates.certificate import (
        CertificateFigures as CertificateFigures,
        CertificateSummary as CertificateSummary,
        CertifiedResource as CertifiedResource,
        CoherenceCertificate as CoherenceCertificate,
        CoherenceVerdict as CoherenceVerdict,
        ReferenceBasis as ReferenceBasis,
        Subsite as Subsite,
    )
    from webkeep.coherence.certificates.certificate_builder import (
        CertificateEvidence as CertificateEvidence,
        certificate_from_evidence as certificate_from_evidence,
    )
    from webkeep.coherence.certificates.certificate_figures import round_figure as round_figure
    from webkeep.coherence.certificates.certificate_json import (
        canonical_json as canonical_json,
        certificate_from_json as certificate_from_json,
        certificate_to_json as certificate_to_json,
        read_resources as read_resources,
        read_summary as read_summary,
        resource_values as resource_values,
        summary_values as summary_values,
    )
    from webkeep.coherence.certificates.coherent_set import CoherentSet as CoherentSet
    from webkeep.coherence.certificates.json_fields import parse_json_fields as parse_json_fields
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "capture_intent": ("CaptureIntent", "MEDIA_TYPE", "intent_urn", "read_intent"),
            "certificate": (
                "CertificateFigures",
                "CertificateSummary",
                "CertifiedResource",
                "CoherenceCertificate",
                "CoherenceVerdict",
                "ReferenceBasis",
                "Subsite",
            ),
            "certificate_builder": ("CertificateEvidence", "certificate_from_evidence"),
            "certificate_figures": ("round_figure",),
            "certificate_json": (
                "canonical_json",
                "certificate_from_json",
                "certificate_to_json",
                "read_resources",
                "read_summary",
                "resource_values",
                "summary_values",
            ),
            "coherent_set": ("CoherentSet",),
            "json_fields": ("parse_json_fields",),
        },
    )

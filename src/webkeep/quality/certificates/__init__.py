"""Coherence certificates of captures: derived from WARC records, kept, compared, and shown."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.certificates.capture_records import (
        CaptureRecords as CaptureRecords,
        has_sightings as has_sightings,
        read_capture_records as read_capture_records,
    )
    from webkeep.quality.certificates.certificate_diff import (
        MISSING as MISSING,
        certificate_differences as certificate_differences,
        read_kept_urls as read_kept_urls,
    )
    from webkeep.quality.certificates.certificate_page import render_certificate_page as render_certificate_page
    from webkeep.quality.certificates.certificate_records import (
        certificate_urn as certificate_urn,
        read_part as read_part,
    )
    from webkeep.quality.certificates.certificate_words import (
        CAVEAT_WORDS as CAVEAT_WORDS,
        describe_dating as describe_dating,
        describe_reference as describe_reference,
        describe_verification as describe_verification,
        describe_weights as describe_weights,
        headline as headline,
        verdict_reason as verdict_reason,
    )
    from webkeep.quality.certificates.certification import (
        certificate_from_records as certificate_from_records,
        derive_certificate as derive_certificate,
        keep_certificate as keep_certificate,
        read_certificate_summary as read_certificate_summary,
    )
    from webkeep.quality.certificates.change_categories import judge_changed_resources as judge_changed_resources
    from webkeep.quality.certificates.defect_graph import (
        DefectNode as DefectNode,
        RevisitColour as RevisitColour,
        render_defect_graph as render_defect_graph,
        render_node_graph as render_node_graph,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "capture_records": ("CaptureRecords", "has_sightings", "read_capture_records"),
            "certificate_diff": ("MISSING", "certificate_differences", "read_kept_urls"),
            "certificate_page": ("render_certificate_page",),
            "certificate_records": ("certificate_urn", "read_part"),
            "certificate_words": (
                "CAVEAT_WORDS",
                "describe_dating",
                "describe_reference",
                "describe_verification",
                "describe_weights",
                "headline",
                "verdict_reason",
            ),
            "certification": (
                "certificate_from_records",
                "derive_certificate",
                "keep_certificate",
                "read_certificate_summary",
            ),
            "change_categories": ("judge_changed_resources",),
            "defect_graph": ("DefectNode", "RevisitColour", "render_defect_graph", "render_node_graph"),
        },
    )

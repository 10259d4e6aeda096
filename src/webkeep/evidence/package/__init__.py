"""Evidence packages made: captures until all is proven or named, exhibits, facts, the cover sheet, the folder."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.evidence.package.evidence_facts import EvidenceFacts as EvidenceFacts
    from webkeep.evidence.package.evidence_package import (
        EvidencePackage as EvidencePackage,
        make_package as make_package,
    )
    from webkeep.evidence.package.evidence_plan import (
        DEFAULT_ROUNDS as DEFAULT_ROUNDS,
        EvidencePlan as EvidencePlan,
        VantagePoint as VantagePoint,
        plan_for_evidence as plan_for_evidence,
    )
    from webkeep.evidence.package.package_folder import WACZ_NAME as WACZ_NAME, check_target as check_target
    from webkeep.evidence.package.package_seal import PackageSeal as PackageSeal
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "evidence_facts": ("EvidenceFacts",),
            "evidence_package": ("EvidencePackage", "make_package"),
            "evidence_plan": ("DEFAULT_ROUNDS", "EvidencePlan", "VantagePoint", "plan_for_evidence"),
            "package_folder": ("WACZ_NAME", "check_target"),
            "package_seal": ("PackageSeal",),
        },
    )

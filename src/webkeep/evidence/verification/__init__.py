"""Packages verified: without a network, without an archive, and without believing what they say of themselves."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.evidence.verification.folder_check import check_folder as check_folder
    from webkeep.evidence.verification.package_verification import verify_package as verify_package
    from webkeep.evidence.verification.verdict import (
        CoherenceJudgement as CoherenceJudgement,
        LogJudgement as LogJudgement,
        PackageVerdict as PackageVerdict,
        SignatureJudgement as SignatureJudgement,
        StampJudgement as StampJudgement,
    )
    from webkeep.evidence.verification.verdict_words import describe_verdict as describe_verdict
    from webkeep.evidence.verification.verification_request import PackageTrust as PackageTrust
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "folder_check": ("check_folder",),
            "package_verification": ("verify_package",),
            "verdict": (
                "CoherenceJudgement",
                "LogJudgement",
                "PackageVerdict",
                "SignatureJudgement",
                "StampJudgement",
            ),
            "verdict_words": ("describe_verdict",),
            "verification_request": ("PackageTrust",),
        },
    )

"""What a recovery came to: outcomes, counts, summaries, the HTML report, comparison with the original, re-host
export.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recover.report.completeness import RepositoryOverlap as RepositoryOverlap
    from webkeep.recover.report.html_report import (
        RecoveryFindings as RecoveryFindings,
        describe_completeness as describe_completeness,
        render_report as render_report,
        report_headline as report_headline,
    )
    from webkeep.recover.report.loss_scores import LossScores as LossScores, score_losses as score_losses
    from webkeep.recover.report.outcome import explain_miss as explain_miss, read_outcomes as read_outcomes
    from webkeep.recover.report.recoverability import PUBLISHED_SCORE as PUBLISHED_SCORE, ScoreInputs as ScoreInputs
    from webkeep.recover.report.recovery_counts import RecoveryCounts as RecoveryCounts
    from webkeep.recover.report.rehost_export import check_rehost_folder as check_rehost_folder, rehost as rehost
    from webkeep.recover.report.site_comparison import (
        SiteComparison as SiteComparison,
        compare_with_original as compare_with_original,
    )
    from webkeep.recover.report.site_difference import DifferenceCounts as DifferenceCounts
    from webkeep.recover.report.summary import (
        render_json_line as render_json_line,
        render_text_line as render_text_line,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "completeness": ("RepositoryOverlap",),
            "html_report": ("RecoveryFindings", "describe_completeness", "render_report", "report_headline"),
            "loss_scores": ("LossScores", "score_losses"),
            "outcome": ("explain_miss", "read_outcomes"),
            "recoverability": ("PUBLISHED_SCORE", "ScoreInputs"),
            "recovery_counts": ("RecoveryCounts",),
            "rehost_export": ("check_rehost_folder", "rehost"),
            "site_comparison": ("SiteComparison", "compare_with_original"),
            "site_difference": ("DifferenceCounts",),
            "summary": ("render_json_line", "render_text_line"),
        },
    )

"""Reports on archives: what a capture is worth, against those before it, as a page and as JSON."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.report.archive_report import (
        DEFAULT_PAGES as DEFAULT_PAGES,
        ArchiveReport as ArchiveReport,
        read_archive_report as read_archive_report,
    )
    from webkeep.quality.report.next_capture import (
        NextCapture as NextCapture,
        propose_next_capture as propose_next_capture,
    )
    from webkeep.quality.report.outlook_words import (
        describe_outlook as describe_outlook,
        list_outlook as list_outlook,
    )
    from webkeep.quality.report.page_check import PageCheck as PageCheck, check_page as check_page
    from webkeep.quality.report.picture_section import tree_values as tree_values
    from webkeep.quality.report.plan_file import render_plan_file as render_plan_file
    from webkeep.quality.report.report_json import (
        plain_value as plain_value,
        render_report_json as render_report_json,
        report_values as report_values,
    )
    from webkeep.quality.report.report_page import (
        REPORT_NAME as REPORT_NAME,
        render_report_page as render_report_page,
    )
    from webkeep.quality.report.report_verdict import (
        ReportGrade as ReportGrade,
        ReportVerdict as ReportVerdict,
        judge_report as judge_report,
    )
    from webkeep.quality.report.site_outlook import (
        BrowserNeed as BrowserNeed,
        CaptureEstimate as CaptureEstimate,
        EstimateRange as EstimateRange,
        PageOutlook as PageOutlook,
        RobotsAnswer as RobotsAnswer,
        RobotsOutlook as RobotsOutlook,
        ScopeLimits as ScopeLimits,
        SitemapOutlook as SitemapOutlook,
        SiteOutlook as SiteOutlook,
        estimate_capture as estimate_capture,
        parse_outlook as parse_outlook,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "archive_report": ("DEFAULT_PAGES", "ArchiveReport", "read_archive_report"),
            "report_page": ("REPORT_NAME", "render_report_page"),
            "outlook_words": ("describe_outlook", "list_outlook"),
            "page_check": ("PageCheck", "check_page"),
            "picture_section": ("tree_values",),
            "next_capture": ("NextCapture", "propose_next_capture"),
            "plan_file": ("render_plan_file",),
            "report_json": ("plain_value", "render_report_json", "report_values"),
            "report_verdict": ("ReportGrade", "ReportVerdict", "judge_report"),
            "site_outlook": (
                "BrowserNeed",
                "CaptureEstimate",
                "EstimateRange",
                "PageOutlook",
                "RobotsAnswer",
                "RobotsOutlook",
                "ScopeLimits",
                "SiteOutlook",
                "SitemapOutlook",
                "estimate_capture",
                "parse_outlook",
            ),
        },
    )

"""webkeep keeps websites: captures them, judges, shows, copies and recovers them.

Everything that the command does is a function here, with the same options as keywords; `webkeep.aio` has the same for
asyncio. Nothing is loaded before it is asked for.
"""

# ruff: noqa: A004 - `webkeep.open` and `webkeep.copy` read as they should, and nothing here wants other ones
from webkeep.version import __version__ as __version__

TYPE_CHECKING = False  # what type checkers take for true; `typing` would take longer to load than all else here

if TYPE_CHECKING:
    from webkeep import aio as aio
    from webkeep.api import (
        CaptureOptions as CaptureOptions,
        CaptureSummary as CaptureSummary,
        CertifySummary as CertifySummary,
        CheckSummary as CheckSummary,
        CopySummary as CopySummary,
        DiffSummary as DiffSummary,
        EvidenceSummary as EvidenceSummary,
        ExportSummary as ExportSummary,
        HostOptions as HostOptions,
        ImportSummary as ImportSummary,
        MirrorSummary as MirrorSummary,
        PackageSummary as PackageSummary,
        PageSummary as PageSummary,
        Recording as Recording,
        RecordingSummary as RecordingSummary,
        RecoverySummary as RecoverySummary,
        RemovalSummary as RemovalSummary,
        ReplayServer as ReplayServer,
        ReportSummary as ReportSummary,
        ServeSummary as ServeSummary,
        StampSummary as StampSummary,
        StatesSummary as StatesSummary,
        SurveySummary as SurveySummary,
        UpdateSummary as UpdateSummary,
        VerifySummary as VerifySummary,
        WorkProgress as WorkProgress,
        capture as capture,
        certify as certify,
        check as check,
        copy as copy,
        diff as diff,
        evidence as evidence,
        export as export,
        import_files as import_files,
        mirror as mirror,
        mirror_page as mirror_page,
        open as open,
        record as record,
        recover as recover,
        remove as remove,
        report as report,
        report_states as report_states,
        serve as serve,
        stamp as stamp,
        survey as survey,
        update as update,
        verify as verify,
        verify_package as verify_package,
    )
    from webkeep.crawl.recording import RecordedExchange as RecordedExchange, RecordedPage as RecordedPage
    from webkeep.crawl.run import CaptureProgress as CaptureProgress
    from webkeep.errors import (
        FormatError as FormatError,
        RemoteError as RemoteError,
        StorageError as StorageError,
        UsageError as UsageError,
        WebkeepError as WebkeepError,
    )
    from webkeep.model import (
        BytesBody as BytesBody,
        Capture as Capture,
        Exchange as Exchange,
        Finding as Finding,
        Moment as Moment,
        Observation as Observation,
        UrlOutcome as UrlOutcome,
    )
    from webkeep.quality.diff import ChangeKind as ChangeKind, PageChange as PageChange, diff_text as diff_text
    from webkeep.recover.run import RecoveryProgress as RecoveryProgress
    from webkeep.store.archive import Archive as Archive, WritableArchive as WritableArchive
    from webkeep.url import UrlMatch as UrlMatch
else:
    from webkeep.lazy_exports import open_package_door

    open_package_door(
        __name__,
        {
            "api": (
                "CaptureOptions",
                "CaptureSummary",
                "CertifySummary",
                "CheckSummary",
                "CopySummary",
                "DiffSummary",
                "EvidenceSummary",
                "ExportSummary",
                "HostOptions",
                "ImportSummary",
                "MirrorSummary",
                "PageSummary",
                "Recording",
                "RecordingSummary",
                "PackageSummary",
                "RecoverySummary",
                "RemovalSummary",
                "ReplayServer",
                "ReportSummary",
                "ServeSummary",
                "StampSummary",
                "StatesSummary",
                "SurveySummary",
                "UpdateSummary",
                "VerifySummary",
                "WorkProgress",
                "capture",
                "certify",
                "check",
                "copy",
                "diff",
                "evidence",
                "export",
                "import_files",
                "mirror",
                "mirror_page",
                "open",
                "record",
                "recover",
                "remove",
                "report",
                "report_states",
                "serve",
                "stamp",
                "survey",
                "update",
                "verify",
                "verify_package",
            ),
            "crawl.recording": ("RecordedExchange", "RecordedPage"),
            "crawl.run": ("CaptureProgress",),
            "errors": ("FormatError", "RemoteError", "StorageError", "UsageError", "WebkeepError"),
            "model": ("BytesBody", "Capture", "Exchange", "Finding", "Moment", "Observation", "UrlOutcome"),
            "quality.diff": ("ChangeKind", "PageChange", "diff_text"),
            "recover.run": ("RecoveryProgress",),
            "store.archive": ("Archive", "WritableArchive"),
            "url": ("UrlMatch",),
        },
        submodules=("aio",),
    )

"""What webkeep does, as typed functions and the values they give; commands and programs call the same ones."""

# ruff: noqa: A004 - `webkeep.open` reads as it should, and nothing here wants the built-in one
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.api.archive_opening import open as open, open_archive as open_archive
    from webkeep.api.arguments.call_values import StrPath as StrPath, read_path as read_path
    from webkeep.api.arguments.capture_options import CaptureOptions as CaptureOptions, HostOptions as HostOptions
    from webkeep.api.arguments.plan_file import (
        build_capture_plan as build_capture_plan,
        merge_plan_values as merge_plan_values,
        read_plan_file as read_plan_file,
    )
    from webkeep.api.arguments.seed_files import read_seeds as read_seeds
    from webkeep.api.arguments.selections import SelectionRequest as SelectionRequest, check_url as check_url
    from webkeep.api.captures import (
        MAX_PAGE_FAILURES_LISTED as MAX_PAGE_FAILURES_LISTED,
        CaptureSummary as CaptureSummary,
        capture as capture,
        run_capture as run_capture,
        trap_values as trap_values,
    )
    from webkeep.api.certification import (
        CertifyRequest as CertifyRequest,
        CertifySummary as CertifySummary,
        certify as certify,
        run_certify as run_certify,
    )
    from webkeep.api.cluster_captures import (
        DEFAULT_WORKER_HOSTS as DEFAULT_WORKER_HOSTS,
        ClusterRequest as ClusterRequest,
        WorkerRequest as WorkerRequest,
        WorkerSummary as WorkerSummary,
        run_cluster_capture as run_cluster_capture,
        run_worker as run_worker,
    )
    from webkeep.api.copies import (
        CopyForm as CopyForm,
        MirrorSummary as MirrorSummary,
        PageSummary as PageSummary,
        VersionChoice as VersionChoice,
        check_copy_targets as check_copy_targets,
        mirror as mirror,
        mirror_page as mirror_page,
        run_mirror as run_mirror,
        run_mirror_page as run_mirror_page,
    )
    from webkeep.api.differences import (
        DiffRequest as DiffRequest,
        DiffSummary as DiffSummary,
        diff as diff,
        run_diff as run_diff,
        url_spellings as url_spellings,
    )
    from webkeep.api.evidence_packages import (
        EVIDENCE_PAGE_VALUES as EVIDENCE_PAGE_VALUES,
        EVIDENCE_VALUES as EVIDENCE_VALUES,
        EvidenceRequest as EvidenceRequest,
        EvidenceSummary as EvidenceSummary,
        build_vantages as build_vantages,
        evidence as evidence,
        run_evidence as run_evidence,
    )
    from webkeep.api.exports import (
        STANDARD_OUTPUT as STANDARD_OUTPUT,
        ExportFormat as ExportFormat,
        ExportRequest as ExportRequest,
        ExportSummary as ExportSummary,
        export as export,
        make_signing_request as make_signing_request,
        run_export as run_export,
    )
    from webkeep.api.fates_so_far import read_fates as read_fates, read_trail as read_trail
    from webkeep.api.imports import (
        ImportRequest as ImportRequest,
        ImportSummary as ImportSummary,
        import_files as import_files,
        run_import as run_import,
    )
    from webkeep.api.log_stamping import LogStampSummary as LogStampSummary, run_log_stamp as run_log_stamp
    from webkeep.api.package_stamping import (
        StampRequest as StampRequest,
        StampSummary as StampSummary,
        authority_client as authority_client,
        run_stamp as run_stamp,
        stamp as stamp,
    )
    from webkeep.api.package_verification import (
        PackageRequest as PackageRequest,
        PackageSummary as PackageSummary,
        find_package as find_package,
        run_verify_package as run_verify_package,
        verify_package as verify_package,
    )
    from webkeep.api.page_checks import CheckSummary as CheckSummary, check as check, run_check as run_check
    from webkeep.api.pooled_captures import (
        PoolRequest as PoolRequest,
        check_worker_pool as check_worker_pool,
        run_pooled_capture as run_pooled_capture,
    )
    from webkeep.api.record_logs import (
        CheckpointRequest as CheckpointRequest,
        LogSummary as LogSummary,
        ProofSummary as ProofSummary,
        run_log_begin as run_log_begin,
        run_log_checkpoint as run_log_checkpoint,
        run_log_proofs as run_log_proofs,
        run_log_publish as run_log_publish,
        run_log_show as run_log_show,
    )
    from webkeep.api.recording.recording_browser import OWN_REQUEST_REASON as OWN_REQUEST_REASON
    from webkeep.api.recording.recording_run import (
        RecordingRequest as RecordingRequest,
        RecordingSummary as RecordingSummary,
        build_recording_request as build_recording_request,
        default_authority as default_authority,
        run_record as run_record,
    )
    from webkeep.api.recording.recordings import Recording as Recording, record as record
    from webkeep.api.recoveries import (
        RecoveryNetwork as RecoveryNetwork,
        RecoveryRequest as RecoveryRequest,
        RecoverySummary as RecoverySummary,
        build_recovery_plan as build_recovery_plan,
        recover as recover,
        run_recovery as run_recovery,
    )
    from webkeep.api.recovery_files import RecoveryTargets as RecoveryTargets
    from webkeep.api.removals import (
        RemovalRequest as RemovalRequest,
        RemovalSummary as RemovalSummary,
        preview_removal as preview_removal,
        remove as remove,
        run_removal as run_removal,
    )
    from webkeep.api.reports import (
        ReportRequest as ReportRequest,
        ReportSummary as ReportSummary,
        report as report,
        run_report as run_report,
    )
    from webkeep.api.serving import (
        ReplayServer as ReplayServer,
        ServeRequest as ServeRequest,
        ServeSummary as ServeSummary,
        serve as serve,
    )
    from webkeep.api.site_copies import (
        ARCHIVE_SUFFIX as ARCHIVE_SUFFIX,
        CopyRequest as CopyRequest,
        CopySummary as CopySummary,
        copy as copy,
        run_copy as run_copy,
    )
    from webkeep.api.state_reports import (
        StatesRequest as StatesRequest,
        StatesSummary as StatesSummary,
        report_states as report_states,
        run_report_states as run_report_states,
    )
    from webkeep.api.surveys import (
        SurveySummary as SurveySummary,
        inventory_values as inventory_values,
        run_survey as run_survey,
        survey as survey,
    )
    from webkeep.api.target_file import open_target_file as open_target_file
    from webkeep.api.updates import (
        UpdateRequest as UpdateRequest,
        UpdateSummary as UpdateSummary,
        run_update as run_update,
        update as update,
    )
    from webkeep.api.verification import (
        VerifySummary as VerifySummary,
        read_kept_checkpoint as read_kept_checkpoint,
        run_verify as run_verify,
        verify as verify,
    )
    from webkeep.api.work_listener import WorkListener as WorkListener, WorkProgress as WorkProgress
    from webkeep.api.work_summary import SHORT_ID_CHARS as SHORT_ID_CHARS, WorkSummary as WorkSummary
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "archive_opening": ("open", "open_archive"),
            "arguments.call_values": ("StrPath", "read_path"),
            "arguments.capture_options": ("CaptureOptions", "HostOptions"),
            "arguments.plan_file": ("build_capture_plan", "merge_plan_values", "read_plan_file"),
            "arguments.seed_files": ("read_seeds",),
            "arguments.selections": ("SelectionRequest", "check_url"),
            "captures": ("CaptureSummary", "MAX_PAGE_FAILURES_LISTED", "capture", "run_capture", "trap_values"),
            "cluster_captures": (
                "ClusterRequest",
                "DEFAULT_WORKER_HOSTS",
                "WorkerRequest",
                "WorkerSummary",
                "run_cluster_capture",
                "run_worker",
            ),
            "pooled_captures": ("PoolRequest", "check_worker_pool", "run_pooled_capture"),
            "certification": ("CertifyRequest", "CertifySummary", "certify", "run_certify"),
            "copies": (
                "CopyForm",
                "MirrorSummary",
                "PageSummary",
                "VersionChoice",
                "check_copy_targets",
                "mirror",
                "mirror_page",
                "run_mirror",
                "run_mirror_page",
            ),
            "differences": ("DiffRequest", "DiffSummary", "diff", "run_diff", "url_spellings"),
            "evidence_packages": (
                "EVIDENCE_PAGE_VALUES",
                "EVIDENCE_VALUES",
                "EvidenceRequest",
                "EvidenceSummary",
                "build_vantages",
                "evidence",
                "run_evidence",
            ),
            "exports": (
                "ExportFormat",
                "ExportRequest",
                "ExportSummary",
                "STANDARD_OUTPUT",
                "export",
                "make_signing_request",
                "run_export",
            ),
            "fates_so_far": ("read_fates", "read_trail"),
            "imports": ("ImportRequest", "ImportSummary", "import_files", "run_import"),
            "log_stamping": ("LogStampSummary", "run_log_stamp"),
            "record_logs": (
                "CheckpointRequest",
                "LogSummary",
                "ProofSummary",
                "run_log_begin",
                "run_log_checkpoint",
                "run_log_proofs",
                "run_log_publish",
                "run_log_show",
            ),
            "recording.recording_browser": ("OWN_REQUEST_REASON",),
            "recording.recording_run": (
                "RecordingRequest",
                "RecordingSummary",
                "build_recording_request",
                "default_authority",
                "run_record",
            ),
            "recording.recordings": ("Recording", "record"),
            "package_stamping": ("StampRequest", "StampSummary", "authority_client", "run_stamp", "stamp"),
            "package_verification": (
                "PackageRequest",
                "PackageSummary",
                "find_package",
                "run_verify_package",
                "verify_package",
            ),
            "page_checks": ("CheckSummary", "check", "run_check"),
            "recoveries": (
                "RecoveryNetwork",
                "RecoveryRequest",
                "RecoverySummary",
                "build_recovery_plan",
                "recover",
                "run_recovery",
            ),
            "recovery_files": ("RecoveryTargets",),
            "removals": ("RemovalRequest", "RemovalSummary", "preview_removal", "remove", "run_removal"),
            "reports": ("ReportRequest", "ReportSummary", "report", "run_report"),
            "serving": ("ReplayServer", "ServeRequest", "ServeSummary", "serve"),
            "site_copies": ("ARCHIVE_SUFFIX", "CopyRequest", "CopySummary", "copy", "run_copy"),
            "state_reports": ("StatesRequest", "StatesSummary", "report_states", "run_report_states"),
            "surveys": ("SurveySummary", "inventory_values", "run_survey", "survey"),
            "target_file": ("open_target_file",),
            "updates": ("UpdateRequest", "UpdateSummary", "run_update", "update"),
            "verification": ("VerifySummary", "read_kept_checkpoint", "run_verify", "verify"),
            "work_listener": ("WorkListener", "WorkProgress"),
            "work_summary": ("SHORT_ID_CHARS", "WorkSummary"),
        },
    )

"""The engine and what it runs on: the job, its control, acknowledgements, going on after a crash."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.run.capture_accounts import (
        POLITENESS_FACT as POLITENESS_FACT,
        fates_of as fates_of,
        host_ledgers_of as host_ledgers_of,
    )
    from webkeep.crawl.run.capture_context import CaptureContext as CaptureContext, LargerCapture as LargerCapture
    from webkeep.crawl.run.capture_job import (
        JOB_FACT as JOB_FACT,
        CaptureJob as CaptureJob,
        find_finished as find_finished,
        find_resumable as find_resumable,
        job_of as job_of,
        unfinished_captures as unfinished_captures,
    )
    from webkeep.crawl.run.capture_observer import (
        CaptureObserver as CaptureObserver,
        CaptureProgress as CaptureProgress,
        HostProgress as HostProgress,
        NullCaptureObserver as NullCaptureObserver,
    )
    from webkeep.crawl.run.control_channel import (
        ControlChannel as ControlChannel,
        ControlCommand as ControlCommand,
        ControlMessage as ControlMessage,
    )
    from webkeep.crawl.run.control_loop import (
        apply_changes as apply_changes,
        plan_difference as plan_difference,
        restore_changes as restore_changes,
    )
    from webkeep.crawl.run.crash_resume import enter_links_again as enter_links_again
    from webkeep.crawl.run.engine import Engine as Engine
    from webkeep.crawl.run.host_lease_opening import open_host_leases as open_host_leases
    from webkeep.crawl.run.live_pictures import LivePictures as LivePictures
    from webkeep.crawl.run.prior_capture import is_linkless_type as is_linkless_type
    from webkeep.crawl.run.rule_preview import RulePreview as RulePreview, preview_change as preview_change
    from webkeep.crawl.run.update_plan import (
        build_update_plan as build_update_plan,
        capture_to_update as capture_to_update,
    )
    from webkeep.crawl.run.url_trail import (
        UrlOrigin as UrlOrigin,
        UrlSource as UrlSource,
        fate_trail as fate_trail,
        link_constructs as link_constructs,
        url_origin_of as url_origin_of,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "capture_accounts": ("POLITENESS_FACT", "fates_of", "host_ledgers_of"),
            "capture_job": (
                "JOB_FACT",
                "CaptureJob",
                "find_finished",
                "find_resumable",
                "job_of",
                "unfinished_captures",
            ),
            "capture_observer": ("CaptureObserver", "CaptureProgress", "HostProgress", "NullCaptureObserver"),
            "host_lease_opening": ("open_host_leases",),
            "capture_context": ("CaptureContext", "LargerCapture"),
            "control_loop": ("apply_changes", "plan_difference", "restore_changes"),
            "crash_resume": ("enter_links_again",),
            "engine": ("Engine",),
            "control_channel": ("ControlChannel", "ControlCommand", "ControlMessage"),
            "live_pictures": ("LivePictures",),
            "prior_capture": ("is_linkless_type",),
            "rule_preview": ("RulePreview", "preview_change"),
            "url_trail": ("UrlOrigin", "UrlSource", "fate_trail", "link_constructs", "url_origin_of"),
            "update_plan": ("build_update_plan", "capture_to_update"),
        },
    )

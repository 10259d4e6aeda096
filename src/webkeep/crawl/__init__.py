"""Capturing a site: ask the frontier, fetch, store, read the links, repeat; and go on after a crash."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.capture_result import (
        MAX_FAILURES_LISTED as MAX_FAILURES_LISTED,
        CaptureResult as CaptureResult,
        read_finished_result as read_finished_result,
    )
    from webkeep.crawl.site_capture import (
        CertifyCapture as CertifyCapture,
        capture as capture,
        capture_part as capture_part,
        seed_urls as seed_urls,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "capture_result": ("CaptureResult", "MAX_FAILURES_LISTED", "read_finished_result"),
            "site_capture": ("CertifyCapture", "capture", "capture_part", "seed_urls"),
        },
    )

"""Recordings: a proxy and the session that makes records of what passes it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.recording.recorded_pages import RecordedPage as RecordedPage
    from webkeep.crawl.recording.recording import open_recording as open_recording
    from webkeep.crawl.recording.recording_plan import (
        RecordingPlan as RecordingPlan,
        open_private_hosts as open_private_hosts,
    )
    from webkeep.crawl.recording.recording_session import (
        RecordedExchange as RecordedExchange,
        RecordingObserver as RecordingObserver,
        RecordingResult as RecordingResult,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "recorded_pages": ("RecordedPage",),
            "recording": ("open_recording",),
            "recording_plan": ("RecordingPlan", "open_private_hosts"),
            "recording_session": ("RecordedExchange", "RecordingObserver", "RecordingResult"),
        },
    )

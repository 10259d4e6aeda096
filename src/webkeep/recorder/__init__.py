"""The server that archives itself: middleware that keeps every distinct answer a site really gave."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.recorder.asgi import ArchivingMiddleware as ArchivingMiddleware
    from webkeep.recorder.counters import RecordingOutcome as RecordingOutcome
    from webkeep.recorder.limits import RecorderLimits as RecorderLimits
    from webkeep.recorder.recorder import Recorder as Recorder
    from webkeep.recorder.recording_rules import RecorderRules as RecorderRules
    from webkeep.recorder.wsgi import (
        ArchivingApplication as ArchivingApplication,
        archiving_application as archiving_application,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "asgi": ("ArchivingMiddleware",),
            "counters": ("RecordingOutcome",),
            "limits": ("RecorderLimits",),
            "recorder": ("Recorder",),
            "recording_rules": ("RecorderRules",),
            "wsgi": ("ArchivingApplication", "archiving_application"),
        },
    )

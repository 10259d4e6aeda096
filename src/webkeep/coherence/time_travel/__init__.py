"""Which capture answers for a moment, and which version of an embedded resource fits a page."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.coherence.time_travel.capture_mapping import (
        CaptureSpan as CaptureSpan,
        MomentMapping as MomentMapping,
        choose_capture as choose_capture,
        choose_sighting_at as choose_sighting_at,
    )
    from webkeep.coherence.time_travel.embed_fit import (
        FittingChoice as FittingChoice,
        TemporalFit as TemporalFit,
        choose_sighting as choose_sighting,
        judge_fit as judge_fit,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "capture_mapping": ("CaptureSpan", "MomentMapping", "choose_capture", "choose_sighting_at"),
            "embed_fit": ("FittingChoice", "TemporalFit", "choose_sighting", "judge_fit"),
        },
    )

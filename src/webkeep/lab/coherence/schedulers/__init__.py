"""Schedules for sites known beforehand, which the strategies of a crawl are held against."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.lab.coherence.schedulers.coherence_notions import (
        LargestAgreement as LargestAgreement,
        MeasuredCoherence as MeasuredCoherence,
        inducible_coherence as inducible_coherence,
        intersect_lifetimes as intersect_lifetimes,
        largest_agreement as largest_agreement,
        measurable_coherence as measurable_coherence,
    )
    from webkeep.lab.coherence.schedulers.exact_schedule import exact_selective_schedule as exact_selective_schedule
    from webkeep.lab.coherence.schedulers.offline import (
        best_start as best_start,
        best_times as best_times,
        misplaced_schedule as misplaced_schedule,
        offline_schedule as offline_schedule,
        organ_pipe_order as organ_pipe_order,
    )
    from webkeep.lab.coherence.schedulers.olston_pandey_order import OlstonPandeyOrder as OlstonPandeyOrder
    from webkeep.lab.coherence.schedulers.revisit_schedule import (
        greedy_revisits_schedule as greedy_revisits_schedule,
        revisits_schedule as revisits_schedule,
    )
    from webkeep.lab.coherence.schedulers.risk_schedules import (
        bernoulli_change_probability as bernoulli_change_probability,
        inducible_schedule as inducible_schedule,
        measurable_schedule as measurable_schedule,
    )
    from webkeep.lab.coherence.schedulers.selective import selective_schedule as selective_schedule
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "coherence_notions": (
                "LargestAgreement",
                "MeasuredCoherence",
                "inducible_coherence",
                "intersect_lifetimes",
                "largest_agreement",
                "measurable_coherence",
            ),
            "exact_schedule": ("exact_selective_schedule",),
            "offline": ("best_start", "best_times", "misplaced_schedule", "offline_schedule", "organ_pipe_order"),
            "olston_pandey_order": ("OlstonPandeyOrder",),
            "revisit_schedule": ("greedy_revisits_schedule", "revisits_schedule"),
            "risk_schedules": ("bernoulli_change_probability", "inducible_schedule", "measurable_schedule"),
            "selective": ("selective_schedule",),
        },
    )

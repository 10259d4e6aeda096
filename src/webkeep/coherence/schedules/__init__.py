"""Visits and revisits planned for pages that are known: slots, schedules, blur, and the coherence to expect."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.coherence.schedules.blur import (
        TimeInterval as TimeInterval,
        actual_blur as actual_blur,
        capture_interval as capture_interval,
        expected_average_blur as expected_average_blur,
        expected_page_blur as expected_page_blur,
        revisit_penalty as revisit_penalty,
        visit_penalty as visit_penalty,
    )
    from webkeep.coherence.schedules.expected_coherence import (
        expected_incoherence as expected_incoherence,
        incoherence_variance as incoherence_variance,
        incoherent_pages as incoherent_pages,
        rate_from_probability as rate_from_probability,
    )
    from webkeep.coherence.schedules.interval_schedule import intervals_schedule as intervals_schedule
    from webkeep.coherence.schedules.rate_order import check_rates as check_rates, order_by_rate as order_by_rate
    from webkeep.coherence.schedules.schedule import (
        VisitSchedule as VisitSchedule,
        fifo_schedule as fifo_schedule,
        lifo_schedule as lifo_schedule,
        schedule_from_slots as schedule_from_slots,
    )
    from webkeep.coherence.schedules.selective_choice import choose_hopeless as choose_hopeless
    from webkeep.coherence.schedules.threshold import (
        outside_in_schedule as outside_in_schedule,
        threshold_schedule as threshold_schedule,
    )
    from webkeep.coherence.schedules.visit_slots import (
        VisitSlots as VisitSlots,
        joined_revisit_slots as joined_revisit_slots,
        separate_revisit_slots as separate_revisit_slots,
        single_visit_slots as single_visit_slots,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "blur": (
                "TimeInterval",
                "actual_blur",
                "capture_interval",
                "expected_average_blur",
                "expected_page_blur",
                "revisit_penalty",
                "visit_penalty",
            ),
            "expected_coherence": (
                "expected_incoherence",
                "incoherence_variance",
                "incoherent_pages",
                "rate_from_probability",
            ),
            "interval_schedule": ("intervals_schedule",),
            "rate_order": ("check_rates", "order_by_rate"),
            "schedule": ("VisitSchedule", "fifo_schedule", "lifo_schedule", "schedule_from_slots"),
            "selective_choice": ("choose_hopeless",),
            "threshold": ("outside_in_schedule", "threshold_schedule"),
            "visit_slots": ("VisitSlots", "joined_revisit_slots", "separate_revisit_slots", "single_visit_slots"),
        },
    )

"""Captures that are to be coherent: the order of visits that a strategy gives, and the revisits after them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.frontier.coherent.planned_url_store import PlannedUrlStore as PlannedUrlStore
    from webkeep.frontier.coherent.visit_plan import MIN_VISIT_SECONDS as MIN_VISIT_SECONDS, VisitPlan as VisitPlan
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "planned_url_store": ("PlannedUrlStore",),
            "visit_plan": ("MIN_VISIT_SECONDS", "VisitPlan"),
        },
    )

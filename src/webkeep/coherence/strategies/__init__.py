"""Orders of visits decided while pages are being found: the strategies of a capture by name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.coherence.strategies.planned_order import PlannedOrder as PlannedOrder
    from webkeep.coherence.strategies.site_size import (
        FixedSizeEstimate as FixedSizeEstimate,
        LearnedSizeEstimate as LearnedSizeEstimate,
        SizeEstimate as SizeEstimate,
    )
    from webkeep.coherence.strategies.strategy_table import (
        STRATEGIES as STRATEGIES,
        CaptureStrategy as CaptureStrategy,
        RevisitOrder as RevisitOrder,
        find_strategy as find_strategy,
    )
    from webkeep.coherence.strategies.visit_orders import VisitOrder as VisitOrder, simulate_visits as simulate_visits
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "planned_order": ("PlannedOrder",),
            "site_size": ("FixedSizeEstimate", "LearnedSizeEstimate", "SizeEstimate"),
            "strategy_table": ("CaptureStrategy", "RevisitOrder", "STRATEGIES", "find_strategy"),
            "visit_orders": ("VisitOrder", "simulate_visits"),
        },
    )

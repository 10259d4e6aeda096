"""One capture on many machines: its URLs, hosts and fates in PostgreSQL, its pages fetched by workers that lease
hosts.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.cluster.cluster_plan import check_cluster_plan as check_cluster_plan
    from webkeep.cluster.coordinator import Coordinator as Coordinator
    from webkeep.cluster.worker import (
        Worker as Worker,
        open_cluster_clock as open_cluster_clock,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "cluster_plan": ("check_cluster_plan",),
            "coordinator": ("Coordinator",),
            "worker": ("Worker", "open_cluster_clock"),
        },
    )

"""One capture on many machines: its URLs, hosts and fates in PostgreSQL, its pages fetched by workers that lease
hosts.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.cluster.cluster_plan import check_cluster_plan as check_cluster_plan
    from webkeep.cluster.coordinator import Coordinator as Coordinator, CoordinatorTerms as CoordinatorTerms
    from webkeep.cluster.fates_under_way import open_cluster_fates as open_cluster_fates
    from webkeep.cluster.full_files import FolderStorage as FolderStorage, FullFileMover as FullFileMover
    from webkeep.cluster.pool.ray_start import open_ray as open_ray
    from webkeep.cluster.pool.ray_workers import RayLauncher as RayLauncher
    from webkeep.cluster.pool.worker_pool import WorkerPool as WorkerPool, worker_name as worker_name
    from webkeep.cluster.pool.worker_scaling import PoolBounds as PoolBounds
    from webkeep.cluster.worker import (
        Worker as Worker,
        WorkerTerms as WorkerTerms,
        open_cluster_clock as open_cluster_clock,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "cluster_plan": ("check_cluster_plan",),
            "coordinator": ("Coordinator", "CoordinatorTerms"),
            "fates_under_way": ("open_cluster_fates",),
            "full_files": ("FolderStorage", "FullFileMover"),
            "pool.ray_start": ("open_ray",),
            "pool.ray_workers": ("RayLauncher",),
            "pool.worker_pool": ("WorkerPool", "worker_name"),
            "pool.worker_scaling": ("PoolBounds",),
            "worker": ("Worker", "WorkerTerms", "open_cluster_clock"),
        },
    )

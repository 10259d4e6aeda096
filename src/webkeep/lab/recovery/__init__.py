"""The laboratory of recovery: lost sites and the repositories that held pieces of them, simulated in virtual time."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.lab.recovery.experiment_table import (
        EXPERIMENTS as EXPERIMENTS,
        SERVED_EXPERIMENT as SERVED_EXPERIMENT,
        RecoveryExtent as RecoveryExtent,
        run_experiment as run_experiment,
    )
    from webkeep.lab.recovery.report.recovery_report import render_report as render_report
    from webkeep.lab.recovery.scenarios.loopback_archives import serve_repositories as serve_repositories
    from webkeep.lab.recovery.simulation.archive_server import ArchiveServer as ArchiveServer
    from webkeep.lab.recovery.simulation.lost_site import LostSite as LostSite, draw_lost_site as draw_lost_site
    from webkeep.lab.recovery.simulation.site_content import site_origin as site_origin
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "experiment_table": ("EXPERIMENTS", "RecoveryExtent", "SERVED_EXPERIMENT", "run_experiment"),
            "report.recovery_report": ("render_report",),
            "scenarios.loopback_archives": ("serve_repositories",),
            "simulation.archive_server": ("ArchiveServer",),
            "simulation.lost_site": ("LostSite", "draw_lost_site"),
            "simulation.site_content": ("site_origin",),
        },
    )

"""Reports on client-side states: machines, tables, trees, and coverage by other archives."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.quality.states.coverage import (
        MAX_CONNECTIONS as MAX_CONNECTIONS,
        ArchiveCoverage as ArchiveCoverage,
        AskCoverage as AskCoverage,
        coverage_by_archive as coverage_by_archive,
        coverage_by_timemaps as coverage_by_timemaps,
    )
    from webkeep.quality.states.state_machines import (
        group_by_page as group_by_page,
        machines_graphml as machines_graphml,
        machines_json as machines_json,
        view_caption as view_caption,
    )
    from webkeep.quality.states.state_page import describe_gain as describe_gain, render_state_page as render_state_page
    from webkeep.quality.states.state_report import (
        StateReport as StateReport,
        read_state_report as read_state_report,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "coverage": (
                "ArchiveCoverage",
                "AskCoverage",
                "MAX_CONNECTIONS",
                "coverage_by_archive",
                "coverage_by_timemaps",
            ),
            "state_machines": ("group_by_page", "machines_graphml", "machines_json", "view_caption"),
            "state_page": ("describe_gain", "render_state_page"),
            "state_report": ("StateReport", "read_state_report"),
        },
    )

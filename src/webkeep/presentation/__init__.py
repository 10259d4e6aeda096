"""What people read: numbers and dates in words, text with nothing hidden in it; below, pages and drawings."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.presentation.failure_words import describe_failure as describe_failure
    from webkeep.presentation.number_format import (
        format_count as format_count,
        format_date as format_date,
        format_duration as format_duration,
        format_elapsed as format_elapsed,
        format_exact_size as format_exact_size,
        format_instant as format_instant,
        format_moment as format_moment,
        format_share as format_share,
        format_size as format_size,
        format_times_seen as format_times_seen,
        write_size as write_size,
        write_time as write_time,
    )
    from webkeep.presentation.visible_text import (
        TerminalGuard as TerminalGuard,
        escape_controls as escape_controls,
        escape_controls_in_lines as escape_controls_in_lines,
        escape_json_controls as escape_json_controls,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "failure_words": ("describe_failure",),
            "number_format": (
                "format_count",
                "format_date",
                "format_duration",
                "format_elapsed",
                "format_exact_size",
                "format_instant",
                "format_moment",
                "format_share",
                "format_size",
                "format_times_seen",
                "write_size",
                "write_time",
            ),
            "visible_text": ("TerminalGuard", "escape_controls", "escape_controls_in_lines", "escape_json_controls"),
        },
    )

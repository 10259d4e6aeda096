"""What people read: numbers and dates in words, markup, pages with their style, drawings."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
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
            ),
        },
    )
